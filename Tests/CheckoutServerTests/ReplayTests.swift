import Checkout
import CheckoutProtocol
import CheckoutStore
import JSON
import JSONRPC
import Testing
import ValueTree

@testable import CheckoutServer

/// What a subscription that begins after an event says and sends.
@Suite struct ReplayTests {
  /// Starts a checkout and collects data of it again and again.
  private func collect(_ count: Int, _ bench: ServerBench, _ owner: TestClient) throws -> String {
    try bench.start(1, by: owner)
    let live = try #require(bench.registry.checkouts.first)
    let provided = try bench.call(
      owner, "componentWithRedirectManager.provide",
      ["checkoutId": .string(live.idText), "paymentMethodType": "ADYEN_IDEAL"])
    let component = try #require(provided.result?["componentId"])
    _ = try bench.call(owner, "component.start", ["componentId": component])
    bench.answer()
    for number in 0..<count {
      _ = try bench.call(
        owner, "component.updateCollectedData",
        ["componentId": component, "data": ["bankId": number % 2 == 0 ? "0" : "none"]])
    }
    _ = try owner.readLines()
    return live.idText
  }

  private func subscribe(
    _ bench: ServerBench, _ client: TestClient, _ id: String, after: Int64, types: Value? = nil
  ) throws -> CallOutcome {
    let params: Value = ["checkoutId": .string(id), "after": .integer(after)]
    return try bench.call(client, "events.subscribe", params.adding("types", types))
  }

  /// What came, in the order in which it came: numbers, and ranges for what is lost.
  private func told(_ lines: [Value]) -> [ClosedRange<Int64>] {
    lines.compactMap { line in
      guard let params = line["params"] else { return nil }
      if let seq = params["seq"]?.integer { return seq...seq }
      guard let from = params["from"]?.integer, let to = params["to"]?.integer else { return nil }
      return from...to
    }
  }

  @Test func `a checkout that goes on is said to go on, and one that ended to have ended`() throws {
    let bench = try ServerBench()
    let owner = try bench.connect()
    let id = try collect(1, bench, owner)
    let seq = try #require(bench.registry.checkouts.first).checkout.seq
    let first = try subscribe(bench, owner, id, after: 2)
    #expect(first.result?["from"] == 3 && first.result?["to"] == .integer(seq))
    #expect(first.result?["ended"] == false && first.result?["trimmedTo"] == nil)
    #expect(told(first.others) == (3...seq).map { $0...$0 })
    _ = try bench.call(owner, "checkout.cancel", ["checkoutId": .string(id)])
    let ended = try #require(bench.registry.checkouts.first).checkout.seq
    for after in [seq, ended] {
      let again = try subscribe(bench, owner, id, after: after)
      #expect(again.result?["to"] == .integer(ended) && again.result?["ended"] == true)
      #expect(told(again.others) == (after..<ended).map { $0 + 1...$0 + 1 })
    }
  }

  @Test(arguments: [false, true])
  func `where all is wiped nothing is to come`(isRestarted: Bool) throws {
    let bench = try ServerBench()
    var owner = try bench.connect()
    let id = try collect(1, bench, owner)
    _ = try bench.call(owner, "checkout.cancel", ["checkoutId": .string(id)])
    bench.pass(milliseconds: 700_000)
    if isRestarted {
      try bench.restart()
      owner = try bench.connect()
    }
    let live = try #require(bench.registry.checkouts.first)
    let seq = live.checkout.seq
    #expect(live.isArchived && seq > 2)
    for after in [0, 2, seq] {
      let reply = try subscribe(bench, owner, id, after: after)
      #expect(
        reply.result?["from"] == .integer(after + 1) && reply.result?["to"] == .integer(after))
      #expect(reply.result?["ended"] == true && reply.result?["trimmedTo"] == .integer(seq))
      #expect(told(reply.others).isEmpty)
      let page = try bench.call(
        owner, "events.read", ["checkoutId": .string(id), "after": .integer(after)])
      #expect(page.result?["ended"] == true && page.result?["trimmedTo"] == .integer(seq))
    }
    #expect(try subscribe(bench, owner, id, after: seq + 1).code == -32602)
  }

  @Test func `events that are kept no longer are told of in their place`() throws {
    var limits = Limits()
    limits.events.count = 20
    limits.connectionRate = 100_000
    let bench = try ServerBench(limits: limits)
    let owner = try bench.connect()
    let id = try collect(60, bench, owner)
    let live = try #require(bench.registry.checkouts.first)
    let seq = live.checkout.seq
    let reply = try subscribe(bench, owner, id, after: 0)
    let trimmed = try #require(reply.result?["trimmedTo"]?.integer)
    #expect(trimmed > 20 && reply.result?["to"] == .integer(seq))
    // The first is of the checkout, and is kept for ever.
    let kept = (trimmed + 1...seq).map { $0...$0 }
    #expect(told(reply.others) == [1...1, 2...trimmed] + kept)
    let lost = reply.others.filter { $0["method"] == "events.lost" }
    #expect(lost.map { $0["params"]?["checkoutId"] } == [.string(id)])
    // In the middle of them, and after them.
    let later = try subscribe(bench, owner, id, after: trimmed - 2)
    #expect(told(later.others) == [trimmed - 1...trimmed] + kept)
    #expect(try told(subscribe(bench, owner, id, after: trimmed).others) == kept)
    // Whoever wants none of them misses none.
    let types: Value = .array([.string("checkout.")])
    #expect(try told(subscribe(bench, owner, id, after: 0, types: types).others) == [1...1])
  }

  @Test func `what is wiped before it was sent is told of as lost`() throws {
    for isForgotten in [false, true] {
      let parts = Parts()
      let owner = parts.session()
      let live = try parts.start(by: owner)
      _ = try parts.checkouts.perform(.cancel(reason: nil), on: live, by: owner)
      parts.endTurn()
      _ = parts.hub.subscribe(owner, to: live, .all, isRedacted: false, after: 0)
      if isForgotten {
        parts.hub.dropFollowers(of: live, RPCError(CheckoutError(.unknownCheckout)))
      } else {
        live.archive(try #require(live.checkout.outcomeRecord))
        try parts.store.remove([(id: live.id, record: nil)])
        parts.hub.replay()
      }
      #expect(try told(parts.said(to: owner)) == [1...live.checkout.seq])
    }
  }

  /// Told after the reply it would look as if the events could not be had any more.
  @Test func `what is sent again was not lost`() throws {
    var limits = Limits()
    limits.queue = 8192
    let parts = Parts(limits)
    let owner = parts.session()
    let live = try parts.start(by: owner)
    parts.endTurn()
    _ = parts.hub.subscribe(owner, to: live, .all, isRedacted: false, after: nil)
    let start = parts.outbound.output.count
    parts.outbound.output.append(plain: String(repeating: " ", count: 9000))
    owner.output.append(start..<parts.outbound.output.count)
    _ = try parts.checkouts.perform(.cancel(reason: nil), on: live, by: owner)
    parts.endTurn()
    _ = try parts.said(to: owner)
    _ = parts.hub.subscribe(owner, to: live, .all, isRedacted: false, after: 0)
    parts.hub.replay()
    #expect(try told(parts.said(to: owner)) == [1...1])
    #expect(owner.output.lostCount == 1)
  }
}
