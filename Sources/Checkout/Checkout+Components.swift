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
    guard let component = ComponentRegistry.component(for: type),
      component.kind.manager == manager,
      configuration?.paymentMethod(ofType: type) != nil
    else { throw CheckoutError(.unsupportedPaymentMethodType, path: "/paymentMethodType") }
    if let index = components.firstIndex(where: { $0.kind.paymentMethodType == type }) {
      return .value(provided(index))
    }
    try component.check(settings)
    components.append(ComponentSlot(component: component.init()))
    return .value(provided(components.count - 1))
  }

  private func provided(_ index: Int) -> Value {
    [
      "componentId": .string(ComponentID(checkout: id, index: index).text),
      "component": .string(components[index].kind.name), "state": componentSnapshot(index),
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
      request = try components[index].component.start(context, events: &events)
    } catch {
      var error = error
      error.diagnosticsID = turn.moment.uuid()
      publishError(error, of: index, &turn)
      throw error
    }
    components[index].isStarting = true
    publish(events, of: index, &turn)
    switch request {
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
    var events: [Event] = []
    components[index].component.finishStart(
      answer, context, moment: &turn.moment, events: &events)
    components[index].partVersion += 1
    publish(events, of: index, &turn)
    let step = events.last { $0.kind == .didReceiveStep }?.members.first?.value
    turn.settle(.componentStart(index), .success(["step": step ?? .null]))
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
    if components[index].kind.redirects {
      publishStep(["name": "webRedirect", "state": "loading"], of: index, &turn)
    }
    let actions = components[index].component.actionsBeforePayment(context)
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

  mutating func finishPatch(_ session: ClientSession, _ turn: inout Turn) {
    guard let index = attempt?.component else { return }
    let announces = components[index].kind.redirects
    replaceSession(session)
    if announces { publishSession(.didUpdateClientSession, &turn) }
    beginPayment(&turn)
  }

  /// Gives the component back to the shopper, as it was before.
  mutating func failPatch(_ failure: OperationFailure, _ turn: inout Turn) {
    guard let index = attempt?.component else { return }
    components[index].step = attempt?.stepBefore
    attempt = nil
    phase = .ready
    publishError(upstreamError(.failedToCreateSession, failure, &turn), of: index, &turn)
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
