import CLinux
import Glibc

/// Many descriptors on their way in one: they wait in a socket for whoever gets that.
///
/// Who keeps it has to keep one descriptor, however many it carries. When nobody has it any more,
/// what it carries is closed.
package enum DescriptorCarrier {
  /// Sends descriptors on their way.
  ///
  /// - Parameters:
  ///   - descriptors: What to carry copies of.
  ///   - label: Told to whoever unpacks it.
  /// - Returns: The descriptor to be kept, or passed on.
  /// - Throws: ``Errno`` of `socketpair`, or of `sendmsg`: `ETOOMANYREFS` if there are more than a
  ///   process may have.
  package static func pack(
    _ descriptors: [Int32], label: UInt64
  ) throws(Errno) -> FileDescriptor {
    var ends: [Int32] = [-1, -1]
    let type = Int32(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue)
    _ = try check(unsafe socketpair(AF_UNIX, type, 0, &ends), "socketpair")
    let carrier = FileDescriptor(owning: ends[0])
    let sender = FileDescriptor(owning: ends[1])
    var rest = descriptors[...]
    while !rest.isEmpty {
      let part = Array(rest.prefix(DatagramSocket.maximumDescriptorCount))
      rest = rest.dropFirst(part.count)
      let result = unsafe withUnsafeBytes(of: label) { bytes in
        unsafe clinux_unix_send_descriptors(
          sender.rawValue, nil, bytes.baseAddress, bytes.count, Int32(MSG_DONTWAIT), part,
          part.count)
      }
      _ = try checkNegated(result, "sendmsg")
    }
    return carrier
  }

  /// Takes out what is carried, once.
  ///
  /// - Parameter carrier: What was kept.
  /// - Returns: The descriptors, in the order in which they were packed, which the caller now owns,
  ///   and the label; nil if nothing is carried.
  package static func unpack(
    _ carrier: borrowing FileDescriptor
  ) -> (descriptors: [Int32], label: UInt64)? {
    var found: [Int32] = []
    var label: UInt64 = 0
    while true {
      var count = 0
      var size: Int32 = 0
      let part = unsafe [Int32](
        unsafeUninitializedCapacity: DatagramSocket.maximumDescriptorCount
      ) { buffer, initialized in
        size = unsafe withUnsafeMutableBytes(of: &label) { bytes in
          unsafe clinux_receive_descriptors(
            carrier.rawValue, bytes.baseAddress, bytes.count, buffer.baseAddress, &count)
        }
        initialized = count
      }
      guard size > 0 else { break }
      found += part
    }
    return found.isEmpty ? nil : (found, label)
  }
}
