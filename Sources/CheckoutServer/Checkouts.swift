import Checkout
import CheckoutProtocol
import JSONRPC
import LinuxSystem
import PrimerAPI
import Systemd
import ValueTree

/// Every checkout that is kept: gives them what comes in, and does what they say.
final class Checkouts {
  private let turn: Turn
  private let hub: EventHub
  private let upstream: any UpstreamGateway
  private let clock: ServerClock
  private let counters: Counters
  private let limits: CurrentLimits
  private let timers: Alarms<CheckoutTimer>
  private let registry = CheckoutRegistry()
  private var entropy = EntropyPool()
  private var spanLimits: Spans
  private let questions: Questions
  private var isStopping = false
  /// The starts that wait until it is known whether an ended checkout's session is free, by that
  /// checkout: each with the configuration it was answered.
  private var wanted: [CheckoutID: [(live: LiveCheckout, arrival: Arrival)]] = [:]

  /// What a client starts a checkout with.
  struct Start {
    let token: ClientToken
    let settings: Settings
    let shares: [Share]
    let record: StartRecord
  }

  init(
    _ turn: Turn, _ hub: EventHub, _ questions: Questions, _ upstream: any UpstreamGateway,
    _ clock: ServerClock, _ counters: Counters, _ limits: CurrentLimits, _ schedule: Schedule,
    spans: Spans
  ) {
    self.turn = turn
    self.hub = hub
    self.questions = questions
    self.upstream = upstream
    self.clock = clock
    self.counters = counters
    self.limits = limits
    spanLimits = spans
    timers = Alarms(in: schedule, holdsDaemon: true)
    timers.whenDue { [unowned self] key in
      if let live = registry[key.checkout] { receive(.timer(key.timer), of: live) }
    }
  }

  /// The daemon stops: from now on no payment is begun.
  func beginStopping() { isStopping = true }

  /// Sets how long things may take in the checkouts to come.
  func setSpans(_ spans: Spans) { spanLimits = spans }

  /// How long things may take.
  var spans: Spans { spanLimits }

  /// The time and the randomness for one input.
  private var moment: Moment {
    Moment(
      now: clock.now, wallOffset: clock.wallOffset, entropy: entropy.next(),
      asksQuestions: questions.areAsked, digest: NameDigest.paymentKey)
  }

  /// How far the wall clock is ahead of the steady one now.
  var wallOffset: Milliseconds { clock.wallOffset }

  // MARK: Finding

  /// Every checkout, in the order they were started.
  var all: [LiveCheckout] { registry.checkouts }

  /// One user's checkouts, in the order they were started.
  func all(of owner: UInt32) -> [LiveCheckout] { registry.checkouts(of: owner) }

  /// The checkouts that a user's subscription may reach, in the order they were started.
  func all(of user: UInt32, _ reach: WideSubscription.Reach) -> [LiveCheckout] {
    reach == .own ? all(of: user) : all
  }

  /// The checkout that a client names, if it may do that much with it; to anyone else there is no
  /// such checkout.
  func find(
    _ reference: CheckoutReference, for session: Session, atLeast needed: Access = .observe
  ) throws(RPCError) -> (live: LiveCheckout, access: Access) {
    let found: LiveCheckout? =
      switch reference {
      case .id(let id): id.flatMap { registry[$0] }
      case .startKey(let key):
        registry.checkout(startedBy: session.caller.userID, key: key)
      }
    guard let live = found, let access = session.caller.access(to: live) else {
      throw RPCError(CheckoutError(.unknownCheckout))
    }
    guard access >= needed else { throw RPCError(.permissionDenied) }
    if live.isTouched { session.output.nextReplyDependsOnTurn() }
    return (live, access)
  }

  /// The component that a client names, likewise.
  func find(
    _ id: ComponentID?, for session: Session, atLeast needed: Access = .observe
  ) throws(RPCError) -> (live: LiveCheckout, index: Int, access: Access) {
    guard let id, let live = registry[id.checkout],
      let access = session.caller.access(to: live), live.hasComponent(id.index)
    else { throw RPCError(CheckoutError(.unknownComponent)) }
    guard access >= needed else { throw RPCError(.permissionDenied) }
    if live.isTouched { session.output.nextReplyDependsOnTurn() }
    return (live, id.index, access)
  }

