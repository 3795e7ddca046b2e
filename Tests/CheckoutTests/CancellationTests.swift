import Checkout
import Testing
import ValueTree

@Suite struct CancellationTests {
  static let failed = "step webRedirect failure"
  static let cancelled = ["didFail cancelled payment-cancelled", "# ended cancelled"]
  static let unknown = ["didFail unknown payment-cancelled", "# ended unknown"]
  static let withPayment = [
    "didFail cancelled payment-cancelled pay-1 PENDING", "# ended cancelled", "= failed",
  ]

  static let table: [(Stop, [String])] = [
    (.starting, ["x configuration"] + cancelled + ["= snapshot failed", "= failed"]),
    (.ready, cancelled + ["= failed"]),
    (.startingComponent, ["x banks"] + cancelled + ["! checkout-ended", "= failed"]),
    (.startingACH, ["x actions"] + cancelled + ["! checkout-ended", "= failed"]),
    (.chosen, cancelled + ["= failed"]),
    (.patching, ["willUpdateClientSession", "= cancelling"]),
    (.deciding, [failed] + cancelled + ["= failed"]),
    (.tokenizing, ["x tokenize", failed] + cancelled + ["= failed"]),
    (.creating, ["= cancelling"]),
    (.creatingUnsent, [failed] + cancelled + ["= failed"]),
    (.creatingUncertain, ["= cancelling"]),
    (.polling, ["= cancelling"]),
    (.betweenPolls, ["> poll", "= cancelling"]),
    (.resuming, ["= cancelling"]),
    (.resumingAgain, ["= cancelling"]),
    (.unselecting, ["= processing"]),
    // From here the client's backend may have created a payment.
    (.decidingAfterTokenization, [failed] + unknown + ["= failed"]),
    (.validating, ["x validate", failed] + unknown + ["! not-awaited", "= failed"]),
    (.decidingAfterResume, [failed] + unknown + ["= failed"]),
    (.validatingAfterResume, ["x validate", failed] + unknown + ["! not-awaited", "= failed"]),
    (.collecting, withPayment),
    (.mandating, withPayment),
    (.completing, ["= cancelling"]),
    (.ended, ["! checkout-ended"]),
  ]

  @Test func `the table has every stop`() {
    #expect(Set(Self.table.map(\.0)) == Set(Stop.allCases))
  }

  @Test(arguments: table)
  func `cancelling follows its table`(stop: Stop, lines: [String]) {
    var bench = Bench(at: stop)
    #expect(bench.call(.cancel(reason: nil)) == lines)
    let isOver = bench.checkout.isEnded
    if isOver { #expect(bench.timers.isEmpty) }
    #expect(
      bench.call(.cancel(reason: nil)) == [
        isOver ? "! checkout-ended" : "= \(bench.checkout.state.rawValue)"
      ], "again")
  }

  @Test func `a reason is the error's description`() {
    var bench = Bench(at: .ready)
    bench.call(.cancel(reason: "The till was closed"))
    #expect(bench.events.last?["error"]?["description"] == "The till was closed")
  }

