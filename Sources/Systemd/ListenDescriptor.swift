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

/// Something that an earlier run of the daemon left with the service manager.
package struct StoredDescriptor: Sendable, Equatable {
  /// The name it was left under.
  package let name: String

  /// The descriptor; whoever makes a `FileDescriptor` of it owns it.
  package let rawValue: Int32
}

/// What the service manager passed to the daemon, in no particular order.
package struct PassedDescriptors: Sendable, Equatable {
  /// What socket units opened, each set not to block and to be closed by exec.
  package internal(set) var listeners: [ListenDescriptor] = []

  /// What an earlier run left, set likewise.
  package internal(set) var stored: [StoredDescriptor] = []
}

extension ServiceManager {
  /// Takes over what the service manager passed.
  ///
  /// It removes `LISTEN_*` from the environment: a second call finds nothing.
  ///
  /// - Returns: The descriptors; none if the daemon was started otherwise.
  /// - Throws: ``ListenDescriptorError``.
  package static func passedDescriptors() throws(ListenDescriptorError) -> PassedDescriptors {
    var names: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
    let count = unsafe sd_listen_fds_with_names(1, &names)
    guard count >= 0 else {
      throw .failed(Errno(code: -count, call: "sd_listen_fds_with_names"))
    }
    defer { unsafe free(names) }
    var passed = PassedDescriptors()
    for index in 0..<Int(count) {
      let text = unsafe names?[index]
      defer { unsafe free(text) }
      let name = unsafe text.map { unsafe String(cString: $0) } ?? ""
      let number = SD_LISTEN_FDS_START + Int32(index)
      if isLeftOver(number) {
        passed.stored.append(StoredDescriptor(name: name, rawValue: number))
      } else {
        passed.listeners.append(ListenDescriptor(name: name, rawValue: number))
      }
    }
    for descriptor in passed.listeners { try descriptor.check() }
    do throws(Errno) {
      for descriptor in passed.stored {
        try FileDescriptor.setNonBlockingAndCloseOnExec(descriptor.rawValue)
      }
    } catch { throw .failed(error) }
    return passed
  }

  /// Whether a descriptor can only come from an earlier run: a connection, or no socket at all.
  static func isLeftOver(_ descriptor: Int32) -> Bool {
    let kinds = [SOCK_STREAM, SOCK_SEQPACKET].map { Int32($0.rawValue) }
    return sd_is_socket(descriptor, AF_UNSPEC, 0, -1) <= 0
      || kinds.contains { sd_is_socket_unix(descriptor, $0, 0, nil, 0) > 0 }
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
