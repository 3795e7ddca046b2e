@testable import CheckoutClient
import Testing
import ValueTree

@Suite(.timeLimit(.minutes(1))) struct HeadlessAttachTests {
  private let collector =
    #""info":{"kind":"bankAccountCollector","publishableKey":"pk","clientSecret":"s","#
    + #""returnUrl":"k://x","fullName":"A B","emailAddress":"a@b.cd"}"#

  /// Answers as a daemon does whose shopper has given the bank account, and reads the mandate.
  private func answer(_ request: ScriptedDaemon.Request) -> [ScriptedDaemon.Action] {
    let of = Script.ach
    let mandate = #""info":{"kind":"mandate","text":"I agree"}"#
    switch request.method {
    case "checkout.get":
      let awaiting = #"{"kind":"mandate",\#(mandate)}"#
      return [request.result(Script.snapshot("awaitingMandate", seq: 5, awaiting: awaiting))]
    case "events.subscribe":
      return [
        request.result(Script.subscribed(after: 0, to: 5)), .say(Script.loaded),
        .say(
          Script.event(
            2, of: of, "component.didReceiveStep",
            #""step":{"name":"retrievedUserDetails","details":{"lastName":"Byron"}}"#)),
        .say(
          Script.event(
            3, "checkout.willCreatePayment",
            #""paymentMethodType":"STRIPE_ACH","decisionId":"d1""#)),
        .say(Script.event(4, "checkout.didReceiveAdditionalInfo", collector)),
        .say(Script.event(5, "checkout.didReceiveAdditionalInfo", mandate)),
      ]
    case "component.acceptMandate": return [request.result("{}"), .say(Script.end(6))]
    default: return Script.answer(request)
    }
  }

  @Test func `another process takes a component up, and is asked what is still open`()
    async throws
  {
    let daemon = try ScriptedDaemon(answer)
    defer { daemon.close() }
    let recorder = Recorder()
    let checkout = PrimerHeadlessUniversalCheckout()
    checkout.socketPath = daemon.path
    checkout.delegate = recorder
    let component = try await attach(checkout, recorder)
    try await recorder.hears("mandate")
    #expect(recorder.log == ["methods ADYEN_IDEAL", "details Byron", "mandate"])
    (component as? any ACHMandateDelegate)?.acceptMandate()
    try await recorder.hears("completed")
    #expect(!daemon.methods.contains("checkout.decide"))
  }

  /// On the main queue, as a program does, so that no event comes before the delegates are set.
  @MainActor private func attach(
    _ checkout: PrimerHeadlessUniversalCheckout, _ recorder: Recorder
  ) throws -> any StripeAchUserDetailsComponent {
    let component = try checkout.attach(componentId: Script.ach)
    let ach = try #require(component as? any StripeAchUserDetailsComponent)
    ach.stepDelegate = recorder
    ach.errorDelegate = recorder
    return ach
  }

  @Test func `what cannot be taken up is an error`() throws {
    let daemon = try ScriptedDaemon { [$0.error(1001, "unknown-checkout")] }
    defer { daemon.close() }
    let checkout = PrimerHeadlessUniversalCheckout()
    checkout.socketPath = daemon.path
    let unknown = #expect(throws: PrimerError.self) {
      try checkout.attach(checkoutId: Script.checkout)
    }
    #expect(unknown?.errorId == "unknown-checkout")
    let malformed = #expect(throws: PrimerError.self) { try checkout.attach(componentId: "x") }
    #expect(malformed?.errorId == "generic-error")
  }

  @Test func `events that cannot be had any more are told as a failure, outcome unknown`()
    async throws
  {
    let daemon = try ScriptedDaemon { request in
      request.method == "events.subscribe"
        ? [request.error(1001, "unknown-checkout")] : Script.answer(request)
    }
    defer { daemon.close() }
    let recorder = Recorder()
    let checkout = PrimerHeadlessUniversalCheckout()
    checkout.socketPath = daemon.path
    checkout.delegate = recorder
    try checkout.attach(checkoutId: Script.checkout)
    try await recorder.hears("failed")
    #expect(recorder.log == ["failed unknown-checkout unknown"])
  }

  @Test func `letting go of a component says nothing to the daemon`() async throws {
    let daemon = try ScriptedDaemon(Script.answer)
    defer { daemon.close() }
    let recorder = Recorder()
    let checkout = PrimerHeadlessUniversalCheckout()
    checkout.socketPath = daemon.path
    checkout.delegate = recorder
    try checkout.attach(checkoutId: Script.checkout)
    try await recorder.hears("methods")
    var manager: AchManager? = AchManager(of: checkout)
    var ach: (any StripeAchUserDetailsComponent)? = try manager?.provide(
      paymentMethodType: "STRIPE_ACH")
    weak let known = ach
    ach = nil
    manager = nil
    #expect(known == nil)
    // The checkout's own events still come.
    daemon.say(Script.end(2))
    try await recorder.hears("completed")
    #expect(
      daemon.methods == ["checkout.get", "system.hello", "events.subscribe", "achManager.provide"])
  }
}
