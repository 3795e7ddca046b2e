import CheckoutClient
import Testing

@testable import SeedPages

@Suite(
  .serialized, .timeLimit(.minutes(2)),
  .enabled(if: RealDaemon.isThere, "no daemon: CHECKOUTD names none, and none is beside the tests"))
struct EndToEndTests {
  private let ach = PrimerSettings(
    paymentMethodOptions: PrimerPaymentMethodOptions(
      urlScheme: "kiosk://checkout",
      stripeOptions: PrimerStripeOptions(
        publishableKey: "pk_test_example", mandateData: .templateMandate(merchantName: "Shop"))))

  @Test @MainActor func `an app from the pages pays with iDEAL`() async throws {
    let daemon = try await RealDaemon()
    PrimerHeadlessUniversalCheckout.current.socketPath = daemon.socketPath
    let shop = Shop()
    let screen = BanksScreen()
    screen.load()
    screen.load("KLARNA")
    shop.start(try daemon.clientToken()) {
      screen.load("STRIPE_ACH")
      screen.load()
    }
    try await waits { shop.log.last == "completed with a payment" }
    PrimerHeadlessUniversalCheckout.current.cleanUp()
    #expect(
      screen.log == [
        "generic error", "generic error", "unsupported payment method", "loading", "banks",
        "bank Ambachtsbank", "validating", "valid", "validating", #"invalid ["invalid-bank-id"]"#,
        "validating", "valid",
      ])
    #expect(
      shop.log == [
        #"loaded ["ADYEN_IDEAL", "STRIPE_ACH"]"#, "started 2 true", "will pay with ADYEN_IDEAL",
        "tokenizing ADYEN_IDEAL", "completed with a payment",
      ])
  }

  @Test @MainActor func `an app from the pages pays with ACH`() async throws {
    let daemon = try await RealDaemon()
    PrimerHeadlessUniversalCheckout.current.socketPath = daemon.socketPath
    let shop = Shop()
    shop.start(try daemon.clientToken()) { shop.achScreen = AchScreen() }
    try await waits { shop.log.last == "completed with a payment" }
    PrimerHeadlessUniversalCheckout.current.cleanUp()
    #expect(
      shop.achScreen?.log == [
        "Mila Verhoeven mila.verhoeven@example.com", #"invalid ["invalid-customer-email"]"#,
        "collected",
      ])
    #expect(
      shop.log.dropFirst(2) == [
        "will pay with STRIPE_ACH", "tokenizing STRIPE_ACH", "collector for Ada Byron", "mandate",
        "completed with a payment",
      ])
  }

  @MainActor private func waits(_ isSo: () -> Bool) async throws {
    for _ in 0..<4000 {
      if isSo() { return }
      try await Task.sleep(for: .milliseconds(5))
    }
    Issue.record("it did not come to that")
  }

  @Test func `a component is taken up by another process, and pays with ACH`() async throws {
    let daemon = try await RealDaemon()
    let recorder = Recorder()
    var shop: PrimerHeadlessUniversalCheckout? = PrimerHeadlessUniversalCheckout()
    shop?.socketPath = daemon.socketPath
    shop?.start(
      withClientToken: try daemon.clientToken(), settings: ach, delegate: recorder
    ) { _, _ in recorder.note("started") }
    try await recorder.hears("started")
    let id = try provideAndSubmit(try #require(shop), recorder)
    try await recorder.hears("collector")
    shop = nil
    let path = daemon.socketPath
    await #expect(processExitsWith: .success) { [path = path as String, id = id as String] in
      try await Self.takeUp(id, at: path)
    }
    let checkout = try await CheckoutComponent.attach(componentId: id, socketPath: path).checkout
    #expect(try await checkout.snapshot().state == .completed)
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

  /// What the other process does.
  private static func takeUp(_ id: String, at socketPath: String) async throws {
    let recorder = Recorder()
    let checkout = PrimerHeadlessUniversalCheckout.current
    checkout.socketPath = socketPath
    checkout.delegate = recorder
    let component = try checkout.attach(componentId: id)
    let ach = try #require(component as? any StripeAchUserDetailsComponent)
    try await recorder.hears("collector")
    ach.reportBankAccount(.succeeded(paymentId: "pi_example"))
    try await recorder.hears("mandate")
    let manager = AchManager()
    let again: (any StripeAchUserDetailsComponent)? = try manager.provide(
      paymentMethodType: "STRIPE_ACH")
    #expect(again?.componentId == id)
    manager.mandateDelegate?.acceptMandate()
    try await recorder.hears("completed")
  }

  @Test func `delegates hear everything once, also over crashes of the daemon`() async throws {
    let daemon = try await RealDaemon()
    let recorder = Recorder()
    let checkout = PrimerHeadlessUniversalCheckout()
    checkout.socketPath = daemon.socketPath
    checkout.start(withClientToken: try daemon.clientToken(), delegate: recorder) { _, _ in
      recorder.note("started")
    }
    try await recorder.hears("started")
    let component: (any BanksComponent)? = try ComponentWithRedirectManager(of: checkout).provide(
      paymentMethodType: "ADYEN_IDEAL")
    let banks = try #require(component)
    banks.errorDelegate = recorder
    banks.validationDelegate = recorder
    banks.stepDelegate = recorder
    banks.start()
    try await recorder.hears("banks")
    daemon.crash()
    try await daemon.start()
    banks.updateCollectedData(collectableData: .bankId(bankId: "9001"))
    try await recorder.hears("valid")
    daemon.crash()
    banks.submit()
    try await daemon.start()
    try await recorder.hears("completed")
    #expect(
      recorder.log.map { $0.prefix { $0 != " " } } == [
        "methods", "started", "loading", "banks", "judging", "valid", "step", "will",
        "tokenizing", "page", "step", "completed",
      ])
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