  /// What comes after a cancellation, and how the checkout ends.
  static let answers: [(Stop, String, Result<Answer, OperationFailure>, [String])] = [
    (
      .creating, "create", .success(Sample.payment(.success)),
      ["step webRedirect success", "didCompleteCheckout success pay-1 SUCCESS", "# ended success"]
    ),
    (
      .creating, "create", .success(Sample.payment(.pending)),
      ["step webRedirect success", "didCompleteCheckout pending pay-1 PENDING", "# ended pending"]
    ),
    (
      .creating, "create", .success(Sample.payment(.failed)),
      [failed, "didFail failed payment-failed pay-1 FAILED", "# ended failed"]
    ),
    (
      .creating, "create", .success(Sample.payment(.pending, action: Sample.redirectToken)),
      [failed, "didFail cancelled payment-cancelled pay-1 PENDING", "# ended cancelled"]
    ),
    (
      .creating, "create", .failure(Sample.refusal()),
      [failed, "didFail failed server-error", "# ended failed"]
    ),
    // It never left, and must not leave now.
    (.creating, "create", .failure(Sample.failure(.notSent)), [failed] + cancelled),
    (.creating, "create", .failure(Sample.failure(.notAllowed)), [failed] + cancelled),
    (.creating, "create", .failure(Sample.failure(.interrupted)), ["@ repeat 100000"]),
    // A payment that failed before is not this one, which must not be created now.
    (.creating, "create", .failure(Sample.keyUsed("FAILED")), [failed] + cancelled),
    (
      .creating, "create", .failure(Sample.keyUsed("SUCCESS")),
      ["step webRedirect success", "didCompleteCheckout success pay-1 SUCCESS", "# ended success"]
    ),
    (
      .polling, "poll", .success(.redirectStatus(.pending)),
      [failed, "didFail unknown payment-cancelled pay-1 PENDING", "# ended unknown"]
    ),
    (
      .polling, "poll", .failure(Sample.failure(.timedOut)),
      [failed, "didFail unknown payment-cancelled pay-1 PENDING", "# ended unknown"]
    ),
    (
      .betweenPolls, "poll", .success(.redirectStatus(.pending)),
      [failed, "didFail unknown payment-cancelled pay-1 PENDING", "# ended unknown"]
    ),
    (
      .polling, "poll", .success(.redirectStatus(.complete(resumeToken: "res-1"))),
      ["> resume pay-1 res-1"]
    ),
    (
      .resuming, "resume", .success(Sample.payment(.success)),
      ["step webRedirect success", "didCompleteCheckout success pay-1 SUCCESS", "# ended success"]
    ),
    (
      .resuming, "resume", .success(Sample.payment(.failed)),
      [failed, "didFail failed failed-to-resume-payment pay-1 FAILED", "# ended failed"]
    ),
    // The shopper has approved once; a second page may be finished without us.
    (
      .resuming, "resume",
      .success(Sample.payment(.pending, shows: true, action: Sample.redirectToken)),
      [failed, "didFail unknown payment-cancelled pay-1 PENDING", "# ended unknown"]
    ),
    (.resuming, "resume", .failure(Sample.failure(.interrupted)), ["@ repeat 1000"]),
    (
      .completing, "complete", .success(.acknowledged),
      ["didCompleteCheckout pending pay-1 PENDING", "# ended pending"]
    ),
    (
      .completing, "complete", .failure(Sample.refusal()),
      ["didFail unknown outcome-unknown pay-1 PENDING", "# ended unknown"]
    ),
    (
      .patching, "actions", .success(.configuration(Sample.surcharged)),
      ["> actions UNSELECT"]
    ),
    (.patching, "actions", .failure(Sample.failure(.timedOut)), ["> actions UNSELECT"]),
  ]

  @Test(arguments: answers.indices)
  func `the answer under way decides`(row: Int) {
    let (stop, name, result, lines) = Self.answers[row]
    var bench = Bench(at: stop)
    bench.call(.cancel(reason: nil))
    let told =
      switch result {
      case .success(let answer): bench.answer(name, answer)
      case .failure(let failure): bench.fail(name, failure)
      }
    #expect(told == lines, "\(stop)")
    if !bench.checkout.isEnded { #expect(bench.checkout.state == .cancelling) }
  }

  @Test func `while cancelling nothing is awaited of anyone`() {
    for stop in [Stop.creating, .polling, .resuming, .completing] {
      var bench = Bench(at: stop)
      bench.call(.cancel(reason: nil))
      #expect(bench.checkout.awaiting.isEmpty)
    }
  }

  @Test func `the page that comes back after a cancellation is the client's to resume`() {
    var bench = Bench(at: .validating)
    bench.answer("validate", .acknowledged)
    bench.call(.cancel(reason: nil))
    #expect(
      bench.answer("poll", .redirectStatus(.complete(resumeToken: "res-1"))) == [
        "didResumeWith res-1 d2", "@ decision 600000",
      ])
    #expect(bench.checkout.state == .awaitingDecision)
  }

  @Test func `a checkout that was cancelled before it began fetches nothing`() {
    let moment = Moment(now: Sample.now, entropy: 1)
    var checkout = Checkout(
      id: CheckoutID(1), owner: 0, token: Sample.token, settings: Sample.settings, spans: Spans(),
      moment: moment)
    #expect(checkout.perform(.cancel(reason: nil), at: moment).effects.count > 0)
    #expect(checkout.isEnded)
    #expect(checkout.begin(at: moment).isEmpty)
  }
}
