import ValueTree

/// Which manager provides a payment method's component.
public enum PrimerPaymentMethodManagerCategory: String, Sendable, Hashable {
  /// ``PrimerHeadlessUniversalCheckout/ComponentWithRedirectManager``.
  case componentWithRedirect = "componentWithRedirectManager"

  /// ``PrimerHeadlessUniversalCheckout/AchManager``.
  case stripeAch = "achManager"

  /// The method that provides a component.
  var provideMethod: String { "\(rawValue).provide" }
}

extension PrimerHeadlessUniversalCheckout {
  /// Something that the checkout can be paid with.
  public struct PaymentMethod: Sendable, Hashable {
    /// As in `ADYEN_IDEAL`.
    public let paymentMethodType: String

    /// Its name, for people to read.
    public let paymentMethodName: String?

    /// Who provides its component.
    public let paymentMethodManagerCategories: [PrimerPaymentMethodManagerCategory]
  }
}

extension [PrimerHeadlessUniversalCheckout.PaymentMethod] {
  /// Reads the `availablePaymentMethods` of an event or a snapshot.
  init(_ value: Value) {
    self = (value["availablePaymentMethods"]?.array ?? []).map { method in
      let manager = method["manager"]?.string.flatMap(
        PrimerPaymentMethodManagerCategory.init(rawValue:))
      return PrimerHeadlessUniversalCheckout.PaymentMethod(
        paymentMethodType: method["type"]?.string ?? "",
        paymentMethodName: method["name"]?.string,
        paymentMethodManagerCategories: manager.map { [$0] } ?? [])
    }
  }
}
