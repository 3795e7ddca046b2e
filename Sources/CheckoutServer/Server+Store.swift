package import Checkout
package import CheckoutStore
import JSON
import JSONRPC
import LinuxSystem
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

extension Server {
  // MARK: Turns

  /// Takes note that this turn changes a checkout, and keeps it as it was.
  func touch(_ live: LiveCheckout) {
    // Of an archived one there is a record, which nothing changes.
    guard !live.isTouched, !live.isArchived else { return }
    // In memory nothing can fail.
    live.touch(keepsCopy: store.isDurable)
    touched.append(live)
  }

  /// What the store knows of a checkout.
  func log(of live: LiveCheckout) -> CheckoutLog {
    if let known = live.log { return known }
    let log = store.log(of: live.id)
    live.log = log
    return log
  }

  var storedMoment: StoredMoment {
    StoredMoment(now: now, boot: Int64(Clock.bootMicroseconds() / 1000), bootID: bootID)
  }

  /// Writes what the turn changed.
  ///
  /// - Returns: Whether it was written; if not, the turn has been taken back.
  func commitTurn() -> Bool {
    defer { isPaymentTurn = false }
    guard !touched.isEmpty else { return true }
    let moment = storedMoment
    let isPayment = isPaymentTurn || retention.isAlwaysSynchronous
    do throws(StoreError) {
      try store.commit(isPayment: isPayment) { () throws(StoreError) in
        for live in touched {
          try store.write(log(of: live)) { live.writeChanges(at: moment, to: $0) }
        }
      }
    } catch {
      takeBackTurn(error)
      return false
    }
    for live in touched { live.markStored() }
    touched.removeAll(keepingCapacity: true)
    turnInputs.removeAll(keepingCapacity: true)
    return true
  }

  /// Makes the turn as if it had not been.
  ///
  /// What clients asked for is refused; what nobody can send again is kept.
  private func takeBackTurn(_ error: StoreError) {
    for live in touched {
      live.takeBack()
      checkouts.note(live, isOver: live.checkout.isEnded)
      for wait in live.waits { wait.forgetTurn() }
      if live.isNew { checkouts.remove(live) }
    }
    touched = []
    afterCommit = []
    for connection in connections.values { connection.refuseReplies() }
    guard storeProblem == nil else { return armRetry() }
    storeProblem = error
    log.error("\(error)", id: MessageID.storeFailed)
    isStatusDue = true
    armRetry()
  }

  private func armRetry() {
    timers.set(.retry, at: Clock.bootMicroseconds() + 1_000_000)
  }

  /// Refuses a command while the store cannot be written.
  func requireStore() throws(RPCError) {
    guard storeProblem == nil else { throw RPCError(.storeFailed) }
  }

  /// Tries to write what was kept; with nothing kept, whether writing works at all.
  ///
  /// What was set aside on the disk is there for the first, and must be back before commands are
  /// taken again.
  func retryStore() {
    guard storeProblem != nil else { return }
    armRetry()
    let inputs = turnInputs
    do throws(StoreError) {
      if inputs.isEmpty {
        try store.restoreReserve()
      } else {
        store.releaseReserve()
      }
      try store.probe()
    } catch {
      return
    }
    isRetrying = true
    turnInputs = []
    for (live, input) in inputs { receive(input, of: live) }
    isRetrying = false
    guard inputs.isEmpty else { return }
    timers.clear(.retry)
    storeProblem = nil
    isStatusDue = true
    log.notice("the state can be written again", id: MessageID.storeRecovered)
  }

  // MARK: After the end

  /// What follows the end of a checkout, once it is written.
  func settle(_ live: LiveCheckout, _ outcome: Outcome) {
    if outcome != .unknown { checkouts.releaseSession(of: live) }
    log.info(
      "checkout ended: \(outcome.rawValue)", id: MessageID.checkoutEnded,
      fields: [("CHECKOUT_ID", live.idText)], isKept: true)
    timers.set(.wipe(live.id), at: Clock.bootMicroseconds() + UInt64(retention.data) * 1000)
  }

