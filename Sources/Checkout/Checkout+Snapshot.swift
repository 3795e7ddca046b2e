package import ValueTree

/// The `state` of a snapshot.
package enum CheckoutState: String, Sendable, CaseIterable {
  case starting, ready, submitted, awaitingDecision, awaitingRedirect, awaitingBankAccount
  case awaitingMandate, awaitingCode, awaitingConfirmation, processing, cancelling, completed
  case failed, archived
}

extension Checkout {
  /// Where the checkout is, in the words of the protocol.
  package var state: CheckoutState {
    switch phase {
    case .starting: return .starting
    case .ready: return .ready
    case .ended(let ending): return ending.outcome.isCompletion ? .completed : .failed
    case .archived: return .archived
    case .paying(let stage):
      if attempt?.isCancelling == true { return .cancelling }
      switch stage {
      case .patching, .tokenizing: return .submitted
      case .decidingOnCreation, .decidingAfterTokenization, .decidingAfterResume,
        .validatingToken:
        return .awaitingDecision
      case .creating, .resuming, .completing, .asking: return .processing
      case .unselecting(let ending):
        return ending.outcome == .cancelled ? .cancelling : .processing
      case .polling(.page, _, _): return .awaitingRedirect
      case .polling(.code, _, _): return .awaitingCode
      case .polling(.confirmation, _, _): return .awaitingConfirmation
      case .polling(.nothing, _, _): return .processing
      case .collecting: return .awaitingBankAccount
      case .mandating: return .awaitingMandate
      }
    }
  }

  /// What the checkout came to, once it has ended.
  package var outcome: Outcome? {
    switch phase {
    case .ended(let ending): ending.outcome
    case .archived(let record): record.outcome
    default: nil
    }
  }

  /// The id of the payment's component, error and so on: what the whole snapshot shows.
  ///
  /// - Parameter wallOffset: How far the wall clock is ahead of the steady one now.
  /// - Returns: The `snapshot` of the protocol.
  package func snapshot(wallOffset: Milliseconds) -> Value {
    if case .archived(let record) = phase { return archivedSnapshot(record, wallOffset) }
    return .object(
      head(wallOffset) + handling
        + (configuration == nil
          ? []
          : [
            .init("availablePaymentMethods", availablePaymentMethodsValue),
            .init("unavailablePaymentMethods", unavailablePaymentMethodsValue),
            .init("clientSession", clientSessionValue),
          ])
        + [.init("components", .array(components.indices.map(componentSnapshot)))]
        + tail(awaiting(wallOffset)))
  }

  /// The snapshot without bank lists, line items and collected data.
  ///
  /// - Parameter wallOffset: As for the whole one.
  /// - Returns: The short form of the protocol.
  package func shortSnapshot(wallOffset: Milliseconds) -> Value {
    if case .archived(let record) = phase { return archivedSnapshot(record, wallOffset) }
    var session: [Value.Member] = []
    if let known = configuration?.clientSession {
      session = [
        .init("orderId", Value(known.orderID)),
        .init("currencyCode", Value(known.currencyCode)),
        .init("totalAmount", known.amount.map(Value.integer) ?? .null),
      ]
    }
    let components: [Value] = self.components.indices.map { index in
      [
        "componentId": .string(ComponentID(checkout: id, index: index).text),
        "component": .string(self.components[index].row.name),
        "paymentMethodType": .string(self.components[index].paymentMethodType),
      ]
    }
    return .object(
      head(wallOffset) + handling
        + (configuration == nil ? [] : [.init("clientSession", .object(session))])
        + [.init("components", .array(components))] + tail(awaiting(wallOffset, isShort: true)))
  }

