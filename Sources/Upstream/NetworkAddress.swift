package import Glibc

/// An IPv4 or IPv6 address; an IPv4 address written as an IPv6 one (`::ffff:10.0.0.1`) is the
/// IPv4 address.
package struct NetworkAddress: Sendable, Hashable {
  /// Four or sixteen bytes, most significant first.
  package let bytes: [UInt8]

  /// Makes an address from four or sixteen bytes.
  package init(bytes: [UInt8]) {
    let isMapped = bytes.count == 16 && bytes.starts(with: Self.mappedPrefix)
    self.bytes = isMapped ? Array(bytes.suffix(4)) : bytes
  }

  /// Reads `192.0.2.1` or `2001:db8::1`: four decimal numbers without leading zeros, or RFC 4291's
  /// forms, without brackets and zone.
  package init?(text: String) {
    // The system's function would stop there, and never see what follows.
    guard !text.utf8.contains(0) else { return nil }
    var buffer = [UInt8](repeating: 0, count: 16)
    if unsafe inet_pton(AF_INET, text, &buffer) == 1 {
      self.init(bytes: Array(buffer.prefix(4)))
    } else if unsafe inet_pton(AF_INET6, text, &buffer) == 1 {
      self.init(bytes: buffer)
    } else {
      return nil
    }
  }

  /// Whether it is an IPv6 address.
  package var isV6: Bool { bytes.count == 16 }

  /// As text, without brackets.
  package var text: String {
    var buffer = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    _ = unsafe inet_ntop(isV6 ? AF_INET6 : AF_INET, bytes, &buffer, socklen_t(buffer.count))
    return String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init), as: UTF8.self)
  }

  /// Whether it is the machine itself: `127.0.0.0/8` or `::1`.
  var isLoopback: Bool {
    bytes.count == 4 ? bytes[0] == 127 : bytes.dropLast().allSatisfy { $0 == 0 } && bytes[15] == 1
  }

  /// Whether it is an address of the public internet.
  ///
  /// Everything else (this machine, private and shared networks, links, groups, documentation,
  /// what is reserved) is where a name that an attacker controls must not lead.
  ///
  /// - Source: IANA's special-purpose address registries (RFC 6890); RFC 6052 for NAT64.
  package var isPublic: Bool {
    bytes.count == 4 ? Self.isPublic(v4: bytes[...]) : Self.isPublic(v6: bytes)
  }

  private static func isPublic(v4 bytes: ArraySlice<UInt8>) -> Bool {
    let address = bytes.reduce(0 as UInt32) { $0 << 8 | UInt32($1) }
    return !specialV4.contains { network, length in (address ^ network) >> (32 - length) == 0 }
  }

  private static func isPublic(v6 bytes: [UInt8]) -> Bool {
    // NAT64 and 6to4 carry an IPv4 address, and lead where that one leads.
    if bytes.starts(with: [0x00, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0]) {
      return isPublic(v4: bytes[12...])
    }
    if bytes.starts(with: [0x20, 0x02]) { return isPublic(v4: bytes[2..<6]) }
    guard bytes[0] & 0xE0 == 0x20 else { return false }  // 2000::/3 is all the public space
    let isSpecial = bytes.starts(with: [0x20, 0x01]) && bytes[2] & 0xFE == 0  // 2001::/23
    return !isSpecial && !bytes.starts(with: [0x20, 0x01, 0x0D, 0xB8])  // documentation
  }

  private static let mappedPrefix: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]

  private static let specialV4: [(UInt32, Int)] = [
    (0x0000_0000, 8), (0x0A00_0000, 8), (0x6440_0000, 10), (0x7F00_0000, 8),
    (0xA9FE_0000, 16), (0xAC10_0000, 12), (0xC000_0000, 24), (0xC000_0200, 24),
    (0xC058_6300, 24), (0xC0A8_0000, 16), (0xC612_0000, 15), (0xC633_6400, 24),
    (0xCB00_7100, 24), (0xE000_0000, 4), (0xF000_0000, 4),
  ]
}

extension NetworkAddress {
  /// The address and the port of a socket address; `nil` for other families.
  package static func endpoint(
    of pointer: UnsafePointer<sockaddr>
  ) -> (address: NetworkAddress, port: UInt16)? {
    let raw = unsafe UnsafeRawPointer(pointer)
    switch Int32(unsafe pointer.pointee.sa_family) {
    case AF_INET:
      let socketAddress = unsafe raw.loadUnaligned(as: sockaddr_in.self)
      let bytes = unsafe withUnsafeBytes(of: socketAddress.sin_addr) { unsafe Array($0) }
      return (NetworkAddress(bytes: bytes), UInt16(bigEndian: socketAddress.sin_port))
    case AF_INET6:
      let socketAddress = unsafe raw.loadUnaligned(as: sockaddr_in6.self)
      let bytes = unsafe withUnsafeBytes(of: socketAddress.sin6_addr) { unsafe Array($0) }
      return (NetworkAddress(bytes: bytes), UInt16(bigEndian: socketAddress.sin6_port))
    default: return nil
    }
  }
}
