/// Makes tokens, which the fuzzer would not find by itself.
enum Base64URL {
  private static let alphabet = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
  private static let opening = Array("{{".utf8)
  private static let closing = Array("}}".utf8)

  static func encoded(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let group = bytes[start..<min(start + 3, bytes.count)]
      let bits = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
      for place in 0...group.count { text.append(alphabet[bits >> (18 - 6 * place) & 63]) }
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Puts a token in the place of each `{{…}}`, which is its payload without the braces.
  static func withTokens(_ body: [UInt8]) -> [UInt8] {
    guard body.contains(opening[0]) else { return body }
    var result: [UInt8] = []
    var rest = body[...]
    while let start = rest.firstRange(of: opening),
      let end = rest[start.upperBound...].firstRange(of: closing)
    {
      result += rest[..<start.lowerBound]
      let payload = [opening[0]] + rest[start.upperBound..<end.lowerBound] + [closing[0]]
      result += Array("h.\(encoded(payload)).s".utf8)
      rest = rest[end.upperBound...]
    }
    return result + rest
  }
}