  /// All that is left after the wiping, long or short.
  private func archivedSnapshot(_ record: OutcomeRecord, _ wallOffset: Milliseconds) -> Value {
    var members =
      head(wallOffset) + [
        .init("endedAt", .string(Timestamp(record.endedAt.adding(wallOffset)).text)),
        .init("paymentHandling", .string(settings.paymentHandling.rawValue)),
        .init(
          "clientSession",
          [
            "orderId": Value(record.orderID), "currencyCode": Value(record.currencyCode),
            "totalAmount": record.amount.map(Value.integer) ?? .null,
          ]), .init("components", []),
        .init("awaiting", []),
      ]
    if let payment = paymentValue { members.append(.init("payment", payment)) }
    members.append(.init("outcome", .string(record.outcome.rawValue)))
    if let id = record.errorID { members.append(.init("error", ["errorId": .string(id)])) }
    if let info = additionalInfo { members.append(.init("additionalInfo", info)) }
    return .object(members)
  }

  /// Who creates the payment, and what protects the session from being paid twice.
  private var handling: [Value.Member] {
    var members = [
      Value.Member("paymentHandling", .string(settings.paymentHandling.rawValue))
    ]
    if let session = paymentSession {
      members.append(.init("paymentProtection", .string(session.protection.rawValue)))
    }
    return members
  }

  private func head(_ wallOffset: Milliseconds) -> [Value.Member] {
    var members = [
      Value.Member("checkoutId", .string(id.text)),
      Value.Member("state", .string(state.rawValue)),
      Value.Member("seq", .integer(seq)),
      Value.Member("owner", ["uid": .integer(Int64(owner))]),
      Value.Member("createdAt", .string(Timestamp(createdAt.adding(wallOffset)).text)),
    ]
    if let expiresAt {
      let text = Timestamp(expiresAt.adding(wallOffset)).text
      members.append(.init("expiresAt", .string(text)))
    }
    return members
  }

  private func tail(_ awaiting: [Value]) -> [Value.Member] {
    var members = [Value.Member("awaiting", .array(awaiting))]
    if let payment = paymentValue { members.append(.init("payment", payment)) }
    if let payment = secondPaymentValue { members.append(.init("secondPayment", payment)) }
    if case .ended(let ending) = phase {
      members.append(.init("outcome", .string(ending.outcome.rawValue)))
      if let error = ending.error { members.append(.init("error", error.value)) }
    }
    if let info = additionalInfo { members.append(.init("additionalInfo", info)) }
    return members
  }

  private var knownPayment: Payment? {
    if case .archived(let record) = phase { return record.payment }
    return attempt?.payment
  }

  /// The payment's id, once it is known.
  package var paymentID: String? { knownPayment?.id }

  /// The payment as far as it is known, once there is one.
  package var paymentValue: Value? {
    guard let payment = knownPayment else { return nil }
    return payment.value
  }

  /// The payment that a question has made, if one has.
  package var secondPaymentValue: Value? { attempt?.secondPayment?.value }

  /// Whether a client must do something for the checkout to go on.
  package var isAwaiting: Bool { !awaiting(0).isEmpty }

  /// What a client must do for the checkout to go on.
  private func awaiting(_ wallOffset: Milliseconds, isShort: Bool = false) -> [Value] {
    guard let attempt, case .paying(let stage) = phase, !attempt.isCancelling else { return [] }
    func entry(_ kind: Value, _ deadline: WallTime?, _ members: [Value.Member]) -> [Value] {
      var all = [
        Value.Member("kind", kind),
        Value.Member("since", .string(Timestamp(attempt.since.adding(wallOffset)).text)),
      ]
      if let deadline {
        let text = Timestamp(deadline.adding(wallOffset)).text
        all.append(.init("deadline", .string(text)))
      }
      return [.object(all + members)]
    }
    switch stage {
    case .decidingOnCreation(let decision), .decidingAfterTokenization(let decision),
      .decidingAfterResume(let decision):
      return entry(
        "decision", decision.deadline,
        [
          .init("decisionId", .string(decision.id)),
          .init("event", .string(decision.event.rawValue)),
        ] + decision.members)
    case .polling(.page(let url), _, let deadline):
      return entry("redirect", deadline, [.init("url", .string(url))])
    case .polling(.code, _, let deadline):
      return entry(
        "code", deadline, [.init("info", codeInfo(wallOffset, isShort: isShort))])
    case .polling(.confirmation, _, let deadline): return entry("confirmation", deadline, [])
    case .collecting(let secret, _):
      return entry(
        "bankAccount", expiresAt, [.init("info", collectorInfo(secret, isShort: isShort))])
    case .mandating:
      return entry("mandate", expiresAt, [.init("info", mandateInfo)])
    default: return []
    }
  }

