import ValueTree

/// A payment, as far as it is known.
public struct PrimerCheckoutDataPayment: Sendable, Hashable {
  /// Primer's id of the payment.
  public let id: String?

  /// Your own id of the order.
  public let orderId: String?

  /// As in `SUCCESS`, `PENDING` or `FAILED`.
  public let status: String?

  /// Why it failed, as an `errorId`; nil if it has not.
  public let paymentFailureReason: String?

  /// Makes a payment, to tell of one that your backend has completed.
  ///
  /// - Parameters:
  ///   - id: Primer's id of the payment.
  ///   - orderId: Your own id of the order.
  ///   - status: As in `SUCCESS`.
  public init(id: String? = nil, orderId: String? = nil, status: String? = nil) {
    self.id = id
    self.orderId = orderId
    self.status = status
    paymentFailureReason = nil
  }

  /// The payment as a decision tells of it.
  var value: Value {
    let members = [("id", id), ("orderId", orderId), ("status", status)]
    return .object(members.compactMap { name, text in text.map { .init(name, .string($0)) } })
  }

  init(_ value: Value, failureReason: String? = nil) {
    id = value["id"]?.string
    orderId = value["orderId"]?.string
    status = value["status"]?.string
    paymentFailureReason = failureReason
  }
}

/// What a checkout came to.
public struct PrimerCheckoutData: Sendable, Hashable {
  /// The payment, once there is one.
  public let payment: PrimerCheckoutDataPayment?

  /// `success`, `pending` or `handledByClient`; of a failed checkout `failed`, `cancelled`, or
  /// `unknown`, when a payment may exist and no other must be started.
  public let checkoutOutcome: String?
}

/// Something that the shopper must be shown for the checkout to go on.
public protocol PrimerCheckoutAdditionalInfo: Sendable {}

/// Something that the shopper must be shown for an ACH payment to go on.
public protocol ACHAdditionalInfo: PrimerCheckoutAdditionalInfo {}

/// The shopper must give a bank account, in Stripe's collector.
///
/// On iOS this carries a view controller. Here it carries what Stripe's own code needs; tell what
/// came of it with ``StripeAchUserDetailsComponent/reportBankAccount(_:)``.
public struct ACHBankAccountCollectorAdditionalInfo: ACHAdditionalInfo, Hashable {
  /// Stripe's key for your account.
  public let publishableKey: String

  /// The secret of Stripe's payment intent.
  public let clientSecret: String

  /// Where the collector returns to.
  public let returnUrl: String

  /// The shopper's name.
  public let fullName: String

  /// The shopper's e-mail address.
  public let emailAddress: String
}

/// The shopper must accept or decline the mandate; see `mandateDelegate` of ``AchManager``.
public struct ACHMandateAdditionalInfo: ACHAdditionalInfo, Hashable {
  /// The text, if the settings have one.
  public let text: String?

  /// The merchant for your own wording, if the settings name one.
  public let merchantName: String?
}

enum AdditionalInfoReader {
  /// Reads an `info`; nil if this version does not know it.
  static func info(_ value: Value) -> (any PrimerCheckoutAdditionalInfo)? {
    func text(_ name: String) -> String { value[name]?.string ?? "" }
    return switch value["kind"]?.string {
    case "bankAccountCollector":
      ACHBankAccountCollectorAdditionalInfo(
        publishableKey: text("publishableKey"), clientSecret: text("clientSecret"),
        returnUrl: text("returnUrl"), fullName: text("fullName"),
        emailAddress: text("emailAddress"))
    case "mandate":
      ACHMandateAdditionalInfo(
        text: value["text"]?.string, merchantName: value["merchantName"]?.string)
    default: nil
    }
  }
}
