import Checkout
import Testing
import ValueTree

@Suite struct SessionChangeTests {
  /// Both components provided, ACH started, a bank chosen; iDEAL (0) and ACH (1).
  static func both(_ configuration: Configuration, isStarted: Bool = true) -> Bench {
    var bench = Bench(.submittable, configuration)
    bench.provideACH()
    bench.call(.start, of: 1)
    if isStarted { bench.answer("actions", .configuration(configuration)) }
    return bench
  }

  @Test func `changes of the session go out one at a time, in their order`() {
    var bench = Self.both(Sample.surcharged, isStarted: false)
    #expect(
      bench.call(.submit) == ["step webRedirect loading", "willUpdateClientSession", "= {}"])
    #expect(bench.inFlight.count == 1)
    let lines = bench.answer("actions", .configuration(Sample.surcharged))
    #expect(lines.first == "> actions SELECT:ADYEN_IDEAL")
    #expect(lines.last?.hasPrefix("= step retrievedUserDetails") == true)
    #expect(bench.inFlight.count == 1)
    #expect(
      bench.answer("actions", .configuration(Sample.surcharged)).prefix(2) == [
        "didUpdateClientSession", "willCreatePayment ADYEN_IDEAL",
      ])
  }

  @Test func `a change that is being repeated holds the next one back`() {
    var bench = Self.both(Sample.surcharged, isStarted: false)
    bench.fail("actions", Sample.status(503))
    bench.call(.submit)
    #expect(bench.inFlight.isEmpty)
    #expect(bench.fireRepeat() == ["> actions SELECT:STRIPE_ACH"])
    #expect(
      bench.fail("actions", Sample.refusal()) == [
        "> actions SELECT:ADYEN_IDEAL", "error failed-to-create-session",
        "! failed-to-create-session",
      ])
  }

  @Test func `iDEAL is selected before the tokenization if some method costs extra`() {
    var bench = Bench(.submittable, Sample.surcharged)
    #expect(
      bench.call(.submit) == [
        "step webRedirect loading", "willUpdateClientSession", "> actions SELECT:ADYEN_IDEAL",
        "= {}",
      ])
    var changed = Sample.surcharged
    changed.clientSession.totalOrderAmount = 1349
    #expect(
      bench.answer("actions", .configuration(changed)) == [
        "didUpdateClientSession", "willCreatePayment ADYEN_IDEAL",
        "didStartTokenization ADYEN_IDEAL", "> tokenize",
      ])
    #expect(bench.checkout.configuration?.clientSession.amount == 1349)
  }

  @Test func `S170: only the session is taken from the answer`() {
    var bench = Bench(at: .patching)
    var changed = Configuration(
      coreURL: "https://other.example.com", pciURL: "https://o.example.com")
    changed.clientSession.id = "cs-2"
    bench.answer("actions", .configuration(changed))
    #expect(bench.checkout.configuration?.clientSession.id == "cs-2")
    #expect(bench.checkout.configuration?.pciURL == nil)
    #expect(bench.checkout.configuration?.paymentMethods.count == 2)
    #expect(bench.sent.last?.url == "https://pci.example.com")
  }

  @Test func `a failed change gives the component back, as it was`() {
    var bench = Bench(at: .patching)
    #expect(bench.fail("actions", Sample.refusal()) == ["error failed-to-create-session"])
    #expect(bench.events.last?["error"]?["serverErrorId"] == "Refused")
    #expect(bench.checkout.state == .ready)
    #expect(bench.checkout.componentSnapshot(0)["submittable"] == true)
    #expect(bench.checkout.componentSnapshot(0)["step"] == ["name": "banksRetrieved"])
    bench.choose("1")
    #expect(bench.call(.submit).last == "= {}")
  }

  // MARK: Taking the method back

  static let unselected = [
    "didUpdateClientSession", "step webRedirect failure",
    "didFail failed payment-failed pay-1 FAILED",
    "# ended failed",
  ]

  @Test func `a failure takes the method back before it is told`() {
    var bench = Bench(at: .patching)
    bench.answer("actions", .configuration(Sample.surcharged))
    bench.answer("tokenize", .instrument(Sample.instrument))
    #expect(
      bench.answer("create", Sample.payment(.failed)) == [
        "willUpdateClientSession", "> actions UNSELECT",
      ])
    #expect(bench.checkout.state == .processing)
    #expect(bench.answer("actions", .configuration(Sample.configuration)) == Self.unselected)
  }

  /// Sent beside it, the one change could overtake the other.
  @Test func `a method is taken back only after the change that is out has been answered`() {
    var bench = Bench(at: .patching)
    bench.call(.cancel(reason: nil))
    #expect(bench.inFlight.count == 1)
    var changed = Sample.surcharged
    changed.clientSession.totalOrderAmount = 1349
    #expect(bench.answer("actions", .configuration(changed)) == ["> actions UNSELECT"])
    #expect(bench.checkout.configuration?.clientSession.amount == 1349)
    #expect(
      bench.answer("actions", .configuration(Sample.surcharged)) == [
        "didUpdateClientSession", "step webRedirect failure",
        "didFail cancelled payment-cancelled", "# ended cancelled",
      ])
  }

  @Test func `a change that waits to be repeated is dropped instead`() {
    var bench = Bench(at: .patching)
    bench.fail("actions", Sample.status(503))
    #expect(
      bench.call(.cancel(reason: nil)) == [
        "willUpdateClientSession", "> actions UNSELECT", "= cancelling",
      ])
    #expect(bench.timers.isEmpty)
  }

  /// In the reference a failed UNSELECT can keep the failure from being told.
  @Test(
    arguments: [
      Sample.failure(.notSent), Sample.failure(.timedOut), Sample.status(503), Sample.refusal(401),
      Sample.failure(.undecodable),
    ])
  func `a method that cannot be taken back does not hold the failure back`(
    failure: OperationFailure
  ) {
    var bench = Bench(at: .unselecting)
    #expect(
      bench.fail("actions", failure) == [
        "step webRedirect failure", "didFail failed server-error", "# ended failed",
      ])
  }

  @Test func `nothing is taken back without a surcharge, or with an open outcome`() {
    var bench = Bench(at: .ready)
    bench.startACH()
    bench.call(.submit)
    #expect(
      bench.fail("tokenize", Sample.refusal()) == ["didFail failed server-error", "# ended failed"])
    bench = Bench(at: .patching)
    bench.answer("actions", .configuration(Sample.surcharged))
    bench.answer("tokenize", .instrument(Sample.instrument))
    bench.answer("create", Sample.payment(.pending, action: Sample.redirectToken))
    #expect(bench.fail("poll", Sample.refusal()).contains("# ended unknown"))
  }

  // MARK: ACH

  @Test func `only what differs is sent, and never twice`() {
    var bench = Bench(at: .ready)
    bench.startACH()
    bench.update("firstName", "Augusta")
    bench.update("emailAddress", "ada@example.com")
    #expect(bench.call(.submit) == ["> actions first:Augusta", "= {}"])
    bench.fail("actions", Sample.refusal())
    bench.update("firstName", "Ada")
    #expect(bench.call(.submit).contains("> tokenize"))
  }

  @Test func `what another component's change brought is not sent again`() {
    var changed = Sample.surcharged
    changed.clientSession.customer.firstName = "Augusta"
    var bench = Self.both(Sample.surcharged)
    bench.update("firstName", "Augusta", component: 1)
    bench.call(.submit)
    bench.answer("actions", .configuration(changed))
    #expect(bench.checkout.componentSnapshot(1)["details"]?["firstName"] == "Augusta")
  }

  @Test func `a session without the customer's details is filled in, field by field`() {
    let empty = Sample.configuration(of: Customer(firstName: "", emailAddress: nil))
    var bench = Bench()
    bench.start(empty)
    bench.startACH(empty)
    bench.update("firstName", "Ada")
    bench.update("lastName", "Byron")
    #expect(
      bench.call(.submit) == ["! invalid-collected-data emailAddress:invalid-customer-email"])
    bench.update("emailAddress", "ada@example.com")
    #expect(
      bench.call(.submit) == ["> actions first:Ada last:Byron email:ada@example.com", "= {}"])
  }

  @Test func `the collector gets the names as they are after the change`() {
    var bench = Bench(at: .ready)
    bench.startACH()
    bench.update("firstName", "Augusta")
    bench.call(.submit)
    let changed = Customer(
      firstName: "Augusta", lastName: "Byron", emailAddress: "ada@example.com")
    bench.answer("actions", .configuration(Sample.configuration(of: changed)))
    bench.answer("tokenize", .instrument(Sample.instrument))
    bench.answer("create", Sample.payment(.pending, action: Sample.achToken))
    #expect(bench.events.last?["info"]?["fullName"] == "Augusta Byron")
  }
}
