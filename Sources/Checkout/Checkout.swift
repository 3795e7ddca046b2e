import ValueTree

/// One checkout: a value, changed by nothing but ``handle(_:at:)``.
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
  var startCalls: [CallID] = []
  var expiresAt: WallTime?
  /// Whether upstream may hold a selected payment method, which a failure has to take back.
  var hasSelectedPaymentMethod = false

  /// Begins a checkout; its first input must be ``Command/awaitStart`` after ``begin(at:)``.
  package init(
    id: CheckoutID, owner: UInt32, token: ClientToken, settings: Settings,
    shares: [Share] = [], spans: Spans, moment: Moment
  ) {
    var moment = moment
    self.id = id
    self.owner = owner
    self.shares = shares
    self.spans = spans
    sharedSettings = Shared(settings)
    sharedToken = Shared(token)
    sharedConfiguration = Shared(nil)
    createdAt = moment.now
    sessionID = moment.uuid()
  }

  /// Takes one input and says what to do about it, in order.
  package mutating func handle(_ input: Input, at moment: Moment) -> [Effect] {
    var turn = Turn(moment)
    switch input {
    case .command(let command, let call): handle(command, call, &turn)
    case .operationFinished(let operation, let result): finish(operation, result, &turn)
    case .timerFired(let timer): fire(timer, &turn)
    case .restarted(let span): takeUp(span, &turn)
    case .sessionIsTaken(let other):
      guard case .starting = phase else { break }
      refuseStart(CheckoutError(.sessionInUse, checkout: other), &turn)
    }
    return turn.finish()
  }

  private mutating func handle(_ command: Command, _ call: CallID, _ turn: inout Turn) {
    do throws(CheckoutError) {
      switch command {
      case .awaitStart: awaitStart(call, &turn)
      case .cancel(let reason): try cancel(reason, call, &turn)
      case .decide(let id, let decision): try decide(id, decision, call, &turn)
      case .share(let share):
        try requireRecordable()
        shares.removeAll { $0.subject == share.subject }
        shares.append(share)
        turn.reply(call)
      case .unshare(let subject):
        try requireRecordable()
        shares.removeAll { $0.subject == subject }
        turn.reply(call)
      case .provide(let manager, let type): try provide(manager, type, call, &turn)
      case .component(let index, let command): try handle(command, of: index, call, &turn)
      }
    } catch {
      turn.refuse(call, error)
    }
  }

  /// A record of an outcome is all that is left of an archived checkout: it cannot change.
  private func requireRecordable() throws(CheckoutError) {
    if case .archived = phase { throw CheckoutError(.checkoutEnded) }
  }

  private mutating func handle(
    _ command: ComponentCommand, of index: Int, _ call: CallID, _ turn: inout Turn
  ) throws(CheckoutError) {
    guard components.indices.contains(index) else { throw CheckoutError(.unknownComponent) }
    if isEnded { throw CheckoutError(.checkoutEnded) }
    switch command {
    case .start: try startComponent(index, call, &turn)
    case .update(let data): try update(index, data, call, &turn)
    case .submit: try submit(index, call, &turn)
    case .reportRedirect(let dismissed): try reportRedirect(index, dismissed, call, &turn)
    case .reportBankAccount(let report): try take(report, index, call, &turn)
    case .decideMandate(let isAccepted): try decideMandate(index, isAccepted, call, &turn)
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
  /// Replies come after the events of their turn, whatever the order they were given in; few inputs
  /// lead to more than one.
  private var reply: Effect?
  private var moreReplies: [Effect] = []

  init(_ moment: Moment) {
    self.moment = moment
    effects.reserveCapacity(4)
  }

  mutating func reply(_ call: CallID, _ value: Value = .object([])) {
    add(.reply(call, value))
  }

  mutating func refuse(_ call: CallID, _ error: CheckoutError) {
    add(.refuse(call, error))
  }

  private mutating func add(_ answer: Effect) {
    if reply == nil { reply = answer } else { moreReplies.append(answer) }
  }

  mutating func finish() -> [Effect] {
    if let reply { effects.append(reply) }
    if !moreReplies.isEmpty { effects += moreReplies }
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

  /// What components are told.
  var context: ComponentContext {
    ComponentContext(configuration: configuration ?? Configuration(), settings: settings)
  }
}
