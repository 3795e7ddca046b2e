package import Checkout
import CheckoutProtocol
import CheckoutStore
import JSONRPC
import Systemd
import ValueTree

/// How long things are kept after a checkout's end, and how surely each commit is written.
package struct Retention: Sendable, Equatable {
  /// Until everything personal is wiped.
  package var data: Milliseconds = 600_000
  /// Until the record of the outcome is forgotten.
  package var record: Milliseconds = 7 * 86_400_000
  /// Whether every commit must survive a power failure, and not only those that money hangs on.
  package var isAlwaysSynchronous = false

  /// The defaults.
  package init() {}
}

/// What follows the end of a checkout: its data is wiped, then its record forgotten, and what was
/// wiped is made unreadable in every file.
final class Housekeeping {
  private let store: CheckoutStore
  private let turn: Turn
  private let checkouts: Checkouts
  private let users: UserTable
  private let limits: CurrentLimits
  private let hub: EventHub
  private let clock: ServerClock
  private let journal: Journal
  private let health: StoreHealth
  private let wipes: Alarms<CheckoutID>
  private let records: Alarms<CheckoutID>
  private let scrubAlarm: Alarm
  private var retention: Retention
  /// Milliseconds that the last scrubbing took.
  private var lastScrubSpan: Milliseconds = 0
  /// What is to be wiped, and what to be forgotten, at the end of the turn.
  private var toWipe: [LiveCheckout] = []
  private var toForget: [LiveCheckout] = []
  /// Of which too many there are: whose data goes before its time.
  private var early: Set<CheckoutID> = []
  /// What could not be done when it was tried last.
  private var failing: Set<Job> = []
  /// After how long it is tried again.
  private var pause = shortestPause

  private static let shortestPause: Milliseconds = 1000
  private static let longestPause: Milliseconds = 60_000

  private enum Job {
    case wipe
    case forget
    case scrub
  }

  init(
    _ store: CheckoutStore, _ turn: Turn, _ checkouts: Checkouts, _ users: UserTable,
    _ limits: CurrentLimits, _ hub: EventHub, _ clock: ServerClock, _ journal: Journal,
    _ health: StoreHealth, _ schedule: Schedule,
    _ retention: Retention
  ) {
    self.store = store
    self.turn = turn
    self.checkouts = checkouts
    self.users = users
    self.limits = limits
    self.hub = hub
    self.clock = clock
    self.journal = journal
    self.health = health
    self.retention = retention
    wipes = Alarms(in: schedule, holdsDaemon: true)
    // A record without personal data can be forgotten later: those overdue go at the next start.
    records = Alarms(in: schedule, holdsDaemon: false)
    scrubAlarm = Alarm(in: schedule, holdsDaemon: true)
    wipes.whenDue { [unowned self] id in
      if let live = checkouts.checkout(id) { beginWiping(live) }
    }
    records.whenDue { [unowned self] id in
      if let live = checkouts.checkout(id) { beginForgetting(live) }
    }
    scrubAlarm.whenDue { [unowned self] in scrub() }
  }

  /// Sets how long things are kept, for the checkouts that end from now on.
  func setRetention(_ retention: Retention) { self.retention = retention }

  /// Takes note that a checkout has ended, once that is written.
  func ended(_ live: LiveCheckout, _ outcome: Outcome) {
    checkouts.noteHold(of: live)
    keep(live, for: retention.data)
  }

  /// Takes note that a start was refused: the checkout never was.
  func removed(_ live: LiveCheckout, _ error: CheckoutError) {
    checkouts.remove(live)
    hub.dropFollowers(
      of: live, RPCError(CheckoutError(.unknownCheckout)), startError: RPCError(error))
    scrubSoon()
  }

  /// Goes on with a checkout that was read and had ended: what is overdue is wiped now.
  func takeUp(_ live: LiveCheckout) {
    guard let endedAt = live.checkout.endedAt, let record = live.checkout.outcomeRecord else {
      return
    }
    let span = live.isArchived ? recordSpan(record) : retention.data
    let left = min(max(0, endedAt + span - clock.now), span)
    if live.isArchived {
      keepRecord(of: live, isPaid: record.isPaid, for: left)
    } else if left == 0 {
      toWipe.append(live)
    } else {
      keep(live, for: left)
    }
  }

  private func recordSpan(_ record: OutcomeRecord) -> Milliseconds {
    record.retention(retention.record, wallOffset: clock.wallOffset)
  }

  // MARK: Bounds

  /// Keeps the data of an ended checkout for a while, and no longer that of the user's oldest where
  /// there are too many.
  private func keep(_ live: LiveCheckout, for span: Milliseconds) {
    live.user.addEnded(live.id, isPaid: live.checkout.outcomeRecord?.isPaid == true)
    wipes.set(live.id, after: span)
    while let id = live.user.endedSurplus(limits.value), let surplus = checkouts.checkout(id) {
      wipeEarly(surplus)
    }
  }