  /// Takes note that the next reply tells of many checkouts.
  func nextReplyTellsOfMany(_ session: Session) {
    if turn.hasChanges { session.output.nextReplyDependsOnTurn() }
  }

  // MARK: Starting

  /// The checkout that a user has started with a key, if the start was the same.
  func started(
    by session: Session, key: String, as fingerprints: Fingerprints
  ) throws(RPCError) -> LiveCheckout? {
    guard let live = registry.checkout(startedBy: session.caller.userID, key: key) else {
      return nil
    }
    guard fingerprints.contains(live.start.fingerprint) else {
      throw RPCError(CheckoutError(.keyReused, path: "/startKey", checkout: live.id))
    }
    try turn.requireStore()
    if live.isTouched { session.output.nextReplyDependsOnTurn() }
    return live
  }

  /// Refuses a start that there is no room for.
  func requireRoom(for session: Session) throws(RPCError) {
    try turn.requireStore()
    if let refusal = session.user.startRefusal(limits.value) { throw refusal }
  }

  /// Refuses more shares of one checkout than there may be.
  func requireRoom(for shares: [Share], of user: User) throws(RPCError) {
    let limit = limits.value.shares
    guard shares.count <= limit else {
      throw .quotaExceeded("shares", limit, used: shares.count, by: user.id)
    }
  }

  /// Refuses one more share than there may be; another role for who has one already is no more.
  func requireRoom(for share: Share, of live: LiveCheckout) throws(RPCError) {
    let limit = limits.value.shares
    let shares = live.checkout.shares
    guard shares.count < limit || shares.contains(where: { $0.subject == share.subject }) else {
      throw .quotaExceeded("shares", limit, used: shares.count, by: live.owner)
    }
  }

  /// Starts a checkout.
  func start(_ start: Start, by session: Session) throws(RPCError) -> LiveCheckout {
    var record = start.record
    record.repeats = try requireFree(start, for: session)
    let moment = moment
    let id = newID()
    let checkout = Checkout(
      id: id, owner: session.user.id, token: start.token, settings: start.settings,
      shares: start.shares, spans: spanLimits, repetition: record.repetition(of: id),
      moment: moment)
    let live = LiveCheckout(
      checkout, of: session.user, ordinal: registry.nextOrdinal, start: record)
    registry.insert(live)
    turn.undo { [unowned self] in
      registry.takeBack(live)
      hub.dropFollowers(of: live, RPCError(.storeFailed))
    }
    turn.tell(
      LogEntry(
        .info, "checkout started", id: MessageID.checkoutStarted,
        fields: [("CHECKOUT_ID", live.idText), ("CLIENT_UID", String(live.owner))]))
    turn.touch(live)
    apply(live.checkout.begin(at: moment), to: live)
    session.output.nextReplyDependsOnTurn()
    return live
  }

  private func newID() -> CheckoutID {
    while true {
      let id = CheckoutID(Random.uint64())
      if registry[id] == nil { return id }
    }
  }

  /// One live checkout for each client session, across all users; a session whose money has moved or
  /// may move stays closed, unless upstream can be asked once the configuration is there.
  ///
  /// - Returns: What came of the one that the start may repeat, if there is one.
  private func requireFree(
    _ start: Start, for session: Session
  ) throws(RPCError) -> Value? {
    let names = Fingerprints(accessToken: start.token.accessToken).all
    guard let holder = registry.holder(of: names) else { return nil }
    let owner = session.user.id
    if start.record.allowsRepeat && holder.checkout.isEnded {
      tellRepeat(after: holder, by: owner)
      return repeats(of: holder, for: owner)
    }
    if holder.checkout.isWorthAsking(questions.areAsked) { return nil }
    let isVisible = holder.owner == owner || owner == 0
    throw RPCError(CheckoutError(.sessionInUse, checkout: isVisible ? holder.id : nil))
  }

