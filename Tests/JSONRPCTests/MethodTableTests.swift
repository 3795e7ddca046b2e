import JSON
import Testing
import ValueTree

@testable import JSONRPC

@Suite struct MethodTableTests {
  static let rows = ConformanceServer.table.rows

  @Test func `every name is found by its bytes, and nothing else is`() throws {
    let names = (0..<300).map { "system.method\($0)" } + ["a", "ab", "", "system.ping"]
    let index = NameIndex(Self.rows.map(\.name))
    for (place, row) in Self.rows.enumerated() {
      #expect(try Self.place(of: row.name.description, in: index) == place)
    }
    for name in names { #expect(try Self.place(of: name, in: index) == nil) }
  }

  @Test func `two methods of one name are a mistake`() async {
    await #expect(processExitsWith: .failure) { _ = NameIndex(["a.b", "c.d", "a.b"]) }
  }

  @Test func `a method that nobody handles, or two do, is found`() {
    let rows = Self.rows
    #expect(MethodLint.findings(rows: rows, handled: rows.reversed()).isEmpty)
    #expect(
      MethodLint.findings(rows: rows, handled: Array(rows.dropFirst()))
        == ["conf.gap has no handler"])
    #expect(
      MethodLint.findings(rows: rows, handled: rows + [rows[1]])
        == ["conf.total has two handlers"])
    #expect(
      MethodLint.findings(rows: Array(rows.dropLast()), handled: rows)
        == ["conf.fill is no method"])
  }

  @Test func `a table that lacks a handler is not made`() async {
    await #expect(processExitsWith: .failure) {
      _ = MethodTable<ConformanceServer>(Self.rows, Array(ConformanceServer.entries.dropLast()))
    }
  }

  @Test(arguments: [
    (#"[1]"#, "/params/1", "is required"), (#"{"low":1}"#, "/params/high", "is required"),
    (#"[1,2,3]"#, "/params/2", "there are at most 2 parameters"),
    (#"[1,"x"]"#, "/params/1", "must be a 64-bit integer"),
    (#"{"high":1,"low":"x"}"#, "/params/low", "must be a 64-bit integer"),
    (#"{"high":1,"low":2,"mid":3}"#, "/params/mid", "is not known here"),
    (#"{"high":1,"high":2,"low":3}"#, "/params", "names a member twice"),
  ])
  func `what is wrong with a parameter is told by its path`(
    params: String, path: String, description: String
  ) throws {
    let server = ConformanceServer()
    server.send(#"{"jsonrpc":"2.0","id":1,"method":"conf.gap","params":\#(params)}"#.utf8)
    server.finish()
    let reply = try JSONReader().value(of: server.takeLines()[0])
    #expect(
      reply["error"]?["data"] == [
        "errorId": "invalid-params", "path": .string(path), "description": .string(description),
      ])
  }

  @Test func `N-39, N-40, N-44 the rows break no rule of the specification`() {
    #expect(MethodLint.findings(methods: Self.rows, events: []).isEmpty)
    #expect(ErrorRow.generic.allSatisfy { $0.code.isGeneric })
  }

  @Test func `a row that breaks a rule is found`() {
    let result = ResultRow("r", .any)
    let reserved = ErrorRow(code: .init(rawValue: -32500), errorId: "a", message: "A", when: "")
    let twin = ErrorRow(code: .init(rawValue: 1), errorId: "a", message: "", when: "")
    let other = ErrorRow(code: .init(rawValue: 1), errorId: "b", message: "B", when: "")
    let found = MethodLint.findings(
      methods: [
        MethodRow("rpc.discover", "", result: result),
        MethodRow("rpc.other", "", result: result, errors: [reserved, twin, other]),
      ],
      events: [EventRow("rpc.discover", "", members: [])])
    #expect(
      found == [
        "method rpc.other takes a reserved name", "event rpc.discover takes a reserved name",
        "a declares the reserved code -32500",
        "a has an empty message or one over 60 bytes", "a has two codes", "1 has two messages",
      ])
  }

  private static func place(of name: String, in index: NameIndex) throws -> Int? {
    let bytes = Array(Value.string(name).jsonText.utf8)
    return try unsafe bytes.withUnsafeBytes { text in
      unsafe try JSONReader().read(text) { index.place(of: $0) }
    }
  }
}
