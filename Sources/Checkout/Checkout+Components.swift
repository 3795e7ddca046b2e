import ValueTree

extension Checkout {
  mutating func provide(
    _ manager: Manager, _ type: String
  ) throws(CheckoutError) -> CommandReply {
    switch phase {
    case .starting: throw CheckoutError(.genericError)
    case .ended, .archived: throw CheckoutError(.checkoutEnded)
    case .ready, .paying: break
    }
    guard let method = configuration?.paymentMethod(ofType: type) else {
      throw CheckoutError(.unsupportedPaymentMethodType, path: "/paymentMethodType")
    }
    let row = try row(for: method, of: manager)
    if let index = components.firstIndex(where: { $0.paymentMethodType == type }) {
      return .value(provided(index))
    }
    try row.component.check(settings)
    components.append(ComponentSlot(row, for: type))
    return .value(provided(components.count - 1))
  }

  private func row(
    for method: PaymentMethod, of manager: Manager
  ) throws(CheckoutError) -> ComponentRow {
    var error = CheckoutError(.unsupportedPaymentMethodForManager, path: "/paymentMethodType")
    do throws(Unavailability) {
      let row = try ComponentRow.serving(method)
      if row.manager == manager { return row }
      error.facts = [.init("manager", .string(row.manager.rawValue))]
      error.detail = "The payment method belongs to \(row.manager.rawValue)"
    } catch {
      throw CheckoutError(
        .unsupportedPaymentMethodForManager,
        detail: "The payment method cannot be used here", path: "/paymentMethodType",
        facts: [.init("reason", .string(error.rawValue))])
    }
    throw error
  }

  private func provided(_ index: Int) -> Value {
    [
      "componentId": .string(ComponentID(checkout: id, index: index).text),
      "component": .string(components[index].row.name), "state": componentSnapshot(index),
    ]
  }

  // MARK: Start

  mutating func startComponent(
    _ index: Int, _ turn: inout Turn
  ) throws(CheckoutError) -> CommandReply {
    guard !components[index].isStarting, !components[index].component.isStarted else {
      throw CheckoutError(.alreadyStarted)
    }
    // A selection would change what the attempt under way is about to pay.
    guard attempt == nil else { throw CheckoutError(.alreadySubmitted) }
    var events: [Event] = []
    let request: StartRequest
    do throws(CheckoutError) {
      request = try components[index].component.start(context(of: index), events: &events)
    } catch {
      var error = error
      error.diagnosticsID = turn.moment.uuid()
      publishError(error, of: index, &turn)
      throw error
    }
    publish(events, of: index, &turn)
    components[index].isStarting = request != .nothing
    switch request {
    case .nothing: return .value(["step": becomeStarted(index, nil, &turn)])
    case .fetchBanks(let configurationID):
      perform(
        .fetchBanks(configurationID: configurationID), at: coreURL,
        for: .start(component: index), &turn)
    case .actions(let actions):
      hasSelectedPaymentMethod = true
      perform(.performActions(actions), at: pciURL, for: .start(component: index), &turn)
    }
    return .later(.componentStart(index))
  }

  mutating func finishStart(of index: Int, _ answer: Answer, _ turn: inout Turn) {
    if case .configuration(let changed) = answer { replaceSession(changed.clientSession) }
    components[index].isStarting = false
    let step = becomeStarted(index, answer, &turn)
    turn.settle(.componentStart(index), .success(["step": step]))
  }

  /// Has a component take what its start brought; answers with the step that tells of it.
  private mutating func becomeStarted(
    _ index: Int, _ answer: Answer?, _ turn: inout Turn
  ) -> Value {
    var events: [Event] = []
    components[index].component.finishStart(
      answer, context(of: index), moment: &turn.moment, events: &events)
    components[index].partVersion += 1
    publish(events, of: index, &turn)
    return events.last { $0.kind == .didReceiveStep }?.members.first?.value ?? .null
  }

