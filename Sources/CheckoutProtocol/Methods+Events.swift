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
    EventKind.allCases.map(row) + [
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

  /// What there is to say of a kind of event.
  private static func row(_ kind: EventKind) -> EventRow {
    switch kind {
    case .didLoadAvailablePaymentMethods:
      event(
        kind, "The configuration is loaded.",
        [
          .init("availablePaymentMethods", Schemas.availablePaymentMethods),
          .init("unavailablePaymentMethods", Schemas.unavailablePaymentMethods),
          .optional("displayTrimmed", .boolean, "display is left out; checkout.get has it."),
        ])
    case .didReceiveStep:
      event(kind, "A component has come to a new step.", [.init("step", Schemas.step)])
    case .didUpdateValidationStatus:
      event(
        kind, "Collected data is being judged, or has been.",
        [
          .init("status", .enumeration(["validating", "valid", "invalid", "error"])),
          .optional("errors", .array(Schemas.validationError)), .optional("error", Schemas.error),
          .init("data", Schemas.open([]), "The field that was collected."),
        ])
    case .didReceiveError:
      event(
        kind, "Something went wrong that the shopper or the client can mend.",
        [.init("error", Schemas.error)])
    case .willCreatePayment:
      event(
        kind, "The payment is about to be created; you may have to decide.", [type] + decision)
    case .didStartTokenization:
      event(kind, "The payment method is being tokenized; no way back to the data.", [type])
    case .didTokenizePaymentMethod:
      event(
        kind, "The payment method is tokenized; in manual handling, decide.",
        [
          type, .optional("paymentMethodTokenData", Schemas.open([])),
          .optional(
            "paymentIdempotencyKey", .string, "Manual handling: for your backend's payment."),
        ] + decision)
    case .didReceiveAdditionalInfo:
      event(
        kind, "The shopper needs this to go on: an account, a mandate, a code, a voucher.",
        [.init("info", Schemas.additionalInfo)])
    case .didResumeWith:
      event(
        kind, "Manual handling: resume the payment with this token, then decide.",
        [.init("resumeToken", .string)] + decision)
    case .willUpdateClientSession:
      event(
        kind, "The client session is about to change.",
        [.init("clientSession", Schemas.clientSession)])
    case .didUpdateClientSession:
      event(
        kind, "The client session has changed.", [.init("clientSession", Schemas.clientSession)])
    case .didCompleteCheckout:
      event(
        kind, "The checkout has ended well.",
        [
          .optional("payment", Schemas.payment),
          .optional("additionalInfo", Schemas.additionalInfo, "A voucher's."),
          .init("outcome", .enumeration(["success", "pending", "handledByClient"])),
        ])
    case .didFail:
      event(
        kind, "The checkout has ended otherwise; see its outcome.",
        [
          .init("error", Schemas.error), .optional("payment", Schemas.payment),
          .optional("secondPayment", Schemas.payment, "One that should not be: refund it."),
          .init("outcome", .enumeration(["failed", "cancelled", "unknown"])),
        ])
    }
  }

  private static func event(
    _ kind: EventKind, _ summary: String, _ members: [Schema.Member]
  ) -> EventRow {
    EventRow(kind.rawValue, summary, members: eventHead + members)
  }

  private static let type = Schema.Member("paymentMethodType", .string)

  private static let decision: [Schema.Member] = [
    .optional("decisionId", .string, "To be named in checkout.decide."),
    .optional("deadline", Schemas.timestamp),
  ]
}
