import Checkout
import Testing
import ValueTree

@Suite struct AttemptTests {
  static let submitted = Stop.allCases.filter {
    ![.starting, .ready, .startingComponent, .startingACH, .chosen, .ended].contains($0)
  }

  @Test(arguments: submitted)
  func `a second submit is refused wherever the first one is`(stop: Stop) {
    var bench = Bench(at: stop)
    #expect(bench.call(.submit) == ["! already-submitted"])
  }

  @Test(arguments: submitted)
  func `a submitted component takes no more data`(stop: Stop) {
    var bench = Bench(at: stop)
    #expect(bench.choose("1") == ["! already-submitted"])
  }

  @Test func `a second component cannot be submitted beside the first`() {
    var bench = SessionChangeTests.both(Sample.configuration)
    #expect(bench.call(.submit).last == "= {}")
    #expect(bench.update("firstName", "Augusta", component: 1).last == "= valid")
    #expect(bench.call(.submit, of: 1) == ["! already-submitted"])
  }

  /// Its SELECT would change what the attempt under way is about to pay.
  @Test func `a component is not started during an attempt`() {
    var bench = Bench(at: .tokenizing)
    bench.provideACH()
    #expect(bench.call(.start, of: 1) == ["! already-submitted"])
  }

  @Test func `a start that failed may be tried again`() {
    var bench = Bench(at: .startingComponent)
    #expect(bench.call(.start) == ["! already-started"])
    bench.fail("banks", Sample.refusal())
    #expect(bench.call(.start) == ["step loading", "> banks cfg-ideal"])
    #expect(
      bench.answer("banks", .banks([])) == ["step banksRetrieved ", "= step banksRetrieved "])
    #expect(bench.call(.start) == ["! already-started"])
  }

  @Test func `what failed to start is not submitted`() {
    var bench = Bench(at: .startingComponent)
    bench.fail("banks", Sample.refusal())
    #expect(bench.call(.submit) == ["! not-started"])
  }

  // MARK: Providing

  @Test func `S11: each manager provides its own component`() {
    for type in ["ADYEN_IDEAL", "STRIPE_ACH", "KLARNA", "", "adyen_ideal", "invalid"] {
      for manager in Manager.allCases {
        var bench = Bench(at: .ready)
        let lines = bench.call(.provide(manager: manager, paymentMethodType: type))
        switch (manager, type) {
        case (.componentWithRedirect, "ADYEN_IDEAL"):
          #expect(lines == ["= BanksComponent cm_0000000000c0ffee_0"])
        case (.ach, "STRIPE_ACH"):
          #expect(lines == ["= StripeAchUserDetailsComponent cm_0000000000c0ffee_0"])
        case (_, "ADYEN_IDEAL"), (_, "STRIPE_ACH"):
          #expect(lines == ["! unsupported-payment-method-for-manager /paymentMethodType"])
          #expect(
            bench.lastRefusal?.value["manager"]
              == (type == "STRIPE_ACH" ? "achManager" : "componentWithRedirectManager"))
        default: #expect(lines == ["! unsupported-payment-method-type /paymentMethodType"])
        }
      }
    }
  }

  @Test func `what the configuration does not offer is not provided`() {
    var configuration = Sample.configuration
    configuration.paymentMethods.removeFirst()
    var bench = Bench()
    #expect(
      bench.start(configuration) == [
        "didLoadAvailablePaymentMethods STRIPE_ACH", "= snapshot ready",
      ])
    #expect(bench.provideBanks() == ["! unsupported-payment-method-type /paymentMethodType"])
  }

  @Test func `providing twice gives the same component`() {
    var bench = Bench(at: .chosen)
    #expect(bench.provideBanks() == ["= BanksComponent cm_0000000000c0ffee_0"])
    #expect(bench.lastReply?["state"]?["data"] == ["bankId": "0"])
    #expect(bench.provideACH() == ["= StripeAchUserDetailsComponent cm_0000000000c0ffee_1"])
    #expect(bench.provideBanks() == ["= BanksComponent cm_0000000000c0ffee_0"])
    #expect(bench.checkout.componentCount == 2)
  }

  @Test(
    arguments: [
      (nil, "kiosk://x", "/settings/stripe/publishableKey"),
      ("", "kiosk://x", "/settings/stripe/publishableKey"),
      ("key-1", nil, "/settings/urlScheme"), ("key-1", "", "/settings/urlScheme"),
      ("key-1", "kiosk", "/settings/urlScheme"),
    ] as [(String?, String?, String)])
  func `ACH needs a key and a return address`(key: String?, scheme: String?, path: String) {
    var bench = Bench(Settings(urlScheme: scheme, stripePublishableKey: key))
    bench.start()
    #expect(bench.provideACH() == ["! invalid-value \(path)"])
    #expect(bench.provideBanks().last == "= BanksComponent cm_0000000000c0ffee_0")
  }

  @Test func `a checkout that is not ready, or has ended, provides nothing`() {
    var bench = Bench(at: .starting)
    #expect(bench.provideBanks() == ["! generic-error"])
    bench = Bench(at: .ended)
    #expect(bench.provideBanks() == ["! checkout-ended"])
  }

  // MARK: Starting a checkout

  @Test func `everyone who waits for the start is answered`() {
    var bench = Bench(at: .starting)
    #expect(bench.awaitStart().isEmpty)
    #expect(bench.start().suffix(2) == ["= snapshot ready", "= snapshot ready"])
    #expect(bench.awaitStart() == ["= snapshot ready"])
    bench.call(.cancel(reason: nil))
    #expect(bench.awaitStart() == ["= snapshot failed"])
  }

  @Test func `S166: a start that upstream refuses leaves nothing behind`() {
    var bench = Bench(at: .starting)
    bench.awaitStart()
    #expect(
      bench.fail("configuration", Sample.refusal(401)) == [
        "# removed", "! unauthorized", "! unauthorized",
      ])
    #expect(bench.timers.isEmpty)
    #expect(bench.events.isEmpty)
  }

  @Test(arguments: [[], [PaymentMethod(id: "x", type: "KLARNA")]])
  func `a session without a method known here is misconfigured`(methods: [PaymentMethod]) {
    var bench = Bench(at: .starting)
    var configuration = Sample.configuration
    configuration.paymentMethods = methods
    #expect(bench.start(configuration) == ["# removed", "! misconfigured-payment-methods"])
  }

  @Test func `a session that another checkout holds refuses the start`() {
    var bench = Bench(at: .starting)
    #expect(
      bench.handle(.sessionIsTaken(by: CheckoutID(5))) == [
        "x configuration", "# removed", "! session-in-use",
      ])
    #expect(bench.lastRefusal?.value["checkoutId"] == "co_0000000000000005")
  }

  @Test(arguments: Stop.allCases.filter { $0 != .starting })
  func `a session that is held already cannot be taken`(stop: Stop) {
    var bench = Bench(at: stop)
    let state = bench.checkout.state
    #expect(bench.handle(.sessionIsTaken(by: nil)).isEmpty)
    #expect(bench.checkout.state == state)
  }

  @Test func `shares are kept, one for each user and group`() {
    var bench = Bench(at: .ready)
    bench.call(.share(Share(subject: .user(7), role: .observe)))
    bench.call(.share(Share(subject: .group(7), role: .observe)))
    bench.call(.share(Share(subject: .user(7), role: .drive)))
    #expect(
      bench.checkout.shares == [
        Share(subject: .group(7), role: .observe), Share(subject: .user(7), role: .drive),
      ])
    #expect(bench.call(.unshare(.user(7))) == ["= {}"])
    #expect(bench.call(.unshare(.user(8))) == ["= {}"])
    #expect(bench.checkout.shares == [Share(subject: .group(7), role: .observe)])
  }

  @Test func `what is shared from the start is shared`() {
    let share = Share(subject: .group(7), role: .observe)
    let checkout = Checkout(
      id: CheckoutID(1), owner: 0, token: Sample.token, settings: Sample.settings, shares: [share],
      spans: Spans(), moment: Moment(now: Sample.now, entropy: 1))
    #expect(checkout.shares == [share])
  }

  @Test(arguments: Stop.allCases)
  func `money is at stake while its request is out`(stop: Stop) {
    let isPaying = [Stop.creating, .resuming, .completing].contains(stop)
    #expect(Bench(at: stop).checkout.isPaying == isPaying)
  }
}
