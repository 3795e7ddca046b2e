package import Checkout
package import ValueTree

/// How many events a checkout keeps at least, beside its `checkout.*` events.
package struct EventLimits: Sendable, Equatable {
  /// How many.
  package var count = 10_000
  /// How many bytes, as rows.
  package var byteCount = 4 * 1024 * 1024

  /// The defaults.
  package init() {}

  /// How much is kept at most: to drop a row with every one that is added would cost more.
  var tolerated: EventLimits {
    var limits = self
    limits.count += count / 64
    limits.byteCount += byteCount / 64
    return limits
  }
}

/// What has changed about a checkout beside what every row has.
package struct RareChanges: Sendable {
  /// What is written when it starts and when its token, configuration or shares change.
  package var fixed: Value?
  /// Large parts that have changed, by name.
  package var parts: [(name: Int, body: Value)]

  /// Makes changes; none, if nothing is said.
  package init(fixed: Value? = nil, parts: [(name: Int, body: Value)] = []) {
    self.fixed = fixed
    self.parts = parts
  }
}

/// What is kept of the checkouts: their events, and in a durable store also their state.
///
/// A turn of the loop publishes events; ``commit(isPayment:_:)`` writes one row for each changed
/// checkout, in one transaction. Nothing that the turn told anyone may go out
/// before it. Rows are only ever appended, so that a commit of many checkouts dirties few pages;
/// an index in memory (a row's number and its last event, for each row of a checkout) finds them.
package final class CheckoutStore {
  /// How many events a checkout keeps.
  package var eventLimits = EventLimits()
  /// Whether state survives the process, so that changes must carry it.
  package var isDurable: Bool { backend.isDurable }

  private let backend: any StoreBackend
  /// By the ids' numbers.
  private var logs: [UInt64: CheckoutLog] = [:]
  /// Tells this turn from others.
  private var turn = 0
  /// What the commit under way has written.
  private var written: [(log: CheckoutLog, row: Row)] = []
  /// What the commit under way has forgotten.
  private var erased: [CheckoutLog] = []
  /// The row under way.
  private let writer = CompactWriter()
  /// The first of the writers that are not in use.
  private var spareWriter: CompactWriter?

  /// Makes a store that keeps events in memory, until the process ends.
  package init() { backend = MemoryBackend() }

  init(backend: any StoreBackend) { self.backend = backend }

  /// Opens the store of a directory, and makes one if there is none.
  ///
  /// - Parameters:
  ///   - directory: Its path.
  ///   - bootID: Tells this start of the machine from others.
  /// - Throws: ``StoreError``, and leaves what is there as it is.
  package init(directory: String, bootID: Int64) throws(StoreError) {
    backend = try SQLiteBackend(directory: directory, bootID: bootID)
  }

  /// Identifies the state: new whenever it begins anew.
  package var epoch: String? { backend.epoch }

  /// Whether rows are there that the version before this one has written, as at a first start after an
  /// upgrade until something is committed.
  package var isOfEarlierVersion: Bool { backend.foundVersion < SQLiteBackend.version }

  /// What was found to be missing when it was opened, until it is said to be made up for.
  ///
  /// After damage nothing may go out that could create a payment a second time.
  package var loss: StoreLoss? { backend.loss }

  /// Says that all checkouts take account of what is missing; within the ``commit(isPayment:_:)`` that
  /// writes them.
  package func makeUpForLoss() throws(StoreError) { try backend.forgetLoss() }

  /// Takes note, within ``commit(isPayment:_:)``, whose question has made a second payment, or that nobody
  /// needs to know any more.
  package func stopQuestions(by checkout: CheckoutID?) throws(StoreError) {
    try backend.setNote(.questionsStopper, to: checkout?.text)
  }

  /// Whose question has made a second payment.
  package func questionsStopper() throws(StoreError) -> CheckoutID? {
    guard let text = try backend.text(of: .questionsStopper) else { return nil }
    guard let id = CheckoutID(text: text) else { throw .corrupt("a note cannot be read") }
    return id
  }

  // MARK: Turns

  /// What the store knows of a checkout: who has to do with one often keeps it at hand.
  package func log(of checkout: CheckoutID) -> CheckoutLog {
    if let known = logs[checkout.rawValue] { return known }
    let log = CheckoutLog(checkout)
    logs[checkout.rawValue] = log
    return log
  }

  /// Adds an event to a checkout.
  package func publish(_ record: EventRecord, to log: CheckoutLog) {
    if log.turn != turn { log.begin(turn) }
    let staged = log.staged ?? takeWriter()
    log.staged = staged
    record.append(to: staged)
    log.stagedCount += 1
    log.stagedSeq = record.seq
    if record.isOfCheckout { log.isOfComponentsAlone = false }
  }

  private func takeWriter() -> CompactWriter {
    guard let writer = spareWriter else { return CompactWriter() }
    spareWriter = writer.next
    writer.next = nil
    return writer
  }

  /// Gives back what a turn of a checkout was written with.
  private func endTurn(of log: CheckoutLog) {
    guard let writer = log.staged else { return }
    log.staged = nil
    writer.removeAll()
    writer.next = spareWriter
    spareWriter = writer
  }

  /// Ends the turn: writes what it has changed and published.
  ///
  /// - Parameters:
  ///   - isPayment: Whether money hangs on it, so that it must survive a power failure.
  ///   - body: Hands every checkout that the turn has touched to ``write(_:_:)``.
  /// - Throws: ``StoreError/failed(_:)``; then nothing was written, and the turn's events are
  ///   forgotten.
  package func commit(
    isPayment: Bool, _ body: () throws(StoreError) -> Void
  ) throws(StoreError) {
    defer {
      turn += 1
      written.removeAll(keepingCapacity: true)
      erased.removeAll()
    }
    try transaction(isPayment: isPayment, body)
    for log in erased {
      endTurn(of: log)
      logs[log.id.rawValue] = nil
    }
    for (log, row) in written {
      log.append(row)
      endTurn(of: log)
    }
    trimFull()
  }

  /// Writes the row of one checkout, within ``commit(isPayment:_:)``.
  ///
  /// - Parameters:
  ///   - log: Of the checkout.
  ///   - state: Appends the state that every row has, and returns what else has changed; asked only
  ///     if the store is durable.
  /// - Throws: ``StoreError/failed(_:)``, which ends the commit.
  package func write(
    _ log: CheckoutLog, _ state: (CompactWriter) -> RareChanges
  ) throws(StoreError) {
    if log.turn != turn { log.begin(turn) }
    guard isDurable || log.stagedCount > 0 else { return }
    writer.removeAll()
    RowBody.begin(in: writer)
    if isDurable {
      let rare = state(writer)
      if let fixed = rare.fixed { try backend.writeFixed(fixed, of: log.id) }
      for part in rare.parts { try backend.writePart(part.name, part.body, of: log.id) }
    } else {
      writer.appendNull()
    }
    writer.beginArray(count: log.stagedCount)
    if let staged = log.staged { writer.append(contentsOf: staged) }
    let seq = log.stagedCount > 0 ? log.stagedSeq : log.lastSeq
    let number = try backend.appendRow(
      of: log.id, seq: seq, eventCount: log.stagedCount, writer)
    let row = Row(
      number: number, seq: seq, eventCount: Int32(log.stagedCount),
      byteCount: Int32(writer.count), isOfComponentsAlone: log.isOfComponentsAlone)
    written.append((log, row))
  }

  /// Writes a record anew, within ``commit(isPayment:_:)``.
  package func writeRecord(_ record: Value, of id: CheckoutID) throws(StoreError) {
    try backend.writeRecord(record, of: id)
  }

  // MARK: Reading

  /// Hands out a checkout's events after a number, in order, until the body says enough; those of
  /// the present turn included.
  package func readEvents(
    of checkout: CheckoutID, after seq: Int64, _ body: (EventRecord) -> Bool
  ) throws(StoreError) {
    guard let log = logs[checkout.rawValue] else { return }
    let rows = log.index.rows
    for row in rows[log.index.place(after: seq)...] where row.eventCount > 0 {
      for record in try backend.readRow(row.number).events(endingAt: row.seq)
      where record.seq > seq {
        if !body(record) { return }
      }
    }
    guard log.turn == turn, let staged = log.staged, log.stagedSeq > seq else { return }
    let row = CompactWriter()
    RowBody.begin(in: row)
    row.appendNull()
    row.beginArray(count: log.stagedCount)
    row.append(contentsOf: staged)
    let stored = try unsafe row.withUnsafeBytes { bytes throws(StoreError) in
      try unsafe StoredRow(bytes)
    }
    for record in try stored.events(endingAt: log.stagedSeq) where record.seq > seq {
      if !body(record) { return }
    }
  }

  /// The highest number of an event of this checkout that is no longer kept.
  package func trimmedTo(_ checkout: CheckoutID) -> Int64? {
    logs[checkout.rawValue]?.index.trimmedTo
  }

  // MARK: Forgetting

  /// Drops the oldest events of checkouts that have more than they may keep, once one has some more.
  ///
  /// The rows of one turn stand together, and so do those that become too many in one: to drop them in
  /// one transaction changes few pages. The turn is committed and stays so if this fails: then the
  /// next turn tries again.
  private func trimFull() {
    let tolerated = eventLimits.tolerated
    guard written.contains(where: { $0.log.index.isOver(tolerated) }) else { return }
    var trimmed: [(CheckoutLog, Trimming)] = []
    do throws(StoreError) {
      try transaction { () throws(StoreError) in
        for (log, _) in written where log.index.isOver(eventLimits) {
          trimmed.append((log, try trim(log.index)))
        }
      }
      for (log, trimming) in trimmed { log.remove(trimming) }
    } catch {}
  }

  /// Drops the oldest events of components until what is left may be kept.
  ///
  /// The last row stays: it holds the state.
  private func trim(_ index: RowIndex) throws(StoreError) -> Trimming {
    var trimming = Trimming()
    for row in index.rows.dropLast() {
      guard index.isOver(eventLimits, without: trimming) else { break }
      trimming.rowCount += 1
      guard !row.isTrimmed else {
        trimming.kept.append(row)
        continue
      }
      trimming.eventCount += Int(row.eventCount)
      trimming.byteCount += Int(row.byteCount)
      if row.isOfComponentsAlone, row.eventCount > 0 {
        trimming.trimmedTo = row.seq
        try backend.deleteRow(row.number)
        continue
      }
      let events = try backend.readRow(row.number).events(endingAt: row.seq)
      let left = events.filter(\.isOfCheckout)
      if let last = events.last(where: { !$0.isOfCheckout }) { trimming.trimmedTo = last.seq }
      guard !left.isEmpty else {
        try backend.deleteRow(row.number)
        continue
      }
      writer.removeAll()
      RowBody.append(sparse: left, to: writer)
      try backend.replaceRow(row.number, eventCount: left.count, writer)
      trimming.kept.append(
        Row(number: row.number, seq: row.seq, eventCount: Int32(left.count), byteCount: 0))
    }
    return trimming
  }

  /// Writes all of it or nothing.
  private func transaction(
    isPayment: Bool = false, _ body: () throws(StoreError) -> Void
  ) throws(StoreError) {
    do throws(StoreError) {
      try backend.begin(isPayment: isPayment)
      try body()
      try backend.commit()
    } catch {
      backend.rollBack()
      throw error
    }
  }

  /// Forgets checkouts, and keeps a record of each that has one, all at once.
  ///
  /// - Parameter removals: Which, and what may stay: nothing personal, no token, no secret.
  /// - Throws: ``StoreError/failed(_:)``; then it is all still there.
  package func remove(_ removals: [(id: CheckoutID, record: Value?)]) throws(StoreError) {
    try transaction { () throws(StoreError) in
      for (id, record) in removals { try erase(id, leaving: record) }
    }
    for (id, _) in removals { logs[id.rawValue] = nil }
  }

  /// Forgets a checkout with the commit under way, as if it had never been.
  package func erase(_ log: CheckoutLog) throws(StoreError) {
    try erase(log.id, leaving: nil)
    erased.append(log)
  }

  private func erase(_ id: CheckoutID, leaving record: Value?) throws(StoreError) {
    for row in logs[id.rawValue]?.index.rows ?? [] { try backend.deleteRow(row.number) }
    try backend.deleteFixed(of: id)
    if let record { try backend.writeRecord(record, of: id) }
  }

  /// Forgets records, all at once.
  package func removeRecords(of ids: [CheckoutID]) throws(StoreError) {
    try transaction { () throws(StoreError) in
      for id in ids { try backend.deleteRecord(of: id) }
    }
  }

  /// Makes sure that nothing of what was removed is left in any file.
  package func scrub() throws(StoreError) { try backend.scrub() }

  /// Gives up the space that was set aside, so that answers from upstream can be written although
  /// the disk is full.
  package func releaseReserve() { backend.releaseReserve() }

  /// Whether that space is set aside.
  package var hasReserve: Bool { backend.hasReserve }

  /// Sets that space aside again.
  ///
  /// - Throws: ``StoreError/failed(_:)`` while there is not so much.
  package func restoreReserve() throws(StoreError) { try backend.restoreReserve() }

  /// Says that the state is whole, after the last commit; the file holds all of it then.
  package func close() { backend.close() }

  /// Whether writing works again, after it did not.
  package func probe() throws(StoreError) { try backend.probe() }

  // MARK: Copies

  /// Begins a copy of the state, `backups/NAME` of its directory; there must be no other under way, and
  /// it must be let go of before the store is closed.
  ///
  /// - Parameter name: One that ``StateCopy/permits(_:)``.
  /// - Returns: The copy; `nil` if there is nothing in files that could be copied.
  /// - Throws: ``StoreError``.
  package func beginCopy(as name: String) throws(StoreError) -> StateCopy? {
    try backend.beginCopy(as: name)
  }

  /// The copies that are there, whoever has asked for them: how many, and how many bytes.
  package var copies: (count: Int, byteCount: Int64) { backend.copies }

  // MARK: Recovery

  /// Hands out every checkout that is kept, as it was committed last.
  package func recover(_ body: (RecoveredCheckout) throws(StoreError) -> Void)
    throws(StoreError)
  {
    try backend.scanRows { id, row in log(of: id).append(row) }
    for log in logs.values { log.noteTrimmed(to: try findTrimmed(log.index)) }
    try backend.scanFixed { id, fixed, parts throws(StoreError) in
      guard let last = logs[id.rawValue]?.index.rows.last else {
        throw StoreError.corrupt("a checkout has no row")
      }
      let hot = try backend.readRow(last.number).hot()
      try body(RecoveredCheckout(id: id, fixed: fixed, parts: parts, hot: hot))
    }
    // The next commit writes over what shows it.
    try backend.keepLoss()
  }

  /// The highest number of an event that an earlier process has dropped.
  private func findTrimmed(_ index: RowIndex) throws(StoreError) -> Int64? {
    guard let place = index.lastGap else { return nil }
    let row = index.rows[place]
    var missing = row.seq
    for event in try backend.readRow(row.number).events(endingAt: row.seq).reversed() {
      guard event.seq == missing else { break }
      missing -= 1
    }
    return missing
  }

  /// Hands out every record that is kept.
  package func recoverRecords(
    _ body: (CheckoutID, Value) throws(StoreError) -> Void
  ) throws(StoreError) {
    try backend.scanRecords(body)
  }
}

