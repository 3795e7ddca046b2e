import Testing
import ValueTree

@testable import JSON

@Suite struct JSONReaderTests {
  let reader = JSONReader()

  @Test(
    arguments: [
      ("null", .null), ("true", true), ("-0", 0), ("12", 12), ("\"a\\u0062\"", "ab"),
      ("9223372036854775807", .integer(.max)), ("9223372036854775808", .unsigned(1 << 63)),
      ("18446744073709551615", .unsigned(.max)), ("-9223372036854775808", .integer(.min)),
      ("1.0", .number(1)), ("1e2", .number(100)), ("-0.0", .number(-0.0)),
      (" [1, [ ], { } ]\r\n", [1, [], .object([])]),
      ("{\"b\":1,\"a\":{\"c\":null}}", ["b": 1, "a": ["c": .null]]),
    ] as [(String, Value)])
  func `a text becomes its tree`(text: String, expected: Value) throws {
    #expect(try reader.value(of: text) == expected)
  }

  @Test(arguments: [
    "", " ", "\n", "\u{FEFF}1", "[1,]", "{\"a\":1,}", "01", "+1", ".5", "1.", "NaN", "Infinity",
    "'a'", "[1] 2", "/**/1", "\"\u{0}\"", "1\u{0}", "\"\t\"", "\"\\ud800\"", "\"\\x\"", "tru",
    "18446744073709551616", "-9223372036854775809", "1e400", "-1e400", "{\"a\"}", "[", "]", "{]",
  ])
  func `what is not strict JSON is refused`(text: String) {
    #expect(throws: JSONError.notJSON) { try reader.value(of: text) }
  }

  @Test(arguments: [
    [0x22, 0xFF, 0x22], [0x22, 0xC0, 0xAF, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22],
  ])
  func `what is not UTF-8 is refused`(bytes: [UInt8]) {
    #expect(throws: JSONError.notJSON) { try reader.value(of: bytes) }
  }

  @Test func `nesting is allowed up to the limit, whether or not the innermost is empty`() throws {
    for core in ["", "1", "{}", "\"a\""] {
      let depthOfCore = core == "{}" ? 1 : 0
      let fits = 64 - depthOfCore
      let text = { String(repeating: "[", count: $0) + core + String(repeating: "]", count: $0) }
      #expect(throws: Never.self) { try reader.value(of: text(fits)) }
      #expect(throws: JSONError.tooDeep(limit: 64)) { try reader.value(of: text(fits + 1)) }
    }
    let deep = String(repeating: "[", count: 100_000)
    #expect(throws: JSONError.self) { try reader.value(of: deep) }
    let closed = deep + String(repeating: "]", count: 100_000)
    #expect(throws: JSONError.self) { try reader.value(of: closed) }
  }

  @Test func `a text beyond the limit is refused, and the reader goes on`() throws {
    let small = JSONReader(maximumByteCount: 1000)
    let long = "\"" + String(repeating: "x", count: 999) + "\""
    #expect(throws: JSONError.tooLarge(limit: 1000)) { try small.value(of: long) }
    #expect(try small.value(of: "1") == 1)
  }

  @Test func `a reader grows for a large text and reads small ones after it`() throws {
    let element = "{\"name\":\"value\",\"number\":12.5},"
    let large = "[" + String(repeating: element, count: 60_000) + "1]"
    #expect(try reader.value(of: large).array?.count == 60_001)
    #expect(try reader.value(of: "[1]") == [1])
    #expect(try reader.value(of: large).array?.last == 1)
  }

  @Test func `a short string is a number of its own`() throws {
    let short: [StaticString] = [
      "", "\0", "\0\0", "a", "a\0", "b", "ab", "ba", "2.0", "\u{FF}", "params", "jsonrpc",
      "jsonrpd",
      "\0\0\0\0\0\0\0",
    ]
    let numbers = short.map { JSONView.shortString($0) }
    #expect(Set(numbers).count == numbers.count && !numbers.contains(0))
    let text =
      #"["","\u0000","\u0000\u0000","a","a\u0000","b","ab","ba","2.0","ÿ","params","jsonrpc","#
      + #""jsonrpd","\u0000\u0000\u0000\u0000\u0000\u0000\u0000","jsonrpcs","idididid",1,null,[],{}]"#
    try unsafe Array(text.utf8).withUnsafeBytes { bytes in
      unsafe try reader.read(bytes) { view in
        #expect(view.elements.map(\.shortString) == numbers + [0, 0, 0, 0, 0, 0])
      }
    }
  }

  @Test func `a view finds members, elements and numbers in place`() throws {
    let text = Array(#"{"a":"xé","b":[1,2.5,18446744073709551615],"c":{"d":true}}"#.utf8)
    try unsafe text.withUnsafeBytes { bytes in
      unsafe try reader.read(bytes) { view in
        #expect(view.kind == .object && view.count == 3)
        #expect(view["a"]?.string == "xé" && view["a"]?.stringByteCount == 3)
        #expect(view["a"]?.equals("xé") == true && view["a"]?.equals("x") == false)
        #expect(view["a"]?.equals(string: "xé") == true)
        #expect(view["b"]?.elements.map { $0.number ?? 0 } == [1, 2.5, 0x1p64])
        #expect(view["b"]?.elements.map { $0.integer } == [1, nil, nil])
        #expect(view["b"]?.elements.map { $0.unsigned } == [1, nil, .max])
        #expect(view["c"]?["d"]?.bool == true)
        #expect(view["d"] == nil && view["a"]?["b"] == nil)
        #expect(view.members.map { $0.name.string } == ["a", "b", "c"])
        #expect(view["a"]?.count == 0 && view["a"]?.elements.map(\.index) == [])
      }
    }
  }
}
