import Checkout
import CheckoutProtocol
import CheckoutStore
import JSONRPC
import LinuxSystem
import PrimerAPI
import Systemd
import ValueTree

extension Server {
  /// The time and the randomness for one input.
  var moment: Moment { Moment(now: now, entropy: entropy.next()) }

  /// Gives a checkout a command, and does what comes of it.
  func perform(
    _ command: Command, on live: LiveCheckout
  ) -> Result<CommandReply, CheckoutError> {
    touch(live)
    let (reply, effects) = live.checkout.perform(command, at: moment)
    apply(effects, to: live)
    return reply
  }

  /// Hands an input to a checkout, and does what it says.
  func handle(_ input: Input, of live: LiveCheckout) {
    touch(live)
    apply(live.checkout.handle(input, at: moment), to: live)
  }

  /// Hands an input that nobody can send again to a checkout: it is kept until a commit has taken it.
  func receive(_ input: Input, of live: LiveCheckout) {
    turnInputs.append((live, input))
    guard storeProblem == nil || isRetrying else { return }
    handle(input, of: live)
  }

  /// Does what a checkout said: what concerns clients at once, the rest after the commit.
  func apply(_ effects: [Effect], to live: LiveCheckout) {
    // What comes of one input happens at one time.
    var time: WallTime?
    for effect in effects {
      switch effect {
      case .publish(let event):
        if event.isTerminal || event.asksForDecision { isPaymentTurn = true }
        let at = time ?? Clock.wallMilliseconds()
        time = at
        publish(event, of: live, at: at)
      case .settled(let awaited, let result): settle(awaited, result, of: live)
      case .perform(let operation):
        if operation.request.isAboutMoney { isPaymentTurn = true }
        afterCommit.append(.perform(operation, live))
      case .abandon(let operation): afterCommit.append(.abandon(operation, live))
      case .setTimer(let timer, let span):
        let deadline = Clock.bootMicroseconds() + UInt64(max(0, span)) * 1000
        afterCommit.append(.setTimer(live.id, timer, at: deadline))
      case .clearTimer(let timer): afterCommit.append(.clearTimer(live.id, timer))
      case .ended(let outcome): finish(live, outcome)
      case .removed(let error): remove(live, error)
      }
    }
    if !live.waits.isEmpty { afterCommit.append(.settleWaits(live)) }
  }

  /// What an operation that is waited for came to; the answer goes out after the commit.
  private func settle(
    _ awaited: Awaited, _ result: Result<Value, CheckoutError>, of live: LiveCheckout
  ) {
    for wait in live.waits {
      if case .operation(awaited) = wait.condition { wait.result = result }
    }
  }

  func carryOut(_ effect: DeferredEffect) {
    switch effect {
    case .perform(let operation, let live): perform(operation, for: live)
    case .abandon(let operation, let live):
      if let request = live.requests.removeValue(forKey: operation) { gateway.cancel(request) }
    case .setTimer(let id, let timer, let deadline):
      timers.set(.checkout(id, timer), at: deadline)
    case .clearTimer(let id, let timer): timers.clear(.checkout(id, timer))
    case .settleWaits(let live): settleWaits(on: live)
    case .finished(let live, let outcome): settle(live, outcome)
    case .removed(let live): forget(live)
    }
  }

  private func perform(_ operation: Operation, for live: LiveCheckout) {
    live.requests[operation.id] = gateway.perform(operation, for: live.owner) {
      [unowned self] result in
      // An answer to what was abandoned in the same turn means nothing any more.
      guard live.requests.removeValue(forKey: operation.id) != nil else { return }
      receive(input(from: result, to: operation, of: live), of: live)
    }
  }

  /// A session was opened again although an earlier payment's outcome is unknown: whoever looks into
  /// two payments will want to find that.
  func noteRepeat(after holder: LiveCheckout, by owner: UInt32) {
    log.notice(
      "a start was allowed although an earlier outcome is unknown", id: MessageID.repeatAllowed,
      fields: [("CHECKOUT_ID", holder.idText), ("CLIENT_UID", String(owner))])
  }

  /// An answer becomes an input; a configuration whose client session another checkout holds
  /// becomes a refusal.
  private func input(
    from result: Result<Answer, OperationFailure>, to operation: Operation, of live: LiveCheckout
  ) -> Input {
    if case .fetchConfiguration = operation.request,
      case .success(.configuration(let configuration)) = result,
      let session = configuration.clientSession.id.map({ Fingerprint("session", $0) })
    {
      if let holder = checkouts.holder(of: session), holder !== live,
        !(live.start.allowsRepeat && holder.checkout.isEnded)
      {
        let isVisible = holder.owner == live.owner
        return .sessionIsTaken(by: isVisible ? holder.id : nil)
      }
      if let holder = checkouts.holder(of: session), holder !== live {
        noteRepeat(after: holder, by: live.owner)
      }
      checkouts.take(session: session, for: live)
    }
    return .operationFinished(operation.id, result)
  }

  /// After an unknown outcome the client session stays taken: nobody may pay again unawares.
  private func finish(_ live: LiveCheckout, _ outcome: Outcome) {
    checkouts.note(live, isOver: true)
    afterCommit.append(.finished(live, outcome))
  }

  /// Lets go of everything that is only about a checkout as it was.
  func dropFollowers(of live: LiveCheckout) {
    for subscription in live.subscriptions {
      subscription.connection.subscriptions[live.id] = nil
      forget(subscription)
    }
    live.subscriptions = []
    for wait in live.waits {
      if wait.result == nil { wait.result = .failure(CheckoutError(.unknownCheckout)) }
      finish(wait)
    }
  }

  private func remove(_ live: LiveCheckout, _ error: CheckoutError) {
    for wait in live.waits {
      if case .start = wait.condition { wait.result = .failure(error) }
    }
    afterCommit.append(.removed(live))
  }
}

extension Event {
  /// Whether the client is asked to decide.
  fileprivate var asksForDecision: Bool {
    kind.isOfCheckout && members.contains { $0.name == "decisionId" }
  }
}

extension Operation.Request {
  /// Whether money may move because of it.
  fileprivate var isAboutMoney: Bool {
    switch self {
    case .createPayment, .resume, .complete: true
    default: false
    }
  }
}
