import Checkout
import Testing
import ValueTree

/// The reference's own scenarios, by their numbers, where no other suite has them; and the exact order
/// of events in each whole flow.
@Suite struct ScenarioTests {
  // MARK: Whole flows

  /// Beside the reference: `willCreatePayment` and `didStartTokenization` for iDEAL,
  /// `didTokenizePaymentMethod` (without the token's data), the steps of the redirect.
  @Test func `S20 and S79: iDEAL, automatic handling`() {
    var bench = Bench(at: .resuming)
    bench.answer("resume", Sample.payment(.success))
    #expect(
      bench.eventLines == [
        "didLoadAvailablePaymentMethods ADYEN_IDEAL,STRIPE_ACH", "step loading",
        "step banksRetrieved 0,1,2,3", "validating bankId", "valid bankId",
        "step webRedirect loading", "willCreatePayment ADYEN_IDEAL",
        "didStartTokenization ADYEN_IDEAL", "didTokenizePaymentMethod ADYEN_IDEAL",
        "step webRedirect loaded", "step webRedirect success",
        "didCompleteCheckout success pay-1 SUCCESS",
      ])
    #expect(
      bench.operationLines == [
        "configuration", "banks cfg-ideal", "tokenize", "create tok-1", "poll",
        "resume pay-1 res-1",
      ])
    #expect(bench.events.allSatisfy { $0["paymentMethodTokenData"] == nil })
    #expect(bench.checkout.seq == Int64(bench.events.count))
  }

  @Test func `S21: iDEAL, manual handling`() {
    var bench = Bench(at: .validating)
    bench.answer("validate", .acknowledged)
    for _ in 0..<2 {
      bench.answer("poll", .redirectStatus(.pending))
      bench.fire(.poll)
    }
    bench.answer("poll", .redirectStatus(.complete(resumeToken: "4321")))
    bench.call(.decide(id: "d2", .complete(nil)))
    #expect(
      bench.eventLines.suffix(8) == [
        "step webRedirect loading", "willCreatePayment ADYEN_IDEAL",
        "didStartTokenization ADYEN_IDEAL", "didTokenizePaymentMethod ADYEN_IDEAL d1",
        "step webRedirect loaded", "didResumeWith 4321 d2", "step webRedirect success",
        "didCompleteCheckout handledByClient",
      ])
    #expect(
      bench.operationLines == [
        "configuration", "banks cfg-ideal", "tokenize", "validate h.redirect.s", "poll", "poll",
        "poll",
      ])
  }

  @Test func `S67: ACH, automatic handling`() {
    var bench = Bench(at: .completing)
    bench.answer("complete", .acknowledged)
    #expect(
      bench.eventLines == [
        "didLoadAvailablePaymentMethods ADYEN_IDEAL,STRIPE_ACH"
      ] + StripeAchUserDetailsComponentTests.judgedValid + [
        "step retrievedUserDetails Ada Byron ada@example.com", "step didCollectUserDetails",
        "willCreatePayment STRIPE_ACH", "didStartTokenization STRIPE_ACH",
        "didTokenizePaymentMethod STRIPE_ACH", "didReceiveAdditionalInfo bankAccountCollector",
        "didReceiveAdditionalInfo mandate", "didCompleteCheckout pending pay-1 PENDING",
      ])
    #expect(
      bench.operationLines == [
        "configuration", "actions SELECT:STRIPE_ACH", "tokenize", "create tok-1", "complete",
      ])
  }

  @Test func `ACH, manual handling`() {
    var bench = Bench(Sample.manualSettings)
    bench.start()
    bench.startACH()
    bench.call(.submit)
    bench.answer("tokenize", .instrument(Sample.instrument))
    bench.call(.decide(id: "d1", .continueWithNewClientToken(Sample.achToken)))
    bench.answer("validate", .acknowledged)
    bench.call(.reportBankAccount(.succeeded))
    bench.call(.decideMandate(isAccepted: true))
    bench.answer("complete", .acknowledged)
    #expect(
      bench.eventLines.suffix(7) == [
        "step didCollectUserDetails", "willCreatePayment STRIPE_ACH",
        "didStartTokenization STRIPE_ACH", "didTokenizePaymentMethod STRIPE_ACH d1",
        "didReceiveAdditionalInfo bankAccountCollector", "didReceiveAdditionalInfo mandate",
        "didCompleteCheckout handledByClient",
      ])
  }

  @Test func `the payment's terminal event has everything known of it`() {
    var bench = Bench(at: .resuming)
    bench.answer("resume", Sample.payment(.failed))
    #expect(
      bench.events.last?["payment"] == ["id": "pay-1", "orderId": "o-1", "status": "FAILED"])
    #expect(bench.events.last?.isTerminal == true)
  }

  // MARK: Single scenarios

  @Test func `S2: a component begins without banks, choice or step`() {
    var bench = Bench(at: .ready)
    bench.provideBanks()
    let snapshot = bench.checkout.componentSnapshot(0)
    #expect(snapshot["banks"] == nil)
    #expect(snapshot["data"] == [:])
  }

  @Test func `S4: the steps are loading and the banks as the server has them`() {
    let bench = Bench(at: .chosen)
    let steps = bench.events.filter { $0.kind == .didReceiveStep }
    #expect(steps.map(\.line) == ["step loading", "step banksRetrieved 0,1,2,3"])
    #expect(steps.allSatisfy { $0.component == 0 })
    #expect(
      steps.last?["step"]?["banks"]?.array?.compactMap { $0["name"]?.string }
        == Sample.banks.map(\.name))
  }

  @Test func `S5: a filter tells the matches in a third step`() {
    var bench = Bench(at: .chosen)
    bench.update("bankFilterText", "Bank filtered")
    let steps = bench.events.filter { $0.kind == .didReceiveStep }.map(\.line)
    #expect(steps == ["step loading", "step banksRetrieved 0,1,2,3", "step banksRetrieved 2"])
  }

  @Test(arguments: [("bankId", "mock_id"), ("bankFilterText", "mock_query")])
  func `S6 and S7: before the list is loaded everything is invalid`(field: String, text: String) {
    var bench = Bench(at: .startingComponent)
    let lines = bench.update(field, text).eventsOnly
    #expect(lines == ["validating \(field)", "invalid \(field) banks-not-loaded"])
    let error = bench.events.last?["errors"]?.array?.first
    #expect(error?["inputElementType"] == "BANKS")
    #expect(error?["diagnosticsId"]?.string?.utf8.count == 36)
    #expect(bench.events.last?["data"]?[field]?.string == text)
  }

  @Test func `S10: a session with iDEAL alone offers iDEAL alone`() {
    var configuration = Sample.configuration
    configuration.paymentMethods.removeLast()
    var bench = Bench()
    #expect(bench.start(configuration).first == "didLoadAvailablePaymentMethods ADYEN_IDEAL")
  }

  @Test(
    arguments: [
      ("firstName", "", "invalid-customer-firstname"),
      ("lastName", "", "invalid-customer-lastname"),
      ("emailAddress", "test-invalid", "invalid-customer-email"),
      ("firstName", "firstname", nil), ("lastName", "lastname", nil),
      ("emailAddress", "test-email@test.com", nil),
    ] as [(String, String, String?)])
  func `S49 to S54: each field is judged by its rule`(field: String, text: String, error: String?) {
    var bench = Bench(at: .ready)
    bench.startACH()
    let lines = bench.update(field, text).eventsOnly
    #expect(
      lines == ["validating \(field)", error.map { "invalid \(field) \($0)" } ?? "valid \(field)"])
  }

  @Test func `S48: a component's error is told and answered with one diagnostics id`() {
    for (stop, name) in [(Stop.startingComponent, "banks"), (.startingACH, "actions")] {
      var bench = Bench(at: stop)
      let call = bench.lastCall
      bench.fail(name, Sample.refusal())
      let told = bench.events.last?["error"]
      #expect(told?["diagnosticsId"]?.string?.utf8.count == 36)
      #expect(told == bench.refusals[call]?.value)
      #expect(bench.events.last?.component == 0)
    }
  }

  /// The reference's own test customer has hyphens in both names, which its rules refuse.
  @Test func `S62: the session's customer is valid, hyphens and all`() {
    let customer = Customer(
      firstName: "firstname-test", lastName: "lastname-test", emailAddress: "test@mail.com")
    var bench = Bench()
    bench.start()
    let lines = bench.startACH(Sample.configuration(of: customer))
    #expect(
      lines.eventsOnly == StripeAchUserDetailsComponentTests.judgedValid + [
        "step retrievedUserDetails firstname-test lastname-test test@mail.com"
      ])
    #expect(bench.call(.submit).contains("step didCollectUserDetails"))
  }

  @Test(arguments: [true, false])
  func `S66, S73 and S78: the decision to abort is a merchant's error`(isACH: Bool) {
    var bench = Bench(Sample.decidingSettings)
    bench.start()
    if isACH {
      bench.startACH()
    } else {
      bench.provideBanks()
      bench.call(.start)
      bench.answer("banks", .banks(Sample.banks))
      bench.choose("0")
    }
    bench.call(.submit)
    let lines = bench.call(.decide(id: "d1", .abort(message: "No")))
    #expect(lines.contains("didFail failed merchant-error"))
    #expect(bench.inFlight.isEmpty)
  }

  @Test func `S74: a decision to continue, and a payment that succeeds at once`() {
    var bench = Bench(at: .deciding)
    bench.call(.decide(id: "d1", .continue(idempotencyKey: nil)))
    bench.answer("tokenize", .instrument(Sample.instrument))
    #expect(
      bench.answer("create", Sample.payment(.success)).contains(
        "didCompleteCheckout success pay-1 SUCCESS"))
  }

  @Test(arguments: [.deciding, .tokenizing] as [Stop])
  func `S76 and S77: a cancellation before the payment`(stop: Stop) {
    var bench = Bench(at: stop)
    #expect(
      bench.call(.cancel(reason: nil)).contains("didFail cancelled payment-cancelled"))
  }

  @Test func `S99: each request has an id of its own, and all share the session's`() {
    let bench = Bench(at: .resuming)
    #expect(Set(bench.sent.map(\.requestID)).count == bench.sent.count)
    #expect(bench.sent.allSatisfy { $0.requestID.utf8.count == 32 })
    #expect(Set(bench.sent.map(\.sessionID)) == [bench.checkout.sessionID])
  }

  @Test func `S122 and S154: the token's header is on every request`() {
    let bench = Bench(at: .resuming)
    #expect(
      bench.sent.map(\.accessToken) == [
        "access-1", "access-1", "access-1", "access-1", "access-2", "access-2",
      ])
  }

  @Test func `events of a turn come before its reply`() {
    var bench = Bench(at: .mandating)
    let lines = bench.call(.decideMandate(isAccepted: false))
    #expect(lines.last == "= {}")
  }
}