/// A checkout as the store has it.
package struct RecoveredCheckout: Sendable {
  /// Which.
  package let id: CheckoutID
  /// As ``RareChanges/fixed``.
  package let fixed: Value
  /// As ``RareChanges/parts``.
  package let parts: [(name: Int, body: Value)]
  /// The state of its last row.
  package let hot: Value
}

/// What goes wrong with a store.
package enum StoreError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The directory is missing, or may not be used.
  case unusable(String)
  /// Another daemon has it open.
  case inUse
  /// A newer version wrote it.
  case newer(found: Int64, known: Int64)
  /// It is damaged, or something else.
  case corrupt(String)
  /// A copy cannot have the name of another.
  case exists(String)
  /// It could not be written or read this time.
  case failed(String)
  /// What was written before may not be on the disk: the process must end without telling anyone of
  /// the commit, and begin again with what is there.
  case flushFailed(String)

  /// For the administrator to read.
  package var description: String {
    switch self {
    case .unusable(let why): "the state directory cannot be used: \(why)"
    case .inUse: "another checkoutd uses the state directory"
    case .newer(let found, let known):
      "the state was written by a newer version (schema \(found); this version knows \(known))"
    case .corrupt(let why): "the state is damaged and was left untouched: \(why)"
    case .exists(let path): "\(path) is there already"
    case .failed(let why): "the state could not be written: \(why)"
    case .flushFailed(let why): "the disk did not take what was written: \(why)"
    }
  }
}
