/// The host of a URL or of an entry of the allow list.
package enum Host: Sendable, Equatable {
  /// A name in lower case, without a final dot.
  case name(String)
  /// An address literal.
  case address(NetworkAddress)

  /// Reads a host: a name in ASCII, an IPv4 address of four decimal numbers, or an IPv6 address in
  /// brackets.
  ///
  /// - Returns: `nil` for all else: characters outside `A-Z a-z 0-9 - _ .`, empty labels and a final
  ///   dot, labels above 63 bytes, names above 253, and names whose last label does not begin with
  ///   a letter, since resolvers read some of those as addresses (`0x7f.1`, `2130706433`).
  package init?(_ text: String) {
    if text.hasPrefix("["), text.hasSuffix("]"), text.utf8.count > 2 {
      let inner = String(text.dropFirst().dropLast())
      guard inner.contains(":"), let address = NetworkAddress(text: inner) else { return nil }
      self = .address(address)
    } else if !text.contains(":"), let address = NetworkAddress(text: text) {
      self = .address(address)
    } else {
      guard text.utf8.count <= 253, text.utf8.allSatisfy(Self.isNameByte) else { return nil }
      let name = text.lowercased()
      let labels = name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
      guard labels.allSatisfy(Self.isLabel), let first = labels.last?.first,
        UInt8(ascii: "a")...UInt8(ascii: "z") ~= first
      else { return nil }
      self = .name(name)
    }
  }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"),
      UInt8(ascii: "."):
      true
    default: false
    }
  }

  private static func isLabel(_ label: Substring.UTF8View) -> Bool {
    let hyphen = UInt8(ascii: "-")
    return (1...63).contains(label.count) && label.first != hyphen && label.last != hyphen
  }
}
