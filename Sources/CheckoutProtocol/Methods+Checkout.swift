import Checkout
package import JSONRPC
import ValueTree

extension Methods {
  private static let snapshot = ResultRow("snapshot", Schemas.snapshot)

  /// The methods of checkouts, `checkout.*`.
  package static let checkout: [MethodRow] = [
    MethodRow(
      "checkout.start",
      "Starts a checkout for a client token; answers when its configuration is loaded.",
      parameters: [
        .init("clientToken", Schemas.clientToken, "The token that your backend was given."),
        .optional("settings", Schemas.settings, "How the payment is to go."),
        .optional(
          "decisions", .array(.enumeration(["willCreatePayment"]), maximumCount: 1),
          "What you want to decide yourself."),
        .optional(
          "decisionTimeoutMs", .integer(1000...1_800_000), "How long each decision may take."),
        .optional(
          "startKey", Schemas.startKey, "Makes the start repeatable: the same key, one checkout."),
        .optional(
          "share",
          .array(
            .object(
              Schemas.shareSubject + [.init("role", Schemas.words(Share.Role.self))]),
            maximumCount: 64), "Who else may use it."),
        .optional(
          "allowRepeat", .boolean,
          "Start although a checkout of this session has ended in which money moved or may move."),
      ],
      result: snapshot,
      errors: [.quotaExceeded, .shuttingDown, .storeFailed]
        + ErrorRow.rows(
          .invalidClientToken, .upstreamNotAllowed, .invalidValue, .sessionInUse, .keyReused,
          .serverError, .unauthorized, .failedToDecode, .invalidResponse,
          .networkFailedAfterRetries, .misconfiguredPaymentMethods),
      examples: Examples.start),
    MethodRow(
      "checkout.get", "Tells everything about a checkout.", parameters: [checkoutID],
      result: snapshot, errors: ErrorRow.rows(.unknownCheckout),
      examples: Examples.get),
    MethodRow(
      "checkout.wait", "Waits until something happens to a checkout.",
      parameters: [
        checkoutID,
        .init(
          "for", .array(.string(1...64), maximumCount: 32),
          "terminal, awaiting, or names of events."),
        .init("waitMs", Schemas.waitSpan, "Wait so long at most."),
      ],
      result: ResultRow(
        "waited",
        Schemas.open([
          .init("snapshot", Schemas.snapshot),
          .init(
            "matched", .oneOf([.string, .null]),
            "What it was; null if the time ran out or the checkout ended without it."),
        ])),
      errors: [.quotaExceeded, .shuttingDown] + ErrorRow.rows(.unknownCheckout),
      examples: Examples.wait),
    MethodRow(
      "checkout.list", "Lists checkouts in the order they were started.",
      parameters: [
        .optional(
          "states", .array(Schemas.state, maximumCount: 16),
          "Only those in one of these states."),
        .optional("shared", .boolean, "Also those shared with you."),
        .optional("all", .boolean, "Everyone's; for administrators."),
        .optional("cursor", .string(1...32), "Where the page before ended."),
        .optional("limit", .integer(1...1000), "At most so many; 100 if not given."),
      ],
      result: ResultRow(
        "page",
        Schemas.open([
          .init("checkouts", .array(Schemas.open([])), "Short snapshots."),
          .optional("next", .string, "The cursor of the next page; absent on the last."),
        ])),
      errors: [.permissionDenied],
      examples: Examples.list),
    MethodRow(
      "checkout.cancel", "Cancels a checkout as far as that is still possible.",
      parameters: [checkoutID, .optional("reason", .string(0...255), "For the journal.")],
      result: ResultRow(
        "cancelled", Schemas.open([.init("state", Schemas.state)])),
      errors: ErrorRow.rows(.unknownCheckout, .checkoutEnded) + commandErrors,
      examples: Examples.cancel),
    MethodRow(
      "checkout.decide", "Takes a decision that an event has asked for.",
      parameters: [
        checkoutID, .init("decisionId", .string(1...32), "As the event named it."),
        .init(
          "decision",
          .enumeration(["continue", "abort", "continueWithNewClientToken", "complete"]),
          "What is to happen."),
        .optional(
          "paymentIdempotencyKey", .string(1...255),
          "With continue: instead of a derived one; of this attempt alone."),
        .optional("message", .string(0...1024), "With abort."),
        .optional("clientToken", Schemas.clientToken, "With continueWithNewClientToken."),
        .optional(
          "payment",
          .object([
            .optional("id", .string(1...255)), .optional("orderId", .string(1...255)),
            .optional("status", .string(1...64)),
          ]), "With complete or abort: what your backend made."),
      ],
      result: nothing,
      errors: ErrorRow.rows(
        .unknownCheckout, .unknownDecision, .notAwaited, .idempotencyKeyReused,
        .invalidClientToken,
        .upstreamNotAllowed, .invalidValue, .serverError, .networkFailedAfterRetries)
        + commandErrors + [.shuttingDown],
      examples: Examples.decide),
    MethodRow(
      "checkout.share", "Lets another user or group use a checkout; for its owner.",
      parameters: [
        checkoutID,
        .init("role", Schemas.words(Share.Role.self), "observe: look on; drive: all but share."),
      ] + Schemas.shareSubject,
      result: nothing,
      errors: [.quotaExceeded] + commandErrors
        + ErrorRow.rows(.unknownCheckout, .checkoutEnded),
      examples: Examples.share),
    MethodRow(
      "checkout.unshare", "Takes a share back; for the checkout's owner.",
      parameters: [checkoutID] + Schemas.shareSubject,
      result: nothing, errors: commandErrors + ErrorRow.rows(.unknownCheckout, .checkoutEnded),
      examples: Examples.unshare),
  ]
}
