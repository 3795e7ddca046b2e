import Checkout
import Testing
import ValueTree

@Suite struct ManualHandlingTests {
  static let failed = "step webRedirect failure"

  @Test func `the token's data comes with the decision`() {
    let bench = Bench(at: .decidingAfterTokenization)
    #expect(bench.events.last?.line == "didTokenizePaymentMethod ADYEN_IDEAL d1")
    #expect(bench.events.last?["paymentMethodTokenData"] == ["token": "tok-1"])
    #expect(!bench.operationLines.contains { $0.hasPrefix("create") })
  }

  @Test(arguments: [.decidingAfterTokenization, .decidingAfterResume] as [Stop])
  func `a client that completes the payment itself has it handled`(stop: Stop) {
    var bench = Bench(at: stop)
    let id = stop == .decidingAfterResume ? "d2" : "d1"
    let payment = Payment(id: "pay-9", orderID: "o-1", status: "SUCCESS")
    #expect(
      bench.call(.decide(id: id, .complete(payment))) == [
        "step webRedirect success", "didCompleteCheckout handledByClient pay-9 SUCCESS",
        "# ended handledByClient", "= {}",
      ])
    #expect(bench.timers.isEmpty)
    bench = Bench(at: stop)
    #expect(
      bench.call(.decide(id: id, .complete(nil))).contains("didCompleteCheckout handledByClient"))
  }

  /// Where the client aborts, what it says of the payment, and what that comes to.
  static let aborts: [(Stop, Payment?, String)] = [
    (.decidingAfterTokenization, nil, "failed merchant-error"),
    (
      .decidingAfterTokenization, Payment(id: "pay-9", status: "SUCCESS"),
      "unknown merchant-error pay-9 SUCCESS"
    ),
    // The shopper has approved.
    (.decidingAfterResume, nil, "unknown merchant-error"),
    (
      .decidingAfterResume, Payment(id: "pay-9", status: "PENDING"),
      "unknown merchant-error pay-9 PENDING"
    ),
    (.decidingAfterResume, Payment(id: "pay-9"), "unknown merchant-error pay-9"),
    (
      .decidingAfterResume, Payment(id: "pay-9", status: "DECLINED"),
      "failed merchant-error pay-9 DECLINED"
    ),
  ]

  @Test(arguments: aborts)
  func `a client may abort`(stop: Stop, payment: Payment?, end: String) {
    var bench = Bench(at: stop)
    let id = stop == .decidingAfterResume ? "d2" : "d1"
    let lines = bench.call(.decide(id: id, .abort(message: "No", payment: payment)))
    #expect(lines.contains("didFail " + end), "\(lines)")
    #expect(lines.last == "= {}")
  }

  @Test(
    arguments: [Stop.decidingAfterTokenization, .decidingAfterResume],
    ["FAILED", "DECLINED", "CANCELLED"])
  func `a payment that failed is no completion`(stop: Stop, status: String) {
    var bench = Bench(at: stop)
    let id = stop == .decidingAfterResume ? "d2" : "d1"
    let failed = Decision.complete(Payment(id: "pay-9", status: status))
    #expect(bench.call(.decide(id: id, failed)) == ["! invalid-value /payment/status"])
    #expect(bench.checkout.state == .awaitingDecision, "the decision stays open")
    #expect(bench.checkout.paymentValue == nil)
  }

  @Test func `the client's backend is given the derived key`() throws {
    var bench = Bench(at: .decidingAfterTokenization)
    let key: Value = "checkoutd-cs-1|1"
    #expect(bench.events.last?["paymentIdempotencyKey"] == key)
    #expect(bench.checkout.awaiting.first?["paymentIdempotencyKey"] == key)
    try bench.restart(after: Sample.minute)
    #expect(bench.checkout.awaiting.first?["paymentIdempotencyKey"] == key)
  }

  /// What the shopper or the client does about the account, and about the mandate.
  static let endings: [(Stop, ComponentCommand?, String)] = [
    (.collecting, nil, "payment-cancelled"), (.mandating, nil, "payment-cancelled"),
    (.collecting, .reportBankAccount(.cancelled), "payment-cancelled"),
    (.collecting, .reportBankAccount(.failed(errorID: "own", description: nil)), "own"),
    (.mandating, .decideMandate(isAccepted: false), "payment-cancelled"),
  ]

  @Test(arguments: endings.indices)
  func `what becomes of the backend's payment is the backend's to say`(row: Int) {
    let (stop, command, error) = Self.endings[row]
    var bench = collecting()
    if stop == .mandating { bench.call(.reportBankAccount(.succeeded)) }
    let lines = command.map { bench.call($0) } ?? bench.call(.cancel(reason: nil))
    #expect(lines.contains("didFail unknown " + error), "\(lines)")
  }

  @Test func `a new token is validated before the reply, with its own access token`() {
    var bench = Bench(at: .decidingAfterTokenization)
    #expect(
      bench.call(.decide(id: "d1", .continueWithNewClientToken(Sample.redirectToken))) == [
        "> validate h.redirect.s"
      ])
    #expect(bench.sent.last?.accessToken == "access-2")
    #expect(bench.sent.last?.url == "https://pci.example.com")
    #expect(
      bench.answer("validate", .acknowledged) == ["step webRedirect loaded", "> poll", "= {}"])
    #expect(bench.timers[.decision] == nil)
    #expect(bench.checkout.token == Sample.redirectToken)
  }

  static let refusals: [(OperationFailure, String)] = [
    (Sample.refusal(400), "invalid-client-token"), (Sample.refusal(401), "invalid-client-token"),
    (Sample.status(404), "invalid-client-token"),
    (Sample.failure(.undecodable), "failed-to-decode"),
    (Sample.failure(.notAllowed), "upstream-not-allowed"),
    (Sample.status(302), "invalid-response"),
  ]

  @Test(arguments: refusals)
  func `a token that upstream refuses leaves the decision open`(
    failure: OperationFailure, id: String
  ) {
    for (stop, decision) in [(Stop.validating, "d1"), (.validatingAfterResume, "d2")] {
      var bench = Bench(at: stop)
      let deadline = bench.timers[.decision]
      let since = bench.checkout.awaiting.first?["since"]
      bench.now += 30_000
      #expect(bench.fail("validate", failure) == ["! \(id) /clientToken"])
      #expect(bench.checkout.state == .awaitingDecision)
      #expect(bench.timers[.decision] == deadline)
      #expect(since == nil || bench.checkout.awaiting.first?["since"] == since)
      #expect(bench.call(.decide(id: decision, .complete(nil))).last == "= {}")
    }
  }

  static let unusable: [(ClientToken, String)] = [
    (RequiredActionTests.redirect { $0.intent = "PROCESSOR_3DS" }, "a card's"),
    (RequiredActionTests.redirect { $0.statusURL = nil }, "no statusUrl"),
    (RequiredActionTests.redirect { $0.pciURL = nil }, "nowhere to have it validated"),
    (RequiredActionTests.ach { $0.sdkCompleteURL = nil }, "no sdkCompleteUrl"),
  ]

  @Test(arguments: unusable)
  func `a token that cannot lead on is refused without asking upstream`(
    token: ClientToken, reason: String
  ) {
    var bench = Bench(at: .decidingAfterTokenization)
    #expect(
      bench.call(.decide(id: "d1", .continueWithNewClientToken(token))) == [
        "! invalid-client-token /clientToken"
      ], "\(reason)")
    #expect(bench.lastRefusal?.id.code == .unusable)
    #expect(bench.call(.decide(id: "d1", .complete(nil))).last == "= {}")
  }

  @Test func `one token is validated at a time`() {
    var bench = Bench(at: .validating)
    #expect(
      bench.call(.decide(id: "d1", .abort(message: nil))) == ["! not-awaited /decisionId"])
  }

  @Test func `the deadline passes during the validation`() {
    var bench = Bench(at: .validating)
    #expect(
      bench.fire(.decision) == [
        "x validate", Self.failed, "didFail unknown decision-timeout", "# ended unknown",
        "! not-awaited",
      ])
  }

  @Test func `the resume token is the client's to use`() {
    let bench = Bench(at: .decidingAfterResume)
    #expect(bench.events.last?.line == "didResumeWith res-1 d2")
    #expect(!bench.operationLines.contains { $0.hasPrefix("resume") })
  }

  /// The reference ignores the new token.
  @Test func `after the resumption a new token is followed again`() {
    var bench = Bench(at: .validatingAfterResume)
    #expect(
      bench.answer("validate", .acknowledged) == ["step webRedirect loaded", "> poll", "= {}"])
    #expect(
      bench.answer("poll", .redirectStatus(.complete(resumeToken: "res-2"))) == [
        "didResumeWith res-2 d3", "@ decision 600000",
      ])
  }

  @Test func `ACH by hand ends after the mandate, handled by the client`() {
    var bench = validating()
    #expect(
      bench.answer("validate", .acknowledged) == [
        "didReceiveAdditionalInfo bankAccountCollector", "@ expiry 3600000", "= {}",
      ])
    bench.call(.reportBankAccount(.succeeded))
    bench.call(.decideMandate(isAccepted: true))
    #expect(
      bench.answer("complete", .acknowledged) == [
        "didCompleteCheckout handledByClient", "# ended handledByClient",
      ])
  }

  /// The daemon does not know the backend's payment: a status without an id may be another's.
  @Test func `a refused completion that names no payment settles nothing`() {
    var bench = collecting()
    bench.call(.reportBankAccount(.succeeded))
    bench.call(.decideMandate(isAccepted: true))
    var refusal = Sample.refusal()
    refusal.payment = Payment(status: "FAILED")
    bench.fail("complete", refusal)
    #expect(bench.checkout.outcome == .unknown)
  }

  /// ACH by hand, the backend's token on its way to be validated.
  private func validating() -> Bench {
    var bench = Bench(Sample.manualSettings)
    bench.start()
    bench.startACH()
    bench.call(.submit)
    bench.answer("tokenize", .instrument(Sample.instrument))
    bench.call(.decide(id: "d1", .continueWithNewClientToken(Sample.achToken)))
    return bench
  }

  /// The same, the token accepted.
  private func collecting() -> Bench {
    var bench = validating()
    bench.answer("validate", .acknowledged)
    return bench
  }
}
