import JSON
import Testing
import ValueTree

@testable import JSONRPC

@Suite struct OpenRPCTests {
  static let description = OpenRPC(
    title: "conf", version: "1", description: "Test methods.",
    servers: [ServerRow("conf", "unix:///conf", "Always.")],
    methods: ConformanceServer.table.rows,
    events: [
      EventRow("conf.event", "Something.", members: [.init("name", .named("Name", .string))])
    ], extensions: [.init("x-more", true)])

  @Test func `the document has what OpenRPC asks for`() throws {
    let document = Self.description.document
    #expect(document["openrpc"] == "1.2.6")
    #expect(document["info"]?["title"] == "conf" && document["info"]?["version"] == "1")
    #expect(document["servers"] == [["name": "conf", "url": "unix:///conf", "summary": "Always."]])
    let methods = try #require(document["methods"]?.array)
    #expect(methods.count == ConformanceServer.table.rows.count)
    let gap = try #require(methods.first)
    #expect(gap["name"] == "conf.gap" && gap["paramStructure"] == "either")
    #expect(gap["params"]?.array?.map { $0["name"] } == ["high", "low"])
    #expect(gap["params"]?.array?.map { $0["required"] } == [true, true])
    #expect(gap["result"]?["schema"] == ["type": "integer", "format": "int64"])
    #expect(gap["examples"]?.array?[0]["result"]?["value"] == 5)
    #expect(document["components"]?["schemas"] == ["Name": ["type": "string"]])
    let errors = try #require(document["components"]?["errors"]?.object)
    #expect(errors.map(\.name) == ErrorRow.generic.map { String($0.code.rawValue) })
    #expect(errors.first?.value == ["code": -32700, "message": "Parse error"])
    let meanings = try #require(document["x-errorIds"]?.object)
    #expect(meanings.map(\.name) == ErrorRow.generic.map(\.errorId))
    #expect(meanings.first?.value["code"] == -32700)
    #expect(meanings.first?.value["when"]?.string == ErrorRow.parseError.when)
    #expect(document["x-more"] == true)
    #expect(document["x-notifications"]?.array?.map { $0["name"] } == ["conf.event"])
  }

  @Test func `errors that share a code are one error of a method, with both ids`() throws {
    let code = RPCError.Code(rawValue: 7)
    let errors = ["low", "high"].map {
      ErrorRow(code: code, errorId: $0, message: "Out of range", when: "It is too \($0).")
    }
    let row = MethodRow(
      "conf.range", "Fails.", result: ResultRow("none", .null), errors: errors + [.closing])
    let document = OpenRPC(title: "t", version: "1", description: "d", methods: [row]).document
    let method = try #require(document["methods"]?.array?.first)
    #expect(
      method["errors"] == [
        ["code": 7, "message": "Out of range"], ["code": -32007, "message": "Closing connection"],
      ])
    #expect(method["x-errorIds"] == ["low", "high", "closing"])
    #expect(
      document["components"]?["errors"]?["7"] == ["code": 7, "message": "Out of range"])
    #expect(document["x-errorIds"]?["high"] == ["code": 7, "when": "It is too high."])
  }

  @Test func `the same rows give the same bytes`() throws {
    let text = Self.description.document.jsonText
    #expect(text == Self.description.document.jsonText)
    #expect(try JSONReader().value(of: text) == Self.description.document)
  }
}
