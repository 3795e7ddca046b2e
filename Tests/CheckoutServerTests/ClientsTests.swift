import CheckoutProtocol
import JSONRPC
import LinuxSystem
import Testing
import ValueTree

@testable import CheckoutServer

/// All connections together, without a server.
@Suite struct ClientsTests {
  private static func line(_ id: Int, _ method: String = "system.ping") -> String {
    #"{"jsonrpc":"2.0","id":\#(id),"method":"\#(method)"}"# + "\n"
  }

  /// Those whose ping is answered at once, and whose question for the status takes longer than a turn.
  private static func joined(_ limits: Limits = Limits()) throws -> PartsWithClients {
    try PartsWithClients(limits) { parts in
      [
        Handler(Methods.ping) { _, _ throws(RPCError) in .value(.object([])) },
        Handler(Methods.status) { _, _ throws(RPCError) in
          parts.time.pass(milliseconds: 6)
          return .value(.object([]))
        },
      ]
    }
  }

  @Test func `who comes is served and counted, and nothing is left of who goes`() throws {
    let all = try Self.joined()
    for round in 1...3 {
      let (client, session) = try all.connect()
      #expect(all.clients.count == 1 && all.parts.counters.connectionsAccepted == Int64(round))
      client.send(Self.line(round) + "{\"half")
      all.turn()
      #expect(try client.readLines().map { $0["id"] } == [.integer(Int64(round))])
      #expect(all.parts.users.heldByteCount > 0)
      let page = all.directory.page(after: 0, limit: 8)
      #expect(page.sessions.map(\.number) == [UInt64(round)])
      #expect(page.sessions.first?.session === session)
      client.close()
      all.turn()
      #expect(all.clients.count == 0 && all.parts.users.heldByteCount == 0)
      #expect(all.directory.page(after: 0, limit: 8).sessions.isEmpty)
    }
  }

  @Test func `users take turns, however many connections one has`() throws {
    let all = try Self.joined()
    let busy = try (0..<8).map { _ in try all.connect(as: 1000).client }
    for client in busy { client.send(Self.line(1, "system.status")) }
    let other = try all.connect(as: 1001).client
    other.send(Self.line(2))
    for _ in 0..<2 { all.turn() }
    #expect(try other.readLines().count == 1)
    // Of the others two have had their turn.
    #expect(try busy.reduce(0) { $0 + (try $1.readLines().count) } == 2)
    #expect(all.clients.hasWaitingInput)
    for _ in 0..<6 { all.turn() }
    #expect(try busy.reduce(0) { $0 + (try $1.readLines().count) } == 6)
    #expect(!all.clients.hasWaitingInput)
  }

  @Test func `what waits for room goes on in a turn of its own`() throws {
    var limits = Limits()
    limits.inFlight = 2
    let kept = UncheckedList<KeptCall>()
    let all = try PartsWithClients(limits) { _ in
      [Handler(Methods.ping) { _, _ throws(RPCError) in .later { kept.append(KeptCall($0)) } }]
    }
    let (client, _) = try all.connect()
    client.send((1...5).map { Self.line($0) }.joined())
    for count in [2, 2, 1] {
      all.turn()
      #expect(kept.count == count && !all.clients.hasWaitingInput)
      for call in kept.all { call.fail(RPCError(.storeFailed)) }
      kept.removeAll()
      all.clients.endTurn()
      #expect(all.clients.hasWaitingInput == (count == 2))
    }
    #expect(try client.readLines().count == 5)
  }

  @Test func `what a turn has said is taken back from everybody whom it concerns`() throws {
    let all = try PartsWithClients(Limits()) { _ in
      [
        Handler(Methods.ping) { _, _ throws(RPCError) in .value(.object([])) },
        Handler(Methods.status) { session, _ throws(RPCError) in
          session.output.nextReplyDependsOnTurn()
          return .value(.object([]))
        },
      ]
    }
    let clients = try (0..<2).map { _ in try all.connect().client }
    clients[0].send(Self.line(1, "system.status") + Self.line(2))
    clients[1].send(Self.line(3))
    all.clients.serve()
    all.clients.takeBack()
    all.clients.endTurn()
    let lines = try clients.flatMap { try $0.readLines() }
    #expect(lines.map { $0["id"] } == [1, 2, 3])
    #expect(lines.map { $0["error"]?["code"] } == [-32006, nil, nil])
  }

  @Test(arguments: [false, true])
  func `who reads nothing is let go, and who reads a little is not`(reads: Bool) throws {
    var limits = Limits()
    limits.queue = 65_536
    limits.slowReader = 1000
    let text = Value.string(String(repeating: "x", count: 50_000))
    let all = try PartsWithClients(limits) { _ in
      [Handler(Methods.ping) { _, _ throws(RPCError) in .value(["text": text]) }]
    }
    let (client, _) = try all.connect()
    client.send((1...40).map { Self.line($0) }.joined())
    for _ in 0..<40 { all.turn() }
    var count = 0
    for _ in 0..<2 {
      all.parts.time.pass(milliseconds: 500)
      all.parts.schedule.fireDue()
      if reads { count += try client.readLines().count }
      for _ in 0..<4 { all.turn() }
    }
    #expect(all.clients.count == (reads ? 1 : 0))
    #expect(all.parts.counters.refusalCount == (reads ? 0 : 1))
    guard reads else { return #expect(all.parts.users.heldByteCount == 0) }
    for _ in 0..<40 {
      all.turn()
      count += try client.readLines().count
    }
    #expect(count == 40)
  }

  @Test func `those who want to know hear of the end, and all of why they are let go`() throws {
    let all = try Self.joined()
    let (greeter, session) = try all.connect()
    session.greet(as: nil)
    let (other, _) = try all.connect()
    all.clients.announceDrain()
    all.clients.endTurn()
    #expect(try greeter.readLines().map { $0["method"] } == ["system.draining"])
    #expect(try other.readLines().isEmpty)
    all.clients.sayGoodbye(RPCError(.shuttingDown))
    for client in [greeter, other] {
      #expect(try client.readLines().map { $0["error"]?["code"] } == [-32005] && client.hasEnded)
    }
    #expect(all.clients.count == 0)
  }

  @Test func `what the next run needs is there in the order in which clients came`() throws {
    let all = try Self.joined()
    let clients = try (0..<3).map { _ in try all.connect().client }
    for (place, client) in clients.enumerated().reversed() {
      client.send(String(repeating: "[", count: place + 1))
      all.turn()
    }
    let (descriptors, states) = all.clients.states
    #expect(Set(descriptors).count == 3)
    #expect(states.map { $0.input.bytes.count } == [1, 2, 3])
    let (client, other) = try TestClient.make()
    let user = all.parts.users.user(1000)
    _ = all.clients.admit(
      FileDescriptor(owning: other), Caller(userID: 1000, groupID: 1000), of: user, states[2])
    client.send("]]]\n")
    all.turn()
    #expect(try client.readLines().map { $0.array?.count } == [1])
  }
}
