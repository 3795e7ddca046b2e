import ValueTree

/// A checkout as it was at one moment.
public struct CheckoutSnapshot: Sendable {
  /// The checkout's id.
  public let checkoutId: String

  /// Where it is.
  public let state: CheckoutState

  /// The number of its latest event.
  public let seq: Int64

  /// Who creates the payment.
  public let paymentHandling: PrimerPaymentHandling?

  /// What can be paid with.
  public let availablePaymentMethods: [PrimerHeadlessUniversalCheckout.PaymentMethod]

  /// What is bought, and by whom.
  public let clientSession: PrimerClientSession?

  /// The components that have been provided.
  public let components: [Component]

  /// What the daemon waits for.
  public let awaiting: [Awaited]

  /// The payment and what the checkout came to, once known.
  public let checkoutData: PrimerCheckoutData

  /// Why it failed, if it did.
  public let error: PrimerError?

  /// Whether it has ended.
  public var isEnded: Bool { [.completed, .failed, .archived].contains(state) }

  /// A component as it was at one moment.
  public struct Component: Sendable, Identifiable {
    /// The component's id.
    public let id: String

    /// As in `ADYEN_IDEAL`.
    public let paymentMethodType: String

    /// What it has come to; nil before its start.
    public let step: (any PrimerHeadlessStep)?

    /// What it has collected.
    public let data: [any PrimerCollectableData]

    /// What has come of judging the data, by the name of the field, as in `bankId`.
    public let validation: [String: PrimerValidationStatus]

    /// Whether it can be submitted now.
    public let isSubmittable: Bool

    /// The fields that are missing or invalid.
    public let missing: [String]

    init(_ value: Value) {
      id = value["componentId"]?.string ?? ""
      paymentMethodType = value["paymentMethodType"]?.string ?? ""
      step = StepReader.current(of: value)
      data = (value["data"]?.object ?? []).compactMap(CollectedData.data)
      let judged = (value["validation"]?.object ?? []).compactMap { field in
        PrimerValidationStatus(field.value).map { (field.name, $0) }
      }
      validation = Dictionary(judged) { $1 }
      isSubmittable = value["submittable"]?.bool ?? false
      missing = (value["missing"]?.array ?? []).compactMap(\.string)
    }
  }

  /// Something that the daemon waits for.
  public enum Awaited: Sendable {
    /// A decision about what the event of that name told.
    case decision(CheckoutEvent.Decision, event: String)
    /// The shopper, at the page with this address.
    case redirect(url: String)
    /// The shopper's bank account.
    case bankAccount(ACHBankAccountCollectorAdditionalInfo)
    /// The shopper's consent.
    case mandate(ACHMandateAdditionalInfo)
    /// Something that this version of the library does not know.
    case other(kind: String)

    init(_ value: Value) {
      let kind = value["kind"]?.string ?? ""
      let info = value["info"].flatMap(AdditionalInfoReader.info)
      switch (kind, info) {
      case ("decision", _):
        self = .decision(
          .init(id: value["decisionId"]?.string ?? "", deadline: value["deadline"]?.string),
          event: value["event"]?.string ?? "")
      case ("redirect", _): self = .redirect(url: value["url"]?.string ?? "")
      case (_, let info as ACHBankAccountCollectorAdditionalInfo): self = .bankAccount(info)
      case (_, let info as ACHMandateAdditionalInfo): self = .mandate(info)
      default: self = .other(kind: kind)
      }
    }
  }

  init(_ value: Value) throws(CheckoutClientError) {
    guard let id = value["checkoutId"]?.string else { throw .missing("checkoutId") }
    checkoutId = id
    state = CheckoutState(rawValue: value["state"]?.string ?? "")
    seq = value["seq"]?.integer ?? 0
    paymentHandling = value["paymentHandling"]?.string.flatMap(
      PrimerPaymentHandling.init(rawValue:))
    availablePaymentMethods = .init(value)
    clientSession = value["clientSession"].map(PrimerClientSession.init)
    components = (value["components"]?.array ?? []).map(Component.init)
    awaiting = (value["awaiting"]?.array ?? []).map(Awaited.init)
    checkoutData = PrimerCheckoutData(value, failureReason: value["error"]?["errorId"]?.string)
    error = value["error"].map { PrimerError(CheckoutErrorDetails($0)) }
  }
}
