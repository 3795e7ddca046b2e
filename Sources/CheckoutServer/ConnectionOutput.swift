import Checkout
import JSON
import JSONRPC
import LinuxSystem
import ValueTree

/// What one connection is owed: what this turn says to it, what it has not taken of earlier turns,
/// and the calls that are not answered.
///
/// It knows its connection by a number alone, so that a call that is answered late keeps nothing of a
/// connection that is closed.
final class ConnectionOutput: ReplySink {
  private let outbound: Outbound
  private let tag: UInt64
  private let user: User
  private let counters: Counters
  private let inFlightLimit: Int
  private let lineLimit: Int
  private let depthLimit: Int
  private let unfinished = UnfinishedBatches()

  private var list = Outbound.List()
  /// What was not taken of earlier turns; there is none while the client keeps up.
  private var backlog: Backlog?
  /// Events that were not sent; there is none while the client keeps up.
  private var losses: Losses?
  private var inFlight = 0
  private let share: TurnShare
  /// Whether the next reply tells of what this turn has changed.
  private var nextReplyDepends = false
  /// Whether the connection is among those that are flushed at the end of the turn.
  private var isDirty = false
  /// Whether input waits for calls to be answered.
  private var isAwaited = false
  private var stage = Stage.open
  private var refusal: String?

  private enum Stage: Int {
    case open
    /// The connection is closed once what waits has been sent.
    case closing
    /// It is closed as soon as it has been told, whatever of it the client has taken.
    case closingAtOnce
    /// Replies have nowhere to go.
    case closed
  }

  /// Makes the output of a connection, which is found by its tag when it is to be flushed; the limits
  /// are those of when the client comes.
  init(
    to outbound: Outbound, tag: UInt64, of user: User, _ limits: Limits, _ counters: Counters,
    _ clock: ServerClock
  ) {
    self.outbound = outbound
    self.tag = tag
    self.user = user
    self.counters = counters
    inFlightLimit = limits.inFlight
    lineLimit = limits.lineOut
    depthLimit = limits.nesting
    share = TurnShare(clock)
  }

  // MARK: Replies

  var output: JSONOutput { outbound.output }
  var batches: UnfinishedBatches { unfinished }
  var acceptsReplies: Bool { stage != .closed }
  var maximumReplyByteCount: Int { lineLimit }
  var maximumReplyDepth: Int { depthLimit }
  /// How much of a line a list may take, beside the rest of a reply.
  var pageByteCount: Int { lineLimit - 4096 }

  var callsInFlight: Int {
    get { inFlight }
    set {
      if newValue < inFlight, isAwaited { markDirty() }
      inFlight = newValue
    }
  }

  /// Takes note that nothing is known of what the next reply will tell: a call begins, or waits.
  func beginCall() { nextReplyDepends = false }

  /// Takes note that the next reply tells of what this turn has changed.
  func nextReplyDependsOnTurn() { nextReplyDepends = true }

  /// Whether the next reply tells of what this turn has changed.
  var dependsOnTurn: Bool { nextReplyDepends }

  func stampReply() -> UInt64 {
    guard nextReplyDepends else { return 0 }
    nextReplyDepends = false
    return outbound.turn
  }

  func replyAppended(_ line: ReplyLine) {
    outbound.note(line)
    append(line.range)
  }

  func mayGoOn() -> Bool { hasRoom && !share.isUsedUp() }

  /// Counts a call that was refused for want of room, right or store; what is wrong with a call itself
  /// is no refusal.
  func noteFailure(_ error: RPCError) {
    switch error.code {
    case .quotaExceeded, .permissionDenied, .shuttingDown, .storeFailed: break
    default: return
    }
    let reason = error.quota ?? error.errorId ?? "refused"
    refusal = reason
    counters.countRefusedCall(reason)
  }

  /// Why the client was last refused something, as an error id.
  var lastRefusal: String? { refusal }

  // MARK: Room

  /// Bytes that wait to be taken by the client.
  var queuedByteCount: Int { waitingByteCount + list.byteCount }

  private var waitingByteCount: Int { backlog?.count ?? 0 }

  /// What is held for the client beyond the turn.
  var heldByteCount: Int {
    // A batch is unfinished for want of an answer, or of a member that has not begun.
    let hasBatches = inFlight > 0 || isAwaited
    return waitingByteCount + (hasBatches ? unfinished.heldByteCount : 0)
  }

  /// Whether so much waits that events are dropped and calls left.
  ///
  /// The limit is asked for only once there is something to divide: what waits below that is nobody's
  /// loss.
  private var isOwedTooMuch: Bool {
    let queued = queuedByteCount
    return queued >= 4096 && queued >= user.share
  }

  /// Whether one more call may start.
  var hasRoom: Bool { inFlight < inFlightLimit && stage == .open && !isOwedTooMuch }

  /// Whether events that nobody may drop can be added now.
  var hasRoomForReplay: Bool { queuedByteCount < user.share / 2 }

  /// Begins the connection's share of a turn.
  func beginShare() { share.begin() }

  /// Says whether input waits for calls to be answered; then the connection is flushed when one is.
  func setAwaited(_ isAwaited: Bool) { self.isAwaited = isAwaited }

  // MARK: Adding

  /// Makes sure that the connection is flushed at the end of the turn.
  func markDirty() {
    guard !isDirty else { return }
    isDirty = true
    outbound.addDirty(tag)
  }

  /// Adds a line that stands in the arena, whatever the room.
  func append(_ range: Range<Int>) {
    guard stage != .closed else { return }
    markDirty()
    list = outbound.adding(range, to: list)
  }

