import CheckoutClient
import Testing

@Suite(
  .serialized, .timeLimit(.minutes(2)),
  .enabled(if: RealDaemon.isThere, "no daemon: CHECKOUTD names none, and none is beside the tests"))
struct EndToEndTests {
  private let ach = PrimerSettings(
    paymentMethodOptions: PrimerPaymentMethodOptions(
      urlScheme: "kiosk://checkout",
      stripeOptions: PrimerStripeOptions(
        publishableKey: "pk_test_example", mandateData: .templateMandate(merchantName: "Shop"))))

  @Test func `the pages' calls pay with iDEAL`() async throws {
    let daemon = try await RealDaemon()
    let recorder = Recorder()
    let checkout = PrimerHeadlessUniversalCheckout.current
    checkout.socketPath = daemon.socketPath
    checkout.start(withClientToken: try daemon.clientToken(), delegate: recorder) { _, error in
      recorder.note("started \(error.map { "\($0)" } ?? "")")
    }
    try await recorder.hears("started")
    let manager = PrimerHeadlessUniversalCheckout.ComponentWithRedirectManager()
    let component = try manager.provideBanksComponent(paymentMethodType: "ADYEN_IDEAL")
    component.errorDelegate = recorder
    component.validationDelegate = recorder
    component.stepDelegate = recorder
    component.start()
    try await recorder.hears("banks")
    (component as? any BanksComponent)?.updateCollectedData(
      collectableData: .bankId(bankId: "9001"))
    component.submit()
    try await recorder.hears("completed")
    let log = recorder.log.map { String($0.prefix { $0 != " " }) }
    #expect(
      log == [
        "methods", "started", "loading", "banks", "validating", "valid", "step", "will", "page",
        "step", "completed",
      ])
    #expect(recorder.log.last?.hasSuffix(" success") == true)
    checkout.cleanUp()
  }

  @Test func `a component is taken up by another object, and pays with ACH`() async throws {
    let daemon = try await RealDaemon()
    let first = Recorder()
    let second = Recorder()
    var shop: PrimerHeadlessUniversalCheckout? = PrimerHeadlessUniversalCheckout()
    shop?.socketPath = daemon.socketPath
    shop?.start(
      withClientToken: try daemon.clientToken(), settings: ach, delegate: first
    ) { _, _ in first.note("started") }
    try await first.hears("started")
    let id = try provideAndSubmit(try #require(shop), first)
    try await first.hears("collector")
    shop = nil

    let other = PrimerHeadlessUniversalCheckout()
    other.socketPath = daemon.socketPath
    other.delegate = second
    let component = try other.attach(componentId: id)
    let ach = try #require(component as? any StripeAchUserDetailsComponent)
    try await second.hears("collector")
    ach.reportBankAccount(.succeeded(paymentId: "pi_example"))
    try await second.hears("mandate")
    let manager = AchManager(of: other)
    let again: (any StripeAchUserDetailsComponent)? = try manager.provide(
      paymentMethodType: "STRIPE_ACH")
    #expect(again?.componentId == id)
    manager.mandateDelegate?.acceptMandate()
    try await second.hears("completed")
  }

  /// Lets go of manager and component as a screen does that is dismissed.
  private func provideAndSubmit(
    _ checkout: PrimerHeadlessUniversalCheckout, _ recorder: Recorder
  ) throws -> String {
    let component: (any StripeAchUserDetailsComponent)? = try AchManager(of: checkout).provide(
      paymentMethodType: "STRIPE_ACH")
    let ach = try #require(component)
    ach.errorDelegate = recorder
    ach.start()
    ach.updateCollectedData(collectableData: .firstName("Ada"))
    ach.submit()
    return ach.componentId
  }

  @Test func `events come once each, also over crashes of the daemon`() async throws {
    let daemon = try await RealDaemon()
    let checkout = try await Checkout.start(
      clientToken: try daemon.clientToken(), socketPath: daemon.socketPath)
    let events = checkout.events()
    async let seqs = {
      var seqs: [Int64] = []
      for try await event in events { seqs.append(event.seq) }
      return seqs
    }()
    let component = try await checkout.component(for: "ADYEN_IDEAL")
    let step = try await component.start()
    guard case .banksRetrieved(let banks)? = step as? BanksStep else {
      return #expect(Bool(false))
    }
    daemon.crash()
    async let status = component.updateCollectedData(
      BanksCollectableData.bankId(bankId: banks[0].id))
    try await daemon.start()
    #expect(try await status == .valid)
    try await component.submit()
    daemon.crash()
    try await daemon.start()
    let all = try await seqs
    #expect(all == Array(1...Int64(all.count)))
    #expect(all.count > 8)
    #expect(try await checkout.snapshot().state == .completed)
    let replayed = try await checkout.events(after: 3).reduce(into: []) { $0.append($1.seq) }
    #expect(replayed == Array(all.dropFirst(3)))
  }
}
