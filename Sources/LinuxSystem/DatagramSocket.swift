import CLinux
import Glibc

/// A Unix datagram socket that sends to addresses given as text.
package struct DatagramSocket: ~Copyable {
  private let descriptor: FileDescriptor

  /// Makes a socket without an address of its own.
  ///
  /// - Parameter patienceMilliseconds: How long a datagram may wait for room at its receiver.
  /// - Throws: ``Errno`` of `socket` or `setsockopt`.
  package init(patienceMilliseconds: Int) throws(Errno) {
    let type = Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue)
    let socket = FileDescriptor(owning: try check(Glibc.socket(AF_UNIX, type, 0), "socket"))
    var patience = timeval(
      tv_sec: patienceMilliseconds / 1000, tv_usec: patienceMilliseconds % 1000 * 1000)
    _ = try check(
      unsafe setsockopt(
        socket.rawValue, SOL_SOCKET, SO_SNDTIMEO, &patience,
        socklen_t(MemoryLayout<timeval>.size)),
      "setsockopt")
    descriptor = socket
  }

  /// How many descriptors go with one datagram at most.
  package static let maximumDescriptorCount = 253

  /// Sends one datagram.
  ///
  /// - Parameters:
  ///   - text: What it holds.
  ///   - descriptors: Of what the receiver gets copies; at most ``maximumDescriptorCount``.
  ///   - address: A path, or `@` and a name in the abstract namespace.
  ///   - waits: Whether it may wait for room at the receiver.
  /// - Throws: ``Errno`` of `sendmsg`; `EAGAIN` if there was no room in time.
  package borrowing func send(
    _ text: String, with descriptors: [Int32] = [], to address: String, waits: Bool
  ) throws(Errno) {
    var text = text
    let result = text.withUTF8 { bytes in
      unsafe clinux_unix_send_descriptors(
        descriptor.rawValue, address, bytes.baseAddress, bytes.count,
        waits ? 0 : Int32(MSG_DONTWAIT), descriptors, descriptors.count)
    }
    _ = try checkNegated(result, "sendmsg")
  }
}
