import Testing
import ValueTree

@testable import JSON

@Suite struct TolerantReaderTests {
  private func read(_ text: String) -> TolerantText { read(Array(text.utf8)) }

  private func read(_ bytes: [UInt8]) -> TolerantText {
    TolerantReader(maximumByteCount: 1 << 20).read(bytes)
  }

  /// What stands in an unused member, and what it is read as.
  @Test(
    arguments: [
      ("18446744073709551615", Value.unsigned(.max)), ("18446744073709551616", .number(0x1p64)),
      ("-9223372036854775809", .number(-0x1p63)), ("1e400", .null), ("-1e400", .null),
      ("NaN", .null),
      ("Infinity", .null), ("1E2", .number(100)), (#""\ud800""#, "\u{FFFD}"),
      (#""\udc00x""#, "\u{FFFD}x"), (#""\ud800\ud83d\ude00""#, "\u{FFFD}\u{1F600}"),
      (#""\ud83d\u0041""#, "\u{FFFD}A"), (#""\u12""#, "\u{FFFD}12"),
      (#""\b\f\n\r\t\"\\\/\ud800""#, "\u{8}\u{C}\n\r\t\"\\/\u{FFFD}"), ("\"a\tb\"", "a\tb"),
      (#"{"a":1,"a":2,"b":3}"#, ["a": 1, "b": 3]),
      (
        "[1e400,true,false,null,[]]",
        [.null, true, false, .null, []]
      ),
      (
        "{\"\":{} , \"x\" : [ 1e400 ] }",
        ["": [:], "x": [.null]]
      ),
    ] as [(String, Value)])
  func `what JSON's readers cannot hold costs nothing beside it`(member: String, value: Value) {
    let expected = Value.object([
      .init("before", 1), .init("odd", value), .init("after", "x"),
    ])
    let text = read(#"{"before":1,"odd":\#(member),"after":"x"}"#)
    #expect(text == TolerantText(value: expected, isWhole: true))
  }

  @Test func `bytes that are no UTF-8 are replaced, in names too`() {
    let bytes = Array(#"{"n"#.utf8) + [0xE9] + Array(#"":"caf"#.utf8) + [0xE9] + Array(#""}"#.utf8)
    #expect(read(bytes) == TolerantText(value: ["n\u{FFFD}": "caf\u{FFFD}"], isWhole: true))
  }

  @Test func `a byte-order mark is passed over`() {
    #expect(read("\u{FEFF}{\"a\":1}") == TolerantText(value: ["a": 1], isWhole: true))
  }

  @Test(arguments: [33, 64, 65, 1000, 300_000])
  func `what is nested too deep is null, and nothing beside it is lost`(depth: Int) {
    let deep =
      String(repeating: "[", count: depth) + "\"]\\\"\"" + String(repeating: "]", count: depth)
    let text = read(#"{"deep":\#(deep),"after":1}"#)
    #expect(text.isWhole)
    #expect(text.value["after"] == 1)
    var level = text.value["deep"]
    var count = 1
    while let inner = level?.array?.first {
      level = inner
      count += 1
    }
    #expect(level == .null && count == 32)
  }

  @Test(
    arguments: [
      ("", Value.null), ("  ", .null), ("<html>", .null),
      (#"{"id":"p","status":"SUCC"#, ["id": "p"]),
      (#"{"id":"p","status":"S","amount":12"#, ["id": "p", "status": "S"]),
      (#"{"id":"p","a":{"b":[1,{"c":2"#, ["id": "p", "a": ["b": [1, [:]]]]),
      (#"{"id":"p","status":}"#, ["id": "p"]), (#"{"id":"p",}"#, ["id": "p"]),
      (#"{"id":"p" "status":"S"}"#, ["id": "p"]), (#"{"id":"p"} x"#, ["id": "p"]),
      (#"{"id":"p"]"#, ["id": "p"]), (#"{"id""#, [:]), ("{", [:]), ("[1,", [1]), ("[", []),
      ("[1,]", [1]), (#""abc"#, .null), (#""abc\"#, .null), ("\u{0}", .null), ("ok", .null),
      ("1e400", .null), ("1 2", 1),
      ("[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[", read32),
    ] as [(String, Value)])
  func `of a broken text what came before it is there`(text: String, value: Value) {
    #expect(read(text) == TolerantText(value: value, isWhole: false))
  }

  /// Thirty-two lists, the innermost with what was cut.
  static let read32 = (0..<32).reduce(Value.null) { inner, _ in [inner] }

  /// Every text that the strict reader takes means the same to the one that takes over for it.
  @Test(arguments: [
    "0", "-0", "1", "-1", "9223372036854775807", "9223372036854775808", "1.5", "1e2", "-0.0",
    "1E-7",
    "true", "false", "null", #""""#, #""\u00e9\ud83d\ude00\/""#, "[]", "{}", "[[],{}]",
    " [ 1 , 2 ] ",
    #"{"a":{"b":[null,"é"]},"c":"\\\""}"#, "123456789012345678", "0.1", "5e-324",
  ])
  func `what is strict is read the same`(text: String) throws {
    var scan = TolerantScan(Array(text.utf8), maximumDepth: 32)
    let value = try JSONReader().value(of: text)
    #expect(scan.read() == TolerantText(value: value, isWhole: true))
  }
}
