import LinuxSystem
import ValueTree

/// A checkout at the daemon.
///
/// This object is a name for the checkout, not its owner: letting go of it ends nothing, and any
/// process of the same user can take the checkout up with ``attach(checkoutId:socketPath:)``. Calls
/// outlive connections: one whose answer was lost with a connection is made again, and takes effect
/// once.
public final class Checkout: Sendable {
  /// The checkout's id.
  public let id: String

  private let path: String
  private let link: Link

  init(id: String, path: String, link: Link) {
    self.id = id
    self.path = path
    self.link = link
  }

  /// Where the daemon listens: `CHECKOUTD_SOCKET`, else the user's own daemon, else the system's.
  public static var defaultSocketPath: String { DefaultSocket.path }

  /// Starts a checkout, and waits until its configuration is loaded.
  ///
  /// - Parameters:
  ///   - clientToken: The token that your backend was given.
  ///   - settings: How the checkout is to go.
  ///   - decidesOnPaymentCreation: Whether the payment is only created once
  ///     ``CheckoutEvent/Kind/willCreatePayment(paymentMethodType:_:)`` was decided on.
  ///   - decisionTimeout: How long each decision may take, from a second to half an hour; nil for
  ///     the daemon's own.
  ///   - startKey: A word of your own, from 1 to 255 bytes: the same key is the same checkout. One
  ///     is made if there is none.
  ///   - allowsRepeat: Whether the session may be paid again although the outcome of a payment of
  ///     it is unknown.
  ///   - socketPath: Where the daemon listens; nil for ``defaultSocketPath``.
  /// - Returns: The checkout.
  /// - Throws: ``CheckoutClientError``; refused with 1005 for a bad token or setting, 1006 when
  ///   Primer cannot be reached or says no.
  public static func start(
    clientToken: String, settings: PrimerSettings = PrimerSettings(),
    decidesOnPaymentCreation: Bool = false, decisionTimeout: Duration? = nil,
    startKey: String? = nil, allowsRepeat: Bool = false, socketPath: String? = nil
  ) async throws(CheckoutClientError) -> Checkout {
    let path = socketPath ?? defaultSocketPath
    let link = Link.shared(path: path)
    let params = StartParameters.value(
      clientToken: clientToken, settings: settings, decides: decidesOnPaymentCreation,
      decisionTimeout: decisionTimeout, startKey: startKey, allowsRepeat: allowsRepeat)
    let snapshot = try CheckoutSnapshot(try await link.call("checkout.start", params))
    return Checkout(id: snapshot.checkoutId, path: path, link: link)
  }

  /// Takes up a checkout that this or another process has started.
  ///
  /// - Parameters:
  ///   - checkoutId: Its id.
  ///   - socketPath: Where the daemon listens; nil for ``defaultSocketPath``.
  /// - Returns: The checkout.
  /// - Throws: ``CheckoutClientError``; refused with 1001 if there is none that this user may see.
  public static func attach(
    checkoutId: String, socketPath: String? = nil
  ) async throws(CheckoutClientError) -> Checkout {
    try await attach(to: .string(checkoutId), socketPath)
  }

  /// Takes up a checkout by the key it was started with.
  ///
  /// - Parameters:
  ///   - startKey: The key.
  ///   - socketPath: Where the daemon listens; nil for ``defaultSocketPath``.
  /// - Returns: The checkout.
  /// - Throws: ``CheckoutClientError``; refused with 1001 if there is none that this user may see.
  public static func attach(
    startKey: String, socketPath: String? = nil
  ) async throws(CheckoutClientError) -> Checkout {
    try await attach(to: ["startKey": .string(startKey)], socketPath)
  }

  private static func attach(
    to reference: Value, _ socketPath: String?
  ) async throws(CheckoutClientError) -> Checkout {
    let path = socketPath ?? defaultSocketPath
    let link = Link.shared(path: path)
    let result = try await link.call("checkout.get", ["checkoutId": reference])
    return Checkout(id: try CheckoutSnapshot(result).checkoutId, path: path, link: link)
  }

  /// The checkout as it is now.
  ///
  /// - Returns: The snapshot.
  /// - Throws: ``CheckoutClientError``.
  public func snapshot() async throws(CheckoutClientError) -> CheckoutSnapshot {
    try CheckoutSnapshot(try await call("checkout.get"))
  }

  /// What happened to the checkout, and what happens.
  ///
  /// - Parameter seq: The event to begin after; 0 for the first.
  /// - Returns: The events, which end with the checkout.
  public func events(after seq: Int64 = 0) -> CheckoutEvents {
    CheckoutEvents(path: path, checkoutID: id, after: seq)
  }

  /// Has the component for a payment method made; asked again, it is the same one.
  ///
  /// - Parameters:
  ///   - paymentMethodType: As in `ADYEN_IDEAL` or `STRIPE_ACH`.
  ///   - manager: Who provides it; nil for the one that the checkout names for this type.
  /// - Returns: The component.
  /// - Throws: ``CheckoutClientError``; refused with 1002 if the checkout does not offer it, or the
  ///   manager does not provide it.
  public func component(
    for paymentMethodType: String, from manager: PrimerPaymentMethodManagerCategory? = nil
  ) async throws(CheckoutClientError) -> CheckoutComponent {
    let known: String
    if let manager {
      known = manager.rawValue
    } else {
      known = try await self.manager(of: paymentMethodType)
    }
    let provided = try await call(
      "\(known).provide", [.init("paymentMethodType", .string(paymentMethodType))])
    guard let id = provided["componentId"]?.string else { throw .missing("componentId") }
    return CheckoutComponent(id: id, checkout: self, link: link)
  }

  /// Who provides the component for a payment method, be it one that this library does not know.
  private func manager(of type: String) async throws(CheckoutClientError) -> String {
    let methods = try await call("checkout.get")["availablePaymentMethods"]?.array ?? []
    let known = methods.first { $0["type"]?.string == type }?["manager"]?.string
    // Of a method that is not there any manager says why.
    return known ?? PrimerPaymentMethodManagerCategory.componentWithRedirect.rawValue
  }

  /// Cancels the checkout, as far as that is still possible.
  ///
  /// - Parameter reason: Why, for the journal.
  /// - Returns: The state after it; ``CheckoutState/cancelling`` while Primer's answer decides.
  /// - Throws: ``CheckoutClientError``; refused with 1003 if the checkout has ended.
  @discardableResult
  public func cancel(reason: String? = nil) async throws(CheckoutClientError) -> CheckoutState {
    let members = reason.map { [Value.Member("reason", .string($0))] } ?? []
    let result = try await call("checkout.cancel", members, settledBy: ["checkout-ended"])
    if let state = result["state"]?.string { return CheckoutState(rawValue: state) }
    return try await snapshot().state
  }

  /// Takes a decision that an event has asked for.
  ///
  /// - Parameters:
  ///   - decisionId: The id that the event has given it.
  ///   - decision: What is decided.
  /// - Throws: ``CheckoutClientError``; refused with 1003 if nobody waits for it any more, with
  ///   1005 for a bad token, which leaves the decision open.
  public func decide(
    _ decisionId: String, _ decision: CheckoutDecision
  ) async throws(CheckoutClientError) {
    _ = try await call(
      "checkout.decide", [.init("decisionId", .string(decisionId))] + decision.members,
      settledBy: CheckoutDecision.settledBy)
  }

  func call(
    _ method: String, _ members: [Value.Member] = [], settledBy: [String] = []
  ) async throws(CheckoutClientError) -> Value {
    try await link.call(
      method, .object([.init("checkoutId", .string(id))] + members), settledBy: settledBy)
  }
}
