@testable import CheckoutClient
import JSON
import Testing
import ValueTree

@Suite(.timeLimit(.minutes(1))) struct CheckoutTests {
  @Test func `a start whose answer was lost is made again under its key`() async throws {
    let daemon = try ScriptedDaemon {
      $0.method == "checkout.start" && $0.connection == 1 ? [.hangUp] : Script.answer($0)
    }
    defer { daemon.close() }
    let known = try await Checkout.attach(checkoutId: Script.checkout, socketPath: daemon.path)
    let started = try await Checkout.start(
      clientToken: "t", startKey: "till-1", socketPath: daemon.path)
    #expect(started.id == known.id)
    let starts = daemon.requests.filter { $0.method == "checkout.start" }.map(\.params)
    let params: Value = [
      "clientToken": "t", "settings": ["paymentHandling": "auto"], "startKey": "till-1",
    ]
    #expect(starts == [params, params])
  }

  @Test func `a component's start whose answer was lost has the banks all the same`() async throws {
    let daemon = try ScriptedDaemon { request in
      switch (request.method, request.connection) {
      case ("component.start", 1): [.hangUp]
      case ("component.start", _): [request.error(1003, "already-started")]
      case ("component.get", _):
        [
          request.result(
            #"{"componentId":"c","step":{"name":"banksRetrieved"},"banks":[{"id":"1","name":"B"}]}"#
          )
        ]
      default: Script.answer(request)
      }
    }
    defer { daemon.close() }
    let checkout = try await Checkout.attach(checkoutId: Script.checkout, socketPath: daemon.path)
    let component = try await checkout.component(for: "ADYEN_IDEAL")
    let banks = [IssuingBank(id: "1", name: "B", iconUrlStr: nil, isDisabled: false)]
    #expect(try await component.start() as? BanksStep == .banksRetrieved(banks: banks))
    #expect(try await component.snapshot().step as? BanksStep == .banksRetrieved(banks: banks))
  }

  @Test(arguments: [
    (#"{"step":{"name":"notInitialized"}}"#, "nil"),
    (#"{"step":{"name":"ready"}}"#, "ready"),
    (#"{"step":{"name":"awaitingCode"}}"#, "awaitingCode"),
    (#"{"step":{"name":"awaitingConfirmation"}}"#, "awaitingConfirmation"),
    (#"{"step":{"name":"somethingNew"}}"#, "somethingNew"),
    (
      #"{"step":{"name":"retrievedUserDetails"},"details":{"firstName":"Ada","lastName":"B"}}"#,
      "Ada"
    ),
  ])
  func `a snapshot has the component's step`(text: String, expected: String) throws {
    let component = CheckoutSnapshot.Component(try JSONReader().value(of: text))
    switch component.step {
    case let step as NamedStep: #expect(step.rawValue == expected)
    case ACHUserDetailsStep.retrievedUserDetails(let details)?:
      #expect(details.firstName == expected)
    case nil: #expect(expected == "nil")
    default: Issue.record("another step")
    }
  }

  @Test func `an error says where and what is wrong`() throws {
    let data: Value = [
      "errorId": "invalid-collected-data", "description": "Data is missing", "path": "/params/x",
      "validationErrors": [
        ["field": "firstName", "errorId": "e", "description": "It is empty"],
        ["errorId": "other"],
      ],
    ]
    let details = CheckoutErrorDetails(data)
    let whole = "Data is missing (/params/x); firstName: It is empty; other"
    #expect(
      CheckoutClientError.refused(code: 1004, details: details).description
        == "\(whole) (1004, invalid-collected-data)")
    #expect(PrimerError.daemonError(details).description == "[invalid-collected-data] \(whole)")
    let plain = CheckoutErrorDetails(errorId: "e", description: "d")
    #expect(CheckoutClientError.refused(code: 1, details: plain).description == "d (1, e)")
  }

  @Test func `a component comes from the manager that the checkout names`() async throws {
    let daemon = try ScriptedDaemon { request in
      switch request.method {
      case "checkout.get":
        [
          request.result(
            #"{"checkoutId":"\#(Script.checkout)","availablePaymentMethods":["#
              + #"{"type":"NEW_METHOD","manager":"newManager"}]}"#)
        ]
      case "newManager.provide": [request.result(#"{"componentId":"\#(Script.ach)"}"#)]
      default: Script.answer(request)
      }
    }
    defer { daemon.close() }
    let checkout = try await Checkout.attach(checkoutId: Script.checkout, socketPath: daemon.path)
    #expect(try await checkout.component(for: "NEW_METHOD").id == Script.ach)
    _ = try await checkout.component(for: "ADYEN_IDEAL", from: .componentWithRedirect)
    #expect(
      daemon.methods == [
        "checkout.get", "checkout.get", "newManager.provide",
        "componentWithRedirectManager.provide",
      ])
  }

  @Test func `a start says what is asked for`() async throws {
    let daemon = try ScriptedDaemon(Script.answer)
    defer { daemon.close() }
    _ = try await Checkout.start(
      clientToken: "t", settings: PrimerSettings(paymentHandling: .manual),
      decidesOnPaymentCreation: true, decisionTimeout: .milliseconds(1500), startKey: "till-1",
      allowsRepeat: true, socketPath: daemon.path)
    #expect(
      daemon.requests.map(\.params) == [
        [
          "clientToken": "t", "settings": ["paymentHandling": "manual"],
          "decisions": ["willCreatePayment"], "decisionTimeoutMs": 1500, "startKey": "till-1",
          "allowRepeat": true,
        ]
      ])
  }

  @Test func `a list has every page`() async throws {
    let daemon = try ScriptedDaemon { request in
      let isFirst = request.params["cursor"] == nil
      let state = isFirst ? "ready" : "completed"
      let next = isFirst ? #","next":"7""# : ""
      return [request.result(#"{"checkouts":[\#(Script.snapshot(state))]\#(next)}"#)]
    }
    defer { daemon.close() }
    let found = try await Checkout.list(in: [.ready, .completed], socketPath: daemon.path)
    #expect(found.map(\.state) == [.ready, .completed])
    let states = Value.Member("states", ["ready", "completed"])
    #expect(
      daemon.requests.map(\.params) == [
        .object([states]), .object([states, .init("cursor", "7")]),
      ])
  }

  @Test func `a checkout and its components are taken up by their ids`() async throws {
    let daemon = try ScriptedDaemon(Script.answer)
    defer { daemon.close() }
    let checkout = try await Checkout.attach(startKey: "till-1", socketPath: daemon.path)
    #expect(checkout.id == Script.checkout)
    let component = try await CheckoutComponent.attach(
      componentId: Script.banks, socketPath: daemon.path)
    #expect(component.id == Script.banks)
    #expect(component.checkout.id == Script.checkout)
    #expect(
      daemon.requests.map(\.params) == [
        ["checkoutId": ["startKey": "till-1"]], ["componentId": .string(Script.banks)],
      ])
  }

  @Test func `each call is the protocol's`() async throws {
    let daemon = try ScriptedDaemon { request in
      switch request.method {
      case "component.start":
        return [
          request.result(
            #"{"step":{"name":"banksRetrieved","banks":[{"id":"1","name":"B","isDisabled":true}]}}"#
          )
        ]
      case "component.updateCollectedData":
        return [request.result(#"{"status":"valid","banks":[{"id":"1","name":"B"}]}"#)]
      case "checkout.cancel": return [request.result(#"{"state":"cancelling"}"#)]
      default: return Script.answer(request)
      }
    }
    defer { daemon.close() }
    let checkout = try await Checkout.attach(checkoutId: Script.checkout, socketPath: daemon.path)
    let component = try await checkout.component(for: "ADYEN_IDEAL")
    let step = try await component.start()
    #expect(
      step as? BanksStep
        == .banksRetrieved(banks: [
          IssuingBank(id: "1", name: "B", iconUrlStr: nil, isDisabled: true)
        ]))
    #expect(try await component.banks(matching: "b").map(\.id) == ["1"])
    let status = try await component.updateCollectedData(BanksCollectableData.bankId(bankId: "1"))
    #expect(status == .valid)
    try await component.submit()
    try await component.reportRedirect(.presented)
    try await component.reportBankAccount(.succeeded(paymentId: "pi"))
    try await component.reportBankAccount(.failed(errorId: "e", description: "d"))
    try await component.acceptMandate()
    try await component.declineMandate()
    try await checkout.decide("d1", .continueWithNewClientToken("t"))
    try await checkout.decide("d2", .complete(payment: .init(id: "pay_1", status: "SUCCESS")))
    try await checkout.share(with: .user(1000), as: .observe)
    try await checkout.unshare(with: .group(100))
    #expect(try await checkout.cancel(reason: "closed") == .cancelling)
    let id = Value.Member("componentId", .string(Script.banks))
    let whole = Value.Member("checkoutId", .string(Script.checkout))
    #expect(
      daemon.requests.dropFirst(4).map(\.params) == [
        .object([id, .init("data", ["bankFilterText": "b"])]),
        .object([id, .init("data", ["bankId": "1"])]), .object([id]),
        .object([id, .init("outcome", "presented")]),
        .object([id, .init("outcome", "succeeded"), .init("paymentId", "pi")]),
        .object([
          id, .init("outcome", "failed"), .init("error", ["errorId": "e", "description": "d"]),
        ]), .object([id]), .object([id]),
        .object([
          whole, .init("decisionId", "d1"), .init("decision", "continueWithNewClientToken"),
          .init("clientToken", "t"),
        ]),
        .object([
          whole, .init("decisionId", "d2"), .init("decision", "complete"),
          .init("payment", ["id": "pay_1", "status": "SUCCESS"]),
        ]), .object([whole, .init("uid", 1000), .init("role", "observe")]),
        .object([whole, .init("gid", 100)]), .object([whole, .init("reason", "closed")]),
      ])
  }

  @Test func `waiting goes on until something is so, or the time is over`() async throws {
    let answers = Guarded([("ready", "null"), ("completed", #""terminal""#), ("ready", "null")])
    let daemon = try ScriptedDaemon { request in
      guard request.method == "checkout.wait" else { return Script.answer(request) }
      let (state, matched) = answers.withLock { $0.removeFirst() }
      return [request.result(#"{"matched":\#(matched),"snapshot":\#(Script.snapshot(state))}"#)]
    }
    defer { daemon.close() }
    let checkout = try await Checkout.attach(checkoutId: Script.checkout, socketPath: daemon.path)
    let ended = try await checkout.wait(for: [.ended], atMost: .seconds(1000))
    #expect(ended.matched == .ended && ended.snapshot.isEnded)
    let none = try await checkout.wait(
      for: [.awaiting, .event("component.didReceiveStep")], atMost: .zero)
    #expect(none.matched == nil && none.snapshot.state == .ready)
    let whole = Value.Member("checkoutId", .string(Script.checkout))
    #expect(
      daemon.requests.dropFirst().map(\.params) == [
        .object([whole, .init("for", ["terminal"]), .init("waitMs", 300_000)]),
        .object([whole, .init("for", ["terminal"]), .init("waitMs", 300_000)]),
        .object([
          whole, .init("for", ["awaiting", "component.didReceiveStep"]), .init("waitMs", 0),
        ]),
      ])
  }

  @Test func `a component tells what it has collected`() async throws {
    let daemon = try ScriptedDaemon { request in
      guard request.method == "component.get" else { return Script.answer(request) }
      let invalid = #"{"status":"invalid","errors":[{"errorId":"invalid-customer-lastname"}]}"#
      return [
        request.result(
          #"{"componentId":"\#(Script.ach)","paymentMethodType":"STRIPE_ACH","submittable":false,"#
            + #""missing":["lastName"],"data":{"firstName":"Ada","lastName":"","new":1},"#
            + #""validation":{"firstName":{"status":"valid"},"lastName":\#(invalid)}}"#)
      ]
    }
    defer { daemon.close() }
    let component = try await CheckoutComponent.attach(
      componentId: Script.ach, socketPath: daemon.path)
    let snapshot = try await component.snapshot()
    #expect(
      snapshot.data as? [ACHUserDetailsCollectableData] == [.firstName("Ada"), .lastName("")])
    #expect(snapshot.validation["firstName"] == .valid)
    guard case .invalid(let errors)? = snapshot.validation["lastName"] else {
      return #expect(Bool(false))
    }
    #expect(errors.map(\.errorId) == ["invalid-customer-lastname"])
    #expect(snapshot.missing == ["lastName"])
  }

  @Test func `a snapshot tells what the daemon waits for`() async throws {
    let daemon = try ScriptedDaemon {
      [
        $0.result(
          #"{"checkoutId":"\#(Script.checkout)","state":"failed","seq":9,"components":[],"#
            + #""awaiting":[{"kind":"decision","decisionId":"d1","event":"willCreatePayment"},"#
            + #"{"kind":"redirect","url":"http://b"},{"kind":"new"}],"payment":{"id":"p"},"#
            + #""outcome":"unknown","error":{"errorId":"outcome-unknown"}}"#)
      ]
    }
    defer { daemon.close() }
    let checkout = try await Checkout.attach(checkoutId: "x", socketPath: daemon.path)
    let snapshot = try await checkout.snapshot()
    #expect(snapshot.isEnded && snapshot.seq == 9)
    #expect(snapshot.checkoutData.payment?.id == "p")
    #expect(snapshot.checkoutData.checkoutOutcome == "unknown")
    #expect(snapshot.error?.errorId == "outcome-unknown")
    guard snapshot.awaiting.count == 3, case .decision(let decision, _) = snapshot.awaiting[0],
      case .redirect("http://b") = snapshot.awaiting[1],
      case .other("new") = snapshot.awaiting[2]
    else { return #expect(Bool(false)) }
    #expect(decision.id == "d1")
  }
}
