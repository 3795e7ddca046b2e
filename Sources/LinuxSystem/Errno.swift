import CLinux
import Glibc

/// A system call that failed.
///
/// Two errors are equal when their codes are: which call met the condition does not change what
/// the condition is.
package struct Errno: Error, Sendable, Equatable, CustomStringConvertible {
  /// The error number, as in `errno`.
  package let code: Int32

  /// The call that failed, as in `bind`.
  package let call: StaticString

  /// Names a failed call.
  ///
  /// - Parameters:
  ///   - code: A positive error number.
  ///   - call: The C function that failed.
  package init(code: Int32, call: StaticString) {
    self.code = code
    self.call = call
  }

  /// The call and the condition, as in `bind: Address already in use`.
  package var description: String {
    unsafe "\(call): \(String(cString: clinux_error_text(code)))"
  }

  /// Compares the codes only.
  package static func == (left: Errno, right: Errno) -> Bool { left.code == right.code }
}

extension Errno {
  /// There is nothing at that path (`ENOENT`).
  package static let noEntry = ENOENT

  /// The file's mode or owner forbids it (`EACCES`).
  package static let permissionDenied = EACCES

  /// There is a socket at that path, and nobody listens (`ECONNREFUSED`).
  package static let connectionRefused = ECONNREFUSED

  /// The file system is full (`ENOSPC`).
  package static let noSpace = ENOSPC
}

/// Hands on the value of a call that answers −1 on failure.
func check(_ result: Int32, _ call: StaticString) throws(Errno) -> Int32 {
  guard result >= 0 else { throw Errno(code: errno, call: call) }
  return result
}

/// Hands on the value of a call that answers −errno on failure.
func checkNegated(_ result: Int32, _ call: StaticString) throws(Errno) -> Int32 {
  guard result >= 0 else { throw Errno(code: -result, call: call) }
  return result
}
