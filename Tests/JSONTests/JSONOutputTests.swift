import Testing
import ValueTree

@testable import JSON

@Suite struct JSONOutputTests {
  @Test(
    arguments: [
      ("a/b\"\\", #""a/b\"\\""#),
      ("\u{0}\u{1f}\n\r\t\u{8}\u{c}", #""\u0000\u001f\n\r\t\b\f""#),
      ("\u{85}\u{2028}\u{2029}\u{2027}\u{a9}é€😀", "\"\\u0085\\u2028\\u2029\u{2027}\u{a9}é€😀\""),
      (.integer(.min), "-9223372036854775808"), (.integer(0), "0"), (.integer(-7), "-7"),
      (.unsigned(.max), "18446744073709551615"), (.number(1), "1.0"), (.number(-0.0), "-0.0"),
      (.number(.nan), "null"), (.number(-.infinity), "null"),
      (["a": [], "b": [1, .null, true], "": .object([])], #"{"a":[],"b":[1,null,true],"":{}}"#),
    ] as [(Value, String)])
  func `a tree is written compactly`(value: Value, expected: String) {
    #expect(value.jsonText.utf8.elementsEqual(expected.utf8))
  }

  @Test(arguments: [
    0.1, 1e21, .leastNonzeroMagnitude, .greatestFiniteMagnitude, 1.0 / 3, -123456789.125, 1e16,
    9007199254740992,
    100, 2.5e-7,
  ])
  func `a double reads back as the same double`(number: Double) throws {
    let text = Value.number(number).jsonText
    #expect(try JSONReader().value(of: text) == .number(number), "\(text)")
  }

  @Test func `every scalar survives writing and reading`() throws {
    let reader = JSONReader()
    let scalars = (0...0x10FFFF).lazy.filter { $0 < 0x3000 || $0 % 97 == 0 }
      .compactMap { Unicode.Scalar(UInt32($0)) }
    var text = ""
    text.unicodeScalars.append(contentsOf: scalars)
    let written = Value.string(text).jsonText
    #expect(try reader.value(of: written) == .string(text))
    let isFree = written.unicodeScalars.allSatisfy {
      $0.value >= 0x20 && ![0x85, 0x2028, 0x2029].contains($0.value)
    }
    #expect(isFree)
  }

  @Test func `a view is written as its tree is`() throws {
    let text = #"{"a":[1,-2,1.5,18446744073709551615,"\u0000/",null,true,false,{}],"b":{}}"#
    let bytes = Array(text.utf8)
    let output = JSONOutput()
    try unsafe bytes.withUnsafeBytes { text in
      unsafe try JSONReader().read(text) { output.append(view: $0) }
    }
    #expect(unsafe output.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) } == text)
  }

  @Test func `an output grows, is cut and is emptied`() {
    let output = JSONOutput(capacity: 64)
    for _ in 0..<1000 { output.append("0123456789") }
    #expect(output.count == 10_000)
    output.truncate(to: 10)
    output.append("x")
    #expect(unsafe output.withUnsafeBytes { unsafe Array($0) } == Array("0123456789x".utf8))
    output.removeAll()
    #expect(output.count == 0)
  }
}