  /// Forgets a checkout whose start was refused: it never was.
  func forget(_ live: LiveCheckout) {
    checkouts.remove(live)
    dropFollowers(of: live)
    attempt { () throws(StoreError) in try store.remove([(live.id, nil)]) }
    scrubSoon()
  }

  /// Wipes all that is personal or secret of an ended checkout; a record of the outcome stays.
  func wipe(_ live: LiveCheckout) {
    guard let record = live.checkout.outcomeRecord else { return }
    let stored: Value = [
      live.start.stored, .integer(Int64(bitPattern: live.ordinal)),
      .integer(Int64(live.owner)), record.stored, storedMoment.stored,
    ]
    let isWiped = attempt { () throws(StoreError) in
      try store.remove([(live.id, stored)])
    }
    guard isWiped else {
      timers.set(.wipe(live.id), at: Clock.bootMicroseconds() + 1_000_000)
      return
    }
    dropFollowers(of: live)
    live.archive(record)
    log.info(
      "checkout wiped", id: MessageID.checkoutArchived, fields: [("CHECKOUT_ID", live.idText)])
    let left = min(max(0, record.endedAt + retention.record - now), retention.record)
    timers.set(.forget(live.id), at: Clock.bootMicroseconds() + UInt64(left) * 1000)
    scrubSoon()
  }

  /// Forgets the record of an outcome.
  func forgetRecord(of live: LiveCheckout) {
    let isForgotten = attempt { () throws(StoreError) in try store.removeRecords(of: [live.id]) }
    guard isForgotten else {
      timers.set(.forget(live.id), at: Clock.bootMicroseconds() + 1_000_000)
      return
    }
    checkouts.remove(live)
    dropFollowers(of: live)
    scrubSoon()
  }

  /// Several wipings share one scrubbing.
  private func scrubSoon() {
    guard !isScrubDue else { return }
    isScrubDue = true
    // It reads the whole file: it may take a twentieth of the time at most.
    timers.set(.scrub, at: Clock.bootMicroseconds() + max(50_000, 20 * lastScrubSpan))
  }

  /// Makes what was wiped unreadable in every file.
  func scrub() {
    isScrubDue = false
    let begin = Clock.bootMicroseconds()
    defer { lastScrubSpan = Clock.bootMicroseconds() - begin }
    let isScrubbed = attempt { () throws(StoreError) in try store.scrub() }
    if !isScrubbed { scrubSoon() }
  }

  /// Does housekeeping that may fail and is tried again.
  @discardableResult
  private func attempt(_ body: () throws(StoreError) -> Void) -> Bool {
    do throws(StoreError) {
      try body()
      return true
    } catch {
      log.error("\(error)", id: MessageID.storeFailed)
      return false
    }
  }

  /// How many checkouts of a user are not over.
  func liveCount(of owner: UInt32) -> Int {
    checkouts.liveCount(of: owner)
  }

  // MARK: Recovery

  /// Takes up every checkout where its last commit left it, and the clients where the last run left
  /// them; wipes what is overdue.
  ///
  /// To be called before anything listens.
  ///
  /// - Parameter handover: What the last run has left.
  /// - Throws: ``StoreError`` if a row cannot be read; then nothing has been changed.
  package func recover(_ handover: consuming Handover = Handover()) throws(StoreError) {
    let moment = storedMoment
    var found: [LiveCheckout] = []
    tellProgress(0)
    try store.recover { stored throws(StoreError) in
      found.append(try take(stored, at: moment))
      if found.count % 10_000 == 0 { tellProgress(found.count) }
    }
    try store.recoverRecords { id, value throws(StoreError) in
      found.append(try takeRecord(id, value))
    }
    found.sort { $0.ordinal < $1.ordinal }
    for live in found { checkouts.insert(live) }
    for live in found { takeUp(live) }
    for effect in afterCommit { carryOut(effect) }
    afterCommit = []
    takeOver(&handover)
    for live in found where !live.checkout.isEnded && live.checkout.hasWorkToResume {
      receive(.restarted(minimumDecisionSpan: Self.decisionSpanAfterRestart), of: live)
    }
    if !store.hasReserve { armReserve() }
    for live in found where isOverdue(live) { wipe(live) }
    // Whether the process before this one had scrubbed what it wiped is not known.
    scrub()
    if !found.isEmpty { log.info("took up \(found.count) checkouts") }
    endTurn()
  }

