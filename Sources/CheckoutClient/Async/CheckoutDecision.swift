import ValueTree

/// What can be decided when an event asks.
public enum CheckoutDecision: Sendable, Hashable {
  /// Create the payment; under this idempotency key, or one that the daemon makes.
  case createPayment(idempotencyKey: String? = nil)

  /// End the checkout, which fails as `merchant-error` with this message.
  case abort(message: String? = nil)

  /// Manual handling: go on with the token of the payment's required action.
  case continueWithNewClientToken(String)

  /// Manual handling: your backend has completed the payment; the checkout's end tells of it.
  case complete(payment: PrimerCheckoutDataPayment? = nil)

  /// The errors that say that it was decided already.
  static let settledBy = ["not-awaited", "checkout-ended"]

  var members: [Value.Member] {
    switch self {
    case .createPayment(let key):
      [.init("decision", "continue")]
        + (key.map { [.init("paymentIdempotencyKey", .string($0))] } ?? [])
    case .abort(let message):
      [.init("decision", "abort")] + (message.map { [.init("message", .string($0))] } ?? [])
    case .continueWithNewClientToken(let token):
      [.init("decision", "continueWithNewClientToken"), .init("clientToken", .string(token))]
    case .complete(let payment):
      [.init("decision", "complete")] + (payment.map { [.init("payment", $0.value)] } ?? [])
    }
  }
}
