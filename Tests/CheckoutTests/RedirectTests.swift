import Checkout
import Testing
import ValueTree

@Suite struct RedirectTests {
  static func end(_ error: String) -> [String] {
    ["step webRedirect failure", "didFail unknown \(error) pay-1 PENDING", "# ended unknown"]
  }

  @Test func `S81: PENDING, PENDING, COMPLETE`() {
    var bench = Bench(at: .polling)
    for _ in 0..<2 {
      #expect(bench.answer("poll", .redirectStatus(.pending)) == ["@ poll 1000"])
      #expect(bench.fire(.poll) == ["> poll"])
    }
    #expect(
      bench.answer("poll", .redirectStatus(.complete(resumeToken: "4321"))) == [
        "> resume pay-1 4321"
      ])
  }

  static let passing: [(OperationFailure, Milliseconds)] = [
    (Sample.failure(.notSent), 3000), (Sample.failure(.timedOut), 3000),
    (Sample.failure(.interrupted), 3000), (Sample.failure(.undecodable), 3000),
    (Sample.status(302), 3000), (Sample.refusal(408), 3000), (Sample.status(425), 3000),
    (Sample.status(429), 3000), (Sample.refusal(429, retryAfter: 20_000), 20_000),
    (Sample.status(429, retryAfter: 1000), 3000), (Sample.status(500), 3000),
    (Sample.status(503, retryAfter: 7000), 7000),
    (Sample.status(503, retryAfter: .max), 30 * Sample.minute),
  ]

  @Test(arguments: passing)
  func `S82: what may pass is polled again`(failure: OperationFailure, delay: Milliseconds) {
    var bench = Bench(at: .polling)
    #expect(bench.fail("poll", failure) == ["@ poll \(delay)"])
    #expect(bench.fire(.poll) == ["> poll"])
  }

  @Test(
    arguments: [
      Sample.refusal(400), Sample.refusal(401), Sample.status(403), Sample.status(404),
      Sample.status(410), Sample.failure(.notAllowed),
    ])
  func `any other refusal ends the polling`(failure: OperationFailure) {
    var bench = Bench(at: .polling)
    #expect(bench.fail("poll", failure) == Self.end("status-poll-failed"))
    #expect(
      bench.events.last?["error"]?["httpStatus"]?.integer == failure.httpStatus.map(Int64.init))
  }

  @Test func `an unknown status ends the polling`() {
    var bench = Bench(at: .polling)
    #expect(
      bench.answer("poll", .redirectStatus(.unknown("LATER"))) == Self.end("status-poll-failed"))
  }

  @Test(arguments: [10, 30, 45] as [Milliseconds])
  func `the deadline is the earlier of the token's expiry and half an hour`(minutes: Milliseconds) {
    var bench = Bench(at: .creating)
    let expiry = Sample.now + minutes * Sample.minute
    bench.answer(
      "create",
      Sample.payment(.pending, action: RequiredActionTests.redirect { $0.expiresAt = expiry }))
    let deadline = min(expiry, Sample.now + 30 * Sample.minute)
    #expect(bench.checkout.awaiting.first?["deadline"]?.string == Timestamp(deadline).text)
    bench.now = deadline - 400
    #expect(bench.answer("poll", .redirectStatus(.pending)) == ["@ poll 400"])
    #expect(bench.fire(.poll) == ["> poll"])
    #expect(bench.answer("poll", .redirectStatus(.pending)) == Self.end("status-poll-timeout"))
  }

  @Test func `a poll that was out when the deadline passed is not the last one`() {
    var bench = Bench(at: .polling)
    bench.now += 30 * Sample.minute + 5
    #expect(bench.fail("poll", Sample.failure(.timedOut)) == ["> poll"])
    #expect(
      bench.answer("poll", .redirectStatus(.complete(resumeToken: "res-1"))) == [
        "> resume pay-1 res-1"
      ])
  }

  @Test func `a failing last poll ends the polling with what failed`() {
    var bench = Bench(at: .betweenPolls)
    bench.now += 31 * Sample.minute
    bench.fire(.poll)
    #expect(bench.fail("poll", Sample.status(503)) == Self.end("status-poll-timeout"))
    #expect(bench.events.last?["error"]?["httpStatus"] == 503)
  }

  @Test func `the span is an option`() {
    var spans = Spans()
    spans.poll = 5000
    var bench = Bench(spans: spans)
    bench.start()
    bench.provideBanks()
    bench.call(.start)
    bench.answer("banks", .banks(Sample.banks))
    bench.choose("0")
    bench.call(.submit)
    bench.answer("tokenize", .instrument(Sample.instrument))
    bench.answer("create", Sample.payment(.pending, action: Sample.redirectToken))
    #expect(bench.fail("poll", Sample.status(429, retryAfter: 60_000)) == ["@ poll 5000"])
  }

  @Test func `one poll is out at a time`() {
    var bench = Bench(at: .polling)
    #expect(bench.handle(.timerFired(.poll)).isEmpty)
  }

  // MARK: What the client reports

  @Test func `S14 and S15: what became of the page is told, and decides nothing`() {
    var bench = Bench(at: .polling)
    #expect(bench.call(.reportRedirect(dismissed: false)) == ["= {}"])
    #expect(
      bench.call(.reportRedirect(dismissed: true)) == ["step webRedirect dismissed", "= {}"])
    #expect(bench.checkout.state == .awaitingRedirect)
    bench.answer("poll", .redirectStatus(.complete(resumeToken: "res-1")))
    #expect(
      bench.answer("resume", Sample.payment(.success)) == [
        "step webRedirect success", "didCompleteCheckout success pay-1 SUCCESS", "# ended success",
      ])
  }

  @Test(arguments: Stop.allCases)
  func `a report is taken while the page is shown only`(stop: Stop) {
    var bench = Bench(at: stop)
    let lines = bench.call(.reportRedirect(dismissed: false))
    switch stop {
    case .polling, .betweenPolls: #expect(lines == ["= {}"])
    case .starting, .ready: #expect(lines == ["! unknown-component"])
    case .ended: #expect(lines == ["! checkout-ended"])
    default: #expect(lines == ["! not-awaited"])
    }
  }
}
