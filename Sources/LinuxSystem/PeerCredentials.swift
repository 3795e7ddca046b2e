import CLinux
import Glibc

/// Who connected, as the kernel recorded it at that moment.
///
/// Only the user and the groups may decide anything: a process may be gone and its number another's.
package struct PeerCredentials: Sendable, Equatable {
  /// The effective user id.
  package let userID: UInt32

  /// The effective group id.
  package let groupID: UInt32

  /// The process, for logs only; 0 if it lies outside our process namespace.
  package let processID: Int32

  /// The supplementary groups, in the kernel's order.
  package let supplementaryGroupIDs: [UInt32]

  /// Asks the kernel who is at the other end of a connection.
  ///
  /// - Parameter socket: A connected Unix stream socket.
  /// - Throws: ``Errno`` of `getsockopt`: `ENOTSOCK`, or `ENODATA` for a socket without a peer.
  package init(of socket: borrowing FileDescriptor) throws(Errno) {
    var user: uid_t = 0
    var group: gid_t = 0
    var process: pid_t = 0
    _ = try checkNegated(
      unsafe clinux_peer_credentials(socket.rawValue, &user, &group, &process), "getsockopt")
    userID = user
    groupID = group
    processID = process
    supplementaryGroupIDs = try Self.supplementaryGroups(of: socket.rawValue)
  }

  /// Whether the kernel could not say who it is: the user has no number in our user namespace.
  ///
  /// All such users look the same, so they must not be taken for one.
  package var isOverflowUser: Bool { userID == Self.overflowUserID }

  /// The peer's command name, for logs only.
  ///
  /// - Returns: At most 15 characters, which the peer chose; nil if the process is gone or hidden.
  package func commandName() -> String? {
    guard processID > 0, var bytes = readSmallFile("/proc/\(processID)/comm") else { return nil }
    if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The number that stands for every user without one (`kernel.overflowuid`).
  ///
  /// Read once; 65534, the kernel's default, where `/proc/sys` is hidden.
  package static let overflowUserID: UInt32 = {
    guard let bytes = readSmallFile("/proc/sys/kernel/overflowuid") else { return 65534 }
    let digits = bytes.prefix { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
    return UInt32(String(decoding: digits, as: UTF8.self)) ?? 65534
  }()

  private static func supplementaryGroups(of socket: Int32) throws(Errno) -> [UInt32] {
    var capacity = 32
    while true {
      var count = capacity
      var result: Int32 = 0
      let groups = unsafe [gid_t](unsafeUninitializedCapacity: capacity) { buffer, initialized in
        unsafe result = clinux_peer_groups(socket, buffer.baseAddress, &count)
        initialized = result == 0 ? count : 0
      }
      // A peer's groups do not change after it connected: the size it needs is found at once.
      if result == -ERANGE && count > capacity {
        capacity = count
        continue
      }
      _ = try checkNegated(result, "getsockopt")
      return groups
    }
  }
}