  /// Keeps a record for a while, and no longer the oldest that is of no payment where there are too
  /// many.
  private func keepRecord(of live: LiveCheckout, isPaid: Bool, for span: Milliseconds) {
    let user = live.user
    user.addRecord(live.id, isPaid: isPaid)
    records.set(live.id, after: span)
    if user.comesNearRecordLimit(limits.value) {
      journal.warning(
        "a user has \(user.recordCount) of the \(limits.value.recordsPerUser) records there may be",
        id: MessageID.recordsNearLimit, fields: [("CLIENT_UID", String(user.id))])
    }
    while let id = user.recordSurplus(limits.value), let surplus = checkouts.checkout(id) {
      beginForgetting(surplus)
    }
  }

  private func wipeEarly(_ live: LiveCheckout) {
    early.insert(live.id)
    beginWiping(live)
  }

  /// Has a checkout wiped at the end of the turn; it counts no longer.
  private func beginWiping(_ live: LiveCheckout) {
    _ = live.user.removeEnded(live.id)
    wipes.clear(live.id)
    toWipe.append(live)
  }

  /// Has a record forgotten at the end of the turn; it counts no longer.
  private func beginForgetting(_ live: LiveCheckout) {
    _ = live.user.removeRecord(live.id)
    records.clear(live.id)
    toForget.append(live)
  }

  /// Whether a turn's end has something to do here.
  var hasWork: Bool {
    !toWipe.isEmpty || !toForget.isEmpty || users.endedSurplus != nil || users.recordSurplus != nil
  }

  // MARK: The end of a turn

  /// Does what has come due in the turn: all of a kind in one transaction.
  ///
  /// To be called before the turn is committed: it may be that others are waiting for what is wiped.
  func endTurn() {
    while let id = users.endedSurplus, let live = checkouts.checkout(id) { wipeEarly(live) }
    if !toWipe.isEmpty { wipe() }
    while let id = users.recordSurplus, let live = checkouts.checkout(id) { beginForgetting(live) }
    if !toForget.isEmpty { forget() }
  }

  /// Wipes all that is personal or secret of ended checkouts; a record of each outcome stays, but not
  /// of one that goes early, never reached a payment and has no start key.
  private func wipe() {
    let due = toWipe
    toWipe = []
    let moment = turn.moment
    var removals: [(live: LiveCheckout, record: OutcomeRecord, stored: Value?)] = []
    for live in due {
      // What this turn has changed is written first.
      guard !live.isTouched else {
        wipes.set(live.id, after: 0)
        continue
      }
      guard let record = live.checkout.outcomeRecord, let stored = live.storedRecord(at: moment)
      else { continue }
      let isWanted = record.isPaid || live.start.key != nil || !early.contains(live.id)
      removals.append((live, record, isWanted ? stored : nil))
    }
    guard !removals.isEmpty else { return }
    let areWiped = attempt(.wipe) { () throws(StoreError) in
      try store.remove(removals.map { ($0.live.id, $0.stored) })
    }
    guard areWiped else {
      for removal in removals { wipes.set(removal.live.id, after: pause) }
      return
    }
    for (live, record, stored) in removals {
      early.remove(live.id)
      hub.dropFollowers(of: live, RPCError(CheckoutError(.unknownCheckout)))
      guard stored != nil else {
        checkouts.remove(live)
        continue
      }
      live.archive(record)
      checkouts.settleWanted(live)
      journal.info(
        "checkout wiped", id: MessageID.checkoutArchived, fields: [("CHECKOUT_ID", live.idText)])
      let span = recordSpan(record)
      keepRecord(
        of: live, isPaid: record.isPaid,
        for: min(max(0, record.endedAt + span - clock.now), span))
    }
    scrubSoon()
  }

  /// Forgets records of outcomes.
  private func forget() {
    let due = toForget
    toForget = []
    let areForgotten = attempt(.forget) { () throws(StoreError) in
      try store.removeRecords(of: due.map(\.id))
    }
    guard areForgotten else {
      for live in due { records.set(live.id, after: pause) }
      return
    }
    for live in due {
      checkouts.remove(live)
      hub.dropFollowers(of: live, RPCError(CheckoutError(.unknownCheckout)))
    }
    scrubSoon()
  }

  /// Several wipings share one scrubbing.
  private func scrubSoon() {
    // It reads the whole file: it may take a twentieth of the time at most.
    if !scrubAlarm.isSet { scrubAlarm.set(after: max(50, 20 * lastScrubSpan)) }
  }

  /// Makes what was wiped unreadable in every file.
  func scrub() {
    scrubAlarm.clear()
    let began = clock.bootMilliseconds
    let isScrubbed = attempt(.scrub) { () throws(StoreError) in try store.scrub() }
    lastScrubSpan = clock.bootMilliseconds - began
    if !isScrubbed { scrubAlarm.set(after: pause) }
  }

  /// Does what may fail and is tried again, each time later.
  private func attempt(_ job: Job, _ body: () throws(StoreError) -> Void) -> Bool {
    do throws(StoreError) {
      try body()
      guard failing.remove(job) != nil, failing.isEmpty else { return true }
      pause = Self.shortestPause
      health.noteWiping(nil)
      return true
    } catch {
      turn.note(error)
      if !failing.isEmpty { pause = min(2 * pause, Self.longestPause) }
      failing.insert(job)
      health.noteWiping(error)
      return false
    }
  }
}

extension OutcomeRecord {
  /// Whether a payment was made, or may have been.
  var isPaid: Bool { payment != nil || (outcome != .failed && outcome != .cancelled) }
}
