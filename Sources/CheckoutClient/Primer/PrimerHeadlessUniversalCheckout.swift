import Dispatch
import ValueTree

/// Primer's headless checkout, at a daemon.
///
/// Code written for Primer's iOS SDK from the pages of `provideBanksComponent` and of `provide`
/// runs with its `import` changed; <doc:FromIOS> has what is different.
public final class PrimerHeadlessUniversalCheckout: Sendable {
  /// The one checkout that the managers provide components of.
  public static let current = PrimerHeadlessUniversalCheckout()

  /// Makes a checkout beside ``current``, for tests.
  package init() {}

  private struct State {
    var socketPath: String?
    var clientToken: String?
    var delegate = DelegateSlot(delegate: nil)
    var uiDelegate = DelegateSlot(delegate: nil)
    var session: HeadlessSession?
  }

  private let state = Guarded(State())

  /// Gets the checkout's events; not kept alive.
  public var delegate: (any PrimerHeadlessUniversalCheckoutDelegate)? {
    get {
      state.withLock { $0.delegate }.forItsOwner.object
        as? any PrimerHeadlessUniversalCheckoutDelegate
    }
    set {
      let slot = DelegateSlot(delegate: newValue)
      state.withLock { $0.delegate = slot }
    }
  }

  /// Gets what is shown of a payment method; not kept alive.
  public var uiDelegate: (any PrimerHeadlessUniversalCheckoutUIDelegate)? {
    get {
      state.withLock { $0.uiDelegate }.forItsOwner.object
        as? any PrimerHeadlessUniversalCheckoutUIDelegate
    }
    set {
      let slot = DelegateSlot(delegate: newValue)
      state.withLock { $0.uiDelegate = slot }
    }
  }

  /// The token that the checkout was started with.
  public var clientToken: String? { state.withLock { $0.clientToken } }

  /// Where the daemon listens; ``Checkout/defaultSocketPath`` unless set, before the start.
  public var socketPath: String {
    get { state.withLock { $0.socketPath } ?? Checkout.defaultSocketPath }
    set { state.withLock { $0.socketPath = newValue } }
  }

  /// The id of the checkout, once it is started, to take it up elsewhere.
  public var checkoutId: String? { session?.checkoutID }

  var session: HeadlessSession? { state.withLock { $0.session } }
  var delegateSlot: DelegateSlot { state.withLock { $0.delegate } }
  var uiDelegateSlot: DelegateSlot { state.withLock { $0.uiDelegate } }

  /// Starts a checkout, in the place of the one before, which goes on at the daemon.
  ///
  /// - Parameters:
  ///   - clientToken: The token that your backend was given.
  ///   - settings: How the checkout is to go.
  ///   - delegate: Gets the checkout's events; nil for the one that is set already.
  ///   - uiDelegate: Gets what is shown; nil for the one that is set already.
  ///   - completion: Gets what can be paid with, or the error, on the main queue.
  public func start(
    withClientToken clientToken: String, settings: PrimerSettings? = nil,
    delegate: (any PrimerHeadlessUniversalCheckoutDelegate)? = nil,
    uiDelegate: (any PrimerHeadlessUniversalCheckoutUIDelegate)? = nil,
    completion: @escaping (_ paymentMethods: [PaymentMethod]?, _ err: (any Error)?) -> Void
  ) {
    if let delegate { self.delegate = delegate }
    if let uiDelegate { self.uiDelegate = uiDelegate }
    state.withLock { state in
      state.clientToken = clientToken
      state.session = nil
    }
    let completion = MainQueueBound(completion)
    let link = Link(path: socketPath)
    let params = StartParameters.value(
      clientToken: clientToken, settings: settings ?? PrimerSettings(),
      decides: self.delegate != nil, startKey: nil)
    link.call("checkout.start", params) { [self] result in
      do throws(CheckoutClientError) {
        let snapshot = try CheckoutSnapshot(try result.get())
        let session = HeadlessSession(snapshot.checkoutId, of: self, over: link)
        state.withLock { $0.session = session }
        session.follow { error in
          completion.onMainQueue(error == nil ? snapshot.availablePaymentMethods : nil, error)
        }
      } catch {
        let error = PrimerError(error)
        DispatchQueue.main.async { completion.onMainQueue(nil, error) }
      }
    }
  }

  /// Takes up a checkout that this or another process has started, in the place of the one before.
  ///
  /// What has happened is told to the delegates again from the start, save what asked the shopper
  /// for something that has been answered since.
  ///
  /// - Parameter checkoutId: Its id.
  /// - Throws: ``PrimerError``.
  public func attach(checkoutId: String) throws {
    _ = try attachSession(checkoutId)
  }

  /// Takes up a component, and the checkout it belongs to in the place of the one before.
  ///
  /// - Parameter componentId: Its id, as ``PrimerHeadlessCollectDataComponent/componentId`` has it.
  /// - Returns: A ``BanksComponent`` or a ``StripeAchUserDetailsComponent``.
  /// - Throws: ``PrimerError``.
  public func attach(
    componentId: String
  ) throws -> any PrimerHeadlessCollectDataComponent {
    guard let checkoutID = ComponentID.checkoutID(componentId) else {
      throw PrimerError.genericError(message: "The text is not a component's id")
    }
    let (session, snapshot) = try attachSession(checkoutID)
    guard let known = snapshot.components.first(where: { $0.id == componentId }) else {
      throw PrimerError.daemonError(
        CheckoutErrorDetails(
          errorId: "unknown-component", description: "The checkout has no such component"))
    }
    let type = known.paymentMethodType
    let method = snapshot.availablePaymentMethods.first { $0.paymentMethodType == type }
    guard let manager = method?.paymentMethodManagerCategories.first else {
      throw PrimerError.genericError(message: "The component is of no known type")
    }
    let component = session.component(known.id, for: type, of: manager)
    if let banks = component as? BanksHeadlessComponent { return banks }
    guard let ach = component as? AchHeadlessComponent else {
      throw PrimerError.genericError(message: "The component is of no known type")
    }
    return ach
  }

  private func attachSession(
    _ checkoutID: String
  ) throws(PrimerError) -> (HeadlessSession, CheckoutSnapshot) {
    let link = Link(path: socketPath)
    do throws(CheckoutClientError) {
      let params: Value = ["checkoutId": .string(checkoutID)]
      let snapshot = try CheckoutSnapshot(try link.callAndWait("checkout.get", params))
      let session = HeadlessSession(checkoutID, of: self, over: link, asItWas: snapshot)
      state.withLock { $0.session = session }
      session.follow()
      return (session, snapshot)
    } catch { throw PrimerError(error) }
  }

  /// Lets go of the checkout, which goes on at the daemon.
  public func cleanUp() {
    state.withLock { state in
      state.session = nil
      state.clientToken = nil
    }
  }

  /// Has a component made for the checkout.
  func provide(
    _ manager: PrimerPaymentMethodManagerCategory, _ type: String
  ) throws(PrimerError) -> any HeadlessComponent {
    guard let session else {
      throw .genericError(message: "No checkout is started, or its start has not finished")
    }
    return try session.provide(manager, type)
  }
}
