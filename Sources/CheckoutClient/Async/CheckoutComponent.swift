import ValueTree

/// What came of Stripe's bank-account collector.
public enum BankAccountOutcome: Sendable, Hashable {
  /// The shopper has given an account; the id is the collector's.
  case succeeded(paymentId: String)

  /// The collector has failed, with an error of its own.
  case failed(errorId: String, description: String? = nil)

  /// The shopper has closed it.
  case cancelled

  var members: [Value.Member] {
    switch self {
    case .succeeded(let id):
      return [.init("outcome", "succeeded"), .init("paymentId", .string(id))]
    case .failed(let id, let description):
      let text = description.map { [Value.Member("description", .string($0))] } ?? []
      return [
        .init("outcome", "failed"),
        .init("error", .object([.init("errorId", .string(id))] + text)),
      ]
    case .cancelled: return [.init("outcome", "cancelled")]
    }
  }
}

/// What became of the page that a payment redirects to.
public enum RedirectOutcome: String, Sendable, Hashable {
  /// The shopper sees it.
  case presented

  /// It was closed.
  case dismissed
}

/// A component of a checkout: it collects what a payment method needs, and pays.
///
/// What happens to it is told by the checkout's ``Checkout/events(after:)``.
public struct CheckoutComponent: Sendable, Identifiable {
  /// The component's id.
  public let id: String

  /// The checkout it belongs to.
  public let checkout: Checkout

  let link: Link

  init(id: String, checkout: Checkout, link: Link) {
    self.id = id
    self.checkout = checkout
    self.link = link
  }

  /// Takes up a component that this or another process has been provided with.
  ///
  /// - Parameters:
  ///   - componentId: Its id.
  ///   - socketPath: Where the daemon listens; nil for ``Checkout/defaultSocketPath``.
  /// - Returns: The component.
  /// - Throws: ``CheckoutClientError``; refused with 1001 if there is none that this user may see.
  public static func attach(
    componentId: String, socketPath: String? = nil
  ) async throws(CheckoutClientError) -> CheckoutComponent {
    let path = socketPath ?? Checkout.defaultSocketPath
    let link = Link.shared(path: path)
    let known = try await link.call("component.get", ["componentId": .string(componentId)])
    guard let id = known["componentId"]?.string,
      let checkoutID = ComponentID.checkoutID(id)
    else { throw .missing("componentId") }
    return CheckoutComponent(
      id: id, checkout: Checkout(id: checkoutID, path: path, link: link), link: link)
  }

  /// The component as it is now.
  ///
  /// - Returns: The snapshot.
  /// - Throws: ``CheckoutClientError``.
  public func snapshot() async throws(CheckoutClientError) -> CheckoutSnapshot.Component {
    CheckoutSnapshot.Component(try await call("component.get"))
  }

  /// Starts the component; once, or again after a failure.
  ///
  /// - Returns: What it has come to: the banks, or the shopper's details.
  /// - Throws: ``CheckoutClientError``.
  @discardableResult
  public func start() async throws(CheckoutClientError) -> any PrimerHeadlessStep {
    let result = try await call("component.start", settledBy: ["already-started"])
    if let step = result["step"].flatMap(StepReader.step) { return step }
    guard let step = try await snapshot().step else { throw .missing("step") }
    return step
  }

  /// Hands over what the shopper chose or typed.
  ///
  /// - Parameter data: One field.
  /// - Returns: Whether it is valid.
  /// - Throws: ``CheckoutClientError``; refused with 1005 for another component's data.
  @discardableResult
  public func updateCollectedData(
    _ data: any PrimerCollectableData
  ) async throws(CheckoutClientError) -> PrimerValidationStatus {
    guard let data = CollectedData.value(of: data) else {
      throw .refused(
        code: 1005,
        details: CheckoutErrorDetails(
          errorId: "invalid-value", description: "No component collects this type of data"))
    }
    let result = try await call("component.updateCollectedData", [.init("data", data)])
    guard let status = PrimerValidationStatus(result) else { throw .missing("status") }
    return status
  }

  /// Shows the banks whose names contain a text, as the shopper types.
  ///
  /// - Parameter text: The text; empty for all banks.
  /// - Returns: The banks that are left.
  /// - Throws: ``CheckoutClientError``.
  public func banks(
    matching text: String
  ) async throws(CheckoutClientError) -> [IssuingBank] {
    let data: Value = ["bankFilterText": .string(text)]
    let result = try await call("component.updateCollectedData", [.init("data", data)])
    return (result["banks"]?.array ?? []).map(IssuingBank.init)
  }

  /// Submits what was collected; from here the daemon goes on by itself.
  ///
  /// - Throws: ``CheckoutClientError``; refused with 1004 if something is missing or invalid.
  public func submit() async throws(CheckoutClientError) {
    _ = try await call(
      "component.submit", settledBy: ["already-submitted", "checkout-ended"])
  }

  /// Tells what became of the page; the outcome does not depend on it.
  ///
  /// - Parameter outcome: What became of it.
  /// - Throws: ``CheckoutClientError``.
  public func reportRedirect(_ outcome: RedirectOutcome) async throws(CheckoutClientError) {
    try await answer("component.reportRedirect", [.init("outcome", .string(outcome.rawValue))])
  }

  /// Tells what came of Stripe's collector.
  ///
  /// - Parameter outcome: What came of it.
  /// - Throws: ``CheckoutClientError``; refused with 1003 if nobody waits for it.
  public func reportBankAccount(_ outcome: BankAccountOutcome) async throws(CheckoutClientError) {
    try await answer("component.reportBankAccount", outcome.members)
  }

  /// Tells that the shopper has accepted the mandate.
  ///
  /// - Throws: ``CheckoutClientError``; refused with 1003 if nobody waits for it.
  public func acceptMandate() async throws(CheckoutClientError) {
    try await answer("component.acceptMandate")
  }

  /// Tells that the shopper has declined the mandate.
  ///
  /// - Throws: ``CheckoutClientError``; refused with 1003 if nobody waits for it.
  public func declineMandate() async throws(CheckoutClientError) {
    try await answer("component.declineMandate")
  }

  private func answer(
    _ method: String, _ members: [Value.Member] = []
  ) async throws(CheckoutClientError) {
    _ = try await call(method, members, settledBy: CheckoutDecision.settledBy)
  }

  private func call(
    _ method: String, _ members: [Value.Member] = [], settledBy: [String] = []
  ) async throws(CheckoutClientError) -> Value {
    try await link.call(
      method, .object([.init("componentId", .string(id))] + members), settledBy: settledBy)
  }
}

/// What ids tell.
enum ComponentID {
  /// The checkout of a component; nil if the text is no component's id.
  static func checkoutID(_ id: String) -> String? {
    let parts = id.split(separator: "_", omittingEmptySubsequences: false)
    guard parts.count == 3, parts[0] == "cm" else { return nil }
    return "co_\(parts[1])"
  }
}