  /// A session was opened again although money has moved in it, or may: whoever looks into two payments
  /// will want to find that.
  private func tellRepeat(after holder: LiveCheckout, by owner: UInt32) {
    turn.tell(
      LogEntry(
        .notice, "a start was allowed although a payment of its session was made, or may have been",
        id: MessageID.repeatAllowed,
        fields: [("CHECKOUT_ID", holder.idText), ("CLIENT_UID", String(owner))]))
  }

  /// What came of the earlier one; its payment only if it is visible to the owner of the later.
  private func repeats(of holder: LiveCheckout, for owner: UInt32) -> Value? {
    guard let outcome = holder.checkout.outcome else { return nil }
    let isVisible = holder.owner == owner || owner == 0
    return (["outcome": .string(outcome.rawValue)] as Value)
      .adding("payment", isVisible ? holder.checkout.paymentValue : nil)
  }

  // MARK: Inputs

  /// Gives a checkout a command, and does what comes of it.
  ///
  /// - Throws: What the command is refused with.
  func perform(
    _ command: Command, on live: LiveCheckout, by session: Session
  ) throws(RPCError) -> CommandReply {
    try turn.requireStore()
    if isStopping, command.leadsToRequests { throw RPCError(.shuttingDown) }
    let wasTouched = live.isTouched
    turn.touch(live)
    let (reply, effects) = live.checkout.perform(command, at: moment)
    if case .failure(let error) = reply, effects.isEmpty, !wasTouched {
      // It changed nothing: there is nothing to commit.
      turn.untouch(live)
      throw RPCError(error)
    }
    if command.mustLast { turn.mustLast() }
    apply(effects, to: live)
    switch command {
    case .share, .unshare: hub.revise(live)
    default: break
    }
    session.output.nextReplyDependsOnTurn()
    switch reply {
    case .success(let reply): return reply
    case .failure(let error): throw RPCError(error)
    }
  }

  /// Takes in what nobody can send again: it is kept until a commit has taken it.
  func receive(_ arrival: Arrival, of live: LiveCheckout) {
    if case .answer(let result, let operation) = arrival,
      waitsForSession(result, operation, live)
    {
      return
    }
    guard turn.keep(arrival, of: live), registry[live.id] === live else { return }
    turn.touch(live)
    if case .answer(_, let operation) = arrival, operation.request.mustLast { turn.mustLast() }
    let input: Input =
      switch arrival {
      case .answer(let result, let operation): self.input(result, to: operation, of: live)
      case .timer(let timer): .timerFired(timer)
      case .restart(let span, let isRestored):
        .restarted(minimumDecisionSpan: span, isRestored: isRestored)
      case .sessionIsWanted: .sessionIsWanted
      }
    apply(live.checkout.handle(input, at: moment), to: live)
  }

  /// An answer becomes an input; a configuration whose client session another checkout holds
  /// becomes a refusal.
  private func input(
    _ result: Result<Answer, OperationFailure>, to operation: Operation, of live: LiveCheckout
  ) -> Input {
    guard case .fetchConfiguration = operation.request,
      case .success(.configuration(let configuration)) = result
    else {
      return .operationFinished(
        operation.id, result, isSettledHere: isSettledHere(result))
    }
    let session = configuration.clientSession.id.map { Fingerprints(session: $0) }
    if let holder = holder(of: session, against: live) {
      guard live.start.allowsRepeat && holder.checkout.isEnded else {
        return .sessionIsTaken(by: holder.owner == live.owner ? holder.id : nil)
      }
      let (before, now) = (live.start.repeats, repeats(of: holder, for: live.owner))
      // The start may have told it already, by the token.
      if now != before {
        tellRepeat(after: holder, by: live.owner)
        live.setRepeats(now)
        turn.undo { live.setRepeats(before) }
      }
    }
    if let session = session?.current {
      let before = live.start.sessionFingerprint
      registry.take(session: session, for: live)
      turn.undo { [unowned self] in
        registry.takeBack(session: session, from: live, before: before)
      }
    }
    return .operationFinished(operation.id, result)
  }

  /// Who holds a session, by its id or the token, against a checkout.
  private func holder(of session: Fingerprints?, against live: LiveCheckout) -> LiveCheckout? {
    let token = Fingerprints(accessToken: live.checkout.token.accessToken)
    return registry.holder(
      of: (session?.all ?? []) + [live.start.tokenFingerprint] + token.all, against: live)
  }

