import JSON
import Testing
import ValueTree

@testable import JSONRPC

@Suite struct OpenRPCTests {
  static let description = OpenRPC(
    title: "conf", version: "1", description: "Test methods.",
    methods: ConformanceServer.table.rows,
    events: [
      EventRow("conf.event", "Something.", members: [.init("name", .named("Name", .string))])
    ])

  @Test func `the document has what OpenRPC asks for`() throws {
    let document = Self.description.document
    #expect(document["openrpc"] == "1.2.6")
    #expect(document["info"]?["title"] == "conf" && document["info"]?["version"] == "1")
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
    #expect(errors.map(\.name) == ErrorRow.generic.map(\.errorId))
    #expect(document["x-notifications"]?.array?.map { $0["name"] } == ["conf.event"])
  }

  @Test func `the same rows give the same bytes`() throws {
    let text = Self.description.document.jsonText
    #expect(text == Self.description.document.jsonText)
    #expect(try JSONReader().value(of: text) == Self.description.document)
  }
}
