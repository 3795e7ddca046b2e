import CheckoutProtocol
import JSONRPC
import LinuxSystem
import Testing
import ValueTree

@testable import CheckoutServer

/// A connection and its input, without a server: calls that are answered at once and calls that wait.
@Suite struct ConnectionTests {
  private let parts: Parts
  private let inbound: Inbound
  private let kept = UncheckedList<KeptCall>()

  init() {
    var limits = Limits()
    limits.inFlight = 8
    limits.line = 1024
    limits.memory = 1_048_576
    let parts = Parts(limits)
    self.parts = parts
    inbound = parts.inbound([
      Handler(Methods.ping) { _, _ throws(RPCError) in .value(.object([])) },
      // Takes more than a connection's share of a turn, and is answered later.
      Handler(Methods.status) { [kept] _, _ throws(RPCError) in
        parts.time.pass(milliseconds: 1)
        return .later { kept.append(KeptCall($0)) }
      },
    ])
  }

  private func call(_ id: Int, _ method: String) -> String {
    #"{"jsonrpc":"2.0","id":\#(id),"method":"\#(method)"}"#
  }

  /// A visit, and the end of the turn.
  ///
  /// - Returns: Whether the connection stays.
  private func visit(_ connection: Connection, _ events: EpollEvents = .readable) -> Bool {
    if case .gone = connection.visit(events) { return false }
    return endTurn(of: connection)
  }

  private func endTurn(of connection: Connection) -> Bool {
    defer { parts.outbound.removeAll() }
    return connection.flush()
  }

  private func answerAll() {
    for call in kept.all { call.fail(RPCError(.storeFailed)) }
    kept.removeAll()
  }

  @Test func `a batch that takes all the room leaves none for the next line`() throws {
    let (client, connection) = try parts.connect(inbound)
    let batch = (1...8).map { call($0, "system.status") }.joined(separator: ",")
    client.send("[\(batch)]\n" + call(9, "system.ping") + "\n")
    #expect(visit(connection))
    #expect(kept.count == 4 && connection.canResume)
    #expect(visit(connection, []))
    #expect(kept.count == 8 && !connection.canResume)
    #expect(try client.readLines().isEmpty)
    answerAll()
    #expect(connection.canResume)
    #expect(visit(connection, []))
    let lines = try client.readLines()
    #expect(lines.count == 2 && lines.first?.array?.count == 8 && lines.last?["id"] == 9)
  }

  @Test func `lines beyond what may be under way wait, and go on`() throws {
    let (client, connection) = try parts.connect(inbound)
    client.send((1...12).map { call($0, "system.status") + "\n" }.joined())
    #expect(visit(connection))
    while connection.canResume { #expect(visit(connection, [])) }
    #expect(kept.count == 8 && connection.takeInterest() == EpollEvents(rawValue: 0))
    answerAll()
    while connection.canResume { #expect(visit(connection, [])) }
    #expect(kept.count == 4 && connection.takeInterest() == .readable)
    answerAll()
    #expect(endTurn(of: connection))
    #expect(try client.readLines().count == 12)
  }

  @Test func `a line that is too long is told of once, and skipped`() throws {
    let (client, connection) = try parts.connect(inbound)
    client.send(String(repeating: "x", count: 3000))
    #expect(visit(connection))
    client.send("\n" + call(1, "system.ping") + "\n")
    #expect(visit(connection))
    let lines = try client.readLines()
    #expect(lines.map { $0["error"]?["code"] } == [-32001, nil] && lines.last?["id"] == 1)
  }

  @Test(arguments: ["line-flood", "http"])
  func `who floods, or speaks another protocol, is told and let go`(reason: String) throws {
    let (client, connection) = try parts.connect(inbound)
    client.send(
      reason == "http" ? "POST / HTTP/1.1\r\n" : String(repeating: "x", count: 17 * 1024))
    #expect(!visit(connection))
    #expect(try client.readLines().last?["error"]?["data"]?["reason"]?.string == reason)
  }

  @Test func `a connection is done once its client has ended and is answered`() throws {
    let (client, connection) = try parts.connect(inbound)
    client.send(call(1, "system.status") + "\n" + call(2, "system.ping"))
    client.halfClose()
    #expect(visit(connection))
    #expect(visit(connection))
    #expect(try client.readLines().map { $0["id"] } == [2])
    answerAll()
    #expect(!endTurn(of: connection))
    #expect(try client.readLines().map { $0["id"] } == [1])
  }

  @Test func `what is held is charged to the user, and let go with the connection`() throws {
    let (client, connection) = try parts.connect(inbound)
    client.send(String(repeating: "x", count: 500))
    #expect(visit(connection))
    #expect(parts.users.heldByteCount >= 500)
    let batch = [call(1, "system.status"), call(2, "system.ping")].joined(separator: ",")
    client.send("\n[\(batch)]\n")
    #expect(visit(connection))
    // The reply that waits for another, and no longer the line that is whole now.
    let held = connection.session.output.heldByteCount
    #expect(held > 0 && parts.users.heldByteCount == held && kept.count == 1)
    connection.close()
    #expect(parts.users.heldByteCount == 0)
    // Whoever answers finds nobody, and nothing comes of it.
    answerAll()
    #expect(parts.users.heldByteCount == 0 && connection.session.output.callsInFlight == 0)
  }

  @Test func `half a line, and what follows it, goes on in another process`() throws {
    let (client, connection) = try parts.connect(inbound)
    client.send(#"{"jsonrpc":"2.0","id":1,"#)
    #expect(visit(connection))
    let (next, resumed) = try parts.connect(inbound)
    resumed.resume(connection.state)
    next.send(#""method":"system.ping"}"# + "\n")
    #expect(visit(resumed, []))
    #expect(visit(resumed))
    #expect(try next.readLines().map { $0["id"] } == [1])
  }
}
