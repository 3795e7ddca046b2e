/// What a client chose when it started the checkout.
package struct Settings: Sendable, Equatable {
  /// Who creates the payment.
  package enum PaymentHandling: String, Sendable, CaseIterable {
    /// The daemon.
    case auto
    /// The client's backend, by decisions.
    case manual
  }

  /// Who creates the payment.
  package var paymentHandling: PaymentHandling
  /// The shopper's language and region, as in `nl-NL`.
  package var locale: String
  /// Where Stripe's collector returns to, as in `kiosk://checkout`.
  package var urlScheme: String?
  /// Stripe's key for the collector.
  package var stripePublishableKey: String?
  /// The whole text of the mandate.
  package var mandateText: String?
  /// The name for a mandate of the client's own wording.
  package var merchantName: String?
  /// Whether the client wants to decide before the payment is created.
  package var decidesOnPaymentCreation: Bool
  /// How long a decision may take, instead of each decision's own default.
  package var decisionTimeout: Milliseconds?

  /// Makes settings.
  package init(
    paymentHandling: PaymentHandling = .auto, locale: String = "en-US", urlScheme: String? = nil,
    stripePublishableKey: String? = nil, mandateText: String? = nil, merchantName: String? = nil,
    decidesOnPaymentCreation: Bool = false, decisionTimeout: Milliseconds? = nil
  ) {
    self.paymentHandling = paymentHandling
    self.locale = locale
    self.urlScheme = urlScheme
    self.stripePublishableKey = stripePublishableKey
    self.mandateText = mandateText
    self.merchantName = merchantName
    self.decidesOnPaymentCreation = decidesOnPaymentCreation
    self.decisionTimeout = decisionTimeout
  }
}

/// The spans that an administrator may set, in milliseconds.
package struct Spans: Sendable, Equatable {
  /// How long an unsubmitted checkout lives at most.
  package var checkout: Milliseconds = 24 * 3600 * 1000
  /// How long a redirect's status is polled at most.
  package var poll: Milliseconds = 30 * 60 * 1000
  /// How long an attempt to reach upstream goes on before the payment exists.
  package var attempt: Milliseconds = 5 * 60 * 1000
  /// How long `willCreatePayment` waits for a decision.
  package var creationDecision: Milliseconds = 60 * 1000
  /// How long the other decisions wait.
  package var decision: Milliseconds = 10 * 60 * 1000
  /// How long after sending a payment's creation its fate is settled upstream.
  package var paymentCreation: Milliseconds = 100 * 1000

  /// The defaults.
  package init() {}
}