  /// Whether a key that was used belongs to a payment that ended here as failed or cancelled.
  private func isSettledHere(_ result: Result<Answer, OperationFailure>) -> Bool {
    guard case .failure(let failure) = result, failure.isKeyAlreadyUsed,
      let id = failure.payment?.id
    else { return false }
    return registry.hasSettled(paymentID: id)
  }

  // MARK: Sessions that are asked about

  /// Whether a start waits until upstream has been asked about the payment that holds its session.
  private func waitsForSession(
    _ result: Result<Answer, OperationFailure>, _ operation: Operation, _ live: LiveCheckout
  ) -> Bool {
    guard case .fetchConfiguration = operation.request, !live.start.allowsRepeat,
      case .success(.configuration(let configuration)) = result, registry[live.id] === live
    else { return false }
    let session = configuration.clientSession.id.map { Fingerprints(session: $0) }
    guard let holder = holder(of: session, against: live),
      holder.checkout.isWorthAsking(questions.areAsked)
    else { return false }
    wanted[holder.id, default: []].append((live, .answer(result, to: operation)))
    receive(.sessionIsWanted, of: holder)
    return true
  }

  /// Lets the starts that wait for a checkout's session go on.
  func settleWanted(_ holder: LiveCheckout) {
    for (live, arrival) in wanted.removeValue(forKey: holder.id) ?? [] {
      receive(arrival, of: live)
    }
  }

  /// Whether another attempt may have used a key that a client has chosen.
  func isTaken(key: String, besides live: LiveCheckout) -> Bool {
    registry.isTaken(key: key, besides: live)
  }

  // MARK: Effects

  /// Does what a checkout said: what concerns clients at once, the rest after the commit.
  private func apply(_ effects: [Effect], to live: LiveCheckout) {
    // What comes of one input happens at one time.
    var time: WallTime?
    for effect in effects {
      switch effect {
      case .publish(let event):
        let at = time ?? clock.wall
        time = at
        hub.publish(turn.publish(event, of: live, at: at), of: live)
      case .settled(let awaited, let result): hub.settle(awaited, result, of: live)
      case .perform(let operation): turn.after(.perform(operation, live))
      case .abandon(let operation): turn.after(.abandon(operation, live))
      case .setTimer(let timer, let span):
        turn.after(
          .setTimer(
            CheckoutTimer(checkout: live.id, timer: timer), at: clock.deadline(after: span)))
      case .clearTimer(let timer):
        turn.after(.clearTimer(CheckoutTimer(checkout: live.id, timer: timer)))
      case .secondPayment: questions.stop(by: live)
      case .questionSettled:
        registry.noteHold(of: live)
        turn.undo { [unowned self] in registry.noteHold(of: live) }
        settleWanted(live)
      case .ended(let outcome): end(live, outcome)
      case .removed(let error): turn.after(.removed(live, error))
      }
    }
    if !live.waits.isEmpty { turn.after(.settleWaits(live)) }
  }

  private func end(_ live: LiveCheckout, _ outcome: Outcome) {
    registry.note(live, isOver: true)
    turn.undo { [unowned self] in registry.note(live, isOver: false) }
    let method = live.checkout.lastPaymentMethodType
    counters.countOutcome(outcome, of: method, by: 1)
    turn.undo { [counters] in counters.countOutcome(outcome, of: method, by: -1) }
    turn.tell(
      LogEntry(
        .info, "checkout ended: \(outcome.rawValue)", id: MessageID.checkoutEnded,
        fields: [("CHECKOUT_ID", live.idText)], isKept: true))
    turn.after(.ended(live, outcome))
  }

  /// Sends a request upstream.
  func send(_ operation: Operation, for live: LiveCheckout) {
    let began = clock.monotonic
    let request = upstream.perform(operation, for: live.owner) { [unowned self] result in
      let (name, span) = (operation.request.name, clock.monotonic &- began)
      counters.countRequest(name, isAnswered: result.isSuccess, microseconds: span)
      turn.debug(
        "\(name) \(result.logText) after \(span / 1000) ms",
        about: live)
      // An answer to what was abandoned in the same turn means nothing any more.
      guard live.takeRequest(for: operation.id) != nil else { return }
      // Nothing is begun that would have to be waited for: the next process asks again.
      if isStopping, live.checkout.leadsToCreation, !operation.request.isAboutMoney { return }
      receive(.answer(result, to: operation), of: live)
    }
    live.add(request, for: operation.id)
  }

