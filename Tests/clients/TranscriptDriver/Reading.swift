import CheckoutClient
import ValueTree

extension Value {
  /// The text of a member.
  func text(_ name: String) -> String? { self[name]?.string }

  /// The one field that this is.
  var collectable: any PrimerCollectableData {
    let member = object?.first
    let text = member?.value.string ?? ""
    return switch member?.name {
    case "firstName": ACHUserDetailsCollectableData.firstName(text)
    case "lastName": ACHUserDetailsCollectableData.lastName(text)
    case "emailAddress": ACHUserDetailsCollectableData.emailAddress(text)
    default: BanksCollectableData.bankId(bankId: text)
    }
  }
}

extension PrimerSettings {
  /// Reads the `settings` of `checkout.start`.
  init(written value: Value) {
    let locale = value.text("locale")?.split(separator: "-").map(String.init)
    self.init(
      paymentHandling: value.text("paymentHandling") == "manual" ? .manual : .auto,
      localeData: locale.map {
        PrimerLocaleData(languageCode: $0.first, regionCode: $0.dropFirst().first)
      },
      paymentMethodOptions: PrimerPaymentMethodOptions(
        urlScheme: value.text("urlScheme"),
        stripeOptions: value["stripe"].map(PrimerStripeOptions.init(written:))))
  }
}

extension PrimerStripeOptions {
  /// Reads `stripe`.
  init(written value: Value) {
    let merchant = value.text("merchantName").map(MandateData.templateMandate(merchantName:))
    self.init(
      publishableKey: value.text("publishableKey") ?? "",
      mandateData: value.text("mandateText").map(MandateData.fullMandate(text:)) ?? merchant)
  }
}

extension PrimerCheckoutDataPayment {
  /// Reads the `payment` of a decision.
  init(written value: Value) {
    self.init(
      id: value.text("id"), orderId: value.text("orderId"), status: value.text("status"))
  }
}

extension BankAccountOutcome {
  /// Reads the parameters of `component.reportBankAccount`.
  init(written params: Value) {
    switch params.text("outcome") {
    case "succeeded": self = .succeeded(paymentId: params.text("paymentId") ?? "")
    case "failed":
      self = .failed(
        errorId: params["error"]?.text("errorId") ?? "",
        description: params["error"]?.text("description"))
    default: self = .cancelled
    }
  }
}
