import Checkout
package import JSONRPC
package import ValueTree

extension Methods {
  private static let types = Parameter<EventFilter>.optional(
    "types", Shapes.eventTypes, else: .all, "Names, or prefixes such as component.")

  /// The methods about events, `events.*`.
  static let events: [any AnyMethodKey] = [subscribe, unsubscribe, readEvents]

  package static let subscribe = MethodKey<SubscribeToEvents>(
    "events.subscribe",
    "Sends events as they happen; with after, first those that happened before.",
    Parameter<CheckoutReference?>.optional(
      "checkoutId", Shapes.checkout, "Without it: all of yours, also future ones."),
    isShared, isAll, types,
    Parameter<Int64?>.optional(
      "after", Shapes.seq, "Begin after this event; needs checkoutId."),
    result: ResultRow(
      "subscription",
      Schemas.open([
        .init("subscriptionId", .string),
        .optional("snapshots", .array(Schemas.open([])), "Short, without after."),
        .optional("more", .boolean, "Not all were told: checkout.list has the rest."),
        .optional("from", .integer, "With after: the first number that is sent."),
        .optional("to", .integer, "With after: the last event of before."),
        .optional("ended", .boolean, "With after: no event comes after to."),
        .optional("trimmedTo", .integer, "Up to it events may be gone."),
      ])),
    errors: [.permissionDenied] + ErrorRow.rows(.unknownCheckout),
    examples: Examples.subscribe, make: SubscribeToEvents.init)

  package static let unsubscribe = MethodKey<String>(
    "events.unsubscribe", "Ends a subscription.",
    Parameter<String>("subscriptionId", .text(1...32), "As events.subscribe answered."),
    result: nothing,
    errors: ErrorRow.rows(.unknownSubscription),
    examples: Examples.unsubscribe, make: { $0 })

  package static let readEvents = MethodKey<ReadEvents>(
    "events.read", "Reads the events that happened, or waits for the next.",
    checkoutID,
    Parameter<Int64>.optional("after", Shapes.seq, else: 0, "Begin after this event."),
    types, limit,
    Parameter<Int64>.optional(
      "waitMs", Shapes.waitSpan, else: 0, "Wait so long if there is none."),
    result: ResultRow(
      "events",
      Schemas.open([
        .init(
          "events", .array(Schemas.open([.init("method", .string), .init("params", .any)]))),
        .init("next", .integer, "What after must be to go on."),
        .init("ended", .boolean, "Whether no more can come."),
        .optional("trimmedTo", .integer, "Up to it events may be gone."),
      ])),
    errors: [.quotaExceeded, .shuttingDown] + ErrorRow.rows(.unknownCheckout),
    examples: Examples.read, make: ReadEvents.init)

  /// The notifications that a client may receive.
  package static let notifications: [EventRow] =
    EventKind.allCases.map { kind in
      EventRow(kind.name, kind.summary, members: eventHead + kind.members)
    } + [
      EventRow(
        "events.lost", "Events were dropped: read too slowly, or kept no longer.",
        members: [
          .init("checkoutId", Schemas.checkoutID), .init("from", .integer), .init("to", .integer),
        ]),
      EventRow(
        "system.draining", "The daemon is about to stop.", members: [.init("reason", .string)]),
      EventRow(
        "system.resumed", "The daemon has restarted, and goes on where it was.", members: []),
    ]

  /// What the description of the protocol has beside methods and notifications: the `errorId`s that
  /// only events and validation carry.
  package static let extensions: [Value.Member] = [
    .init(
      "x-eventErrorIds",
      .object(
        ErrorID.allCases.filter { $0.code == nil }
          .map { .init($0.rawValue, .string($0.summary + ".")) }))
  ]

  /// What every event of a checkout begins with: its place, from 1 without gaps, its time, and the
  /// component where there is one.
  private static let eventHead: [Schema.Member] = [
    .init("checkoutId", Schemas.checkoutID),
    .init("seq", .integer),
    .init("time", Schemas.timestamp),
    .optional("componentId", Schemas.componentID),
  ]
}