  private func take(
    _ stored: RecoveredCheckout, at moment: StoredMoment
  ) throws(StoreError) -> LiveCheckout {
    guard let fixed = stored.fixed.array, fixed.count == 3, let start = StartRecord(fixed[0]),
      let ordinal = fixed[1].integer, let hot = stored.hot.array, hot.count == 2,
      let written = StoredMoment(hot[1])
    else { throw StoreError.corrupt("a checkout's row cannot be read") }
    let shift = shift(from: written, to: moment)
    do throws(StoredStateError) {
      let checkout = try Checkout(
        id: stored.id, spans: spans, fixed: fixed[2], hot: hot[0], parts: stored.parts,
        shift: shift)
      let live = LiveCheckout(
        checkout, ordinal: UInt64(bitPattern: ordinal), start: start)
      live.markStored()
      return live
    } catch {
      throw StoreError.corrupt("a checkout's state cannot be read")
    }
  }

  /// What must be added to a deadline that was written then, if the clock was set since.
  private func shift(from written: StoredMoment, to moment: StoredMoment) -> Milliseconds {
    let drift = moment.now - written.now - written.elapsed(until: moment)
    // Below a second it is the rounding of two clocks, not a clock that was set.
    return abs(drift) < 1000 ? 0 : drift
  }

  private func takeRecord(_ id: CheckoutID, _ value: Value) throws(StoreError) -> LiveCheckout {
    guard let parts = value.array, parts.count == 5, let start = StartRecord(parts[0]),
      let ordinal = parts[1].integer, let owner = parts[2].integer,
      var record = try? OutcomeRecord(parts[3]), let written = StoredMoment(parts[4])
    else { throw StoreError.corrupt("a record cannot be read") }
    record.endedAt += shift(from: written, to: storedMoment)
    let checkout = Checkout(
      id: id, owner: UInt32(truncatingIfNeeded: owner), record: record)
    let live = LiveCheckout(checkout, ordinal: UInt64(bitPattern: ordinal), start: start)
    live.markStored()
    return live
  }

  private func isOverdue(_ live: LiveCheckout) -> Bool {
    guard let endedAt = live.checkout.endedAt, !live.isArchived else {
      return false
    }
    return endedAt + retention.data <= now
  }

  private func takeUp(_ live: LiveCheckout) {
    if let endedAt = live.checkout.endedAt {
      let span = live.isArchived ? retention.record : retention.data
      let left = min(max(0, endedAt + span - now), span)
      timers.set(
        live.isArchived ? .forget(live.id) : .wipe(live.id),
        at: Clock.bootMicroseconds() + UInt64(left) * 1000)
      return
    }
    guard !live.checkout.hasWorkToResume else { return }
    // Nothing but timers to set: there is nothing to commit.
    let effects = live.checkout.resume(
      at: moment, minimumDecisionSpan: Self.decisionSpanAfterRestart)
    apply(effects, to: live)
  }

  private static let decisionSpanAfterRestart: Milliseconds = 60_000

  /// Space that could not be set aside at the start is set aside as soon as there is room.
  private func armReserve() {
    timers.set(.reserve, at: Clock.bootMicroseconds() + 1_000_000)
  }

  func setReserveAside() {
    do throws(StoreError) {
      if storeProblem == nil { try store.restoreReserve() }
    } catch {
      return armReserve()
    }
    if !store.hasReserve { armReserve() }
  }
}
