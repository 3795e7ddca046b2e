/// What a delegate decides before a payment is created.
public struct PrimerPaymentCreationDecision: Sendable, Hashable {
  let decision: CheckoutDecision

  /// The payment is not created, and the checkout fails.
  ///
  /// - Parameter message: What the failure says.
  /// - Returns: The decision.
  public static func abortPaymentCreation(withErrorMessage message: String? = nil) -> Self {
    Self(decision: .abort(message: message))
  }

  /// The payment is created.
  ///
  /// - Parameter idempotencyKey: The key of the payment's request; the daemon makes one if there is
  ///   none.
  /// - Returns: The decision.
  public static func continuePaymentCreation(withIdempotencyKey idempotencyKey: String? = nil)
    -> Self
  {
    Self(decision: .createPayment(idempotencyKey: idempotencyKey))
  }
}

/// What a delegate decides once its backend has the token.
public struct PrimerHeadlessUniversalCheckoutResumeDecision: Sendable, Hashable {
  let decision: CheckoutDecision

  /// The checkout goes on with the token of the payment's required action.
  ///
  /// - Parameter newClientToken: The token.
  /// - Returns: The decision.
  public static func continueWithNewClientToken(_ newClientToken: String) -> Self {
    Self(decision: .continueWithNewClientToken(newClientToken))
  }

  /// The backend has completed the payment, and the checkout ends.
  ///
  /// - Returns: The decision.
  public static func complete() -> Self { Self(decision: .complete()) }
}

/// A payment method by its type alone.
public struct PrimerCheckoutPaymentMethodType: Sendable, Hashable {
  /// As in `ADYEN_IDEAL`.
  public let type: String
}

/// What a payment is about to be created with.
public struct PrimerCheckoutPaymentMethodData: Sendable, Hashable {
  /// The payment method.
  public let paymentMethodType: PrimerCheckoutPaymentMethodType
}

/// Gets the events of the checkout, on the main queue and in the order they happened.
///
/// All but the first method are optional. The daemon waits for what a decision handler is given, but
/// not for ever; a delegate that has no method for it, or is gone, continues with the payment's
/// creation, and leaves the other decisions to their deadline.
public protocol PrimerHeadlessUniversalCheckoutDelegate: AnyObject {
  /// The checkout has ended well.
  func primerHeadlessUniversalCheckoutDidCompleteCheckoutWithData(_ data: PrimerCheckoutData)

  /// The configuration is loaded: components can be provided.
  func primerHeadlessUniversalCheckoutDidLoadAvailablePaymentMethods(
    _ paymentMethods: [PrimerHeadlessUniversalCheckout.PaymentMethod])

  /// The payment method is being tokenized.
  func primerHeadlessUniversalCheckoutDidStartTokenization(for paymentMethodType: String)

  /// Manual handling: your backend creates the payment with this token.
  func primerHeadlessUniversalCheckoutDidTokenizePaymentMethod(
    _ paymentMethodTokenData: PrimerPaymentMethodTokenData,
    decisionHandler: @escaping (PrimerHeadlessUniversalCheckoutResumeDecision) -> Void)

  /// Manual handling: your backend resumes the payment with this token.
  func primerHeadlessUniversalCheckoutDidResumeWith(
    _ resumeToken: String,
    decisionHandler: @escaping (PrimerHeadlessUniversalCheckoutResumeDecision) -> Void)

  /// Of Primer's interface; none of the payment methods here calls it.
  func primerHeadlessUniversalCheckoutDidEnterResumePendingWithPaymentAdditionalInfo(
    _ additionalInfo: (any PrimerCheckoutAdditionalInfo)?)

  /// The shopper must be shown something for the checkout to go on.
  func primerHeadlessUniversalCheckoutDidReceiveAdditionalInfo(
    _ additionalInfo: (any PrimerCheckoutAdditionalInfo)?)

