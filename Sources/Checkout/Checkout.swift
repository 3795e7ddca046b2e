import ValueTree

/// One checkout: a value, changed by nothing but ``perform(_:at:)`` and ``handle(_:at:)``.
///
/// There is no descriptor, clock, random number, JSON or thread inside: time and randomness come in
/// with the input, and what must happen outside goes out as an effect. So every flow, race and crash
/// point is a row of a table test.
package struct Checkout: Sendable {
  /// The checkout's number.
  package let id: CheckoutID
  /// The uid that started it.
  package let owner: UInt32
  /// When it was started.
  package let createdAt: WallTime
  /// The `Primer-SDK-Checkout-Session-ID` of all its requests.
  package let sessionID: String
  /// What the client chose.
  package var settings: Settings { sharedSettings.value }
  /// How long things may take.
  package let spans: Spans

  /// The token in force: the one it was started with, until a required action brings another.
  package internal(set) var token: ClientToken {
    get { sharedToken.value }
    set {
      sharedToken.value = newValue
      fixedVersion += 1
    }
  }
  /// What upstream said of the session; `nil` until the start has finished.
  package internal(set) var configuration: Configuration? {
    get { sharedConfiguration.value }
    set {
      sharedConfiguration.value = newValue
      fixedVersion += 1
    }
  }
  /// Who else may use it.
  package internal(set) var shares: [Share] { didSet { fixedVersion += 1 } }
  /// How often ``storedFixed`` has changed in this process.
  package private(set) var fixedVersion = 0
  /// What that was when it was written last.
  var writtenFixedVersion = -1
  /// How many events it has published; the last one's number.
  package internal(set) var seq: Int64 = 0

  // A checkout is copied whenever a turn may have to be taken back.
  let sharedSettings: Shared<Settings>
  var sharedToken: Shared<ClientToken>
  var sharedConfiguration: Shared<Configuration?>

  var phase: Phase = .starting
  var components: [ComponentSlot] = []
  var attempt: Attempt?
  var operations: [PendingOperation] = []
  var operationCount: OperationID = 0
  var decisionCount = 0
  var expiresAt: WallTime?
  /// Whether upstream may hold a selected payment method, which a failure has to take back.
  var hasSelectedPaymentMethod = false
  /// Whether the state has gone back in time, or commits after it are missing.
  package internal(set) var isRestored = false { didSet { fixedVersion += 1 } }
  /// What the payment is bound to, once the configuration is known.
  var paymentSession: PaymentSession? { didSet { fixedVersion += 1 } }
  /// The creation that upstream has answered, naming the payment.
  var creation: Operation? { didSet { fixedVersion += 1 } }
  /// What tells this checkout's payment from earlier ones of its session, if it was allowed to repeat
  /// them.
  let repetition: String?

  /// Begins a checkout; the first thing done with it must be ``begin(at:)``.
  package init(
    id: CheckoutID, owner: UInt32, token: ClientToken, settings: Settings,
    shares: [Share] = [], spans: Spans, repetition: String? = nil, moment: Moment
  ) {
    var moment = moment
    self.id = id
    self.owner = owner
    self.shares = shares
    self.spans = spans
    sharedSettings = Shared(settings)
    // What a token asks for is asked for by upstream's answers alone.
    var token = token.steady(by: moment)
    token.code = nil
    token.voucher = nil
    sharedToken = Shared(token)
    self.repetition = repetition
    sharedConfiguration = Shared(nil)
    createdAt = moment.now
    sessionID = moment.uuid()
  }

  /// Does what a client asks.
  ///
  /// - Returns: The answer, which comes after the events of this input, and what is to be done, in
  ///   order; a command that is refused may have effects too.
  package mutating func perform(
    _ command: Command, at moment: Moment
  ) -> (reply: Result<CommandReply, CheckoutError>, effects: [Effect]) {
    var turn = Turn(moment)
    do throws(CheckoutError) {
      let reply = try perform(command, &turn)
      return (.success(reply), turn.finish())
    } catch {
      return (.failure(error), turn.finish())
    }
  }

  /// Takes one input and says what to do about it, in order.
  package mutating func handle(_ input: Input, at moment: Moment) -> [Effect] {
    var turn = Turn(moment)
    switch input {
    case .operationFinished(let operation, let result, let isSettledHere):
      finish(operation, result, isSettledHere: isSettledHere, &turn)
    case .timerFired(let timer): fire(timer, &turn)
    case .restarted(let span, let isRestored): takeUp(span, isRestored: isRestored, &turn)
    case .sessionIsWanted: askForSession(&turn)
    case .sessionIsTaken(let other):
      guard case .starting = phase else { break }
      refuseStart(CheckoutError(.sessionInUse, checkout: other), &turn)
    }
    return turn.finish()
  }

  private mutating func perform(
    _ command: Command, _ turn: inout Turn
  ) throws(CheckoutError) -> CommandReply {
    switch command {
    case .cancel(let reason): return try cancel(reason, &turn)
    case .decide(let id, let decision): return try decide(id, decision, &turn)
    case .share(let share):
      try requireRecordable()
      shares.removeAll { $0.subject == share.subject }
      shares.append(share)
      return .done
    case .unshare(let subject):
      try requireRecordable()
      shares.removeAll { $0.subject == subject }
      return .done
    case .provide(let manager, let type): return try provide(manager, type)
    case .component(let index, let command): return try perform(command, of: index, &turn)
    }
  }

  /// A record of an outcome is all that is left of an archived checkout: it cannot change.
  private func requireRecordable() throws(CheckoutError) {
    if case .archived = phase { throw CheckoutError(.checkoutEnded) }
  }

  private mutating func perform(
    _ command: ComponentCommand, of index: Int, _ turn: inout Turn
  ) throws(CheckoutError) -> CommandReply {
    guard components.indices.contains(index) else { throw CheckoutError(.unknownComponent) }
    if isEnded { throw CheckoutError(.checkoutEnded) }
    switch command {
    case .start: return try startComponent(index, &turn)
    case .update(let data): return try update(index, data, &turn)
    case .submit: return try submit(index, &turn)
    case .reportRedirect(let dismissed): return try reportRedirect(index, dismissed, &turn)
    case .reportBankAccount(let report): return try take(report, index, &turn)
    case .decideMandate(let isAccepted): return try decideMandate(index, isAccepted, &turn)
    }
  }

  private mutating func fire(_ timer: TimerID, _ turn: inout Turn) {
    switch timer {
    case .expiry: expire(&turn)
    case .decision: decisionTimedOut(&turn)
    case .poll: poll(&turn)
    case .repeat(let operation): repeatOperation(operation, &turn)
    }
  }
}

