import JSON
import Testing
import ValueTree

@testable import CheckoutServer

/// A read walks a bounded part of the events and says where to go on; a batch of such reads goes on in
/// its user's turn.
@Suite struct BoundedReadsTests {
  private static let memberCount = 64
  private let bench: ServerBench
  private let eager: TestClient
  private let calm: TestClient
  private let checkoutID: Value
  private let componentID: Value
  private let lastSeq: Int64

  /// A checkout with more than 2000 events, of which none is of a change of the session.
  init() throws {
    bench = try ServerBench()
    eager = try bench.connect(as: 61_021)
    calm = try bench.connect(as: 61_022)
    try bench.start(1, by: eager)
    checkoutID = .string(try #require(bench.registry.checkouts.first).idText)
    let provided = try bench.call(
      eager, "componentWithRedirectManager.provide",
      ["checkoutId": checkoutID, "paymentMethodType": "ADYEN_IDEAL"])
    componentID = try #require(provided.result?["componentId"])
    eager.send(bench.line("component.start", ["componentId": componentID]).text)
    bench.turn()
    bench.answer()
    var seq: Int64 = 0
    while seq < 2050 {
      for place in 0..<60 {
        let params: Value = [
          "componentId": componentID, "data": ["bankFilterText": place % 2 == 0 ? "a" : "b"],
        ]
        eager.send(bench.line("component.updateCollectedData", params).text)
      }
      for _ in 0..<8 { bench.turn() }
      _ = try eager.readLines()
      let snapshot = try bench.call(eager, "checkout.get", ["checkoutId": checkoutID]).result
      let now = try #require(snapshot?["seq"]?.integer)
      try #require(now > seq)
      seq = now
    }
    lastSeq = seq
  }

  /// A read that matches nothing.
  private func read(after: Int64 = 0, _ members: [Value.Member] = []) -> Value {
    .object(
      [
        .init("checkoutId", checkoutID), .init("after", .integer(after)),
        .init("types", ["checkout.willUpdateClientSession"]),
      ] + members)
  }

  private func batch(_ others: [Value] = []) -> String {
    let reads: [Value] = (0..<Self.memberCount - others.count).map { id in
      [
        "jsonrpc": "2.0", "id": .integer(Int64(id)), "method": "events.read", "params": read(),
      ]
    }
    return Value.array(reads + others).jsonText + "\n"
  }

  // MARK: One call

  @Test func `a call walks a bounded part and says where to go on`() throws {
    var (after, calls): (Int64, Int) = (0, 0)
    while after < lastSeq {
      let result = try #require(try bench.call(eager, "events.read", read(after: after)).result)
      #expect(result["events"] == [] && result["ended"] == false)
      let next = try #require(result["next"]?.integer)
      #expect(next > after && next - after <= 1000)
      after = next
      calls += 1
    }
    #expect(after == lastSeq && calls == 3)
  }

  @Test func `what stands far behind is found`() throws {
    #expect(
      try bench.call(eager, "checkout.cancel", ["checkoutId": checkoutID]).result != nil)
    var after: Int64 = 0
    var found: [Value] = []
    var ended: Value?
    while found.isEmpty, after <= lastSeq {
      let result = try bench.call(
        eager, "events.read",
        [
          "checkoutId": checkoutID, "after": .integer(after), "types": ["checkout.didFail"],
        ]
      ).result
      found = try #require(result?["events"]?.array)
      after = try #require(result?["next"]?.integer)
      ended = result?["ended"]
    }
    #expect(found.map { $0["method"] } == ["checkout.didFail"] && ended == true)
  }

  @Test func `a call does not wait before it has walked to the end`() throws {
    let outcome = try bench.call(eager, "events.read", read([.init("waitMs", 300_000)]))
    #expect(outcome.result?["events"] == [])
    #expect(outcome.result?["next"]?.integer ?? .max <= 1000)
  }

  // MARK: Batches

  @Test func `another user is served between their members`() throws {
    let others = try (0..<15).map { _ in try bench.connect(as: 61_021) }
    bench.clock.work(microseconds: 600)
    for client in [eager] + others { client.send(batch()) }
    let (ping, id) = bench.line("system.ping")
    calm.send(ping)
    var turns = 0
    var answered: [Value] = []
    while answered.isEmpty, turns < 1000 {
      bench.turn()
      turns += 1
      answered = try calm.readLines()
    }
    #expect(CallOutcome(answered, id).result == [:])
    let done = try ([eager] + others).filter { try !$0.readLines().isEmpty }.count
    #expect(done <= 4, "at most a quarter of the batches came first")
    var replies = done
    for _ in 0..<10_000 where replies < 16 {
      bench.turn()
      for client in [eager] + others {
        for line in try client.readLines() {
          #expect(line.array?.map { $0["id"] } == (0..<64).map { .integer($0) })
          replies += 1
        }
      }
    }
    #expect(replies == 16)
  }

  @Test func `what stands behind a batch comes after it`() throws {
    bench.clock.work(microseconds: 600)
    let change: Value = [
      "jsonrpc": "2.0", "id": 99, "method": "component.updateCollectedData",
      "params": ["componentId": componentID, "data": ["bankId": "0"]],
    ]
    eager.send(batch([change]))
    let (text, id) = bench.line("component.get", ["componentId": componentID])
    eager.send(text)
    var lines: [Value] = []
    for _ in 0..<10_000 where CallOutcome(lines, id).reply == nil {
      bench.turn()
      lines += try eager.readLines()
    }
    #expect(CallOutcome(lines, id).result?["data"]?["bankId"] == "0")
  }

  @Test func `a drain leaves no member without an answer`() throws {
    bench.clock.work(microseconds: 600)
    for _ in 0..<4 { eager.send(batch()) }
    bench.turn()
    bench.server.beginDrain()
    var lines: [Value] = []
    for _ in 0..<10_000 where !eager.hasEnded {
      bench.pass(milliseconds: 1)
      lines += try eager.readLines()
      if lines.compactMap(\.array).count == 4 { break }
    }
    let batches = lines.compactMap(\.array)
    #expect(!batches.isEmpty)
    for members in batches {
      #expect(members.map { $0["id"] } == (0..<64).map { .integer($0) })
      for reply in members {
        #expect(reply["result"] != nil || reply["error"]?["code"] == -32005)
      }
    }
  }

  @Test func `a batch left behind counts, and goes with its connection`() throws {
    let administrator = try bench.connect(as: 0, isAdministrator: true)
    let mute = try bench.connect(as: 61_021)
    bench.clock.work(microseconds: 600)
    func heldBytes() throws -> Value? {
      try bench.call(administrator, "system.status").result?["connections"]?["heldBytes"]
    }
    for _ in 0..<4 { mute.send(batch()) }
    bench.turn()
    #expect(try heldBytes()?.integer ?? 0 > 0)
    mute.close()
    // What others have to be served first.
    for _ in 0..<100 where try heldBytes() != 0 { bench.turn() }
    #expect(try heldBytes() == 0)
  }
}