  /// The checkout has ended otherwise; the error is a ``PrimerError``.
  func primerHeadlessUniversalCheckoutDidFail(
    withError err: any Error, checkoutData: PrimerCheckoutData?)

  /// The client session is about to change.
  func primerHeadlessUniversalCheckoutWillUpdateClientSession()

  /// The client session has changed.
  func primerHeadlessUniversalCheckoutDidUpdateClientSession(_ clientSession: PrimerClientSession)

  /// The payment is about to be created.
  func primerHeadlessUniversalCheckoutWillCreatePaymentWithData(
    _ data: PrimerCheckoutPaymentMethodData,
    decisionHandler: @escaping (PrimerPaymentCreationDecision) -> Void)
}

extension PrimerHeadlessUniversalCheckoutDelegate {
  /// Does nothing.
  public func primerHeadlessUniversalCheckoutDidLoadAvailablePaymentMethods(
    _ paymentMethods: [PrimerHeadlessUniversalCheckout.PaymentMethod]
  ) {}

  /// Does nothing.
  public func primerHeadlessUniversalCheckoutDidStartTokenization(for paymentMethodType: String) {}

  /// Decides nothing.
  public func primerHeadlessUniversalCheckoutDidTokenizePaymentMethod(
    _ paymentMethodTokenData: PrimerPaymentMethodTokenData,
    decisionHandler: @escaping (PrimerHeadlessUniversalCheckoutResumeDecision) -> Void
  ) {}

  /// Decides nothing.
  public func primerHeadlessUniversalCheckoutDidResumeWith(
    _ resumeToken: String,
    decisionHandler: @escaping (PrimerHeadlessUniversalCheckoutResumeDecision) -> Void
  ) {}

  /// Does nothing.
  public func primerHeadlessUniversalCheckoutDidEnterResumePendingWithPaymentAdditionalInfo(
    _ additionalInfo: (any PrimerCheckoutAdditionalInfo)?
  ) {}

  /// Does nothing.
  public func primerHeadlessUniversalCheckoutDidReceiveAdditionalInfo(
    _ additionalInfo: (any PrimerCheckoutAdditionalInfo)?
  ) {}

  /// Does nothing.
  public func primerHeadlessUniversalCheckoutDidFail(
    withError err: any Error, checkoutData: PrimerCheckoutData?
  ) {}

  /// Does nothing.
  public func primerHeadlessUniversalCheckoutWillUpdateClientSession() {}

  /// Does nothing.
  public func primerHeadlessUniversalCheckoutDidUpdateClientSession(
    _ clientSession: PrimerClientSession
  ) {}

  /// Continues.
  public func primerHeadlessUniversalCheckoutWillCreatePaymentWithData(
    _ data: PrimerCheckoutPaymentMethodData,
    decisionHandler: @escaping (PrimerPaymentCreationDecision) -> Void
  ) {
    decisionHandler(.continuePaymentCreation())
  }
}

/// Gets what the program shows of a payment method; all methods are optional.
public protocol PrimerHeadlessUniversalCheckoutUIDelegate: AnyObject {
  /// A page is being prepared.
  func primerHeadlessUniversalCheckoutUIDidStartPreparation(for paymentMethodType: String)

  /// A page is there to be shown; its address is in ``WebRedirectStep/loaded(url:)``.
  func primerHeadlessUniversalCheckoutUIDidShowPaymentMethod(for paymentMethodType: String)

  /// The page has been reported as closed.
  func primerHeadlessUniversalCheckoutUIDidDismissPaymentMethod()
}

extension PrimerHeadlessUniversalCheckoutUIDelegate {
  /// Does nothing.
  public func primerHeadlessUniversalCheckoutUIDidStartPreparation(
    for paymentMethodType: String
  ) {}

  /// Does nothing.
  public func primerHeadlessUniversalCheckoutUIDidShowPaymentMethod(
    for paymentMethodType: String
  ) {}

  /// Does nothing.
  public func primerHeadlessUniversalCheckoutUIDidDismissPaymentMethod() {}
}
