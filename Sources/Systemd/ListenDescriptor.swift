import CSystemd
import Glibc
package import LinuxSystem

/// A listener that the service manager opened for the daemon.
package struct ListenDescriptor: Sendable, Equatable {
  /// The name its socket unit gives it (`FileDescriptorName=`); positions mean nothing.
  package let name: String

  /// The descriptor; whoever makes a `FileDescriptor` of it owns it.
  package let rawValue: Int32
}

/// Why what the service manager passed cannot be used.
package enum ListenDescriptorError: Error, Sendable, Equatable, CustomStringConvertible {
  /// A system call failed.
  case failed(Errno)

  /// A descriptor is not a Unix stream socket that listens.
  case notAListener(name: String, rawValue: Int32)

  /// A line for people.
  package var description: String {
    switch self {
    case .failed(let error): "socket activation: \(error)"
    case .notAListener(let name, let rawValue):
      "socket activation: descriptor \(rawValue), \"\(name)\", is not a listening stream socket"
    }
  }
}

extension ServiceManager {
  /// Takes over the listeners that the service manager opened, each set not to block and to be
  /// closed by exec.
  ///
  /// It removes `LISTEN_*` from the environment: a second call finds none.
  ///
  /// - Returns: The listeners in no particular order; empty if the daemon was started otherwise.
  /// - Throws: ``ListenDescriptorError``.
  package static func listenDescriptors() throws(ListenDescriptorError) -> [ListenDescriptor] {
    var names: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
    let count = unsafe sd_listen_fds_with_names(1, &names)
    guard count >= 0 else {
      throw .failed(Errno(code: -count, call: "sd_listen_fds_with_names"))
    }
    defer { unsafe free(names) }
    var descriptors: [ListenDescriptor] = []
    for index in 0..<Int(count) {
      let name = unsafe names?[index]
      defer { unsafe free(name) }
      descriptors.append(
        ListenDescriptor(
          name: unsafe name.map { unsafe String(cString: $0) } ?? "",
          rawValue: SD_LISTEN_FDS_START + Int32(index)))
    }
    for descriptor in descriptors { try descriptor.check() }
    return descriptors
  }
}

extension ListenDescriptor {
  /// Makes sure that the daemon can accept connections on it, without waiting.
  func check() throws(ListenDescriptorError) {
    guard sd_is_socket_unix(rawValue, Int32(SOCK_STREAM.rawValue), 1, nil, 0) > 0 else {
      throw .notAListener(name: name, rawValue: rawValue)
    }
    do throws(Errno) {
      try FileDescriptor.setNonBlockingAndCloseOnExec(rawValue)
    } catch { throw .failed(error) }
  }
}
