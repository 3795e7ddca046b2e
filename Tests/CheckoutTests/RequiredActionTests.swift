import Checkout
import Testing
import ValueTree

@Suite struct RequiredActionTests {
  /// A token for iDEAL with something changed.
  static func redirect(_ change: (inout ClientToken) -> Void) -> ClientToken {
    var token = Sample.redirectToken
    change(&token)
    return token
  }

  static func ach(_ change: (inout ClientToken) -> Void) -> ClientToken {
    var token = Sample.achToken
    change(&token)
    return token
  }

  @Test func `a redirect shows the page, polls with the new token and resumes`() {
    var bench = Bench(at: .creating)
    #expect(
      bench.answer("create", Sample.payment(.pending, action: Sample.redirectToken)) == [
        "step webRedirect loaded", "> poll",
      ])
    #expect(bench.events.last?["step"]?["url"] == "https://bank.example.com/page")
    #expect(bench.sent.last?.url == "https://api.example.com/status")
    #expect(bench.sent.last?.accessToken == "access-2")
    bench.answer("poll", .redirectStatus(.complete(resumeToken: "res-1")))
    #expect(bench.sent.last?.accessToken == "access-2")
    #expect(bench.sent.last?.request == .resume(paymentID: "pay-1", resumeToken: "res-1"))
    #expect(bench.sent.last?.url == "https://pci.example.com")
  }

  @Test func `ACH asks for the bank account with all that the collector needs`() {
    let bench = Bench(at: .collecting)
    #expect(
      bench.events.last?["info"] == [
        "kind": "bankAccountCollector", "publishableKey": "key-1", "clientSecret": "secret-1",
        "returnUrl": "kiosk://checkout", "fullName": "Ada Byron",
        "emailAddress": "ada@example.com",
      ])
  }

  /// The reference reports success for any intent that it does not know.
  @Test(arguments: ["3DS_AUTHENTICATION", "PROCESSOR_3DS"])
  func `an action of card payments is unsupported, and the outcome unknown`(intent: String) {
    var bench = Bench(at: .creating)
    let token = Self.redirect { $0.intent = intent }
    #expect(
      bench.answer("create", Sample.payment(.pending, action: token)) == [
        "step webRedirect failure",
        "didFail unknown unsupported-required-action pay-1 PENDING", "# ended unknown",
      ])
    #expect(bench.checkout.token == Sample.token)
  }

  static let lacking = [
    redirect { $0.statusURL = nil }, ach { $0.stripeClientSecret = nil },
    ach { $0.sdkCompleteURL = nil },
  ]

  @Test(arguments: lacking)
  func `a token with which nothing can be done is unsupported, and the outcome unknown`(
    token: ClientToken
  ) {
    var bench = Bench(at: .creating)
    let lines = bench.answer("create", Sample.payment(.pending, action: token))
    #expect(lines.contains("didFail unknown unsupported-required-action pay-1 PENDING"))
  }

  /// The intent's name is upstream's business: iDEAL's has changed before.
  @Test(arguments: ["STRIPE_ACH_TOKEN", "", nil])
  func `what is done is chosen from what the token has`(intent: String?) {
    var bench = Bench(at: .creating)
    let token = Self.redirect { $0.intent = intent }
    #expect(
      bench.answer("create", Sample.payment(.pending, action: token)) == [
        "step webRedirect loaded", "> poll",
      ])
  }

  @Test func `an ACH payment that asks for a page shows it, and tells how that ended`() {
    var bench = Bench(at: .ready)
    bench.startACH()
    bench.call(.submit)
    bench.answer("tokenize", .instrument(Sample.instrument))
    #expect(
      bench.answer("create", Sample.payment(.pending, action: Sample.redirectToken)) == [
        "step webRedirect loaded", "> poll",
      ])
    bench.answer("poll", .redirectStatus(.complete(resumeToken: "res-1")))
    #expect(
      bench.answer("resume", Sample.payment(.success)) == [
        "step webRedirect success", "didCompleteCheckout success pay-1 SUCCESS", "# ended success",
      ])
  }

  @Test(
    arguments: [
      (.undecodable, "invalid-client-token"), (.withoutExpiry, "invalid-client-token"),
      (.expired(at: 1, now: 2), "invalid-client-token"),
      (.missing(field: "accessToken"), "invalid-client-token"),
      (
        .notAllowed(field: "statusUrl", host: "example.com", why: "it is not https"),
        "upstream-not-allowed"
      ),
    ] as [(ClientTokenProblem, String)])
  func `a token that cannot be used ends the checkout with its payment`(
    problem: ClientTokenProblem, id: String
  ) {
    for (stop, name) in [(Stop.creating, "create"), (.resuming, "resume")] {
      var bench = Bench(at: stop)
      let response = PaymentResponse(
        id: "pay-1", status: .pending, showsSuccessOnPending: true,
        requiredAction: RequiredAction(name: "USE_PRIMER_SDK", clientToken: .failure(problem)))
      #expect(
        bench.answer(name, .payment(response)) == [
          "step webRedirect failure", "didFail unknown \(id) pay-1 PENDING", "# ended unknown",
        ])
      #expect(bench.events.last?["error"]?["diagnosticsId"] != nil)
      #expect(bench.events.last?["error"]?["host"] == nil, "what is stored has no more")
    }
  }

  @Test func `the configuration's addresses count before the token's`() {
    var configuration = Sample.configuration
    configuration.coreURL = "https://core-2.example.com"
    configuration.pciURL = "https://pci-2.example.com"
    var bench = Bench()
    bench.start(configuration)
    bench.provideBanks()
    bench.call(.start)
    #expect(bench.sent.last?.url == "https://core-2.example.com")
    bench.answer("banks", .banks(Sample.banks))
    bench.choose("0")
    bench.call(.submit)
    #expect(bench.sent.last?.url == "https://pci-2.example.com")
    bench.answer("tokenize", .instrument(Sample.instrument))
    #expect(bench.sent.last?.url == "https://pci-2.example.com")
  }

  @Test func `without a payment token there is nothing to create`() {
    var bench = Bench(at: .tokenizing)
    #expect(
      bench.answer("tokenize", .instrument(PaymentInstrument(token: nil))) == [
        "step webRedirect failure", "didFail failed failed-to-decode", "# ended failed",
      ])
  }

  @Test func `a payment whose id was never told cannot be resumed`() {
    var bench = Bench(at: .creating)
    bench.answer(
      "create", Sample.payment(.pending, id: nil, .complete, action: Sample.redirectToken))
    let lines = bench.answer("poll", .redirectStatus(.complete(resumeToken: "res-1")))
    #expect(lines.contains("didFail unknown outcome-unknown PENDING"))
  }
}
