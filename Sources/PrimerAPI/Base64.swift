/// Decodes base64 in its standard or its URL-safe alphabet, padded or not.
///
/// - Returns: `nil` for a character outside both alphabets, padding that does not fill the last
///   group, or a single character in the last group.
/// - Source: RFC 4648, sections 4 and 5.
func decodedBase64(_ text: Substring.UTF8View) -> [UInt8]? {
  let padding = UInt8(ascii: "=")
  let paddingCount = text.suffix(2).reduce(0) { $0 + ($1 == padding ? 1 : 0) }
  guard paddingCount == 0 || text.count % 4 == 0 else { return nil }
  var bytes: [UInt8] = []
  bytes.reserveCapacity(text.count / 4 * 3 + 2)
  var bits: UInt32 = 0
  var bitCount = 0
  for character in text.dropLast(paddingCount) {
    guard let sextet = sextet(character) else { return nil }
    bits = (bits << 6 | sextet) & 0xFFFF
    bitCount += 6
    guard bitCount >= 8 else { continue }
    bitCount -= 8
    bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(bitCount)))
  }
  return bitCount == 6 ? nil : bytes
}

private func sextet(_ character: UInt8) -> UInt32? {
  switch character {
  case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(character - UInt8(ascii: "A"))
  case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(character - UInt8(ascii: "a") + 26)
  case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(character - UInt8(ascii: "0") + 52)
  case UInt8(ascii: "+"), UInt8(ascii: "-"): 62
  case UInt8(ascii: "/"), UInt8(ascii: "_"): 63
  default: nil
  }
}
