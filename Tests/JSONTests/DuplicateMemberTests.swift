import Testing
import ValueTree

@testable import JSON

@Suite struct DuplicateMemberTests {
  let reader = JSONReader()

  @Test(arguments: [
    #"{"a":1,"a":2}"#, #"{"id":1,"\u0069d":2}"#, #"[0,{"x":{"":1,"":2}}]"#,
    #"{"long name":1,"b":2,"long name":3}"#, #"{"b":{"c":1},"x":[{"y":[{"z":1,"z":1}]}]}"#,
  ])
  func `a member named twice is found wherever it is`(text: String) {
    #expect(throws: JSONError.duplicateMember) { try reader.value(of: text) }
  }

  @Test(arguments: [
    #"{"a":1,"b":{"a":2},"c":[{"a":3},{"a":4}]}"#, "{\"e\u{301}\":1,\"\u{e9}\":2}",
    #"{"":1,"\u0000":2,"\u0000\u0000":3,"a":4,"ab":5,"abc":6,"abcd":7,"abcde":8,"abcdf":9}"#,
  ])
  func `names that differ in a byte are two names`(text: String) {
    #expect(throws: Never.self) { try reader.value(of: text) }
  }

  @Test(arguments: [15, 16, 17, 18, 100, 5000])
  func `the way of comparing does not depend on the number of members`(count: Int) {
    let names = (0..<count).map { "\"member\($0)\":\($0)" }
    #expect(throws: Never.self) { try reader.value(of: "{\(names.joined(separator: ","))}") }
    for repeated in [0, count / 2, count - 1] {
      let text = (names + ["\"member\(repeated)\":0"]).joined(separator: ",")
      #expect(throws: JSONError.duplicateMember) { try reader.value(of: "{\(text)}") }
    }
  }

  @Test func `an object of a hundred thousand members is read in linear time`() throws {
    let members = (0..<100_000).map { "\"\($0)\":0" }.joined(separator: ",")
    let clock = ContinuousClock()
    let time = try clock.measure { _ = try reader.value(of: "{\(members)}") }
    #expect(time < .seconds(2))
  }

  @Test func `the place of a duplicate can be told`() throws {
    let text = Array(#"{"a":{"x":1,"x":2},"b":[]}"#.utf8)
    var copy = PaddedBuffer()
    unsafe text.withUnsafeBytes { unsafe copy.append($0) }
    try unsafe copy.withUnsafeBytes { bytes in
      let view = unsafe try reader.parse(padded: bytes)
      #expect(reader.foundDuplicateMember)
      #expect(!view.namesMemberTwice && view.containsDuplicateMember)
      #expect(view["a"]?.namesMemberTwice == true)
      #expect(view["b"]?.containsDuplicateMember == false)
    }
  }
}