  /// Forgets a request: its answer is no longer wanted.
  func abandon(_ operation: OperationID, of live: LiveCheckout) {
    if let request = live.takeRequest(for: operation) { upstream.cancel(request) }
  }

  func setTimer(_ timer: CheckoutTimer, at deadline: UInt64) { timers.set(timer, at: deadline) }

  func clearTimer(_ timer: CheckoutTimer) { timers.clear(timer) }

  // MARK: Keeping and forgetting

  private static let decisionSpanAfterRestart: Milliseconds = 60_000

  /// Takes in the checkouts that were read.
  func takeUp(_ found: [LiveCheckout], isRestored: Bool) {
    for live in found { registry.insert(live) }
    guard !isRestored else { return }
    for live in found where !live.checkout.isEnded && !live.checkout.hasWorkToResume {
      // Nothing but timers to set: there is nothing to commit.
      let effects = live.checkout.resume(
        at: moment, minimumDecisionSpan: Self.decisionSpanAfterRestart)
      apply(effects, to: live)
    }
  }

  /// Takes up what was under way in the checkouts that were read; all that have not ended, if more may
  /// have happened since than is known.
  func resumeWork(of found: [LiveCheckout], isRestored: Bool) {
    let span = Self.decisionSpanAfterRestart
    for live in found
    where !live.checkout.isEnded && (isRestored || live.checkout.hasWorkToResume) {
      receive(.restart(minimumDecisionSpan: span, isRestored: isRestored), of: live)
    }
    guard !found.isEmpty else { return }
    turn.tell(LogEntry(.info, "took up \(found.count) checkouts"))
  }

  /// How many there are.
  var count: Int { registry.count }

  /// The checkout of that id.
  func checkout(_ id: CheckoutID) -> LiveCheckout? { registry[id] }

  /// Takes note of whether a checkout's client session stays held: where money has moved or may move
  /// it does, so that nobody pays again unawares.
  func noteHold(of live: LiveCheckout) { registry.noteHold(of: live) }

  /// Forgets a checkout.
  func remove(_ live: LiveCheckout) { registry.remove(live) }

  /// Whether a request is out whose answer decides about money.
  var isPaying: Bool {
    registry.checkouts.contains { $0.requestCount > 0 && $0.checkout.isPaying }
  }

  /// What upstream is asked and has answered.
  var upstreamStatus: GatewayStatus { upstream.status }
}

extension Command {
  /// Whether what is asked of upstream because of it would have to be waited for when the daemon stops.
  fileprivate var leadsToRequests: Bool {
    switch self {
    case .decide(_, .continue), .decide(_, .continueWithNewClientToken), .component(_, .submit):
      true
    default: false
    }
  }

  /// Whether its effect, once it is answered, survives a power failure.
  fileprivate var mustLast: Bool {
    switch self {
    case .decide, .cancel: true
    case .component(_, let command):
      switch command {
      case .reportBankAccount, .decideMandate: true
      case .start, .update, .submit, .reportRedirect: false
      }
    case .share, .unshare, .provide: false
    }
  }
}

extension Operation.Request {
  /// Whether its answer survives a power failure: what it says of money, or of a decision.
  fileprivate var mustLast: Bool {
    if case .validateClientToken = self { return true }
    return isAboutMoney
  }
}

extension Result where Success == Answer, Failure == OperationFailure {
  fileprivate var isSuccess: Bool {
    switch self {
    case .success: true
    case .failure: false
    }
  }

  /// What came of a request, without a word of what upstream said.
  fileprivate var logText: String {
    switch self {
    case .success: "was answered by upstream"
    case .failure(let failure):
      "failed (\(failure.kind)\(failure.httpStatus.map { ", HTTP status \($0)" } ?? ""))"
    }
  }
}
