import Checkout
import Testing
import ValueTree

@Suite struct DecisionTests {
  static let failed = "step webRedirect failure"

  private func key(_ bench: Bench) -> String? {
    for operation in bench.sent {
      if case .createPayment(_, let key) = operation.request { return key }
    }
    return nil
  }

  // MARK: willCreatePayment

  @Test func `S149: the decision to continue keeps the client's key`() {
    var bench = Bench(at: .deciding)
    #expect(
      bench.call(.decide(id: "d1", .continue(idempotencyKey: "key-a"))) == [
        "didStartTokenization ADYEN_IDEAL", "> tokenize", "= {}",
      ])
    #expect(bench.timers[.decision] == nil)
    bench.answer("tokenize", .instrument(Sample.instrument))
    #expect(key(bench) == "key-a")
  }

  /// The reference sends no key then (S148, S152), and cannot repeat.
  @Test func `S148: without a key of the client's the daemon makes one`() {
    var bench = Bench(at: .deciding)
    bench.call(.decide(id: "d1", .continue(idempotencyKey: nil)))
    bench.answer("tokenize", .instrument(Sample.instrument))
    #expect(key(bench) == "checkoutd-cs-1|1")
    #expect(key(bench) == key(Bench(at: .creating)))
  }

  @Test func `S150: the decision to abort keeps its message`() {
    var bench = Bench(at: .deciding)
    #expect(
      bench.call(.decide(id: "d1", .abort(message: "Sold out"))) == [
        Self.failed, "didFail failed merchant-error", "# ended failed", "= {}",
      ])
    #expect(bench.events.last?["error"]?["description"] == "Sold out")
    #expect(bench.events.last?["error"]?["diagnosticsId"] != nil)
  }

  @Test func `nobody is asked unless that was asked for`() {
    let bench = Bench(at: .tokenizing)
    #expect(
      bench.eventLines.suffix(2) == [
        "willCreatePayment ADYEN_IDEAL", "didStartTokenization ADYEN_IDEAL",
      ])
    #expect(bench.events.suffix(2).first?["decisionId"] == nil)
    #expect(bench.events.suffix(2).first?["deadline"] == nil)
  }

  @Test(
    arguments: [
      (.deciding, nil, 60_000), (.decidingAfterTokenization, nil, 600_000),
      (.decidingAfterResume, nil, 600_000), (.deciding, 5000, 5000),
      (.decidingAfterTokenization, 5000, 5000), (.decidingAfterResume, 5000, 5000),
    ] as [(Stop, Milliseconds?, Milliseconds)])
  func `a decision has the deadline that its event names`(
    stop: Stop, timeout: Milliseconds?, span: Milliseconds
  ) {
    var bench = Bench(at: stop)
    if let timeout {
      var settings = bench.checkout.settings
      settings.decisionTimeout = timeout
      bench = Bench(.submittable, settings: settings)
      bench.call(.submit)
      if stop != .deciding { bench.answer("tokenize", .instrument(Sample.instrument)) }
    }
    #expect(bench.timers[.decision] == Sample.now + span)
    #expect(bench.events.last?["deadline"]?.string == Timestamp(Sample.now + span).text)
  }

  @Test(
    arguments: [
      (.deciding, "didFail failed decision-timeout", "# ended failed"),
      (.decidingAfterTokenization, "didFail unknown decision-timeout", "# ended unknown"),
      (.decidingAfterResume, "didFail unknown decision-timeout", "# ended unknown"),
    ] as [(Stop, String, String)])
  func `a decision that nobody takes ends the checkout`(stop: Stop, event: String, end: String) {
    var bench = Bench(at: stop)
    #expect(bench.fire(.decision) == [Self.failed, event, end])
    #expect(bench.call(.decide(id: "d1", .abort(message: nil))) == ["! not-awaited /decisionId"])
  }

  @Test(arguments: ["d2", "d0", "d01", "d-1", "d", "", "x1", "d1 ", "d99999999999999999999"])
  func `a decision that was never asked for is unknown`(id: String) {
    var bench = Bench(at: .deciding)
    #expect(
      bench.call(.decide(id: id, .abort(message: nil))) == ["! unknown-decision /decisionId"])
  }

  @Test func `no decision is known before the first is asked for`() {
    var bench = Bench(at: .ready)
    #expect(
      bench.call(.decide(id: "d1", .abort(message: nil))) == ["! unknown-decision /decisionId"])
  }

  @Test func `a decision that has been taken is not awaited`() {
    var bench = Bench(at: .deciding)
    bench.call(.decide(id: "d1", .continue(idempotencyKey: nil)))
    #expect(
      bench.call(.decide(id: "d1", .continue(idempotencyKey: nil))) == ["! not-awaited /decisionId"]
    )
    bench = Bench(at: .decidingAfterResume)
    #expect(
      bench.call(.decide(id: "d1", .complete(nil))) == ["! not-awaited /decisionId"])
  }

  static let wrong: [(Stop, String, Decision)] = [
    (.deciding, "d1", .complete(nil)),
    (.deciding, "d1", .continueWithNewClientToken(Sample.redirectToken)),
    (.decidingAfterTokenization, "d1", .continue(idempotencyKey: nil)),
    (.decidingAfterResume, "d2", .continue(idempotencyKey: "key-a")),
  ]

  @Test(arguments: wrong)
  func `a decision of another event's is refused and leaves it open`(
    stop: Stop, id: String, decision: Decision
  ) {
    var bench = Bench(at: stop)
    #expect(bench.call(.decide(id: id, decision)) == ["! invalid-value /decision"])
    #expect(bench.call(.decide(id: id, .abort(message: nil))).last == "= {}")
  }
}
