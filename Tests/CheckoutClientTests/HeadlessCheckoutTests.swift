@testable import CheckoutClient
import Dispatch
import Testing
import ValueTree

@Suite(.timeLimit(.minutes(1))) struct HeadlessCheckoutTests {
  /// A checkout that is started, and its delegate.
  private func start(
    at daemon: ScriptedDaemon, _ recorder: Recorder, settings: PrimerSettings? = nil
  ) async throws -> PrimerHeadlessUniversalCheckout {
    let checkout = PrimerHeadlessUniversalCheckout()
    checkout.socketPath = daemon.path
    checkout.start(
      withClientToken: "token", settings: settings, delegate: recorder, uiDelegate: recorder
    ) { methods, error in
      recorder.note("started \(methods?.count ?? -1) \((error as? PrimerError)?.errorId ?? "")")
    }
    try await recorder.hears("started")
    return checkout
  }

  @Test func `a start tells the delegate first, then the completion`() async throws {
    let daemon = try ScriptedDaemon(Script.answer)
    defer { daemon.close() }
    let recorder = Recorder()
    let settings = PrimerSettings(
      paymentHandling: .manual, localeData: PrimerLocaleData(languageCode: "nl", regionCode: "NL"),
      paymentMethodOptions: PrimerPaymentMethodOptions(
        urlScheme: "kiosk://x",
        stripeOptions: PrimerStripeOptions(
          publishableKey: "pk", mandateData: .templateMandate(merchantName: "Shop"))))
    let checkout = try await start(at: daemon, recorder, settings: settings)
    #expect(recorder.log == ["methods ADYEN_IDEAL", "started 2 "])
    #expect(checkout.checkoutId == Script.checkout)
    #expect(checkout.clientToken == "token")
    let params = try #require(daemon.requests.first?.params)
    #expect(
      params["settings"] == [
        "paymentHandling": "manual", "locale": "nl-NL", "urlScheme": "kiosk://x",
        "stripe": ["publishableKey": "pk", "merchantName": "Shop"],
      ])
    #expect(params["decisions"] == ["willCreatePayment"])
    #expect(params["startKey"]?.string?.isEmpty == false)
  }

  @Test func `a refused start tells the completion alone`() async throws {
    let daemon = try ScriptedDaemon { [$0.error(1005, "invalid-client-token")] }
    defer { daemon.close() }
    let recorder = Recorder()
    let checkout = try await start(at: daemon, recorder)
    #expect(recorder.log == ["started -1 invalid-client-token"])
    #expect(throws: PrimerError.self) {
      try ComponentWithRedirectManager(of: checkout).provideBanksComponent(
        paymentMethodType: "ADYEN_IDEAL")
    }
  }

  @Test func `provide throws what the pages say`() async throws {
    let daemon = try ScriptedDaemon(Script.answer)
    defer { daemon.close() }
    let none = PrimerHeadlessUniversalCheckout()
    let early = #expect(throws: PrimerError.self) {
      try ComponentWithRedirectManager(of: none).provideBanksComponent(
        paymentMethodType: "ADYEN_IDEAL")
    }
    guard case .genericError? = early else { return #expect(Bool(false)) }
    let recorder = Recorder()
    let checkout = try await start(at: daemon, recorder)
    let other = #expect(throws: PrimerError.self) {
      try ComponentWithRedirectManager(of: checkout).provideBanksComponent(
        paymentMethodType: "KLARNA")
    }
    guard case .unsupportedPaymentMethod("KLARNA", _, _)? = other else {
      return #expect(Bool(false))
    }
    let wrong = #expect(throws: PrimerError.self) {
      let _: (any StripeAchUserDetailsComponent)? =
        try ComponentWithRedirectManager(of: checkout).provide(paymentMethodType: "ADYEN_IDEAL")
    }
    guard case .unsupportedPaymentMethod? = wrong else { return #expect(Bool(false)) }
  }

  @Test func `delegates hear everything in order, on the main queue`() async throws {
    let daemon = try ScriptedDaemon { request in
      let done = Script.answer(request)
      let of = Script.banks
      switch request.method {
      case "component.start":
        return [
          .say(Script.event(2, of: of, "component.didReceiveStep", #""step":{"name":"loading"}"#)),
          .say(
            Script.event(
              3, of: of, "component.didReceiveStep",
              #""step":{"name":"banksRetrieved","banks":[{"id":"1","name":"Bank","isDisabled":false}]}"#
            )),
        ] + done
      case "component.updateCollectedData":
        let name = "component.didUpdateValidationStatus"
        return [
          .say(Script.event(4, of: of, name, #""status":"validating","data":{"bankId":"1"}"#)),
          .say(
            Script.event(
              5, of: of, name,
              #""status":"invalid","errors":[{"errorId":"invalid-bank-id"}],"data":{"bankId":"1"}"#)
          ),
        ] + [request.result(#"{"status":"invalid"}"#)]
      case "component.submit":
        return [
          request.error(1004, "invalid-collected-data"),
          .say(
            Script.event(
              6, "checkout.willCreatePayment",
              #""paymentMethodType":"ADYEN_IDEAL","decisionId":"d1""#)),
        ]
      case "checkout.decide":
        return done + [
          .say(
            Script.event(
              7, of: of, "component.didReceiveStep",
              #""step":{"name":"webRedirect","state":"loaded","url":"http://b"}"#)),
          .say(Script.end(8)),
        ]
      default: return done
      }
    }
    defer { daemon.close() }
    let recorder = Recorder(decision: .abortPaymentCreation(withErrorMessage: "no"))
    let checkout = try await start(at: daemon, recorder)
    let manager = ComponentWithRedirectManager(of: checkout)
    let component: (any BanksComponent)? = try manager.provide(paymentMethodType: "ADYEN_IDEAL")
    let banks = try #require(component)
    #expect(banks.componentId == Script.banks)
    banks.stepDelegate = recorder
    banks.validationDelegate = recorder
    banks.errorDelegate = recorder
    banks.start()
    banks.updateCollectedData(collectableData: .bankId(bankId: "1"))
    banks.submit()
    try await recorder.hears("completed")
    #expect(
      recorder.log.dropFirst(2) == [
        "loading", "banks Bank", "judging", "invalid invalid-bank-id",
        "error invalid-collected-data", "will create ADYEN_IDEAL", "page http://b",
        "shown ADYEN_IDEAL", "completed pay_1 success",
      ])
    #expect(
      daemon.requests.last { $0.method == "checkout.decide" }?.params == [
        "checkoutId": .string(Script.checkout), "decisionId": "d1", "decision": "abort",
        "message": "no",
      ])
  }

  @Test func `every event of the checkout has its delegate's method`() async throws {
    let redirect = "component.didReceiveStep"
    let method = #""paymentMethodType":"ADYEN_IDEAL""#
    let daemon = try ScriptedDaemon { request in
      let done = Script.answer(request)
      switch (request.method, request.params["decisionId"]) {
      case ("component.submit", _):
        return done + [
          .say(Script.event(2, "checkout.willUpdateClientSession", #""clientSession":{}"#)),
          .say(
            Script.event(
              3, "checkout.didUpdateClientSession", #""clientSession":{"orderId":"o-1"}"#)),
          .say(
            Script.event(
              4, of: Script.banks, redirect, #""step":{"name":"webRedirect","state":"loading"}"#)),
          .say(Script.event(5, "checkout.willCreatePayment", method)),
          .say(Script.event(6, "checkout.didStartTokenization", method)),
          .say(
            Script.event(
              7, "checkout.didTokenizePaymentMethod",
              #"\#(method),"paymentMethodTokenData":{"token":"t-1"},"decisionId":"d1""#)),
        ]
      case ("checkout.decide", "d1"):
        return done + [
          .say(
            Script.event(
              8, of: Script.banks, redirect,
              #""step":{"name":"webRedirect","state":"dismissed"}"#)),
          .say(
            Script.event(9, "checkout.didResumeWith", #""resumeToken":"r-1","decisionId":"d2""#)),
        ]
      case ("checkout.decide", _):
        return done + [
          .say(
            Script.event(
              10, "checkout.didFail",
              #""error":{"errorId":"payment-failed"},"payment":{"id":"p"},"outcome":"failed""#))
        ]
      default: return done
      }
    }
    defer { daemon.close() }
    let recorder = Recorder(resumption: .continueWithNewClientToken("t-2"))
    let checkout = try await start(
      at: daemon, recorder, settings: PrimerSettings(paymentHandling: .manual))
    let component = try ComponentWithRedirectManager(of: checkout).provideBanksComponent(
      paymentMethodType: "ADYEN_IDEAL")
    component.submit()
    try await recorder.hears("failed")
    #expect(
      recorder.log.dropFirst(2) == [
        "will update", "updated o-1", "preparing ADYEN_IDEAL", "tokenizing ADYEN_IDEAL",
        "tokenized t-1", "dismissed", "resume r-1", "failed payment-failed failed",
      ])
    let decisions = daemon.requests.filter { $0.method == "checkout.decide" }.map(\.params)
    #expect(decisions.map { $0["decision"] } == ["continueWithNewClientToken", "complete"])
    #expect(decisions[0]["clientToken"] == "t-2")
  }

  @Test func `an error that was told as an event is not told twice`() async throws {
    let daemon = try ScriptedDaemon { request in
      guard request.method == "component.start" else { return Script.answer(request) }
      return [
        .say(
          Script.event(
            2, of: Script.banks, "component.didReceiveError",
            #""error":{"errorId":"banks-fetch-failed","diagnosticsId":"x"}"#)),
        request.error(1006, "banks-fetch-failed", #","diagnosticsId":"x""#), .say(Script.end(3)),
      ]
    }
    defer { daemon.close() }
    let recorder = Recorder()
    let checkout = try await start(at: daemon, recorder)
    let banks = try ComponentWithRedirectManager(of: checkout).provideBanksComponent(
      paymentMethodType: "ADYEN_IDEAL")
    banks.errorDelegate = recorder
    banks.start()
    try await recorder.hears("completed")
    #expect(recorder.log.filter { $0.hasPrefix("error") } == ["error banks-fetch-failed"])
  }

  @Test func `delegates are not kept alive, and nobody there means yes`() async throws {
    let daemon = try ScriptedDaemon(Script.answer)
    defer { daemon.close() }
    var recorder: Recorder? = Recorder()
    weak let known = recorder
    let checkout = try await start(at: daemon, try #require(recorder))
    let banks = try ComponentWithRedirectManager(of: checkout).provideBanksComponent(
      paymentMethodType: "ADYEN_IDEAL")
    banks.stepDelegate = recorder
    banks.errorDelegate = recorder
    banks.validationDelegate = recorder
    #expect(banks.stepDelegate === known)
    recorder = nil
    for _ in 0..<200 where known != nil { try await Task.sleep(for: .milliseconds(5)) }
    #expect(known == nil)
    #expect(checkout.delegate == nil)
    #expect(banks.stepDelegate == nil)
    daemon.say(
      Script.event(
        2, "checkout.willCreatePayment", #""paymentMethodType":"ADYEN_IDEAL","decisionId":"d1""#))
    try await daemon.hears("checkout.decide")
    #expect(daemon.requests.last?.params["decision"] == "continue")
  }

  @Test func `a submission waits for the start, and nothing overtakes it`() async throws {
    let daemon = try ScriptedDaemon { request in
      request.method == "component.start" ? [] : Script.answer(request)
    }
    defer { daemon.close() }
    let checkout = try await start(at: daemon, Recorder())
    let component: (any BanksComponent)? = try ComponentWithRedirectManager(of: checkout).provide(
      paymentMethodType: "ADYEN_IDEAL")
    component?.start()
    component?.updateCollectedData(collectableData: .bankFilterText(text: "a"))
    component?.submit()
    component?.updateCollectedData(collectableData: .bankFilterText(text: "b"))
    try await daemon.hears("component.updateCollectedData")
    let start = try #require(daemon.requests.first { $0.method == "component.start" })
    daemon.say(#"{"jsonrpc":"2.0","id":\#(start.id),"result":{}}"#)
    try await daemon.hears("component.updateCollectedData", times: 2)
    #expect(
      daemon.methods.suffix(4) == [
        "component.start", "component.updateCollectedData", "component.submit",
        "component.updateCollectedData",
      ])
  }
}
