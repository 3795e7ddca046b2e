import ValueTree

/// Something that happened to a checkout.
public struct CheckoutEvent: Sendable {
  /// The checkout it happened to.
  public let checkoutId: String

  /// Its number: from 1, without gaps, for each checkout.
  public let seq: Int64

  /// When it happened, as RFC 3339 has it, in UTC.
  public let time: String

  /// The component it happened to, if it happened to one.
  public let componentId: String?

  /// What happened.
  public let kind: Kind

  /// What the daemon waits for before it goes on.
  public struct Decision: Sendable, Hashable, Identifiable {
    /// What to name in ``Checkout/decide(_:_:)``.
    public let id: String

    /// Until when, as RFC 3339 has it, in UTC.
    public let deadline: String?
  }

  /// What happened.
  public enum Kind: Sendable {
    /// The configuration is loaded.
    case didLoadAvailablePaymentMethods([PrimerHeadlessUniversalCheckout.PaymentMethod])
    /// A component has come to a step.
    case didReceiveStep(any PrimerHeadlessStep)
    /// Collected data is being judged, or has been.
    case didUpdateValidationStatus(PrimerValidationStatus, (any PrimerCollectableData)?)
    /// Something went wrong that the shopper or the program can mend.
    case didReceiveError(PrimerError)
    /// The payment is about to be created; with a decision, only once it is taken.
    case willCreatePayment(paymentMethodType: String, Decision?)
    /// The payment method is being tokenized.
    case didStartTokenization(paymentMethodType: String)
    /// The payment method is tokenized; in manual handling, your backend goes on.
    case didTokenizePaymentMethod(PrimerPaymentMethodTokenData, Decision?)
    /// The shopper must be shown something.
    case didReceiveAdditionalInfo(any PrimerCheckoutAdditionalInfo)
    /// Manual handling: your backend resumes the payment with this token.
    case didResumeWith(resumeToken: String, Decision?)
    /// The client session is about to change.
    case willUpdateClientSession(PrimerClientSession)
    /// The client session has changed.
    case didUpdateClientSession(PrimerClientSession)
    /// The checkout has ended well.
    case didCompleteCheckout(PrimerCheckoutData)
    /// The checkout has ended otherwise; see the data's outcome.
    case didFail(PrimerError, PrimerCheckoutData)
    /// Something that this version of the library does not know.
    case other(name: String)
  }

  /// Whether no event follows this one.
  public var isTerminal: Bool {
    switch kind {
    case .didCompleteCheckout, .didFail: true
    default: false
    }
  }
}

extension CheckoutEvent {
  /// Reads an event.
  init(_ event: ClientEvent) {
    let params = event.params
    checkoutId = params["checkoutId"]?.string ?? ""
    seq = (params["seq"] ?? params["to"])?.integer ?? 0
    time = params["time"]?.string ?? ""
    componentId = params["componentId"]?.string
    kind = Kind(event) ?? .other(name: event.method)
  }
}

extension CheckoutEvent.Kind {
  fileprivate init?(_ event: ClientEvent) {
    let params = event.params
    let type = params["paymentMethodType"]?.string ?? ""
    let decision = params["decisionId"]?.string.map {
      CheckoutEvent.Decision(id: $0, deadline: params["deadline"]?.string)
    }
    switch event.method {
    case "checkout.didLoadAvailablePaymentMethods":
      self = .didLoadAvailablePaymentMethods(.init(params))
    case "component.didReceiveStep":
      guard let step = params["step"].flatMap(StepReader.step) else { return nil }
      self = .didReceiveStep(step)
    case "component.didUpdateValidationStatus":
      guard let status = PrimerValidationStatus(params) else { return nil }
      self = .didUpdateValidationStatus(status, params["data"].flatMap(CollectedData.data))
    case "component.didReceiveError": self = .didReceiveError(PrimerError(errorOf: params))
    case "checkout.willCreatePayment": self = .willCreatePayment(paymentMethodType: type, decision)
    case "checkout.didStartTokenization": self = .didStartTokenization(paymentMethodType: type)
    case "checkout.didTokenizePaymentMethod":
      self = .didTokenizePaymentMethod(
        PrimerPaymentMethodTokenData(
          params["paymentMethodTokenData"] ?? .object([]), paymentMethodType: type), decision)
    case "checkout.didReceiveAdditionalInfo":
      guard let info = params["info"].flatMap(AdditionalInfoReader.info) else { return nil }
      self = .didReceiveAdditionalInfo(info)
    case "checkout.didResumeWith":
      self = .didResumeWith(resumeToken: params["resumeToken"]?.string ?? "", decision)
    case "checkout.willUpdateClientSession":
      self = .willUpdateClientSession(PrimerClientSession(params["clientSession"] ?? .object([])))
    case "checkout.didUpdateClientSession":
      self = .didUpdateClientSession(PrimerClientSession(params["clientSession"] ?? .object([])))
    case "checkout.didCompleteCheckout": self = .didCompleteCheckout(PrimerCheckoutData(params))
    case "checkout.didFail":
      let error = PrimerError(errorOf: params)
      self = .didFail(error, PrimerCheckoutData(params, failureReason: error.errorId))
    default: return nil
    }
  }
}

extension PrimerError {
  /// Reads the `error` of an event.
  fileprivate init(errorOf params: Value) {
    self.init(CheckoutErrorDetails(params["error"] ?? .object([])))
  }
}

extension PrimerCheckoutData {
  /// Reads `payment` and `outcome` of an event or a snapshot.
  init(_ params: Value, failureReason: String? = nil) {
    payment = params["payment"].map {
      PrimerCheckoutDataPayment($0, failureReason: failureReason)
    }
    checkoutOutcome = params["outcome"]?.string
  }
}
