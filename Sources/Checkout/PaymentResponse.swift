/// An answer about a payment.
package struct PaymentResponse: Sendable, Equatable {
  /// The payment's state, in upstream's own word.
  package struct Status: RawRepresentable, Sendable, Equatable {
    /// The word as it was received.
    package let rawValue: String

    /// Takes any word.
    package init(rawValue: String) { self.rawValue = rawValue }

    /// What a word means for the checkout.
    package enum Meaning: Sendable, Equatable {
      /// The money is promised or has moved.
      case made
      /// The money is on its way: for a bank debit that may take days and still fail.
      case settling
      /// Nothing is decided.
      case pending
      /// No money moves.
      case failed
      /// This version does not know the word.
      case unknown
    }

    package static let failed = Status(rawValue: "FAILED")
    package static let pending = Status(rawValue: "PENDING")
    package static let success = Status(rawValue: "SUCCESS")

    /// What the word means: the create call's own three, and those of a payment's life cycle.
    package var meaning: Meaning {
      switch rawValue {
      case "SUCCESS", "AUTHORIZED", "PARTIALLY_SETTLED", "SETTLED": .made
      case "SETTLING": .settling
      case "PENDING": .pending
      case "FAILED", "DECLINED", "CANCELLED": .failed
      default: .unknown
      }
    }

    /// Whether the payment counts as made: a bank debit that is on its way does not.
    package func isMade(byBankDebit isBankDebit: Bool) -> Bool {
      meaning == .made || (meaning == .settling && !isBankDebit)
    }
  }

  /// What upstream says of the checkout as a whole, above the status.
  package enum CheckoutOutcome: String, Sendable {
    case complete = "CHECKOUT_COMPLETE"
    case failure = "CHECKOUT_FAILURE"
    case determineFromPaymentStatus = "DETERMINE_FROM_PAYMENT_STATUS"
  }

  /// The payment's id.
  package var id: String?
  /// The merchant's id of the order.
  package var orderID: String?
  /// The payment's state; `nil` only where ``checkoutOutcome`` says enough.
  package var status: Status?
  /// What the checkout came to.
  package var checkoutOutcome: CheckoutOutcome
  /// Whether `PENDING` counts as success after a resume.
  package var showsSuccessOnPending: Bool
  /// What must be done before the payment can go on.
  package var requiredAction: RequiredAction?

  /// Makes a response.
  package init(
    id: String?, orderID: String? = nil, status: Status?,
    checkoutOutcome: CheckoutOutcome = .determineFromPaymentStatus,
    showsSuccessOnPending: Bool = false, requiredAction: RequiredAction? = nil
  ) {
    self.id = id
    self.orderID = orderID
    self.status = status
    self.checkoutOutcome = checkoutOutcome
    self.showsSuccessOnPending = showsSuccessOnPending
    self.requiredAction = requiredAction
  }
}

extension Payment {
  /// What the latest status means; `nil` if none was heard.
  package var meaning: PaymentResponse.Status.Meaning? {
    status.map { PaymentResponse.Status(rawValue: $0).meaning }
  }
}
