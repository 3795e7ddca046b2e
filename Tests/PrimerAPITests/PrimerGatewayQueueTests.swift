import Checkout
import Testing
import Upstream
import ValueTree

@testable import PrimerAPI

@Suite(.timeLimit(.minutes(1))) struct PrimerGatewayQueueTests {
  private static let failure = Result<Answer, OperationFailure>.failure(
    OperationFailure(.notAllowed))

  @Test func `so many requests are under way and no more, in order`() throws {
    let rig = try GatewayRig { options, _ in
      options.slots = SlotShares(all: 3, reading: 3, polling: 3, kept: 0)
    }
    var held: [TestServer.Request] = []
    rig.server.onRequest = { request in
      held.append(request)
      if rig.server.requests.count == 10 {
        for request in held { request.connection.answer(200, pending) }
      } else if held.count == 3 {
        #expect(rig.gateway.status.underWay == 3)
        #expect(rig.gateway.status.queued == 10 - rig.server.requests.count)
        held.removeFirst().connection.answer(200, pending)
      }
    }
    for number in 0..<10 { rig.perform("\(number)", at: rig.url + "/\(number)") }
    #expect(rig.gateway.status.underWay == 3 && rig.gateway.status.queued == 7)
    try rig.run(untilCompleted: 10)
    #expect(rig.server.connectionCount == 3)
    #expect(rig.results.allSatisfy { $0.result == isPending })
    let later = rig.server.requests.dropFirst(3).map { $0.line.split(separator: " ")[1] }
    #expect(later == (3..<10).map { "/\($0)" })
  }

  @Test func `sixty-four requests are under way by default, by what they are for`() throws {
    let rig = try GatewayRig()
    for number in 0..<70 { rig.perform("\(number)") }
    #expect(rig.gateway.status.underWay == 32 && rig.gateway.status.queued == 38)
    for number in 0..<70 { rig.perform("\(number)", .fetchConfiguration) }
    #expect(rig.gateway.status.underWay == 56 && rig.gateway.status.queued == 84)
    for number in 0..<70 { rig.perform("\(number)", .tokenize(instrument: [:])) }
    #expect(rig.gateway.status.underWay == 64 && rig.gateway.status.queued == 146)
    rig.gateway.shutdown()
    #expect(rig.gateway.status.underWay == 0 && rig.gateway.status.queued == 0)
  }

  @Test func `another user's request is not behind all of one's`() throws {
    let rig = try GatewayRig { options, _ in
      options.slots = SlotShares(all: 2, reading: 2, polling: 2, kept: 0)
    }
    rig.server.onRequest = { $0.connection.answer(200, pending) }
    for number in 0..<10 { rig.perform("\(number)", at: rig.url + "/\(number)") }
    rig.perform("other", at: rig.url + "/other", for: 1001)
    try rig.run(untilCompleted: 11)
    let place = rig.server.requests.firstIndex { $0.line.contains("/other") }
    #expect(try #require(place) <= 2)
  }

  @Test func `a request's clock starts when it is sent, not when it is queued`() throws {
    let rig = try GatewayRig { options, _ in
      options.slots = SlotShares(all: 1, reading: 1, polling: 1, kept: 0)
      options.timeouts.poll = 400
    }
    // The first takes its whole time; the second has as much after it.
    rig.perform("1")
    rig.perform("2")
    try rig.run(untilCompleted: 2)
    #expect(rig.results.allSatisfy { $0.result == .failure(OperationFailure(.timedOut)) })
    #expect(rig.server.requests.count == 2)
    #expect(rig.elapsed.allSatisfy { $0 ?? 0 >= 400 })
  }

  @Test func `a request cancelled in flight is never completed`() throws {
    let rig = try GatewayRig { options, _ in
      options.slots = SlotShares(all: 1, reading: 1, polling: 1, kept: 0)
    }
    let cancelled = rig.perform("cancelled", at: rig.url + "/hang")
    rig.perform("next")
    rig.server.onRequest = { request in
      guard request.line.contains("hang") else { return request.connection.answer(200, pending) }
      rig.gateway.cancel(cancelled)
      rig.gateway.cancel(cancelled)
      #expect(rig.gateway.status.underWay == 1 && rig.gateway.status.queued == 0)
    }
    try rig.run(untilCompleted: 1)
    #expect(rig.results.map(\.name) == ["next"])
  }

  @Test func `a queued request cancelled is never sent`() throws {
    let rig = try GatewayRig { options, _ in
      options.slots = SlotShares(all: 1, reading: 1, polling: 1, kept: 0)
    }
    rig.server.onRequest = { $0.connection.answer(200, pending) }
    rig.perform("1")
    let second = rig.perform("2", at: rig.url + "/2")
    rig.perform("3")
    rig.gateway.cancel(second)
    try rig.run(untilCompleted: 2)
    #expect(rig.results.map(\.name) == ["1", "3"])
    #expect(!rig.server.requests.contains { $0.line.contains("/2") })
  }

  @Test func `a completed request may be cancelled, from its own completion too`() throws {
    let rig = try GatewayRig()
    rig.server.onRequest = { $0.connection.answer(200, pending) }
    var first: PendingRequest?
    first = rig.perform("1") { _ in
      if let first { rig.gateway.cancel(first) }
      rig.perform("2") { _ in
        if let first { rig.gateway.cancel(first) }
      }
    }
    try rig.run(untilCompleted: 2)
    #expect(rig.results.map(\.name) == ["1", "2"])
  }

  @Test func `a finished request cancelled by another's completion is not completed`() throws {
    let rig = try GatewayRig()
    var second: PendingRequest?
    rig.perform("1", at: "nonsense") { _ in
      if let second { rig.gateway.cancel(second) }
    }
    second = rig.perform("2", at: "nonsense")
    rig.perform("3", at: "nonsense")
    try rig.run(untilCompleted: 2)
    #expect(rig.results.map(\.name) == ["1", "3"])
    #expect(rig.results.allSatisfy { $0.result == Self.failure })
  }

  @Test func `a gateway that is let go completes nothing`() throws {
    let rig = try GatewayRig()
    weak var gateway: PrimerGateway?
    do {
      let other = try PrimerGateway(
        on: rig.loop,
        options: GatewayOptions(
          policy: UpstreamPolicy(entries: ["127.0.0.1:\(rig.server.port)"]),
          client: SDKClient(version: "1")))
      gateway = other
      for _ in 0..<3 {
        other.perform(operation(.poll, rig.url), for: 0) { _ in Issue.record("completed") }
      }
    }
    #expect(gateway == nil)
    rig.server.onRequest = { $0.connection.answer(200, pending) }
    #expect(try rig.result() == isPending)
  }
}
