import Glibc
import LinuxSystem

/// A directory that is removed with all its files when the test lets go of it.
final class TemporaryDirectory {
  let path: String

  init() throws {
    var template = Array("/tmp/checkoutd-test-XXXXXX".utf8CString)
    guard unsafe mkdtemp(&template) != nil else { throw Errno(code: errno, call: "mkdtemp") }
    path = String(decoding: template.dropLast().map(UInt8.init), as: UTF8.self)
  }

  deinit { removeTree(path) }

  func file(_ name: String) -> String { "\(path)/\(name)" }
}

/// Removes a file, or a directory and what is in it.
private func removeTree(_ path: String) {
  guard unsafe unlink(path) != 0, let directory = unsafe opendir(path) else { return }
  while let entry = unsafe readdir(directory) {
    let name = unsafe withUnsafePointer(to: &entry.pointee.d_name.0) { unsafe String(cString: $0) }
    if name != "." && name != ".." { removeTree("\(path)/\(name)") }
  }
  unsafe closedir(directory)
  _ = unsafe rmdir(path)
}

/// Two connected stream sockets that do not block.
struct SocketPair: ~Copyable {
  let near: FileDescriptor
  let far: FileDescriptor

  init() throws {
    var ends: [Int32] = [-1, -1]
    let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
    guard unsafe socketpair(AF_UNIX, type, 0, &ends) == 0 else {
      throw Errno(code: errno, call: "socketpair")
    }
    near = FileDescriptor(owning: ends[0])
    far = FileDescriptor(owning: ends[1])
  }
}

/// The permission bits and the type of what is at a path.
func mode(at path: String) -> mode_t {
  var status = stat()
  return unsafe lstat(path, &status) == 0 ? status.st_mode : 0
}

extension FileDescriptor {
  /// Reads up to 64 bytes, as text.
  func receiveText() -> (result: ReceiveResult, text: String) {
    var bytes = [UInt8](repeating: 0, count: 64)
    let result = unsafe bytes.withUnsafeMutableBytes { unsafe receive(into: $0) }
    guard case .bytes(let count) = result else { return (result, "") }
    return (result, String(decoding: bytes[..<count], as: UTF8.self))
  }

  /// Sends text without waiting.
  func sendText(_ text: String) -> SendResult {
    var text = text
    return text.withUTF8 { unsafe send(UnsafeRawBufferPointer($0)) }
  }
}
