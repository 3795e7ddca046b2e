import Checkout
import Testing
import ValueTree

/// One checkout on the bench: a fake clock, fixed entropy, and everything it did, in order, as lines.
///
/// A line is an event (`step loading`), an operation (`> banks cfg-ideal`), a reply (`= {}`), a
/// refusal (`! not-started`), a timer (`@ poll 1000`), an abandoned operation (`x create`) or the end
/// (`# ended failed`). Timers that are forgotten leave no line.
struct Bench {
  var checkout: Checkout
  var now: WallTime = Sample.now
  /// How far the wall clock is ahead.
  var wallOffset: Milliseconds
  /// Whether upstream may be asked what became of a payment.
  var asksQuestions = false
  /// Operations that wait for their answer.
  private(set) var inFlight: [Operation] = []
  /// Every operation sent, repeats included.
  private(set) var sent: [Operation] = []
  /// When each timer runs out.
  private(set) var timers: [TimerID: WallTime] = [:]
  /// Every event published.
  private(set) var events: [Event] = []
  /// Every line.
  private(set) var lines: [String] = []
  /// What each call was answered; they are counted from 1.
  private(set) var replies: [Int: Value] = [:]
  /// What each call was refused with.
  private(set) var refusals: [Int: CheckoutError] = [:]
  /// The calls that wait for the start.
  private var startCalls: [Int] = []
  /// The calls that wait for something else.
  private var waitingCalls: [Awaited: Int] = [:]
  /// Whether a payment may exist whose creation nobody has answered for.
  private(set) var isCreationOpen = false
  /// How often upstream has said that a key was used.
  private(set) var usedKeyCount = 0
  private(set) var lastCall = 0
  /// How many calls waited when the process that took them ended.
  private(set) var lostCalls = 0
  private var entropy: UInt64 = 0

  /// A new checkout whose configuration is being fetched, and one call that waits for it.
  init(
    _ settings: Settings = Sample.settings, token: ClientToken = Sample.token,
    spans: Spans = Spans(), repetition: String? = nil, wallOffset: Milliseconds = 0
  ) {
    self.wallOffset = wallOffset
    checkout = Checkout(
      id: CheckoutID(0xC0FFEE), owner: 1000, token: token, settings: settings, spans: spans,
      repetition: repetition,
      moment: Moment(
        now: Sample.now, wallOffset: wallOffset, entropy: 7, digest: Sample.digest))
    note(checkout.begin(at: moment()))
    awaitStart()
  }

  private mutating func moment() -> Moment {
    entropy += 1
    return Moment(
      now: now, wallOffset: wallOffset, entropy: entropy, asksQuestions: asksQuestions,
      digest: Sample.digest)
  }

  // MARK: Inputs

  /// Feeds one input.
  @discardableResult
  mutating func handle(_ input: Input) -> [String] {
    note(checkout.handle(input, at: moment()))
  }

  /// Gives a command as a new call.
  @discardableResult
  mutating func call(_ command: Command) -> [String] {
    lastCall += 1
    let seen = lines.count
    let (reply, effects) = checkout.perform(command, at: moment())
    if case .success(.later(let awaited)) = reply {
      require(waitingCalls.updateValue(lastCall, forKey: awaited) == nil)
    }
    note(effects)
    switch reply {
    case .success(.value(let value)): answer(lastCall, .success(value))
    case .success(.later): break
    case .failure(let error): answer(lastCall, .failure(error))
    }
    return Array(lines[seen...])
  }

  /// Waits for the start, as a new call.
  @discardableResult
  mutating func awaitStart() -> [String] {
    lastCall += 1
    startCalls.append(lastCall)
    let seen = lines.count
    answerStartCalls()
    return Array(lines[seen...])
  }

  private mutating func answerStartCalls() {
    guard !checkout.isStarting else { return }
    for call in startCalls { answer(call, .success(checkout.snapshot)) }
    startCalls = []
  }

  private mutating func answer(_ call: Int, _ result: Result<Value, CheckoutError>) {
    switch result {
    case .success(let value):
      replies[call] = value
      lines.append("= " + value.replyLine)
    case .failure(let error):
      refusals[call] = error
      lines.append("! " + error.line)
    }
  }

