import CheckoutClient
import ValueTree

extension CheckoutSnapshot {
  var written: Value {
    .object(
      members([
        "checkoutId": .string(checkoutId), "state": .string(state.rawValue), "seq": .integer(seq),
        "paymentHandling": paymentHandling.map { .string($0.rawValue) },
        "availablePaymentMethods": .array(availablePaymentMethods.map(\.written)),
        "components": .array(components.map(\.written)),
        "awaiting": .array(awaiting.map(\.written)), "error": error?.written,
      ]) + checkoutData.written)
  }
}

extension CheckoutSnapshot.Component {
  var written: Value {
    .object([
      "componentId": .string(id), "paymentMethodType": .string(paymentMethodType),
      "step": step.map(StepWriter.written), "data": .object(data.map(DataWriter.written)),
      "validation": .object(
        validation.sorted { $0.key < $1.key }.map { .init($0.key, .object($0.value.written)) }),
      "submittable": .bool(isSubmittable), "missing": .array(missing.map(Value.string)),
    ])
  }
}

extension CheckoutSnapshot.Awaited {
  var written: Value {
    switch self {
    case .decision(let decision, let event):
      .object(
        members(["kind": "decision", "event": .string(event)]) + members(of: decision))
    case .redirect(let url): ["kind": "redirect", "url": .string(url)]
    case .bankAccount(let info): ["kind": "bankAccount", "info": InfoWriter.written(info)]
    case .mandate(let info): ["kind": "mandate", "info": InfoWriter.written(info)]
    case .other(let kind): ["kind": .string(kind)]
    }
  }
}

/// The members that ask for a decision.
private func members(of decision: CheckoutEvent.Decision?) -> [Value.Member] {
  members([
    "decisionId": decision.map { .string($0.id) }, "deadline": decision?.deadline.map(Value.string),
  ])
}

extension CheckoutEvent {
  /// The event as a notification has it.
  var written: Value {
    let (name, more) = kind.written
    let common = members([
      "checkoutId": .string(checkoutId), "seq": .integer(seq), "time": .string(time),
      "componentId": componentId.map(Value.string),
    ])
    return ["event": .string(name), "params": .object(common + more)]
  }
}

extension CheckoutEvent.Kind {
  /// The name, and the members that are its own.
  fileprivate var written: (String, [Value.Member]) {
    switch self {
    case .didReceiveStep(let step):
      ("component.didReceiveStep", members(["step": StepWriter.written(step)]))
    case .didUpdateValidationStatus(let status, let data):
      (
        "component.didUpdateValidationStatus",
        status.written + members(["data": data.map { .object([DataWriter.written($0)]) }])
      )
    case .didReceiveError(let error):
      ("component.didReceiveError", members(["error": error.written]))
    case .didLoadAvailablePaymentMethods(let methods):
      (
        "checkout.didLoadAvailablePaymentMethods",
        members(["availablePaymentMethods": .array(methods.map(\.written))])
      )
    case .didReceiveAdditionalInfo(let info):
      ("checkout.didReceiveAdditionalInfo", members(["info": InfoWriter.written(info)]))
    case .willUpdateClientSession: ("checkout.willUpdateClientSession", [])
    case .didUpdateClientSession: ("checkout.didUpdateClientSession", [])
    case .didCompleteCheckout(let data): ("checkout.didCompleteCheckout", data.written)
    case .didFail(let error, let data):
      ("checkout.didFail", members(["error": error.written]) + data.written)
    case .willCreatePayment(let type, let decision):
      (
        "checkout.willCreatePayment",
        members(["paymentMethodType": .string(type)]) + members(of: decision)
      )
    case .didStartTokenization(let type):
      ("checkout.didStartTokenization", members(["paymentMethodType": .string(type)]))
    case .didTokenizePaymentMethod(let data, let decision):
      ("checkout.didTokenizePaymentMethod", members(of: data) + members(of: decision))
    case .didResumeWith(let token, let decision):
      (
        "checkout.didResumeWith",
        members(["resumeToken": .string(token)]) + members(of: decision)
      )
    case .other(let name): (name, [])
    }
  }
}

/// The members that tell what was tokenized.
private func members(of data: PrimerPaymentMethodTokenData) -> [Value.Member] {
  members([
    "paymentMethodType": data.paymentMethodType.map(Value.string),
    "paymentMethodTokenData": .object(["token": data.token.map(Value.string)]),
  ])
}
