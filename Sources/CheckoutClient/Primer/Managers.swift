/// The manager under its own name.
public typealias ComponentWithRedirectManager =
  PrimerHeadlessUniversalCheckout.ComponentWithRedirectManager

/// The manager under its own name.
public typealias AchManager = PrimerHeadlessUniversalCheckout.AchManager

extension PrimerHeadlessUniversalCheckout {
  /// Provides components whose payment redirects the shopper, of the checkout that is started.
  public final class ComponentWithRedirectManager: Sendable {
    private let checkout: PrimerHeadlessUniversalCheckout

    /// Makes a manager of ``PrimerHeadlessUniversalCheckout/current``.
    public init() { checkout = .current }

    /// Makes a manager of another checkout, for tests.
    package init(of checkout: PrimerHeadlessUniversalCheckout) { self.checkout = checkout }

    /// Provides the component that collects the shopper's bank.
    ///
    /// Asked again, it is the same component at the daemon; the object is a new one. The call takes
    /// one exchange over the local socket, during which the thread waits.
    ///
    /// - Parameter paymentMethodType: `ADYEN_IDEAL`.
    /// - Returns: A ``BanksComponent``.
    /// - Throws: ``PrimerError/unsupportedPaymentMethod(paymentMethodType:reason:diagnosticsId:)``
    ///   for another type, or one that the checkout does not offer;
    ///   ``PrimerError/genericError(message:diagnosticsId:)`` if no checkout is started; else
    ///   ``PrimerError/daemonError(_:)``.
    public func provideBanksComponent(
      paymentMethodType: String
    ) throws -> any PrimerHeadlessMainComponent {
      try banksComponent(paymentMethodType)
    }

    /// Provides a component as the type that the caller expects.
    ///
    /// - Parameter paymentMethodType: `ADYEN_IDEAL`.
    /// - Returns: The component, never nil.
    /// - Throws: As ``provideBanksComponent(paymentMethodType:)``; and
    ///   ``PrimerError/unsupportedPaymentMethod(paymentMethodType:reason:diagnosticsId:)`` if the
    ///   component is not of the expected type, where Primer's SDK returns nil.
    public func provide<MainComponent>(paymentMethodType: String) throws -> MainComponent? {
      try cast(try banksComponent(paymentMethodType), for: paymentMethodType)
    }

    private func banksComponent(_ type: String) throws(PrimerError) -> BanksHeadlessComponent {
      let component = try checkout.provide(.componentWithRedirect, type)
      return try cast(component, for: type)
    }
  }

  /// Provides the components of ACH payments, of the checkout that is started.
  public final class AchManager: Sendable {
    private let checkout: PrimerHeadlessUniversalCheckout
    private let provided = Guarded<AchHeadlessComponent?>(nil)

    /// Makes a manager of ``PrimerHeadlessUniversalCheckout/current``.
    public init() { checkout = .current }

    /// Makes a manager of another checkout, for tests.
    package init(of checkout: PrimerHeadlessUniversalCheckout) { self.checkout = checkout }

    /// Takes the shopper's answer to the mandate that ``ACHMandateAdditionalInfo`` has asked for; nil
    /// until a component is provided.
    public var mandateDelegate: (any ACHMandateDelegate)? { provided.withLock { $0 } }

    /// Provides the component that collects the shopper's details.
    ///
    /// Asked again, it is the same component at the daemon; the object is a new one. The call takes
    /// one exchange over the local socket, during which the thread waits. The component need not be
    /// kept: letting go of it stops no payment.
    ///
    /// - Parameter paymentMethodType: `STRIPE_ACH`.
    /// - Returns: The component, never nil.
    /// - Throws: ``PrimerError/unsupportedPaymentMethod(paymentMethodType:reason:diagnosticsId:)``
    ///   for another type, or one that the checkout does not offer, or if the component is not of
    ///   the expected type, where Primer's SDK returns nil;
    ///   ``PrimerError/genericError(message:diagnosticsId:)`` if no checkout is started; else
    ///   ``PrimerError/daemonError(_:)``, as for settings without `stripeOptions` or `urlScheme`.
    public func provide<PrimerHeadlessAchComponent>(
      paymentMethodType: String
    ) throws -> PrimerHeadlessAchComponent? {
      let component: AchHeadlessComponent = try cast(
        try checkout.provide(.stripeAch, paymentMethodType), for: paymentMethodType)
      let expected: PrimerHeadlessAchComponent = try cast(component, for: paymentMethodType)
      provided.withLock { $0 = component }
      return expected
    }
  }
}

private func cast<Expected>(
  _ component: any HeadlessComponent, for type: String
) throws(PrimerError) -> Expected {
  guard let component = component as? Expected else {
    throw .unsupportedPaymentMethod(
      paymentMethodType: type, reason: "The component of \(type) is no \(Expected.self)")
  }
  return component
}
