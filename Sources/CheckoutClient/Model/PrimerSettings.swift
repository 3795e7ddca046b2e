import ValueTree

/// Who creates the payment.
public enum PrimerPaymentHandling: String, Sendable, Hashable {
  /// The daemon does.
  case auto

  /// Your backend does, with the token that the delegate gets.
  case manual
}

/// The language and region of the shopper.
public struct PrimerLocaleData: Sendable, Hashable {
  /// As in `nl` or `nl-NL`.
  public let localeCode: String

  /// Makes a locale.
  ///
  /// - Parameters:
  ///   - languageCode: As in `nl`; English if there is none.
  ///   - regionCode: As in `NL`.
  public init(languageCode: String? = nil, regionCode: String? = nil) {
    let language = languageCode ?? "en"
    localeCode = regionCode.map { "\(language)-\($0)" } ?? language
  }
}

/// What ACH needs.
public struct PrimerStripeOptions: Sendable, Hashable {
  /// What the shopper accepts.
  public enum MandateData: Sendable, Hashable {
    /// A text of your own.
    case fullMandate(text: String)

    /// Your own wording, about this merchant.
    case templateMandate(merchantName: String)
  }

  /// Stripe's key for your account.
  public let publishableKey: String

  /// What the shopper accepts, to be handed on with the mandate's event.
  public let mandateData: MandateData?

  /// Makes options.
  ///
  /// - Parameters:
  ///   - publishableKey: Stripe's key for your account.
  ///   - mandateData: What the shopper accepts.
  public init(publishableKey: String, mandateData: MandateData? = nil) {
    self.publishableKey = publishableKey
    self.mandateData = mandateData
  }
}

/// What single payment methods need.
public struct PrimerPaymentMethodOptions: Sendable, Hashable {
  /// Where Stripe's collector returns to, as in `kiosk://checkout`.
  public let urlScheme: String?

  /// What ACH needs.
  public let stripeOptions: PrimerStripeOptions?

  /// Makes options.
  ///
  /// - Parameters:
  ///   - urlScheme: Where Stripe's collector returns to.
  ///   - stripeOptions: What ACH needs.
  public init(urlScheme: String? = nil, stripeOptions: PrimerStripeOptions? = nil) {
    self.urlScheme = urlScheme
    self.stripeOptions = stripeOptions
  }
}

/// How a checkout is to go.
public struct PrimerSettings: Sendable, Hashable {
  /// Who creates the payment.
  public let paymentHandling: PrimerPaymentHandling

  /// The language and region of the shopper; nil for the daemon's default.
  public let localeData: PrimerLocaleData?

  /// What single payment methods need.
  public let paymentMethodOptions: PrimerPaymentMethodOptions

  /// Makes settings.
  ///
  /// - Parameters:
  ///   - paymentHandling: Who creates the payment.
  ///   - localeData: The language and region of the shopper.
  ///   - paymentMethodOptions: What single payment methods need.
  public init(
    paymentHandling: PrimerPaymentHandling = .auto, localeData: PrimerLocaleData? = nil,
    paymentMethodOptions: PrimerPaymentMethodOptions? = nil
  ) {
    self.paymentHandling = paymentHandling
    self.localeData = localeData
    self.paymentMethodOptions = paymentMethodOptions ?? PrimerPaymentMethodOptions()
  }

  /// The `settings` of `checkout.start`.
  var value: Value {
    var members: [Value.Member] = [
      .init("paymentHandling", .string(paymentHandling.rawValue))
    ]
    if let localeData { members.append(.init("locale", .string(localeData.localeCode))) }
    if let scheme = paymentMethodOptions.urlScheme {
      members.append(.init("urlScheme", .string(scheme)))
    }
    guard let stripe = paymentMethodOptions.stripeOptions else { return .object(members) }
    var options = [Value.Member("publishableKey", .string(stripe.publishableKey))]
    switch stripe.mandateData {
    case .fullMandate(let text): options.append(.init("mandateText", .string(text)))
    case .templateMandate(let name): options.append(.init("merchantName", .string(name)))
    case nil: break
    }
    return .object(members + [.init("stripe", .object(options))])
  }
}
