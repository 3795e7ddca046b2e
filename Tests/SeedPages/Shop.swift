import CheckoutClient

/// The delegates that the pages mention, by the top-level names, as an app has them.
final class Shop: PrimerHeadlessUniversalCheckoutDelegate {
  let achManager = AchManager()
  let redirectManager = ComponentWithRedirectManager()
  var achScreen: AchScreen?
  var log: [String] = []

  func start(_ clientToken: String, then show: @escaping () -> Void) {
    let settings = PrimerSettings(
      paymentMethodOptions: PrimerPaymentMethodOptions(
        urlScheme: "kiosk://checkout",
        stripeOptions: PrimerStripeOptions(
          publishableKey: "pk_test_example", mandateData: .fullMandate(text: "I agree"))))
    PrimerHeadlessUniversalCheckout.current.start(
      withClientToken: clientToken, settings: settings, delegate: self
    ) { paymentMethods, err in
      self.log.append("started \(paymentMethods?.count ?? 0) \(err == nil)")
      show()
    }
  }

  func primerHeadlessUniversalCheckoutDidLoadAvailablePaymentMethods(
    _ paymentMethods: [PrimerHeadlessUniversalCheckout.PaymentMethod]
  ) {
    log.append("loaded \(paymentMethods.map { $0.paymentMethodType })")
  }

  func primerHeadlessUniversalCheckoutDidStartTokenization(for paymentMethodType: String) {
    log.append("tokenizing \(paymentMethodType)")
  }

  func primerHeadlessUniversalCheckoutDidCompleteCheckoutWithData(_ data: PrimerCheckoutData) {
    log.append("completed \(data.payment?.id == nil ? "without" : "with") a payment")
  }

  func primerHeadlessUniversalCheckoutDidFail(
    withError err: Error, checkoutData: PrimerCheckoutData?
  ) {
    log.append("failed \((err as? PrimerError)?.errorId ?? "")")
  }

  func primerHeadlessUniversalCheckoutWillCreatePaymentWithData(
    _ data: PrimerCheckoutPaymentMethodData,
    decisionHandler: @escaping (PrimerPaymentCreationDecision) -> Void
  ) {
    log.append("will pay with \(data.paymentMethodType.type)")
    decisionHandler(.continuePaymentCreation())
  }

  func primerHeadlessUniversalCheckoutDidReceiveAdditionalInfo(
    _ additionalInfo: PrimerCheckoutAdditionalInfo?
  ) {
    switch additionalInfo {
    case let info as ACHBankAccountCollectorAdditionalInfo:
      log.append("collector for \(info.fullName)")
      achScreen?.stripeAchComponent?.reportBankAccount(.succeeded(paymentId: "pi_example"))
    case is ACHMandateAdditionalInfo:
      log.append("mandate")
      achScreen?.manager.mandateDelegate?.acceptMandate()
    default: break
    }
  }
}
