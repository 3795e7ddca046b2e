package import Checkout
package import JSON
internal import ValueTree

/// One checkout with a clock of its own, played by the fuzzer's choices.
package struct Play {
  /// Answers an operation.
  package typealias Upstream = (Operation.Request, inout FuzzInput) -> Result<
    Answer, OperationFailure
  >

  /// The checkout.
  package private(set) var checkout: Checkout

  private let json: JSONReader?
  private var now = Sample.now
  private var inFlight: [Operation] = []
  private var timers: [TimerID: WallTime] = [:]
  private var awaited: Set<Awaited> = []
  private var terminalEventCount = 0
  private var isOver = false
  private var entropy: UInt64 = 0

  /// Begins a checkout.
  ///
  /// - Parameters:
  ///   - settings: Its settings.
  ///   - json: Checks that what is told can be written as JSON and read again.
  package init(_ settings: Settings, json: JSONReader?) {
    self.json = json
    checkout = Checkout(
      id: CheckoutID(0xC0FFEE), owner: 1000, token: Sample.token, settings: settings,
      spans: Spans(), moment: Moment(now: Sample.now, entropy: 7, digest: { $0 }))
    note(checkout.begin(at: moment()))
  }

  /// Goes on with a checkout that was kept.
  package init(resuming checkout: Checkout) {
    json = nil
    self.checkout = checkout
    isOver = checkout.isEnded
    note(self.checkout.resume(at: moment(), minimumDecisionSpan: 60_000))
  }

  /// Lets one thing happen.
  package mutating func step(_ input: inout FuzzInput, _ upstream: Upstream) {
    now += Int64(input.byte()) * 20
    switch input.number(below: 8) {
    case 0...3 where !inFlight.isEmpty:
      let operation = inFlight.remove(at: input.number(below: inFlight.count))
      handle(.operationFinished(operation.id, upstream(operation.request, &input)))
    case 4 where !timers.isEmpty:
      let due = timers.sorted { ($0.value, $0.key.rank) < ($1.value, $1.key.rank) }
      let timer = due[input.number(below: due.count)]
      timers[timer.key] = nil
      now = max(now, timer.value)
      handle(.timerFired(timer.key))
    case 5:
      handle(.timerFired(input.one(of: [.poll, .expiry, .decision, .repeat(1), .repeat(99)])))
    default: call(command(&input))
    }
    guard json != nil else {
      _ = checkout.snapshot(wallOffset: 0)
      return
    }
    check(checkout.snapshot(wallOffset: 0))
  }

  private func command(_ input: inout FuzzInput) -> Command {
    let component = input.one(of: [0, 0, 0, 1, -1])
    switch input.number(below: 16) {
    case 0:
      return .provide(manager: .componentWithRedirect, paymentMethodType: "ADYEN_IDEAL")
    case 1: return .provide(manager: .ach, paymentMethodType: "STRIPE_ACH")
    case 2, 3: return .component(component, .start)
    case 4: return .component(component, .update(["bankId": "0"]))
    case 5: return .component(component, .submit)
    case 6:
      let field = input.one(of: [
        "firstName", "lastName", "emailAddress", "bankFilterText", "bankId",
      ])
      return .component(
        component, .update(.object([.init(field, .string(input.text()))])))
    case 7: return .component(component, .reportBankAccount(.succeeded))
    case 8: return .component(component, .reportBankAccount(.cancelled))
    case 9: return .component(component, .decideMandate(isAccepted: !input.chance(oneIn: 4)))
    case 10: return .component(component, .reportRedirect(dismissed: input.chance(oneIn: 2)))
    case 11, 12: return .cancel(reason: nil)
    case 13: return .share(Share(subject: .user(1), role: .drive))
    default: return .decide(id: input.one(of: ["d1", "d2", "d3", "x"]), decision(&input))
    }
  }

  private func decision(_ input: inout FuzzInput) -> Decision {
    input.one(of: [
      .continue(idempotencyKey: nil), .continueWithNewClientToken(Sample.redirectToken),
      .continueWithNewClientToken(Sample.achToken), .complete(nil), .abort(message: nil),
    ])
  }

  private mutating func call(_ command: Command) {
    let (reply, effects) = checkout.perform(command, at: moment())
    switch reply {
    case .success(.value(let value)): check(value)
    case .success(.later(let what)):
      require(awaited.insert(what).inserted, "of each thing waited for there is one")
    case .failure(let error): check(error.value)
    }
    note(effects)
  }

  private mutating func handle(_ input: Input) { note(checkout.handle(input, at: moment())) }

  private mutating func moment() -> Moment {
    entropy += 1
    return Moment(now: now, entropy: entropy, digest: { $0 })
  }

  private mutating func note(_ effects: [Effect]) {
    for effect in effects {
      switch effect {
      case .publish(let event):
        require(!isOver, "nothing is told after the end")
        if event.kind == .didCompleteCheckout || event.kind == .didFail { terminalEventCount += 1 }
        require(terminalEventCount <= 1, "there is one terminal event")
        check(.object(event.members))
      case .settled(let what, let result):
        awaited.remove(what)
        switch result {
        case .success(let value): check(value)
        case .failure(let error): check(error.value)
        }
      case .perform(let operation):
        require(!isOver, "nothing is sent after the end")
        inFlight.append(operation)
      case .abandon(let id): inFlight.removeAll { $0.id == id }
      case .setTimer(let timer, let span):
        require(span >= 0, "a timer runs out later")
        timers[timer] = now + min(span, 1 << 40)
      case .clearTimer(let timer): timers[timer] = nil
      case .secondPayment, .questionSettled: break
      case .ended, .removed: isOver = true
      }
    }
  }

  /// Writes a value as JSON and reads it again.
  private func check(_ value: Value) {
    guard let json else { return }
    require((try? json.value(of: value.jsonBytes)) == value, "what is told is JSON")
  }
}

extension TimerID {
  /// Makes the order of timers the same in every run.
  fileprivate var rank: Int64 {
    switch self {
    case .expiry: -3
    case .decision: -2
    case .poll: -1
    case .repeat(let operation): Int64(operation)
    }
  }
}
