import Checkout
import CheckoutStore
import JSONRPC
import Systemd
import ValueTree

/// What comes in that nobody can send again.
enum Arrival {
  /// An answer from upstream.
  case answer(Result<Answer, OperationFailure>, to: Operation)
  /// A timer of the checkout that has run out.
  case timer(TimerID)
  /// The checkout was taken up by this process; more may have happened to it since than is known.
  case restart(minimumDecisionSpan: Milliseconds, isRestored: Bool)
  /// A start wants the client session of the checkout, which has ended.
  case sessionIsWanted
}

/// What must not be done before the commit.
enum TurnEffect {
  case perform(Operation, LiveCheckout)
  case abandon(OperationID, LiveCheckout)
  case setTimer(CheckoutTimer, at: UInt64)
  case clearTimer(CheckoutTimer)
  case settleWaits(LiveCheckout)
  case ended(LiveCheckout, Outcome)
  case removed(LiveCheckout, CheckoutError)
}

/// A timer of a checkout.
struct CheckoutTimer: Hashable {
  let checkout: CheckoutID
  let timer: TimerID
}

/// One turn of the loop, as far as it is to be written: what it has changed, and what may be done and
/// told only when that is committed.
///
/// What a call did lives or dies with its reply: whoever changes something beside a checkout's state
/// says here how that is undone.
final class Turn {
  private let store: CheckoutStore
  private let clock: ServerClock
  private let journal: Journal
  private let counters: Counters
  private let bootID: Int64
  private let touched = UncheckedList<LiveCheckout>()
  private let effects = UncheckedList<TurnEffect>()
  private var doneCount = 0
  private let undos = UncheckedList<() -> Void>()
  private let entries = UncheckedList<LogEntry>()
  private var publishedCount = 0
  /// Whether money hangs on this turn.
  private var isPayment = false
  private var isAlwaysSynchronous = false
  private let kept = UncheckedList<Kept>()
  /// Why the store cannot be written, while it cannot.
  private var failure: StoreError?
  /// Whether what was kept while the store could not be written is being tried again.
  private var isRetrying = false
  /// The disk has lost what it had taken: nothing may be told any more, by this process.
  private(set) var fatal: StoreError?
  /// Those whose start was refused in this turn.
  private var removed: [LiveCheckout] = []
  /// Those whose rows an earlier version has written.
  private var earlier: [LiveCheckout] = []
  private var makesUpForLoss = false
  /// What else is written with the turn.
  private let writes = UncheckedList<() throws(StoreError) -> Void>()

  private struct Kept {
    let live: LiveCheckout
    let arrival: Arrival
    /// Whether this turn has handled it.
    var isHandled: Bool
  }

  init(
    _ store: CheckoutStore, _ clock: ServerClock, _ journal: Journal, _ counters: Counters,
    bootID: Int64
  ) {
    self.store = store
    self.clock = clock
    self.journal = journal
    self.counters = counters
    self.bootID = bootID
  }

  /// Sets whether every commit must survive a power failure, and not only those that money hangs on.
  func setAlwaysSynchronous(_ isAlways: Bool) { isAlwaysSynchronous = isAlways }

  /// What a row says of the time.
  var moment: StoredMoment {
    let now = clock.now
    return StoredMoment(
      now: now, boot: clock.bootMilliseconds, bootID: bootID, wall: now + clock.wallOffset)
  }

  /// How far the wall clock is ahead of the steady one now.
  var wallOffset: Milliseconds { clock.wallOffset }

  // MARK: Changes

  /// Whether anything has been changed.
  var hasChanges: Bool { !touched.isEmpty }

  /// Takes note that a checkout is about to change, and keeps it as it was.
  func touch(_ live: LiveCheckout) {
    // Of an archived one there is a record, which nothing changes.
    guard !live.isTouched, !live.isArchived else { return }
    // In memory nothing can fail.
    live.touch(keepsCopy: store.isDurable)
    touched.append(live)
  }

  /// Takes note that a checkout has not changed after all; it must be the one touched last.
  func untouch(_ live: LiveCheckout) {
    guard touched.count > 0, touched[touched.count - 1] === live, live.isTouched else { return }
    _ = touched.popLast()
    live.takeBack()
  }

  /// Adds an event of a checkout.
  func publish(_ event: Event, of live: LiveCheckout, at time: WallTime) -> EventRecord {
    if event.isTerminal || event.asksForDecision { isPayment = true }
    let record = EventRecord(seq: live.nextSeq(), time: time, event: event)
    store.publish(record, to: live.log(in: store))
    publishedCount += 1
    return record
  }

  /// Has something done after the commit.
  func after(_ effect: TurnEffect) {
    switch effect {
    case .perform(let operation, _) where operation.request.isAboutMoney: isPayment = true
    case .removed(let live, _): removed.append(live)
    default: break
    }
    effects.append(effect)
  }

  /// Writes a log entry after the commit.
  func tell(_ entry: LogEntry) { entries.append(entry) }

