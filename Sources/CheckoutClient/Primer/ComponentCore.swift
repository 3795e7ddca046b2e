import Dispatch
import ValueTree

/// A component's calls, and whom to tell what comes of them.
final class ComponentCore: Sendable {
  struct Delegates {
    var error = DelegateSlot(delegate: nil)
    var validation = DelegateSlot(delegate: nil)
    var step = DelegateSlot(delegate: nil)
  }

  let id: String
  let paymentMethodType: String
  private let session: HeadlessSession
  private let delegates = Guarded(Delegates())
  private let order = Guarded(Order())

  /// What keeps a submission behind the start, which the daemon answers later.
  private struct Order {
    var isStarting = false
    var waiting: [@Sendable () -> Void] = []
  }

  init(_ id: String, for paymentMethodType: String, in session: HeadlessSession) {
    self.id = id
    self.paymentMethodType = paymentMethodType
    self.session = session
  }

  func delegate(_ place: KeyPath<Delegates, DelegateSlot>) -> AnyObject? {
    delegates.withLock { $0[keyPath: place] }.forItsOwner.object
  }

  func setDelegate(_ place: WritableKeyPath<Delegates, DelegateSlot>, _ object: AnyObject?) {
    let slot = DelegateSlot(delegate: object)
    delegates.withLock { $0[keyPath: place] = slot }
  }

  // MARK: Calls

  /// Starts the component; an error that the daemon has told as an event is not told twice.
  func start() {
    order.withLock { $0.isStarting = true }
    call(
      "component.start", settledBy: ["already-started"], tellsOf: { $0.diagnosticsId == nil }
    ) {
      let waiting = self.order.withLock { order in
        defer { order = Order() }
        return order.waiting
      }
      for call in waiting { call() }
    }
  }

  /// Submits, once a start under way has been answered: Primer's own is done when it returns.
  func submit() {
    inOrder(waitsForStart: true) {
      self.call("component.submit", settledBy: ["already-submitted", "checkout-ended"])
    }
  }

  func update(_ data: any PrimerCollectableData) {
    guard let data = CollectedData.value(of: data) else { return }
    inOrder(waitsForStart: false) {
      self.call("component.updateCollectedData", [.init("data", data)])
    }
  }

  /// Makes a call, after those that wait already.
  private func inOrder(waitsForStart: Bool, _ call: @escaping @Sendable () -> Void) {
    let isNow = order.withLock { order in
      guard order.isStarting, waitsForStart || !order.waiting.isEmpty else { return true }
      order.waiting.append(call)
      return false
    }
    if isNow { call() }
  }

  /// Tells what the daemon has asked for.
  func answer(_ method: String, _ members: [Value.Member] = []) {
    call(method, members, settledBy: CheckoutDecision.settledBy)
  }

  private func call(
    _ method: String, _ members: [Value.Member] = [], settledBy: [String] = [],
    tellsOf: @escaping @Sendable (CheckoutErrorDetails) -> Bool = { _ in true },
    then: @escaping @Sendable () -> Void = {}
  ) {
    let params = Value.object([.init("componentId", .string(id))] + members)
    session.link.call(method, params, settledBy: settledBy) { result in
      then()
      guard case .failure(let error) = result, error.details.map(tellsOf) ?? true else { return }
      let shown = PrimerError(error, paymentMethodType: self.paymentMethodType)
      DispatchQueue.main.async { self.tell(of: shown) }
    }
  }

  // MARK: Events, on the main queue

  func tell(of error: PrimerError) {
    let delegate = delegates.withLock { $0.error }.onMainQueue.object
    (delegate as? any PrimerHeadlessErrorableDelegate)?.didReceiveError(error: error)
  }

  func take(_ kind: CheckoutEvent.Kind) {
    switch kind {
    case .didReceiveStep(let step):
      let delegate = delegates.withLock { $0.step }.onMainQueue.object
      (delegate as? any PrimerHeadlessSteppableDelegate)?.didReceiveStep(step: step)
    case .didUpdateValidationStatus(let status, let data):
      let delegate = delegates.withLock { $0.validation }.onMainQueue.object
      (delegate as? any PrimerHeadlessValidatableDelegate)?.didUpdate(
        validationStatus: status, for: data)
    case .didReceiveError(let error): tell(of: error)
    default: break
    }
  }
}
