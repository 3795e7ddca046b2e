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
  private let hub: EventHub
  private let clock: ServerClock
  private let journal: Journal
  private let wipes: Alarms<CheckoutID>
  private let records: Alarms<CheckoutID>
  private let scrubAlarm: Alarm
  private var retention: Retention
  /// Milliseconds that the last scrubbing took.
  private var lastScrubSpan: Milliseconds = 0

  private static let pause: Milliseconds = 1000

  init(
    _ store: CheckoutStore, _ turn: Turn, _ checkouts: Checkouts, _ hub: EventHub,
    _ clock: ServerClock, _ journal: Journal, _ schedule: Schedule, _ retention: Retention
  ) {
    self.store = store
    self.turn = turn
    self.checkouts = checkouts
    self.hub = hub
    self.clock = clock
    self.journal = journal
    self.retention = retention
    wipes = Alarms(in: schedule, holdsDaemon: true)
    // A record without personal data can be forgotten later: those overdue go at the next start.
    records = Alarms(in: schedule, holdsDaemon: false)
    scrubAlarm = Alarm(in: schedule, holdsDaemon: true)
    wipes.whenDue { [unowned self] id in
      if let live = checkouts.checkout(id) { wipe(live) }
    }
    records.whenDue { [unowned self] id in
      if let live = checkouts.checkout(id) { forget(live) }
    }
    scrubAlarm.whenDue { [unowned self] in scrub() }
  }

  /// Sets how long things are kept, for the checkouts that end from now on.
  func setRetention(_ retention: Retention) { self.retention = retention }

  /// Takes note that a checkout has ended, once that is written.
  func ended(_ live: LiveCheckout, _ outcome: Outcome) {
    checkouts.noteHold(of: live)
    wipes.set(live.id, after: retention.data)
  }

  /// Forgets a checkout whose start was refused: it never was.
  func removed(_ live: LiveCheckout, _ error: CheckoutError) {
    checkouts.remove(live)
    hub.dropFollowers(
      of: live, RPCError(CheckoutError(.unknownCheckout)), startError: RPCError(error))
    _ = attempt { () throws(StoreError) in try store.remove([(live.id, nil)]) }
    scrubSoon()
  }

  /// Goes on with a checkout that was read and had ended: what is overdue is wiped now.
  func takeUp(_ live: LiveCheckout) {
    guard let endedAt = live.checkout.endedAt else { return }
    let span = live.isArchived ? retention.record : retention.data
    let left = min(max(0, endedAt + span - clock.now), span)
    if live.isArchived {
      records.set(live.id, after: left)
    } else if left == 0 {
      wipe(live)
    } else {
      wipes.set(live.id, after: left)
    }
  }

  /// Wipes all that is personal or secret of an ended checkout; a record of the outcome stays.
  private func wipe(_ live: LiveCheckout) {
    guard let record = live.checkout.outcomeRecord else { return }
    let stored: Value = [
      live.start.stored, .integer(Int64(bitPattern: live.ordinal)),
      .integer(Int64(live.owner)), record.stored, turn.moment.stored,
    ]
    let isWiped = attempt { () throws(StoreError) in
      try store.remove([(live.id, stored)])
    }
    guard isWiped else { return wipes.set(live.id, after: Self.pause) }
    hub.dropFollowers(of: live, RPCError(CheckoutError(.unknownCheckout)))
    live.archive(record)
    checkouts.settleWanted(live)
    journal.info(
      "checkout wiped", id: MessageID.checkoutArchived, fields: [("CHECKOUT_ID", live.idText)])
    records.set(
      live.id,
      after: min(max(0, record.endedAt + retention.record - clock.now), retention.record))
    scrubSoon()
  }

  /// Forgets the record of an outcome.
  private func forget(_ live: LiveCheckout) {
    let isForgotten = attempt { () throws(StoreError) in try store.removeRecords(of: [live.id]) }
    guard isForgotten else { return records.set(live.id, after: Self.pause) }
    checkouts.remove(live)
    hub.dropFollowers(of: live, RPCError(CheckoutError(.unknownCheckout)))
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
    let isScrubbed = attempt { () throws(StoreError) in try store.scrub() }
    lastScrubSpan = clock.bootMilliseconds - began
    if !isScrubbed { scrubSoon() }
  }

  /// Does what may fail and is tried again.
  private func attempt(_ body: () throws(StoreError) -> Void) -> Bool {
    do throws(StoreError) {
      try body()
      return true
    } catch {
      journal.error("\(error)", id: MessageID.storeFailed)
      return false
    }
  }
}
