import JSON
import Testing
import ValueTree

@testable import JSONRPC

@Suite struct ConformanceTests {
  static let rows =
    ConformanceRows.rules + ConformanceRows.examples + ConformanceRows.corners
    + ConformanceRows.longCorners

  static let sync: Value = ["jsonrpc": "2.0", "id": "sync", "result": ["ready", 5]]

  static let syncLine = #"{"jsonrpc":"2.0","id":"sync","method":"conf.snapshot"}"# + "\n"

  @Test(arguments: rows)
  func `a line brings what the document says`(row: ConformanceRows.Row) throws {
    let server = ConformanceServer()
    server.send(Self.bytes(row.input) + [0x0A])
    server.send(Self.syncLine.utf8)
    let replies = try server.takeLines().map(Self.canonical)
    let expected = try row.output.map { try Self.canonical(Self.bytes($0)) }
    #expect(replies == expected + [Self.sync])
    #expect(server.callsInFlight == 0 && server.heldByteCount == 0)
  }

  @Test func `every row of the document is there once`() {
    let numbers = Self.rows.map(\.number)
    #expect(Set(numbers).count == numbers.count && numbers.count == 112)
  }

  @Test(arguments: rows)
  func `S-13 every line written is one strict JSON-RPC object or a list of them`(
    row: ConformanceRows.Row
  ) throws {
    let server = ConformanceServer()
    server.send(Self.bytes(row.input) + [0x0A])
    server.send(Self.syncLine.utf8)
    for line in server.takeLines() {
      #expect(line.count < server.maximumReplyByteCount)
      let isEscaped = String(decoding: line, as: UTF8.self).unicodeScalars
        .allSatisfy { $0.value >= 0x20 && ![0x85, 0x2028, 0x2029].contains($0.value) }
      #expect(isEscaped)
      let value = try JSONReader(maximumDepth: 80).value(of: line)
      for reply in value.array ?? [value] {
        #expect(reply["jsonrpc"] == "2.0" && reply["id"] != nil)
        #expect((reply["result"] != nil) != (reply["error"] != nil))
        #expect(reply["error"] == nil || reply["error"]?["data"]?["errorId"]?.string != nil)
      }
    }
  }

  @Test func `what nobody is told is counted`() {
    let server = ConformanceServer()
    for row in Self.rows where ["N-18", "N-19", "N-20", "N-21", "K-33"].contains(row.number) {
      server.send(Self.bytes(row.input) + [0x0A])
    }
    #expect(server.takeLines().isEmpty)
    #expect(server.counters.notifications == 4 && server.counters.failedNotifications == 3)
    #expect(server.counters.droppedResponses == 1 && server.counters.calls == 0)
  }

  /// The bytes of a row: `$` and the bracketed bytes written out.
  static func bytes(_ text: String) -> [UInt8] {
    var bytes: [UInt8] = []
    var hex: String?
    for scalar in text.unicodeScalars {
      switch (scalar, hex) {
      case ("$", nil): bytes += Array(#""jsonrpc":"2.0""#.utf8)
      case ("⏎", nil): bytes.append(0x0A)
      case ("⟨", nil): hex = ""
      case ("⟩", let digits?):
        bytes.append(UInt8(digits, radix: 16) ?? 0)
        hex = nil
      case (_, let digits?): hex = digits + String(scalar)
      case (_, nil): bytes += Array(String(scalar).utf8)
      }
    }
    return bytes
  }

  /// A reply without `error.data`, a batch in the order of its members' text.
  static func canonical(_ line: [UInt8]) throws -> Value {
    let value = try JSONReader(maximumDepth: 80).value(of: line)
    guard let members = value.array else { return withoutData(value) }
    return .array(members.map(withoutData).sorted { $0.jsonText < $1.jsonText })
  }

  private static func withoutData(_ reply: Value) -> Value {
    .object(
      (reply.object ?? []).map { member in
        guard member.name == "error", let error = member.value.object else { return member }
        return Value.Member("error", .object(error.filter { $0.name != "data" }))
      })
  }
}
