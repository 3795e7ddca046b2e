import Checkout
package import JSONRPC
import ValueTree

extension Methods {
  private static let snapshot = ResultRow("snapshot", Schemas.snapshot)

  private static let uid = Parameter<UInt32?>.optional(
    "uid", Shapes.userID, Shapes.uidSummary)
  private static let gid = Parameter<UInt32?>.optional(
    "gid", Shapes.userID, Shapes.gidSummary)

  /// The methods of checkouts, `checkout.*`.
  static let checkout: [any AnyMethodKey] = [
    start, get, wait, list, cancel, decide, share, unshare,
  ]

  package static let start = MethodKey<StartCheckout>(
    "checkout.start",
    "Starts a checkout for a client token; answers when its configuration is loaded.",
    Parameter<String>(
      "clientToken", Shapes.clientToken, "The token that your backend was given."),
    Parameter<Sent<Settings>?>.optional(
      "settings", Shapes.settings.withText { Sent($0, $1) }, "How the payment is to go."),
    Parameter<Sent<[StartCheckout.Asked]>?>.optional(
      "decisions", Shape<StartCheckout.Asked>.word.list(atMost: 1).withText { Sent($0, $1) },
      "What you want to decide yourself."),
    Parameter<Int64?>.optional(
      "decisionTimeoutMs", .integer(1000...1_800_000), "How long each decision may take."),
    Parameter<String?>.optional(
      "startKey", Shapes.startKey, "Makes the start repeatable: the same key, one checkout."),
    Parameter<Sent<[Share]>?>.optional(
      "share", Shapes.share.list(atMost: 64).withText { Sent($0, $1) }, "Who else may use it."),
    Parameter<Bool>.optional(
      "allowRepeat", .boolean, else: false,
      "Start although a checkout of this session has ended in which money moved or may move."),
    result: snapshot,
    errors: [.quotaExceeded, .shuttingDown, .storeFailed]
      + ErrorRow.rows(
        .invalidClientToken, .upstreamNotAllowed, .invalidValue, .sessionInUse, .keyReused,
        .serverError, .unauthorized, .failedToDecode, .invalidResponse,
        .networkFailedAfterRetries, .misconfiguredPaymentMethods),
    examples: Examples.start, make: StartCheckout.init)

  package static let get = MethodKey<CheckoutReference>(
    "checkout.get", "Tells everything about a checkout.", checkoutID,
    result: snapshot, errors: ErrorRow.rows(.unknownCheckout),
    examples: Examples.get, make: { $0 })

  package static let wait = MethodKey<WaitForCheckout>(
    "checkout.wait", "Waits until something happens to a checkout.",
    checkoutID,
    Parameter<WaitForCheckout.Condition>(
      "for",
      Shape<String>.text(1...64).list(atMost: 32)
        .map(otherwise: "takes terminal, awaiting or the names of events") {
          WaitForCheckout.Condition(words: $0)
        }, "terminal, awaiting, or names of events."),
    Parameter<Int64>("waitMs", Shapes.waitSpan, "Wait so long at most."),
    result: ResultRow(
      "waited",
      Schemas.open([
        .init("snapshot", Schemas.snapshot),
        .init(
          "matched", .oneOf([.string, .null]),
          "What it was; null if the time ran out or the checkout ended without it."),
      ])),
    errors: [.quotaExceeded, .shuttingDown] + ErrorRow.rows(.unknownCheckout),
    examples: Examples.wait, make: WaitForCheckout.init)

  package static let list = MethodKey<ListCheckouts>(
    "checkout.list", "Lists checkouts in the order they were started.",
    Parameter<[CheckoutState]?>.optional(
      "states", Shape<CheckoutState>.word.named("State").list(atMost: 16),
      "Only those in one of these states."),
    isShared, isAll, cursor, limit,
    result: ResultRow(
      "page",
      Schemas.open([
        .init("checkouts", .array(Schemas.open([])), "Short snapshots."),
        .optional("next", .string, "The cursor of the next page; absent on the last."),
      ])),
    errors: [.permissionDenied],
    examples: Examples.list, make: ListCheckouts.init)

  package static let cancel = MethodKey<CancelCheckout>(
    "checkout.cancel", "Cancels a checkout as far as that is still possible.",
    checkoutID, Parameter<String?>.optional("reason", .text(0...255), "For the journal."),
    result: ResultRow(
      "cancelled", Schemas.open([.init("state", Schemas.state)])),
    errors: ErrorRow.rows(.unknownCheckout, .checkoutEnded) + commandErrors,
    examples: Examples.cancel, make: CancelCheckout.init)

  package static let decide = MethodKey<DecideCheckout>(
    "checkout.decide", "Takes a decision that an event has asked for.",
    checkoutID, Parameter<String>("decisionId", .text(1...32), "As the event named it."),
    Parameter<DecideCheckout.Word>("decision", .word, "What is to happen."),
    Parameter<String?>.optional(
      "paymentIdempotencyKey", .text(1...255),
      "With continue: instead of a derived one; of this attempt alone."),
    Parameter<String?>.optional("message", .text(0...1024), "With abort."),
    Parameter<String?>.optional(
      "clientToken", Shapes.clientToken, "With continueWithNewClientToken."),
    Parameter<Payment?>.optional(
      "payment", Shapes.payment, "With complete or abort: what your backend made."),
    result: nothing,
    errors: ErrorRow.rows(
      .unknownCheckout, .unknownDecision, .notAwaited, .idempotencyKeyReused,
      .invalidClientToken,
      .upstreamNotAllowed, .invalidValue, .serverError, .networkFailedAfterRetries)
      + commandErrors + [.shuttingDown],
    examples: Examples.decide, make: DecideCheckout.init)

  package static let share = MethodKey<ShareCheckout>(
    "checkout.share", "Lets another user or group use a checkout; for its owner.",
    checkoutID,
    Parameter<Share.Role>("role", .word, "observe: look on; drive: all but share."),
    uid, gid,
    result: nothing,
    errors: [.quotaExceeded] + commandErrors
      + ErrorRow.rows(.unknownCheckout, .checkoutEnded),
    examples: Examples.share, make: ShareCheckout.init)

  package static let unshare = MethodKey<UnshareCheckout>(
    "checkout.unshare", "Takes a share back; for the checkout's owner.",
    checkoutID, uid, gid,
    result: nothing, errors: commandErrors + ErrorRow.rows(.unknownCheckout, .checkoutEnded),
    examples: Examples.unshare, make: UnshareCheckout.init)
}