extension Value {
  /// A step without the list or the details that its event tells: the component holds them.
  fileprivate var withoutCollections: Value {
    guard case .object(let members) = self else { return self }
    return .object(members.filter { $0.name != "banks" && $0.name != "details" })
  }
}

/// One input being handled: what it leads to, in order.
struct Turn {
  var moment: Moment
  var effects: [Effect] = []
  /// Answers come after the events of their input, whatever the order they were given in.
  private var settled: [Effect] = []

  init(_ moment: Moment) {
    self.moment = moment
    effects.reserveCapacity(4)
  }

  /// Answers whoever waits for that.
  mutating func settle(_ awaited: Awaited, _ result: Result<Value, CheckoutError>) {
    settled.append(.settled(awaited, result))
  }

  mutating func finish() -> [Effect] {
    if !settled.isEmpty { effects += settled }
    return effects
  }
}

extension Checkout {
  /// Numbers an event and publishes it.
  mutating func publish(_ event: Event, _ turn: inout Turn) {
    seq += 1
    turn.effects.append(.publish(event))
  }

  /// Publishes what a component told, as that component's.
  mutating func publish(_ events: [Event], of index: Int, _ turn: inout Turn) {
    for var event in events {
      event.component = index
      if event.kind == .didReceiveStep {
        components[index].step = event.members.first?.value.withoutCollections
      }
      publish(event, &turn)
    }
  }

  /// Publishes a step of a component.
  mutating func publishStep(_ step: Value, of index: Int, _ turn: inout Turn) {
    publish([Event(.didReceiveStep, [.init("step", step)])], of: index, &turn)
  }

  /// Whether the checkout has ended.
  package var isEnded: Bool {
    switch phase {
    case .ended, .archived: true
    default: false
    }
  }

  /// The payment method that was chosen last.
  package var lastPaymentMethodType: String? { components.last?.paymentMethodType }

  /// When the payment attempt began that is under way, by the steady clock.
  package var payingSince: WallTime? { isEnded ? nil : attempt?.startedAt }

  /// What a component is told.
  func context(of index: Int) -> ComponentContext {
    ComponentContext(
      configuration: configuration ?? Configuration(), settings: settings,
      paymentMethodType: components[index].paymentMethodType)
  }
}