  /// Writes at once what helps to find a fault, and what no commit makes more true.
  func debug(_ message: @autoclosure () -> String, about live: LiveCheckout) {
    journal.debug(message(), checkout: live.idText)
  }

  /// Says how something is undone that was done in this turn, should it not be committed.
  func undo(_ body: @escaping () -> Void) {
    if store.isDurable { undos.append(body) }
  }

  // MARK: What nobody can send again

  /// Keeps what nobody can send again until a commit has taken it.
  ///
  /// - Returns: Whether it is to be handled now.
  func keep(_ arrival: Arrival, of live: LiveCheckout) -> Bool {
    let isHandled = failure == nil || isRetrying
    kept.append(Kept(live: live, arrival: arrival, isHandled: isHandled))
    return isHandled
  }

  /// Whether something is kept.
  var keepsArrivals: Bool { !kept.isEmpty }

  /// Why the store cannot be written, while it cannot.
  var problem: StoreError? { failure }

  /// Refuses a command while the store cannot be written.
  func requireStore() throws(RPCError) {
    guard failure == nil else { throw RPCError(.storeFailed) }
  }

  /// Tries once more what was kept.
  func retry(_ handle: (Arrival, LiveCheckout) -> Void) {
    let again = kept.all
    kept.removeAll()
    isRetrying = true
    for entry in again { handle(entry.arrival, entry.live) }
    isRetrying = false
  }

  /// Takes note that the store can be written again.
  func endProblem() { failure = nil }

  /// Takes note of an error of the store, whoever has met it.
  func note(_ error: StoreError) {
    if case .flushFailed = error { fatal = fatal ?? error }
  }

  /// Has the next commit write checkouts whole, and records, whose rows an earlier version has written.
  func rewrite(_ checkouts: [LiveCheckout]) { earlier = checkouts }

  /// Has the next commit say that the checkouts, as they are then, take account of what is missing.
  func makeUpForLoss() {
    makesUpForLoss = true
    isPayment = true
  }

  /// Takes note that what this turn does must survive a power failure.
  func mustLast() { isPayment = true }

  /// Has the commit write something that is not a checkout's, and that must survive a power failure.
  func alsoWrite(_ body: @escaping () throws(StoreError) -> Void) {
    writes.append(body)
    isPayment = true
  }

  // MARK: The end

  /// What has become of a turn.
  enum End {
    /// It is written.
    case written
    /// It could not be, and it is as if it had not been.
    case takenBack
    /// Nobody can say.
    case lost
  }

  /// Writes what the turn changed.
  func commit() -> End {
    guard fatal == nil else { return .lost }
    if !touched.isEmpty || !earlier.isEmpty || makesUpForLoss || !writes.isEmpty {
      let began = clock.monotonic
      do throws(StoreError) {
        try write()
        counters.countCommit(microseconds: clock.monotonic &- began)
      } catch {
        note(error)
        guard fatal == nil else { return .lost }
        takeBack(error)
        return .takenBack
      }
      for live in touched.all { live.markStored() }
      touched.removeAll()
      removed = []
      earlier = []
      makesUpForLoss = false
      writes.removeAll()
      counters.countPublished(publishedCount)
      publishedCount = 0
    }
    isPayment = false
    if !kept.isEmpty { kept.replaceAll(kept.all.filter { !$0.isHandled }) }
    undos.removeAll()
    for entry in entries.all { journal.write(entry) }
    entries.removeAll()
    return .written
  }

  private func write() throws(StoreError) {
    let moment = moment
    try store.commit(isPayment: isPayment || isAlwaysSynchronous) { () throws(StoreError) in
      for live in earlier { live.checkout.markAllChanged() }
      for live in touched.all {
        let log = live.log(in: store)
        if removed.contains(where: { $0 === live }) {
          try store.erase(log)
        } else {
          try store.write(log) { live.writeChanges(at: moment, to: $0) }
        }
      }
      for live in earlier where !live.isTouched {
        if let record = live.storedRecord(at: moment), live.isArchived {
          try store.writeRecord(record, of: live.id)
        } else {
          try store.write(live.log(in: store)) { live.writeChanges(at: moment, to: $0) }
        }
      }
      if makesUpForLoss { try store.makeUpForLoss() }
      for write in writes.all { try write() }
    }
  }

  private func takeBack(_ error: StoreError) {
    for live in touched.all { live.takeBack() }
    while let undo = undos.popLast() { undo() }
    for place in 0..<kept.count { kept[place].isHandled = false }
    touched.removeAll()
    removed = []
    effects.removeAll()
    doneCount = 0
    entries.removeAll()
    writes.removeAll()
    publishedCount = 0
    isPayment = makesUpForLoss
    failure = failure ?? error
  }

  /// The next thing to do after the commit; there may come to be more meanwhile.
  func takeEffect() -> TurnEffect? {
    guard doneCount < effects.count else {
      if doneCount > 0 {
        effects.removeAll()
        doneCount = 0
      }
      return nil
    }
    doneCount += 1
    return effects[doneCount - 1]
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
  var isAboutMoney: Bool {
    switch self {
    case .createPayment, .resume, .complete: true
    default: false
    }
  }
}
