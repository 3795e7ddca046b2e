/// What goes wrong in a checkout, in Primer's words.
///
/// The two cases that the pages of `provideBanksComponent` and of `provide` name are cases here.
/// Everything else the daemon has to say is in ``daemonError(_:)``, to be told apart by
/// ``errorId``.
public enum PrimerError: Error, Sendable, Hashable {
  /// The checkout does not offer that payment method, or another manager provides it.
  case unsupportedPaymentMethod(
    paymentMethodType: String, reason: String?, diagnosticsId: String = "")

  /// A call came at the wrong time, such as `provide` before the checkout was started.
  case genericError(message: String, diagnosticsId: String = "")

  /// Any other error.
  case daemonError(CheckoutErrorDetails)
}

extension PrimerError: CustomStringConvertible {
  /// What went wrong, as in `invalid-client-token`; programs switch on it.
  public var errorId: String {
    switch self {
    case .unsupportedPaymentMethod: "unsupported-payment-method-type"
    case .genericError: "generic-error"
    case .daemonError(let details): details.errorId
    }
  }

  /// What went wrong, for people to read.
  public var errorDescription: String? {
    switch self {
    case .unsupportedPaymentMethod(let type, let reason, _):
      reason ?? "The payment method \(type) is not offered"
    case .genericError(let message, _): message
    case .daemonError(let details): details.description
    }
  }

  /// To be found again in the daemon's journal; empty if nothing was written there.
  public var diagnosticsId: String {
    switch self {
    case .unsupportedPaymentMethod(_, _, let id), .genericError(_, let id): id
    case .daemonError(let details): details.diagnosticsId ?? ""
    }
  }

  /// What to do about it, where there is something to do.
  public var recoverySuggestion: String? {
    guard case .daemonError(let details) = self else { return nil }
    return details.recoverySuggestion
  }

  /// Id, text, what it is about and the id for the journal in one line.
  public var description: String {
    var said = errorDescription ?? ""
    if case .daemonError(let details) = self { said = details.wholeDescription }
    let text = "[\(errorId)] \(said)"
    return diagnosticsId.isEmpty ? text : "\(text) (diagnosticsId: \(diagnosticsId))"
  }

  init(_ details: CheckoutErrorDetails, paymentMethodType: String? = nil) {
    let id = details.diagnosticsId ?? ""
    switch (details.errorId, paymentMethodType) {
    case ("unsupported-payment-method-type", let type?),
      ("unsupported-payment-method-for-manager", let type?):
      self = .unsupportedPaymentMethod(
        paymentMethodType: type, reason: details.description, diagnosticsId: id)
    case ("generic-error", _):
      self = .genericError(message: details.description, diagnosticsId: id)
    default: self = .daemonError(details)
    }
  }

  init(_ error: CheckoutClientError, paymentMethodType: String? = nil) {
    if let details = error.details {
      self.init(details, paymentMethodType: paymentMethodType)
    } else {
      self = .daemonError(
        CheckoutErrorDetails(errorId: "daemon-unreachable", description: "\(error)"))
    }
  }
}