  /// The component's part of the snapshot; the index must be one of this checkout's.
  package func componentSnapshot(_ index: Int) -> Value {
    let slot = components[index]
    let missing = slot.component.missing
    let isSubmittable = attempt == nil && !isEnded && slot.component.isStarted && missing.isEmpty
    return .object(
      [
        .init("componentId", .string(ComponentID(checkout: id, index: index).text)),
        .init("component", .string(slot.row.name)),
        .init("paymentMethodType", .string(slot.paymentMethodType)),
        .init("fields", .array(slot.row.fields.map(\.value))),
        .init("step", slot.step ?? ["name": "notInitialized"]),
      ] + slot.component.snapshot + [
        .init("submittable", .bool(isSubmittable)),
        .init("missing", .array(missing.map { .string($0.field) })),
      ])
  }

  /// What kind a component is; `nil` if there is none at that place.
  package func componentRow(_ index: Int) -> ComponentRow? {
    components.indices.contains(index) ? components[index].row : nil
  }

  /// How many components have been provided.
  package var componentCount: Int { components.count }

  var clientSessionValue: Value {
    let session = configuration?.clientSession ?? ClientSession()
    var members: [Value.Member] = [
      .init("orderId", Value(session.orderID)), .init("currencyCode", Value(session.currencyCode)),
      .init("totalAmount", Value(session.amount)), .init("fees", .array(session.fees.map(\.value))),
      .init("lineItems", .array(session.lineItems.map(\.value))),
      .init("customer", session.customer.value),
    ]
    members.append("countryCode", session.countryCode.map(Value.string))
    members.append("shipping", session.shipping?.value)
    members.append("taxes", session.totalTaxAmount.map(Value.integer))
    return .object(members)
  }

  /// What the payment came to beside its status: a voucher, also when all else is archived.
  package var additionalInfo: Value? {
    switch phase {
    case .ended(let ending) where ending.outcome == .pending: voucherInfo
    case .archived(let record):
      record.voucher?.info(amount: record.amount, currencyCode: record.currencyCode)
    default: nil
    }
  }
}

extension Payment {
  /// The wire form.
  fileprivate var value: Value {
    var members = [
      Value.Member("id", Value(id)), Value.Member("orderId", Value(orderID)),
      Value.Member("status", Value(status)),
    ]
    if isExisting { members.append(.init("existing", true)) }
    return .object(members)
  }
}

extension Fee {
  fileprivate var value: Value { ["type": Value(type), "amount": Value(amount)] }
}

extension Shipping {
  fileprivate var value: Value {
    var members = [Value.Member("amount", Value(amount))]
    members.append("methodId", methodID.map(Value.string))
    members.append("methodName", methodName.map(Value.string))
    return .object(members)
  }
}

extension LineItem {
  fileprivate var value: Value {
    var members: [Value.Member] = [
      .init("itemId", Value(id)), .init("description", Value(description)),
      .init("amount", Value(amount)), .init("quantity", Value(quantity)),
    ]
    members.append("name", name.map(Value.string))
    members.append("tax", taxAmount.map(Value.integer))
    members.append("discount", discountAmount.map(Value.integer))
    return .object(members)
  }
}

extension Customer {
  fileprivate var value: Value {
    var members: [Value.Member] = [
      .init("customerId", Value(id)), .init("firstName", Value(firstName)),
      .init("lastName", Value(lastName)), .init("emailAddress", Value(emailAddress)),
    ]
    members.append("mobileNumber", mobileNumber.map(Value.string))
    return .object(members)
  }
}

extension [Value.Member] {
  /// Adds what is known.
  fileprivate mutating func append(_ name: String, _ value: Value?) {
    if let value { append(.init(name, value)) }
  }
}
