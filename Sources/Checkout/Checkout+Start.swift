import ValueTree

extension Checkout {
  /// Fetches the configuration; the first thing done for a new checkout.
  package mutating func begin(at moment: Moment) -> [Effect] {
    guard case .starting = phase else { return [] }
    var turn = Turn(moment)
    expire(at: min(token.expiresAt, createdAt.adding(spans.checkout)), &turn)
    perform(
      .fetchConfiguration, at: token.configurationURL ?? "", for: .configuration, &turn)
    return turn.finish()
  }

  /// Whether the configuration is still being fetched.
  package var isStarting: Bool {
    if case .starting = phase { return true }
    return false
  }

  mutating func finishStart(_ configuration: Configuration, _ turn: inout Turn) {
    self.configuration = configuration
    bindPayment(turn.moment)
    guard !availablePaymentMethods.isEmpty else {
      return refuseStart(upstreamError(.misconfiguredPaymentMethods, nil, &turn), &turn)
    }
    phase = .ready
    publish(
      Event(
        .didLoadAvailablePaymentMethods,
        loadedMembers), &turn)
  }

  /// Ends a start that upstream refused: the row goes, the key is free again, and whoever waits for
  /// the start is told the error.
  mutating func refuseStart(_ error: CheckoutError, _ turn: inout Turn) {
    // It may have gone on, and been paid, after the copy was made.
    if isRestored { return end(.failed, error, &turn) }
    abandon(where: { _ in true }, &turn)
    clearExpiry(&turn)
    phase = .ended(Ending(outcome: .failed, error: error, at: turn.moment.now))
    turn.effects.append(.removed(error))
  }

  // MARK: Payment methods

  /// The payment methods that a component here serves, in the server's order.
  var availablePaymentMethods: [(method: PaymentMethod, row: ComponentRow)] {
    (configuration?.paymentMethods ?? []).compactMap { method in
      (try? ComponentRow.serving(method)).map { (method, $0) }
    }
  }

  /// The members of the event that tells of them; how they look is left out where that is too much.
  private var loadedMembers: [Value.Member] {
    let displays = availablePaymentMethods.compactMap { $0.method.display?.textByteCount }
    let isTrimmed = displays.reduce(0, +) > 256 * 1024
    let methods = isTrimmed ? describe { _ in nil } : availablePaymentMethodsValue
    return [
      .init("availablePaymentMethods", methods),
      .init("unavailablePaymentMethods", unavailablePaymentMethodsValue),
    ] + (isTrimmed ? [.init("displayTrimmed", true)] : [])
  }

  var availablePaymentMethodsValue: Value { describe(\.display) }

  private func describe(_ display: (PaymentMethod) -> Value?) -> Value {
    let surcharges = configuration?.clientSession.surcharges ?? [:]
    return .array(
      availablePaymentMethods.map { method, row in
        var members = [Value.Member("type", .string(method.type))]
        if let name = method.name { members.append(.init("name", .string(name))) }
        members.append(.init("manager", .string(row.manager.rawValue)))
        if let type = method.implementationType {
          members.append(.init("implementationType", .string(type)))
        }
        if let display = display(method) { members.append(.init("display", display)) }
        if let surcharge = surcharges[method.type] {
          members.append(.init("surcharge", .integer(surcharge)))
        }
        return .object(members)
      })
  }

  /// What the session has and cannot be paid with here, and why.
  var unavailablePaymentMethodsValue: Value {
    .array(
      (configuration?.paymentMethods ?? []).compactMap { method in
        do throws(Unavailability) {
          _ = try ComponentRow.serving(method)
          return nil
        } catch {
          var members = [Value.Member("type", .string(method.type))]
          if let name = method.name { members.append(.init("name", .string(name))) }
          return .object(members + [.init("reason", .string(error.rawValue))])
        }
      })
  }

  // MARK: Expiry

  mutating func expire(at time: WallTime, _ turn: inout Turn) {
    expiresAt = time
    turn.effects.append(.setTimer(.expiry, after: max(0, time.since(turn.moment.now))))
  }

  mutating func clearExpiry(_ turn: inout Turn) {
    guard expiresAt != nil else { return }
    expiresAt = nil
    turn.effects.append(.clearTimer(.expiry))
  }

  /// Nobody submitted in time, or nobody went on with the bank account or the mandate.
  ///
  /// Before tokenization no money can move; after it, the payment's fate is not ours to know.
  mutating func expire(_ turn: inout Turn) {
    guard expiresAt != nil else { return }
    expiresAt = nil
    let error = upstreamError(.checkoutExpired, nil, &turn)
    switch phase {
    case .ended, .archived: break
    case .starting, .ready: end(.failed, error, &turn)
    case .paying(let stage):
      switch stage {
      case .patching, .decidingOnCreation: end(.failed, error, &turn)
      case .collecting, .mandating: end(.unknown, error, &turn)
      default: break
      }
    }
  }
}

extension Value {
  /// How many bytes of text it holds.
  fileprivate var textByteCount: Int {
    switch self {
    case .string(let text): text.utf8.count
    case .array(let elements): elements.reduce(0) { $0 + $1.textByteCount }
    case .object(let members): members.reduce(0) { $0 + $1.value.textByteCount }
    default: 0
    }
  }
}
