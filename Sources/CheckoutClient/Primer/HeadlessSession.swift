import Dispatch
import ValueTree

/// A checkout that delegates are told of, and the components of it that the program holds.
final class HeadlessSession: Sendable {
  let checkoutID: String
  let link: Link
  private weak let owner: PrimerHeadlessUniversalCheckout?
  /// What was still open when the checkout was taken up; nil if it was started here.
  private let openAtFirst: OpenQuestions?
  private let state = Guarded(State())

  private struct WeakCore {
    weak let core: ComponentCore?
  }

  private struct State {
    var components: [WeakCore] = []
    var onFirstEvent: (@Sendable (PrimerError?) -> Void)?
  }

  init(
    _ checkoutID: String, of owner: PrimerHeadlessUniversalCheckout, over link: Link,
    asItWas snapshot: CheckoutSnapshot? = nil
  ) {
    self.checkoutID = checkoutID
    self.owner = owner
    self.link = link
    openAtFirst = snapshot.map(OpenQuestions.init)
  }

  /// Begins to tell the delegates.
  ///
  /// - Parameter onFirstEvent: Called on the main queue, once, after the first event was told, or with
  ///   the error if there is none.
  func follow(onFirstEvent: (@Sendable (PrimerError?) -> Void)? = nil) {
    state.withLock { $0.onFirstEvent = onFirstEvent }
    link.follow(checkoutID, after: 0) { [weak self] item in
      guard let self else { return }
      DispatchQueue.main.async { self.take(item) }
    }
  }

  /// Has a component made.
  func provide(
    _ manager: PrimerPaymentMethodManagerCategory, _ type: String
  ) throws(PrimerError) -> any HeadlessComponent {
    let params: Value = [
      "checkoutId": .string(checkoutID), "paymentMethodType": .string(type),
    ]
    do throws(CheckoutClientError) {
      let provided = try link.callAndWait(manager.provideMethod, params)
      guard let id = provided["componentId"]?.string else { throw .missing("componentId") }
      return component(id, for: type, of: manager)
    } catch {
      throw PrimerError(error, paymentMethodType: type)
    }
  }

  /// An object for a component of the checkout.
  func component(
    _ id: String, for type: String, of manager: PrimerPaymentMethodManagerCategory
  ) -> any HeadlessComponent {
    let core = ComponentCore(id, for: type, in: self)
    state.withLock { state in
      state.components.removeAll { $0.core == nil }
      state.components.append(WeakCore(core: core))
    }
    return switch manager {
    case .stripeAch: AchHeadlessComponent(core)
    case .componentWithRedirect: BanksHeadlessComponent(core)
    }
  }

  // MARK: Events, on the main queue

  private func take(_ item: Link.Item) {
    switch item {
    case .event(let event):
      let event = CheckoutEvent(event)
      if openAtFirst?.isOver(event) != true { tell(event) }
      finishStart(nil)
    case .end(let error?):
      finishStart(PrimerError(error))
      let data = PrimerCheckoutData(["outcome": "unknown"])
      delegate?.primerHeadlessUniversalCheckoutDidFail(
        withError: PrimerError(error), checkoutData: data)
    case .end(nil): finishStart(nil)
    }
  }

  private func finishStart(_ error: PrimerError?) {
    state.withLock { $0.onFirstEvent.take() }?(error)
  }

