import Checkout
import Testing
import ValueTree

@Suite struct CollectorTests {
  static let reports: [BankAccountReport] = [
    .succeeded, .failed(errorID: "card_declined", description: "No"),
    .cancelled,
  ]

  @Test func `an account that was collected leads to the mandate`() {
    var bench = Bench(at: .collecting)
    #expect(
      bench.call(.reportBankAccount(.succeeded)) == [
        "didReceiveAdditionalInfo mandate", "= {}",
      ])
    #expect(bench.events.last?["info"] == ["kind": "mandate", "merchantName": "Example Shop"])
  }

  @Test func `S70: a mandate's text is shown as given`() {
    var settings = Sample.settings
    settings.mandateText = "I agree."
    settings.merchantName = nil
    var bench = Bench(settings)
    bench.start()
    bench.startACH()
    bench.call(.submit)
    bench.answer("tokenize", .instrument(Sample.instrument))
    bench.answer("create", Sample.payment(.pending, action: Sample.achToken))
    bench.call(.reportBankAccount(.succeeded))
    #expect(bench.events.last?["info"] == ["kind": "mandate", "text": "I agree."])
  }

  @Test func `a collector that failed ends the checkout with its own error id`() {
    var bench = Bench(at: .collecting)
    #expect(
      bench.call(.reportBankAccount(.failed(errorID: "bank_x", description: "Not today"))) == [
        "didFail failed bank_x pay-1 PENDING", "# ended failed", "= {}",
      ])
    #expect(bench.events.last?["error"]?["description"] == "Not today")
    #expect(bench.events.last?["error"]?["diagnosticsId"] != nil)
  }

  @Test func `a shopper who gives up cancels`() {
    var bench = Bench(at: .collecting)
    #expect(
      bench.call(.reportBankAccount(.cancelled)) == [
        "didFail cancelled payment-cancelled pay-1 PENDING", "# ended cancelled", "= {}",
      ])
  }

  @Test func `S72: an accepted mandate completes, with the moment of its acceptance`() {
    var bench = Bench(at: .mandating)
    bench.now += 1234
    #expect(bench.call(.decideMandate(isAccepted: true)) == ["> complete", "= {}"])
    #expect(bench.sent.last?.request == .complete(mandateAcceptedAt: Sample.now + 1234))
    #expect(bench.sent.last?.url == "https://api.example.com/complete")
    #expect(bench.sent.last?.accessToken == "access-3")
    #expect(bench.timers.isEmpty)
    #expect(
      bench.answer("complete", .acknowledged) == [
        "didCompleteCheckout pending pay-1 PENDING", "# ended pending",
      ])
  }

  @Test func `S72: a declined mandate cancels`() {
    var bench = Bench(at: .mandating)
    #expect(
      bench.call(.decideMandate(isAccepted: false)) == [
        "didFail cancelled payment-cancelled pay-1 PENDING", "# ended cancelled", "= {}",
      ])
  }

  @Test func `a payment that was made before the mandate ends as a success`() {
    var bench = Bench(at: .ready)
    bench.startACH()
    bench.call(.submit)
    bench.answer("tokenize", .instrument(Sample.instrument))
    bench.answer("create", Sample.payment(.success, action: Sample.achToken))
    bench.call(.reportBankAccount(.succeeded))
    bench.call(.decideMandate(isAccepted: true))
    #expect(
      bench.answer("complete", .acknowledged).first == "didCompleteCheckout success pay-1 SUCCESS")
  }

  /// In the reference a second answer crashes, and one that comes at once is lost.
  @Test(arguments: reports)
  func `the collector's answer is taken once, as soon as it is asked for`(
    report: BankAccountReport
  ) {
    for stop in Stop.allCases where stop != .collecting {
      var bench = Bench(at: stop)
      let lines = bench.call(.reportBankAccount(report))
      switch stop {
      case .starting, .ready: #expect(lines == ["! unknown-component"])
      case .ended: #expect(lines == ["! checkout-ended"])
      default: #expect(lines == ["! not-awaited"], "\(stop)")
      }
    }
    var bench = Bench(at: .collecting)
    #expect(bench.call(.reportBankAccount(report)).last == "= {}")
    let again = bench.call(.reportBankAccount(report))
    #expect(again == [bench.checkout.isEnded ? "! checkout-ended" : "! not-awaited"])
  }

  @Test(arguments: [true, false])
  func `the mandate is decided once, as soon as it is asked for`(isAccepted: Bool) {
    for stop in Stop.allCases where stop != .mandating {
      var bench = Bench(at: stop)
      let lines = bench.call(.decideMandate(isAccepted: isAccepted))
      switch stop {
      case .starting, .ready: #expect(lines == ["! unknown-component"])
      case .ended: #expect(lines == ["! checkout-ended"])
      default: #expect(lines == ["! not-awaited"], "\(stop)")
      }
    }
    var bench = Bench(at: .mandating)
    #expect(bench.call(.decideMandate(isAccepted: isAccepted)).last == "= {}")
    let again = bench.call(.decideMandate(isAccepted: isAccepted))
    #expect(again == [isAccepted ? "! not-awaited" : "! checkout-ended"])
  }

  @Test func `another component's answers are not awaited`() {
    var bench = Bench(at: .collecting)
    bench.provideBanks()
    #expect(bench.call(.reportBankAccount(.cancelled), of: 1) == ["! not-awaited"])
    #expect(bench.call(.reportBankAccount(.cancelled), of: 2) == ["! unknown-component"])
    #expect(bench.call(.reportBankAccount(.cancelled), of: -1) == ["! unknown-component"])
    bench.call(.reportBankAccount(.succeeded))
    #expect(bench.call(.decideMandate(isAccepted: true), of: 1) == ["! not-awaited"])
    bench = Bench(at: .polling)
    bench.provideACH()
    #expect(bench.call(.reportRedirect(dismissed: true), of: 1) == ["! not-awaited"])
  }

  /// Upstream has called it made, whatever came of the account or the mandate.
  @Test func `a payment that was made is never told as failed or cancelled`() {
    var asking = Bench(at: .ready)
    asking.startACH()
    asking.call(.submit)
    asking.answer("tokenize", .instrument(Sample.instrument))
    asking.answer("create", Sample.payment(.success, action: Sample.achToken))
    var bench = asking
    #expect(
      bench.call(.reportBankAccount(.cancelled)).first
        == "didFail unknown payment-cancelled pay-1 SUCCESS")
    bench = asking
    #expect(
      bench.call(.reportBankAccount(.failed(errorID: "bank_x", description: nil))).first
        == "didFail unknown bank_x pay-1 SUCCESS")
    bench = asking
    #expect(
      bench.call(.cancel(reason: nil)).first == "didFail unknown payment-cancelled pay-1 SUCCESS")
  }
}
