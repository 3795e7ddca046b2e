import ValueTree

/// What a text may have in it, or around it, that a strict reader would refuse.
enum TextOddity {
  /// What stands where an oddity is to be put, as a string.
  static let mark = "odd-one-out"

  /// What may stand where nobody looks, as it is sent.
  static let all: [(name: String, bytes: [UInt8])] =
    [
      ("a long integer", "18446744073709551616"), ("a long negative", "-9223372036854775809"),
      ("a huge number", "1e400"), ("half a pair", #""\ud800""#), ("the other half", #""x\udc00y""#),
      ("a doubled name", #"{"a":1,"a":2}"#), ("a doubled name in a list", #"[{"a":1,"a":2}]"#),
      ("64 deep", String(repeating: "[", count: 64) + String(repeating: "]", count: 64)),
      ("1000 deep", String(repeating: "[", count: 1000) + String(repeating: "]", count: 1000)),
      ("a word", "NaN"), ("a line end in a string", "\"a\nb\""), ("NUL", #""\u0000""#),
    ].map { ($0.0, Array($0.1.utf8)) } + [
      ("Latin-1", [UInt8(ascii: "\""), 0x63, 0x61, 0x66, 0xE9, UInt8(ascii: "\"")])
    ]

  /// A text with each of them in the place of the mark.
  static func inside(_ text: [UInt8]) -> [(name: String, bytes: [UInt8])] {
    guard let place = text.firstRange(of: Array("\"\(mark)\"".utf8)) else { return [] }
    return all.map { name, oddity in
      var bytes = text
      bytes.replaceSubrange(place, with: oddity)
      return (name, bytes)
    }
  }

  /// An object with each of what may stand around it.
  static func around(_ text: [UInt8]) -> [(name: String, bytes: [UInt8])] {
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    let space = Array("\r\n ".utf8)
    return [
      ("a byte-order mark", mark + text), ("white space", space + text + space),
      ("both", mark + space + text),
    ]
  }

  /// An object with an `error` beside what was asked for.
  static func withError(_ text: [UInt8]) -> [(name: String, bytes: [UInt8])] {
    let errors = ["null", #""none""#, "{}", #"{"errorId":"X","description":"d"}"#]
    return errors.flatMap { error in
      [
        ("error \(error) first", Array(#"{"error":\#(error),"#.utf8) + text.dropFirst()),
        ("error \(error) last", text.dropLast() + Array(#","error":\#(error)}"#.utf8)),
      ]
    }
  }
}