extension EventKind {
  /// The name on the wire.
  package var name: StaticString {
    switch self {
    case .didLoadAvailablePaymentMethods: "checkout.didLoadAvailablePaymentMethods"
    case .didReceiveStep: "component.didReceiveStep"
    case .didUpdateValidationStatus: "component.didUpdateValidationStatus"
    case .didReceiveError: "component.didReceiveError"
    case .willCreatePayment: "checkout.willCreatePayment"
    case .didStartTokenization: "checkout.didStartTokenization"
    case .didTokenizePaymentMethod: "checkout.didTokenizePaymentMethod"
    case .didReceiveAdditionalInfo: "checkout.didReceiveAdditionalInfo"
    case .didResumeWith: "checkout.didResumeWith"
    case .willUpdateClientSession: "checkout.willUpdateClientSession"
    case .didUpdateClientSession: "checkout.didUpdateClientSession"
    case .didCompleteCheckout: "checkout.didCompleteCheckout"
    case .didFail: "checkout.didFail"
    }
  }

  fileprivate var summary: String {
    switch self {
    case .didLoadAvailablePaymentMethods: "The configuration is loaded."
    case .didReceiveStep: "A component has come to a new step."
    case .didUpdateValidationStatus: "Collected data is being judged, or has been."
    case .didReceiveError: "Something went wrong that the shopper or the client can mend."
    case .willCreatePayment: "The payment is about to be created; you may have to decide."
    case .didStartTokenization: "The payment method is being tokenized; no way back to the data."
    case .didTokenizePaymentMethod: "The payment method is tokenized; in manual handling, decide."
    case .didReceiveAdditionalInfo: "The shopper must give a bank account or accept a mandate."
    case .didResumeWith: "Manual handling: resume the payment with this token, then decide."
    case .willUpdateClientSession: "The client session is about to change."
    case .didUpdateClientSession: "The client session has changed."
    case .didCompleteCheckout: "The checkout has ended well."
    case .didFail: "The checkout has ended otherwise; see its outcome."
    }
  }

  fileprivate var members: [Schema.Member] {
    let type = Schema.Member("paymentMethodType", .string)
    let decision: [Schema.Member] = [
      .optional("decisionId", .string, "To be named in checkout.decide."),
      .optional("deadline", Schemas.timestamp),
    ]
    switch self {
    case .didLoadAvailablePaymentMethods:
      return [.init("availablePaymentMethods", Schemas.availablePaymentMethods)]
    case .didReceiveStep: return [.init("step", Schemas.step)]
    case .didUpdateValidationStatus:
      return [
        .init("status", .enumeration(["validating", "valid", "invalid", "error"])),
        .optional("errors", .array(Schemas.validationError)), .optional("error", Schemas.error),
        .init("data", Schemas.open([]), "The field that was collected."),
      ]
    case .didReceiveError: return [.init("error", Schemas.error)]
    case .willCreatePayment: return [type] + decision
    case .didStartTokenization: return [type]
    case .didTokenizePaymentMethod:
      return [
        type, .optional("paymentMethodTokenData", Schemas.open([])),
        .optional(
          "paymentIdempotencyKey", .string, "Manual handling: for your backend's payment."),
      ] + decision
    case .didReceiveAdditionalInfo:
      return [.init("info", Schemas.additionalInfo)]
    case .didResumeWith: return [.init("resumeToken", .string)] + decision
    case .willUpdateClientSession, .didUpdateClientSession:
      return [.init("clientSession", Schemas.clientSession)]
    case .didCompleteCheckout:
      return [
        .optional("payment", Schemas.payment),
        .init("outcome", .enumeration(["success", "pending", "handledByClient"])),
      ]
    case .didFail:
      return [
        .init("error", Schemas.error), .optional("payment", Schemas.payment),
        .optional("secondPayment", Schemas.payment, "One that should not be: refund it."),
        .init("outcome", .enumeration(["failed", "cancelled", "unknown"])),
      ]
    }
  }
}