  private func require(_ isTrue: Bool) { #expect(isTrue, "of each thing waited for there is one") }

  /// Gives a component a command.
  @discardableResult
  mutating func call(_ command: ComponentCommand, of component: Int = 0) -> [String] {
    call(.component(component, command))
  }

  /// Answers the operation of that name.
  @discardableResult
  mutating func answer(
    _ name: String, _ answer: Answer, at location: SourceLocation = #_sourceLocation
  ) -> [String] {
    finish(name, .success(answer), location)
  }

  /// Fails the operation of that name.
  @discardableResult
  mutating func fail(
    _ name: String, _ failure: OperationFailure, isSettledHere: Bool = false,
    at location: SourceLocation = #_sourceLocation
  ) -> [String] {
    finish(name, .failure(failure), isSettledHere: isSettledHere, location)
  }

  private mutating func finish(
    _ name: String, _ result: Result<Answer, OperationFailure>, isSettledHere: Bool = false,
    _ location: SourceLocation
  ) -> [String] {
    guard let place = inFlight.firstIndex(where: { $0.request.name == name }) else {
      Issue.record("no \(name) is under way", sourceLocation: location)
      return []
    }
    if name == "create" { noteCreation(result) }
    return handle(
      .operationFinished(inFlight.remove(at: place).id, result, isSettledHere: isSettledHere))
  }

  private mutating func noteCreation(_ result: Result<Answer, OperationFailure>) {
    guard case .failure(let failure) = result, !failure.isKeyAlreadyUsed else {
      if case .failure = result { usedKeyCount += 1 }
      isCreationOpen = false
      return
    }
    let status = failure.httpStatus ?? 0
    let isRefusal = (400..<500).contains(status) && failure.serverError != nil
    if ![.notSent, .notAllowed].contains(failure.kind), !isRefusal { isCreationOpen = true }
  }

  /// Lets a timer run out: the clock goes to its moment.
  @discardableResult
  mutating func fire(
    _ timer: TimerID, at location: SourceLocation = #_sourceLocation
  ) -> [String] {
    guard let time = timers.removeValue(forKey: timer) else {
      Issue.record("\(timer) is not set", sourceLocation: location)
      return []
    }
    now = max(now, time)
    return handle(.timerFired(timer))
  }

  /// Lets the one timer for a repeat run out.
  @discardableResult
  mutating func fireRepeat(at location: SourceLocation = #_sourceLocation) -> [String] {
    for timer in timers.keys {
      if case .repeat = timer { return fire(timer, at: location) }
    }
    Issue.record("no repeat is set", sourceLocation: location)
    return []
  }

  // MARK: Restart

  /// After a while another process takes the checkout up as it was stored: answers on their way,
  /// timers and waiting calls are lost.
  @discardableResult
  mutating func restart(
    after span: Milliseconds = 0, isRestored: Bool = false
  ) throws -> [String] {
    try restart(as: checkout.restored(), after: span, isRestored: isRestored)
  }

  /// The same with a checkout that was read otherwise.
  @discardableResult
  mutating func restart(
    as restored: Checkout, after span: Milliseconds = 0, isRestored: Bool = false
  ) -> [String] {
    checkout = restored
    now += span
    if inFlight.contains(where: { $0.request.name == "create" }) { isCreationOpen = true }
    inFlight = []
    timers = [:]
    startCalls = []
    waitingCalls = [:]
    lostCalls = lastCall - replies.count - refusals.count
    return note(
      checkout.resume(
        at: moment(), minimumDecisionSpan: Sample.minute, isRestored: isRestored))
  }

  // MARK: Effects

  @discardableResult
  private mutating func note(_ effects: [Effect]) -> [String] {
    let seen = lines.count
    for effect in effects {
      switch effect {
      case .publish(let event):
        events.append(event)
        lines.append(event.line)
      case .settled(let awaited, let result):
        if let call = waitingCalls.removeValue(forKey: awaited) { answer(call, result) }
      case .perform(let operation):
        inFlight.append(operation)
        sent.append(operation)
        lines.append("> " + operation.request.line)
      case .abandon(let id):
        let name = inFlight.first { $0.id == id }?.request.name ?? "nothing"
        inFlight.removeAll { $0.id == id }
        lines.append("x " + name)
      case .setTimer(let timer, let span):
        // What a damaged state says must not carry the clock out of all time.
        timers[timer] = now + min(span, 1 << 40)
        lines.append("@ \(timer.name) \(span)")
      case .clearTimer(let timer): timers[timer] = nil
      case .secondPayment: lines.append("* second payment")
      case .questionSettled(let isFree): lines.append("* session " + (isFree ? "free" : "held"))
      case .ended(let outcome): lines.append("# ended " + outcome.rawValue)
      case .removed(let error):
        lines.append("# removed")
        for call in startCalls { answer(call, .failure(error)) }
        startCalls = []
      }
    }
    answerStartCalls()
    return Array(lines[seen...])
  }

  /// The events among the lines.
  var eventLines: [String] { events.map(\.line) }

  /// The operations among the lines.
  var operationLines: [String] { sent.map(\.request.line) }

  /// What the last call was refused with.
  var lastRefusal: CheckoutError? { refusals[lastCall] }

  /// What the last call was answered.
  var lastReply: Value? { replies[lastCall] }
}

extension [String] {
  /// The lines that tell of events and operations only.
  var essence: [String] { filter { !$0.hasPrefix("=") && !$0.hasPrefix("@") } }
  /// The lines that tell of events only.
  var eventsOnly: [String] { filter { $0.first?.isLetter == true && !$0.hasPrefix("x ") } }
}