  private func tell(_ event: CheckoutEvent) {
    if let id = event.componentId { tellComponents(id, event.kind) }
    guard let delegate else {
      // As on iOS: nobody there to ask means yes.
      if case .willCreatePayment(_, let decision?) = event.kind {
        decide(decision, .createPayment())
      }
      return
    }
    switch event.kind {
    case .didLoadAvailablePaymentMethods(let methods):
      delegate.primerHeadlessUniversalCheckoutDidLoadAvailablePaymentMethods(methods)
    case .didStartTokenization(let type):
      delegate.primerHeadlessUniversalCheckoutDidStartTokenization(for: type)
    case .didReceiveAdditionalInfo(let info):
      delegate.primerHeadlessUniversalCheckoutDidReceiveAdditionalInfo(info)
    case .willUpdateClientSession:
      delegate.primerHeadlessUniversalCheckoutWillUpdateClientSession()
    case .didUpdateClientSession(let session):
      delegate.primerHeadlessUniversalCheckoutDidUpdateClientSession(session)
    case .didCompleteCheckout(let data):
      delegate.primerHeadlessUniversalCheckoutDidCompleteCheckoutWithData(data)
    case .didFail(let error, let data):
      delegate.primerHeadlessUniversalCheckoutDidFail(withError: error, checkoutData: data)
    default: ask(delegate, event.kind)
    }
  }

  private func ask(
    _ delegate: any PrimerHeadlessUniversalCheckoutDelegate, _ kind: CheckoutEvent.Kind
  ) {
    switch kind {
    case .willCreatePayment(let type, let decision?):
      let data = PrimerCheckoutPaymentMethodData(
        paymentMethodType: PrimerCheckoutPaymentMethodType(type: type))
      delegate.primerHeadlessUniversalCheckoutWillCreatePaymentWithData(data) {
        self.decide(decision, $0.decision)
      }
    case .didTokenizePaymentMethod(let data, let decision?):
      delegate.primerHeadlessUniversalCheckoutDidTokenizePaymentMethod(data) {
        self.decide(decision, $0.decision)
      }
    case .didResumeWith(let token, let decision?):
      delegate.primerHeadlessUniversalCheckoutDidResumeWith(token) {
        self.decide(decision, $0.decision)
      }
    default: break
    }
  }

  private func tellComponents(_ id: String, _ kind: CheckoutEvent.Kind) {
    for core in components where core.id == id {
      core.take(kind)
    }
    guard case .didReceiveStep(let step as WebRedirectStep) = kind,
      let delegate = uiDelegate
    else { return }
    // Nothing else redirects here.
    switch step {
    case .loading:
      delegate.primerHeadlessUniversalCheckoutUIDidStartPreparation(for: "ADYEN_IDEAL")
    case .loaded:
      delegate.primerHeadlessUniversalCheckoutUIDidShowPaymentMethod(for: "ADYEN_IDEAL")
    case .dismissed: delegate.primerHeadlessUniversalCheckoutUIDidDismissPaymentMethod()
    case .success, .failure: break
    }
  }

  /// Sends a decision; that it was too late is no error, anything else is the components' to tell.
  private func decide(_ decision: CheckoutEvent.Decision, _ choice: CheckoutDecision) {
    let members = [
      Value.Member("checkoutId", .string(checkoutID)),
      Value.Member("decisionId", .string(decision.id)),
    ]
    link.call(
      "checkout.decide", .object(members + choice.members), settledBy: CheckoutDecision.settledBy
    ) { result in
      guard case .failure(let error) = result else { return }
      let shown = PrimerError(error)
      guard !CheckoutDecision.settledBy.contains(shown.errorId) else { return }
      DispatchQueue.main.async { for core in self.components { core.tell(of: shown) } }
    }
  }

  private var components: [ComponentCore] {
    state.withLock { $0.components }.compactMap(\.core)
  }

  /// The delegate, unless another checkout has taken this one's place.
  private var delegate: (any PrimerHeadlessUniversalCheckoutDelegate)? {
    guard let owner, owner.session === self else { return nil }
    return owner.delegateSlot.onMainQueue.object as? any PrimerHeadlessUniversalCheckoutDelegate
  }

  private var uiDelegate: (any PrimerHeadlessUniversalCheckoutUIDelegate)? {
    guard let owner, owner.session === self else { return nil }
    return owner.uiDelegateSlot.onMainQueue.object
      as? any PrimerHeadlessUniversalCheckoutUIDelegate
  }
}
