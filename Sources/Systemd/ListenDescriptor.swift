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

/// A descriptor that the service manager passed and nobody can listen on.
package struct UnusableDescriptor: Error, Sendable, Equatable, CustomStringConvertible {
  /// The name that its unit gives it.
  package let name: String
  /// What it is, as `a pipe`.
  package let kind: String

  /// A line for people.
  package var description: String {
    "socket activation: \"\(name)\" is \(kind), not a Unix stream socket that listens"
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

  /// The first of what is neither; a program that gets it is set up wrongly.
  package internal(set) var unusable: UnusableDescriptor?
}

extension ServiceManager {
  /// Takes over what the service manager passed.
  ///
  /// It removes `LISTEN_*` from the environment: a second call finds nothing.
  ///
  /// - Returns: The descriptors; none if the daemon was started otherwise.
  /// - Throws: ``Errno``.
  package static func passedDescriptors() throws(Errno) -> PassedDescriptors {
    var names: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
    let count = unsafe sd_listen_fds_with_names(1, &names)
    guard count >= 0 else { throw Errno(code: -count, call: "sd_listen_fds_with_names") }
    defer { unsafe free(names) }
    var passed = PassedDescriptors()
    for index in 0..<Int(count) {
      let text = unsafe names?[index]
      defer { unsafe free(text) }
      let name = unsafe text.map { unsafe String(cString: $0) } ?? ""
      try passed.add(SD_LISTEN_FDS_START + Int32(index), named: name)
    }
    return passed
  }
}

extension PassedDescriptors {
  /// Takes a descriptor in as what it is: by its name alone something was left, for what a socket
  /// unit passes by mistake can be a connection or a pipe as well.
  mutating func add(_ number: Int32, named name: String) throws(Errno) {
    try FileDescriptor.setNonBlockingAndCloseOnExec(number)
    if LeftDescriptors.names.contains(name) {
      stored.append(StoredDescriptor(name: name, rawValue: number))
    } else if let kind = kindUnlessListener(number) {
      unusable = unusable ?? UnusableDescriptor(name: name, kind: kind)
    } else {
      listeners.append(ListenDescriptor(name: name, rawValue: number))
    }
  }
}

/// What a descriptor is; `nil` if it is a Unix stream socket that listens.
private func kindUnlessListener(_ number: Int32) -> String? {
  let stream = Int32(SOCK_STREAM.rawValue)
  guard sd_is_socket_unix(number, stream, 1, nil, 0) <= 0 else { return nil }
  guard sd_is_socket(number, AF_UNSPEC, 0, -1) > 0 else {
    if sd_is_fifo(number, nil) > 0 { return "a pipe" }
    if sd_is_mq(number, nil) > 0 { return "a message queue" }
    return sd_is_special(number, nil) > 0 ? "a file or a device" : "no socket"
  }
  guard sd_is_socket(number, AF_UNIX, 0, -1) > 0 else { return "a socket of another family" }
  guard sd_is_socket(number, AF_UNIX, stream, -1) > 0 else { return "a socket for messages" }
  return isConnected(number)
    ? "a connection, as Accept=yes passes it" : "a socket that does not listen"
}

private func isConnected(_ number: Int32) -> Bool {
  var address = sockaddr_un()
  var size = socklen_t(MemoryLayout<sockaddr_un>.size)
  return unsafe withUnsafeMutablePointer(to: &address) { pointer in
    unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      unsafe getpeername(number, $0, &size) == 0
    }
  }
}