  /// Sends an event that stands in the arena, if there is room and a line may be so long and deep; one
  /// that is dropped is counted and told of later.
  func offer(_ event: EventWriter.Written, of checkout: CheckoutID, seq: Int64) {
    guard isOwedTooMuch || !isSendable(event) || losses?.contains(checkout) == true else {
      return append(event.range)
    }
    let lost = losses ?? Losses()
    losses = lost
    lost.add(seq, of: checkout)
    markDirty()
  }

  /// Sends an event of the past that stands in the arena, whatever the room.
  ///
  /// What no line holds, since it was taken in when lines could be longer, is told of as lost.
  func replay(_ event: EventWriter.Written, of checkout: CheckoutID, seq: Int64) {
    if isSendable(event) { return append(event.range) }
    tell(ConnectionState.Lost(checkout: checkout, seqs: seq...seq))
  }

  /// Whether a line may be so long and so deep.
  private func isSendable(_ event: EventWriter.Written) -> Bool {
    event.range.count <= lineLimit && event.depth <= depthLimit
  }

  /// Sends a notification of the daemon's own.
  func notify(_ method: StaticString, _ members: [Value.Member]) {
    guard stage != .closed else { return }
    let start = output.count
    output.appendNotification(method, members)
    append(start..<output.count)
  }

  /// Says why, and closes once that has been sent; at once, if the client gets no time to take it.
  func closeSaying(_ error: RPCError, waits: Bool = true) {
    guard stage == .open else { return }
    let reason = error.quota ?? error.errorId ?? "closing"
    refusal = reason
    counters.countRefusal(reason)
    report(error)
    stage = waits ? .closing : .closingAtOnce
    markDirty()
  }

  /// Whether the connection is to be closed.
  var isClosing: Bool { stage != .open }

  /// Whether it is to be closed now.
  var isFinished: Bool { stage == .closingAtOnce || stage == .closing && !hasBacklog }

  // MARK: The end of a turn

  /// Takes back what this turn has said, since it could not be written.
  ///
  /// Events go, results become `store-failed`.
  func takeBack() {
    let error = RPCError(.storeFailed)
    losses?.dropTurn()
    unfinished.takeBack(turn: outbound.turn, as: error)
    guard !list.isEmpty else { return }
    let lines = outbound.lines(of: list)
    list = Outbound.List()
    for line in lines {
      let start = output.count
      switch line {
      case .fact(let range): output.append(range, of: output)
      case .reply(let reply):
        output.append(reply, takingBack: outbound.turn, as: error)
        noteFailure(error)
      case .event: continue
      }
      append(start..<output.count)
    }
  }

  /// Sends what the turn said, as far as the client takes it.
  ///
  /// - Returns: `false` if the client is gone.
  func flush(to descriptor: borrowing FileDescriptor) -> Bool {
    isDirty = false
    nextReplyDepends = false
    if let backlog, backlog.count > 0 {
      guard backlog.flush(to: descriptor) else { return false }
    }
    if let losses {
      counters.countLost(losses.keepTurn())
      if !losses.isEmpty, hasRoomForReplay { tell(losses) }
    }
    guard !list.isEmpty else { return true }
    let said = list
    list = Outbound.List()
    var sent = 0
    if !hasBacklog {
      guard let count = outbound.send(said, to: descriptor) else { return false }
      sent = count
    }
    guard sent < said.byteCount else { return true }
    let rest = backlog ?? Backlog()
    backlog = rest
    outbound.copy(said, from: sent, to: rest)
    return true
  }

  /// Tells what was lost, now that there is room again.
  private func tell(_ losses: Losses) {
    for lost in losses.takeAll() { tell(lost) }
  }

  /// Tells that events were lost.
  func tell(_ lost: ConnectionState.Lost) {
    notify(
      "events.lost",
      [
        .init("checkoutId", .string(lost.checkout.text)),
        .init("from", .integer(lost.seqs.lowerBound)),
        .init("to", .integer(lost.seqs.upperBound)),
      ])
  }

  /// Forgets which events of a checkout were lost: they are sent again.
  ///
  /// - Returns: Those of earlier turns.
  func forgetLosses(of checkout: CheckoutID) -> ConnectionState.Lost? {
    losses?.remove(checkout)
  }

  /// Takes note of events that were lost in earlier turns.
  func noteLosses(_ lost: ConnectionState.Lost) { losses?.note(lost) }

  /// Whether bytes of earlier turns wait to be taken.
  var hasBacklog: Bool { waitingByteCount > 0 }

  /// Whether the client is owed so much that it must read some of it within a time.
  var isStuck: Bool {
    guard let backlog, backlog.count > 0 else { return false }
    return isClosing || backlog.count >= user.share
  }

  /// How many bytes the client has taken that it could not take at once.
  var takenByteCount: Int { backlog?.takenByteCount ?? 0 }

  /// How many events were lost in all.
  var lostCount: Int { losses?.count ?? 0 }

  /// Lets go of everything: the connection is closed.
  func close() {
    stage = .closed
    list = Outbound.List()
    backlog = nil
    losses = nil
    unfinished.drop()
  }

  // MARK: Restarts

  /// Writes down what the next run of the daemon has to know; to be asked after a flush.
  func write(to state: inout ConnectionState) {
    state.output = backlog?.rest ?? []
    state.isClosing = isClosing
    state.lost = losses?.all ?? []
    state.lostCount = lostCount
  }

  /// Goes on where the last run of the daemon has left it.
  func resume(_ state: ConnectionState) {
    if !state.output.isEmpty { backlog = Backlog(state.output) }
    if state.lostCount > 0 || !state.lost.isEmpty {
      losses = Losses(state.lost, count: state.lostCount)
    }
    if state.isClosing { stage = .closing }
    markDirty()
  }
}
