import Checkout
import ValueTree

// What must hold of a checkout by itself, whatever is around it.

extension Effect {
  /// Whether it only answers somebody.
  var isAnswer: Bool {
    switch self {
    case .settled, .questionSettled: true
    default: false
    }
  }

  /// Whether it is the same as another.
  fileprivate func isSame(as other: Effect) -> Bool {
    switch (self, other) {
    case (.publish(let left), .publish(let right)): left == right
    case (.perform(let left), .perform(let right)): left == right
    case (.abandon(let left), .abandon(let right)): left == right
    case (.setTimer(let left, let span), .setTimer(let right, let otherSpan)):
      left == right && span == otherSpan
    case (.clearTimer(let left), .clearTimer(let right)): left == right
    case (.ended(let left), .ended(let right)): left == right
    case (.settled(let left, let result), .settled(let right, let other)):
      left == right && result == other
    case (.questionSettled(let left), .questionSettled(let right)): left == right
    case (.secondPayment, .secondPayment): true
    case (.removed(let left), .removed(let right)): left == right
    default: false
    }
  }
}

extension CheckoutState {
  /// Whether a status is polled until the shopper has paid.
  fileprivate var isPolling: Bool {
    switch self {
    case .awaitingRedirect, .awaitingCode, .awaitingConfirmation: true
    default: false
    }
  }
}

extension Cells {
  /// Checks what a step did: its events, its end, its calls, what it waits for.
  func check(
    _ effects: [Effect], _ cell: Cell, _ seqBefore: Int64, _ wasEnded: Bool, _ step: inout Step
  ) {
    var violation: String?
    func require(_ holds: Bool, _ claim: @autoclosure () -> String) {
      if !holds, violation == nil { violation = claim() }
    }
    let checkout = cell.checkout
    let events = effects.compactMap { effect -> Event? in
      if case .publish(let event) = effect { event } else { nil }
    }
    let isRemoved = effects.contains { if case .removed = $0 { true } else { false } }
    let ends = effects.count { if case .ended = $0 { true } else { false } }
    let terminal = events.count(where: \.isTerminal)
    require(
      checkout.seq == seqBefore + Int64(events.count), "the events are numbered with a gap")
    require(!wasEnded || events.isEmpty, "an event follows the end")
    require(
      terminal == (checkout.isEnded && !wasEnded && !isRemoved ? 1 : 0),
      checkout.isEnded
        ? "the end is not told by one terminal event"
        : "a terminal event is published before its commit: what is stored has not ended")
    require(ends == terminal, "the end is not said once")
    require(terminal == 0 || events.last?.isTerminal == true, "an event follows the terminal one")
    if let outcome = step.outcome, let last = events.last {
      require(
        (last.kind == .didCompleteCheckout) == outcome.isCompletion,
        "the terminal event is not that of its outcome")
      require(last["outcome"]?.string == outcome.rawValue, "event and outcome differ")
    }
    if checkout.isEnded {
      require(
        cell.flights.allSatisfy(\.isQuestion), "a request is under way after the end")
      require(
        cell.timers.isEmpty || checkout.outcome == .unknown, "a timer is set after the end")
      require(cell.awaited.isEmpty, "a call waits after the end")
    } else {
      require(
        !cell.flights.isEmpty || !cell.timers.isEmpty, "a dead end: it waits for nothing")
    }
    for kind in [Flight.Kind.actions, .poll, .create, .resume, .complete] {
      require(
        cell.flights.count { $0.kind == kind } <= 1, "two requests of one kind (\(kind)) at once")
    }
    for operation in effects.compactMap({
      if case .perform(let operation) = $0 { operation } else { nil }
    }) {
      guard case .performActions(let actions) = operation.request else { continue }
      require(
        !actions.contains(.setFirstName("")) && !actions.contains(.setLastName(""))
          && !actions.contains(.setEmailAddress("")), "an empty value is set")
    }
    if let violation, step.violation == nil { step.violation = violation }
  }

  /// Checks that polling stops only after a last poll, sent when time was up.
  func checkPolls(
    _ poll: Flight, _ reply: Reply, _ before: Cell, _ after: Cell, _ step: inout Step
  ) {
    guard poll.kind == .poll, before.checkout.state.isPolling,
      reply == .pollPending || reply == .status503 || reply == .interrupted || reply == .timedOut,
      let end = before.pollsUntil
    else { return }
    let goesOn = after.checkout.state.isPolling
    if !goesOn, poll.sentAt < end { step.violation = "polling stops without a last poll" }
  }

  /// Checks that what is stored reads back to an equal value, and that this has an equal future: it
  /// does the same with the same input.
  func checkFuture(
    of before: Cell, _ number: UInt32, _ input: Core.Input, _ around: Around, _ effects: [Effect],
    _ after: Cell,
    _ step: inout Step
  ) {
    // A question about what has ended is asked for somebody who waits, and ends with the process.
    guard step.violation == nil, !before.checkout.isEnded else { return }
    let (stored, form) = form(of: number)
    guard var copy = form else {
      step.violation = "the stored form cannot be read"
      return
    }
    guard Core.Stored(copy) == stored else {
      step.violation = "the stored form does not read back to an equal value"
      return
    }
    let others = Core.handle(
      &copy, input, at: before.moment(asksQuestions: !around.contains(.isAlarmed))
    ).effects
    let reached = Core.Stored(after.checkout)
    guard effects.count == others.count, zip(effects, others).allSatisfy({ $0.isSame(as: $1) }),
      Core.Stored(copy) == reached
    else {
      step.violation = "what was read back has another future"
      return
    }
    guard reached.checkout(like: after) != nil else {
      step.violation = "the stored form cannot be read"
      return
    }
  }
}
