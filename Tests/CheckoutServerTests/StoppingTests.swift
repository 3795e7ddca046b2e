import Checkout
import Testing
import ValueTree

@testable import CheckoutServer

/// While the daemon stops, nothing is begun that it would have to wait for; and what is refused is not
/// committed.
@Suite struct StoppingTests {
  private func call(
    _ bench: SituationBench, _ method: String, _ params: [Value.Member]
  ) throws -> CallOutcome {
    let checkout = Value.Member("checkoutId", .string(bench.live.idText))
    return try bench.bench.call(bench.owner, method, .object([checkout] + params))
  }

  @Test func `a decision that goes on waits for the next process`() throws {
    let bench = try SituationBench(.decidingOnCreation)
    let goesOn: [Value.Member] = [.init("decisionId", "d1"), .init("decision", "continue")]
    // As if a payment of somebody else's were waited for.
    _ = try stopWhilePaying(bench)
    #expect(try call(bench, "checkout.decide", goesOn).code == -32005)
    #expect(bench.situation == .decidingOnCreation)
    let ends: [Value.Member] = [.init("decisionId", "d1"), .init("decision", "abort")]
    #expect(try call(bench, "checkout.decide", ends).result != nil)
  }

  @Test func `a creation that would begin while stopping begins in the next process`() throws {
    let bench = try SituationBench(.tokenizing)
    let place = try stopWhilePaying(bench)
    let created = bench.bench.upstream.sent.count { $0.request.name == "create" }
    bench.bench.upstream.answer(at: place) { SampleUpstream.answer($0) }
    bench.bench.turn()
    #expect(bench.bench.upstream.sent.count { $0.request.name == "create" } == created)
    try bench.bench.restart()
    bench.bench.turn()
    #expect(bench.bench.upstream.pending.contains { $0.request.name == "tokenize" })
  }

  /// Begins to stop, with a payment under way that is waited for.
  ///
  /// - Returns: The place of the first request of the bench's own checkout.
  private func stopWhilePaying(_ bench: SituationBench) throws -> Int {
    let server = bench.bench
    let place = server.upstream.pending.count
    let other = try server.connect(as: 2000)
    func called(_ method: String, _ params: Value) throws {
      other.send(server.line(method, params).text)
      server.turn()
    }
    func answer() {
      server.upstream.answer(at: place) { request in
        guard case .fetchConfiguration = request else { return SampleUpstream.answer(request) }
        var configuration = SampleUpstream.configuration
        configuration.clientSession.id = "cs-other"
        return .success(.configuration(configuration))
      }
      server.turn()
    }
    try called("checkout.start", ["clientToken": .string(SampleUpstream.tokens[2])])
    answer()
    let live = try #require(server.registry.checkouts(of: 2000).first)
    let component: Value = .string("cm_\(live.idText.dropFirst(3))_0")
    try called(
      "componentWithRedirectManager.provideBanksComponent",
      ["checkoutId": .string(live.idText), "paymentMethodType": "ADYEN_IDEAL"])
    try called("component.start", ["componentId": component])
    answer()
    try called(
      "component.updateCollectedData", ["componentId": component, "data": ["bankId": "0"]])
    try called("component.submit", ["componentId": component])
    answer()
    try #require(live.checkout.isPaying)
    server.server.beginDrain()
    server.turn()
    _ = try bench.owner.readLines()
    return 0
  }

  @Test(arguments: [true, false])
  func `a command that is refused and changes nothing is not committed`(isFailing: Bool) throws {
    let bench = try SituationBench(.ready)
    let (commits, failures) = (bench.bench.backend.commitCount, bench.bench.backend.failureCount)
    bench.bench.backend.isFailing = isFailing
    let decision: [Value.Member] = [.init("decisionId", "d9"), .init("decision", "continue")]
    #expect(try call(bench, "checkout.decide", decision).code != -32006)
    #expect(bench.bench.backend.commitCount == commits)
    #expect(bench.bench.backend.failureCount == failures)
  }
}
