import CheckoutClient
import JSONRPC
import ValueTree

/// The library's objects that a transcript's steps are about, and the calls on them.
final class Driver {
  private var components: [String: CheckoutComponent] = [:]
  private var events: CheckoutEvents.AsyncIterator?

  /// Does a step: `call` with `params`, or `event` with the checkout's id for the next of its events.
  func answer(_ step: Value) async throws(CheckoutClientError) -> Value {
    guard let method = step["call"]?.string else {
      return try await nextEvent(of: step["event"]?.string ?? "")
    }
    return ["result": try await call(method, step["params"] ?? .object([]))]
  }

  private func nextEvent(of id: String) async throws(CheckoutClientError) -> Value {
    var events: CheckoutEvents.AsyncIterator
    if let known = self.events {
      events = known
    } else {
      events = try await Checkout.attach(checkoutId: id).events().makeAsyncIterator()
    }
    let event = try await events.next()
    self.events = events
    return event?.written ?? ["failure": "there are no more events"]
  }

  private func call(_ method: String, _ params: Value) async throws(CheckoutClientError) -> Value {
    switch method {
    case "checkout.start": try await start(params).snapshot().written
    case "checkout.get": try await checkout(params).snapshot().written
    case "checkout.wait": try await wait(params)
    case "checkout.cancel":
      ["state": .string(try await checkout(params).cancel(reason: params.text("reason")).rawValue)]
    case "checkout.decide": try await decide(params)
    case "componentWithRedirectManager.provideBanksComponent":
      try await provide(from: .componentWithRedirect, params)
    case "achManager.provide": try await provide(from: .stripeAch, params)
    case _ where method.hasPrefix("component."):
      try await call(method, of: try await component(params), params)
    default: try raw(method, params)
    }
  }

  /// A call that the library has nothing for.
  private func raw(_ method: String, _ params: Value) throws(CheckoutClientError) -> Value {
    let client = PatientClient(path: Checkout.defaultSocketPath, patience: 0)
    let number = client.call(method, params, .never)
    do throws(ClientError) {
      while true {
        for case .answer(number, let result) in client.goOn() { return try result.get() }
        try client.wait(until: .never, watching: -1)
      }
    } catch {
      guard case .remote(let error) = error else { throw .unreachable(error.description) }
      throw .refused(
        code: error.code.rawValue,
        details: CheckoutErrorDetails(
          errorId: error.errorId ?? "", description: error.message))
    }
  }
}

// MARK: Checkouts

extension Driver {
  private func start(_ params: Value) async throws(CheckoutClientError) -> Checkout {
    try await Checkout.start(
      clientToken: params.text("clientToken") ?? "",
      settings: PrimerSettings(written: params["settings"] ?? .object([])),
      decidesOnPaymentCreation: params["decisions"] == ["willCreatePayment"],
      startKey: params.text("startKey"))
  }

  private func checkout(_ params: Value) async throws(CheckoutClientError) -> Checkout {
    if let key = params["checkoutId"]?.text("startKey") {
      return try await Checkout.attach(startKey: key)
    }
    return try await Checkout.attach(checkoutId: params.text("checkoutId") ?? "")
  }

  private func wait(_ params: Value) async throws(CheckoutClientError) -> Value {
    let words = (params["for"]?.array ?? []).compactMap(\.string)
    let waited = try await checkout(params).wait(
      for: words.map(CheckoutCondition.init(rawValue:)),
      atMost: .milliseconds(params["waitMs"]?.integer ?? 0))
    return [
      "matched": .init(waited.matched?.rawValue), "snapshot": waited.snapshot.written,
    ]
  }

  private func decide(_ params: Value) async throws(CheckoutClientError) -> Value {
    let decision: CheckoutDecision =
      switch params.text("decision") {
      case "abort": .abort(message: params.text("message"))
      case "complete":
        .complete(payment: params["payment"].map(PrimerCheckoutDataPayment.init(written:)))
      case "continueWithNewClientToken":
        .continueWithNewClientToken(params.text("clientToken") ?? "")
      default: .createPayment(idempotencyKey: params.text("paymentIdempotencyKey"))
      }
    try await checkout(params).decide(params.text("decisionId") ?? "", decision)
    return .object([])
  }
}

// MARK: Components

extension Driver {
  private func provide(
    from manager: PrimerPaymentMethodManagerCategory, _ params: Value
  ) async throws(CheckoutClientError) -> Value {
    let component = try await checkout(params).component(
      for: params.text("paymentMethodType") ?? "", from: manager)
    components[component.id] = component
    return ["componentId": .string(component.id)]
  }

  /// The component: what was provided, or what another process was provided with.
  private func component(_ params: Value) async throws(CheckoutClientError) -> CheckoutComponent {
    let id = params.text("componentId") ?? ""
    if let known = components[id] { return known }
    let component = try await CheckoutComponent.attach(componentId: id)
    components[id] = component
    return component
  }

  private func call(
    _ method: String, of component: CheckoutComponent, _ params: Value
  ) async throws(CheckoutClientError) -> Value {
    switch method {
    case "component.get": return try await component.snapshot().written
    case "component.start": return ["step": StepWriter.written(try await component.start())]
    case "component.updateCollectedData":
      let data = params["data"] ?? .object([])
      if let text = data.text("bankFilterText") {
        let banks = try await component.banks(matching: text)
        return ["status": "valid", "banks": .array(banks.map(\.written))]
      }
      return .object(try await component.updateCollectedData(data.collectable).written)
    case "component.submit": try await component.submit()
    case "component.reportRedirect":
      try await component.reportRedirect(
        RedirectOutcome(rawValue: params.text("outcome") ?? "") ?? .dismissed)
    case "component.reportBankAccount":
      try await component.reportBankAccount(BankAccountOutcome(written: params))
    case "component.acceptMandate": try await component.acceptMandate()
    case "component.declineMandate": try await component.declineMandate()
    default: return try raw(method, params)
    }
    return .object([])
  }
}