  mutating func failStart(of index: Int, _ failure: OperationFailure, _ turn: inout Turn) {
    components[index].isStarting = false
    components[index].step = nil
    let id = type(of: components[index].component).startError(failure)
    let error = upstreamError(id, failure, &turn)
    publishError(error, of: index, &turn)
    turn.settle(.componentStart(index), .failure(error))
  }

  mutating func publishError(_ error: CheckoutError, of index: Int, _ turn: inout Turn) {
    publish(
      Event(.didReceiveError, component: index, [.init("error", error.value)]), &turn)
  }

  // MARK: Data

  mutating func update(
    _ index: Int, _ data: Value, _ turn: inout Turn
  ) throws(CheckoutError) -> CommandReply {
    if attempt?.component == index { throw CheckoutError(.alreadySubmitted) }
    var events: [Event] = []
    events.reserveCapacity(2)
    let reply = try components[index].component.update(
      data, moment: &turn.moment, events: &events)
    publish(events, of: index, &turn)
    return .value(reply)
  }

  // MARK: Submission

  mutating func submit(
    _ index: Int, _ turn: inout Turn
  ) throws(CheckoutError) -> CommandReply {
    guard attempt == nil else { throw CheckoutError(.alreadySubmitted) }
    guard components[index].component.isStarted else { throw CheckoutError(.notStarted) }
    let missing = components[index].component.missing
    guard missing.isEmpty else {
      throw CheckoutError(.invalidCollectedData, validationErrors: missing)
    }
    attempt = Attempt(
      component: index, stepBefore: components[index].step, since: turn.moment.now,
      startedAt: turn.moment.now)
    phase = .paying(.patching)
    if components[index].row.redirects {
      publishStep(["name": "webRedirect", "state": "loading"], of: index, &turn)
    }
    let actions = components[index].component.actionsBeforePayment(context(of: index))
    if actions.isEmpty {
      beginPayment(&turn)
    } else {
      if actions.containsSelection {
        hasSelectedPaymentMethod = true
        publishSession(.willUpdateClientSession, &turn)
      }
      perform(.performActions(actions), at: pciURL, for: .patch, &turn)
    }
    return .done
  }

  mutating func finishPatch(
    _ session: ClientSession, of request: Operation.Request, _ turn: inout Turn
  ) {
    replaceSession(session)
    if case .performActions(let actions) = request, actions.containsSelection {
      publishSession(.didUpdateClientSession, &turn)
    }
    beginPayment(&turn)
  }

  mutating func failPatch(_ failure: OperationFailure, _ turn: inout Turn) {
    giveBack(upstreamError(.failedToCreateSession, failure, &turn), &turn)
  }

  /// Gives the component back to the shopper, as it was before.
  mutating func giveBack(_ error: CheckoutError, _ turn: inout Turn) {
    guard let index = attempt?.component else { return }
    components[index].step = attempt?.stepBefore
    attempt = nil
    phase = .ready
    publishError(error, of: index, &turn)
  }

  /// Takes the session that upstream answered with; payment methods and URLs stay.
  mutating func replaceSession(_ session: ClientSession) {
    configuration?.clientSession = session
    for index in components.indices {
      components[index].component.sessionDidChange(session)
      components[index].partVersion += 1
    }
  }

  mutating func publishSession(_ kind: EventKind, _ turn: inout Turn) {
    publish(Event(kind, [.init("clientSession", clientSessionValue)]), &turn)
  }

  // MARK: Where requests go

  /// The base for the bank list: the configuration's, else the token's.
  var coreURL: String { configuration?.coreURL ?? token.coreURL ?? "" }

  /// The base for session actions, tokenization and payments: the configuration's, else the token's.
  var pciURL: String { configuration?.pciURL ?? token.pciURL ?? "" }
}

extension [ClientSessionAction] {
  /// Whether the sum to pay may change with these.
  fileprivate var containsSelection: Bool {
    contains { action in
      if case .selectPaymentMethod = action { return true }
      return false
    }
  }
}
