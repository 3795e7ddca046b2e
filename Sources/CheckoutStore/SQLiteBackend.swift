import Checkout
import Glibc
import LinuxSystem
import ValueTree

/// Rows in an SQLite file (WAL), `checkoutd.sqlite` of the state directory.
final class SQLiteBackend: StoreBackend {
  /// The version of tables and rows that is written; a file's is its `user_version`.
  ///
  /// Every change of what a row holds raises it, so that an earlier release says that the state is newer
  /// and not that it is damaged.
  static let version: Int64 = 4
  /// The earliest version that is read: that of the first release.
  static let earliestVersion: Int64 = 1
  /// What is set aside for the answers to payments under way, should the disk be full.
  private static let reserveByteCount = 16 * 1024 * 1024
  /// What must be free for the state to be well again.
  private static let probedByteCount = 256 * 1024
  /// How many frames the log has when it is merged into the file; SQLite's own default.
  private static let fullLog = 1000

  let database: Database
  private let directory: StateDirectory
  private let statements: Statements
  private let bootID: Int64
  private(set) var epoch: String?
  private(set) var hasReserve = false
  private(set) var foundVersion: Int64
  private(set) var loss: StoreLoss?
  var isDurable: Bool { true }

  /// Which files they were when they were opened, by name.
  private let identities: [(name: String, file: FileIdentity?)]
  /// The number of the last row that was written; none is given twice.
  private var lastRow: Int64

  /// Opens the state of a directory, and makes one if there is none.
  ///
  /// - Parameters:
  ///   - named: The directory.
  ///   - bootID: Tells this start of the machine from others.
  /// - Throws: ``StoreError``, and leaves what is there as it is.
  init(directory named: String, bootID: Int64) throws(StoreError) {
    let directory = try StateDirectory(named)
    let found = try StateFiles(in: directory, bootID: bootID)
    self.directory = directory
    self.bootID = bootID
    database = found.database
    foundVersion = found.version
    epoch = found.epoch
    loss = found.loss
    lastRow = found.lastRow
    identities = found.identities
    do throws(SQLiteError) {
      statements = try Statements(database)
    } catch {
      throw StateFiles.openingError(error)
    }
    // A disk too full for it is found out by the first commit that fails.
    try? restoreReserve()
  }

  deinit { close() }

  func close() {
    // Where a flush has failed, only the next start can tell what is on the disk.
    guard hasCommitted, !hasFailedFlush else { return }
    hasCommitted = false
    rollBack()
    try? begin(isPayment: true)
    try? database.run("INSERT OR REPLACE INTO meta VALUES('run', '\(RunMark.stopped)')")
    try? statements.commit.run()
    try? database.run("PRAGMA wal_checkpoint(TRUNCATE)")
    database.checkpointsOnClose()
  }

  // MARK: Transactions

  private var isSynchronous = false
  private var isPayment = false
  /// Whether this run has written anything.
  private var hasCommitted = false
  private var isCheckpointDue = false
  private var hasFailedFlush = false
  private var forgetsLoss = false

  /// The pragma acts when it is prepared and not inside a transaction, hence each time anew.
  func begin(isPayment: Bool) throws(StoreError) {
    if isPayment { try requireFiles() }
    self.isPayment = isPayment
    let synchronizes = isPayment || !hasCommitted
    try attempt { () throws(SQLiteError) in
      if synchronizes != isSynchronous {
        try database.run(
          synchronizes ? "PRAGMA synchronous=FULL" : "PRAGMA synchronous=NORMAL")
        isSynchronous = synchronizes
      }
      try statements.begin.run()
      guard !hasCommitted else { return }
      // With the first change: what is only looked at stays as it is.
      try database.run("INSERT OR REPLACE INTO meta VALUES('run', '\(bootID)')")
      guard foundVersion < Self.version else { return }
      try database.run("PRAGMA user_version=\(Self.version)")
    }
  }

  func commit() throws(StoreError) {
    try attempt { () throws(SQLiteError) in try statements.commit.run() }
    foundVersion = Self.version
    if forgetsLoss { loss = nil }
    forgetsLoss = false
    // That it runs must stand in the file itself: a log that is missing then is missed.
    if !hasCommitted { isCheckpointDue = true }
    hasCommitted = true
    guard isCheckpointDue || database.frameCount >= Self.fullLog else { return }
    do throws(StoreError) {
      try attempt { () throws(SQLiteError) in try database.checkpoint() }
      isCheckpointDue = false
    } catch {
      // The log stays, and grows; but what a flush has lost is lost.
      if hasFailedFlush { throw error }
    }
  }

  func rollBack() {
    forgetsLoss = false
    guard database.isInTransaction else { return }
    try? database.run("ROLLBACK")
  }

  /// Refuses what must outlast the process if its files have been removed or replaced.
  private func requireFiles() throws(StoreError) {
    for (name, file) in identities
    where try directory.status(of: name).map(FileIdentity.init) != file {
      throw .failed("\(directory.path(of: name)) was removed or replaced while it was in use")
    }
  }

  private func attempt<T>(_ body: () throws(SQLiteError) -> T) throws(StoreError) -> T {
    do throws(SQLiteError) {
      return try body()
    } catch {
      guard !error.isFlush else {
        hasFailedFlush = true
        throw .flushFailed(error.description)
      }
      throw error.isCorrupt
        ? StoreError.corrupt(error.message) : StoreError.failed(error.description)
    }
  }

  // MARK: Losses

  func keepLoss() throws(StoreError) {
    guard case .damaged = loss else { return }
    do throws(StoreError) {
      try begin(isPayment: true)
      try attempt { () throws(SQLiteError) in
        try database.run("INSERT OR REPLACE INTO meta VALUES('loss', 'kept')")
      }
      try commit()
    } catch {
      rollBack()
      throw error
    }
  }

  func forgetLoss() throws(StoreError) {
    try attempt { () throws(SQLiteError) in
      try database.run("DELETE FROM meta WHERE name='loss'")
    }
    forgetsLoss = true
  }

  // MARK: Notes

  /// The text is the daemon's own, and no quotation marks are in it.
  func setNote(_ note: StoreNote, to text: String?) throws(StoreError) {
    try attempt { () throws(SQLiteError) in
      guard let text else {
        return try database.run("DELETE FROM meta WHERE name='\(note.rawValue)'")
      }
      try database.run("INSERT OR REPLACE INTO meta VALUES('\(note.rawValue)', '\(text)')")
    }
  }

  func text(of note: StoreNote) throws(StoreError) -> String? {
    try attempt { () throws(SQLiteError) in
      try database.text("SELECT value FROM meta WHERE name='\(note.rawValue)'")
    }
  }

  // MARK: Writing

  func writeFixed(_ value: Value, of id: CheckoutID) throws(StoreError) {
    try attempt { () throws(SQLiteError) in
      try statements.writeFixed.run(id.column, value: value)
    }
  }

  func writePart(_ name: Int, _ value: Value, of id: CheckoutID) throws(StoreError) {
    try attempt { () throws(SQLiteError) in
      try statements.writePart.run(id.column, Int64(name), value: value)
    }
  }

  func deleteFixed(of id: CheckoutID) throws(StoreError) {
    try attempt { () throws(SQLiteError) in
      try statements.deleteFixed.run(id.column)
      try statements.deleteParts.run(id.column)
    }
  }

  func appendRow(
    of id: CheckoutID, seq: Int64, eventCount: Int, _ body: CompactWriter
  ) throws(StoreError) -> Int64 {
    try unsafe body.withUnsafeBytes { bytes throws(StoreError) in
      let (number, overflows) = lastRow.addingReportingOverflow(1)
      guard !overflows else { throw StoreError.corrupt("there are no more numbers for rows") }
      let count = PaymentMark.count(Int64(eventCount), isPayment: isPayment)
      try attempt { () throws(SQLiteError) in
        try unsafe statements.appendRow.run(number, id.column, seq, count, bytes: bytes)
      }
      lastRow = number
      return number
    }
  }

  func replaceRow(_ number: Int64, eventCount: Int, _ body: CompactWriter)
    throws(StoreError)
  {
    try unsafe body.withUnsafeBytes { bytes throws(StoreError) in
      try attempt { () throws(SQLiteError) in
        try unsafe statements.replaceRow.run(number, Int64(eventCount), bytes: bytes)
      }
    }
  }

  func deleteRow(_ number: Int64) throws(StoreError) {
    try attempt { () throws(SQLiteError) in try statements.deleteRow.run(number) }
  }

  func writeRecord(_ value: Value, of id: CheckoutID) throws(StoreError) {
    try attempt { () throws(SQLiteError) in
      try statements.writeRecord.run(id.column, value: value)
    }
  }

  func deleteRecord(of id: CheckoutID) throws(StoreError) {
    try attempt { () throws(SQLiteError) in try statements.deleteRecord.run(id.column) }
  }

  // MARK: Reading

  func readRow(_ number: Int64) throws(StoreError) -> StoredRow {
    let statement = statements.readRow
    defer { statement.reset() }
    statement.bind(number, at: 1)
    guard try attempt({ () throws(SQLiteError) in try statement.step() }) else {
      throw StoreError.corrupt("a row is missing")
    }
    return try unsafe statement.withBytes(0) { (bytes) throws(StoreError) in
      try unsafe StoredRow(bytes)
    }
  }

  func scanRows(_ body: (CheckoutID, Row) -> Void) throws(StoreError) {
    try scan("SELECT id, checkout_id, seq, event_count, length(body) FROM change ORDER BY id") {
      row throws(StoreError) in
      let seq = row.integer(2)
      let count = PaymentMark.removed(from: row.integer(3))
      guard seq >= 0, let eventCount = Int32(exactly: count),
        (0...seq).contains(Int64(eventCount)),
        let byteCount = Int32(exactly: row.integer(4))
      else { throw StoreError.corrupt("a row cannot be read") }
      body(
        CheckoutID(column: row.integer(1)),
        Row(number: row.integer(0), seq: seq, eventCount: eventCount, byteCount: byteCount))
    }
  }

  func scanFixed(
    _ body: (CheckoutID, Value, [(name: Int, body: Value)]) throws(StoreError) -> Void
  ) throws(StoreError) {
    let parts = try attempt { () throws(SQLiteError) in
      try database.prepare("SELECT name, body FROM part WHERE checkout_id=? ORDER BY name")
    }
    try scan("SELECT id, body FROM checkout ORDER BY id") { row throws(StoreError) in
      let id = CheckoutID(column: row.integer(0))
      let fixed = try unsafe row.withBytes(1) { (bytes) throws(StoreError) in
        try unsafe Value(stored: bytes)
      }
      var found: [(name: Int, body: Value)] = []
      parts.bind(id.column, at: 1)
      while try attempt({ () throws(SQLiteError) in try parts.step() }) {
        let value = try unsafe parts.withBytes(1) { (bytes) throws(StoreError) in
          try unsafe Value(stored: bytes)
        }
        found.append((Int(parts.integer(0)), value))
      }
      parts.reset()
      try body(id, fixed, found)
    }
  }

  func scanRecords(_ body: (CheckoutID, Value) throws(StoreError) -> Void) throws(StoreError) {
    try scan("SELECT id, body FROM record ORDER BY id") { row throws(StoreError) in
      let value = try unsafe row.withBytes(1) { (bytes) throws(StoreError) in
        try unsafe Value(stored: bytes)
      }
      try body(CheckoutID(column: row.integer(0)), value)
    }
  }

  private func scan(
    _ sql: String, _ body: (Statement) throws(StoreError) -> Void
  ) throws(StoreError) {
    let statement = try attempt { () throws(SQLiteError) in try database.prepare(sql) }
    while try attempt({ () throws(SQLiteError) in try statement.step() }) {
      try body(statement)
    }
  }

  // MARK: Housekeeping

  /// Deleted bytes are overwritten by `secure_delete`, but stand in the log until it is truncated,
  /// and copies of them in the gaps of pages until these are cleared.
  func scrub() throws(StoreError) {
    try attempt { () throws(SQLiteError) in
      try database.run("PRAGMA incremental_vacuum")
      guard try database.number("PRAGMA wal_checkpoint(TRUNCATE)") == 0 else {
        throw SQLiteError.busyLog
      }
      try database.clearGaps()
    }
  }

  func beginCopy(as name: String) throws(StoreError) -> StateCopy? {
    try StateCopy(of: database, as: name, in: directory)
  }

  var copies: (count: Int, byteCount: Int64) { StateCopy.all(in: directory) }

  func probe() throws(StoreError) {
    try directory.grow(StateFiles.draft, byteCount: Self.probedByteCount)
    do throws(StoreError) {
      try begin(isPayment: true)
      try attempt { () throws(SQLiteError) in
        try database.run("UPDATE meta SET value=value WHERE name='epoch'")
      }
      try commit()
    } catch {
      rollBack()
      throw error
    }
  }

  /// Sets space aside, so that a full disk cannot keep the answer to a payment from being written.
  func restoreReserve() throws(StoreError) {
    try directory.check(StateFiles.reserve)
    let file = try directory.open(StateFiles.reserve, O_RDWR | O_CREAT)
    let code = posix_fallocate(file.rawValue, 0, Self.reserveByteCount)
    guard code == 0 else {
      // There is not that much to set aside: what there is must stay usable.
      releaseReserve()
      throw .failed("the reserve cannot be set aside: error \(code)")
    }
    hasReserve = true
  }

  /// Gives up what was set aside.
  func releaseReserve() {
    hasReserve = false
    directory.remove(StateFiles.reserve)
  }
}

/// The statements that are kept prepared.
private final class Statements {
  let begin, commit: Statement
  let writeFixed, writePart, deleteFixed, deleteParts: Statement
  let appendRow, replaceRow, deleteRow, readRow: Statement
  let writeRecord, deleteRecord: Statement

  init(_ database: Database) throws(SQLiteError) {
    begin = try database.prepare("BEGIN IMMEDIATE")
    commit = try database.prepare("COMMIT")
    writeFixed = try database.prepare("INSERT OR REPLACE INTO checkout(id, body) VALUES(?, ?)")
    writePart = try database.prepare(
      "INSERT OR REPLACE INTO part(checkout_id, name, body) VALUES(?, ?, ?)")
    deleteFixed = try database.prepare("DELETE FROM checkout WHERE id=?")
    deleteParts = try database.prepare("DELETE FROM part WHERE checkout_id=?")
    appendRow = try database.prepare(
      "INSERT INTO change(id, checkout_id, seq, event_count, body) VALUES(?, ?, ?, ?, ?)")
    replaceRow = try database.prepare("UPDATE change SET event_count=?2, body=?3 WHERE id=?1")
    deleteRow = try database.prepare("DELETE FROM change WHERE id=?")
    readRow = try database.prepare("SELECT body FROM change WHERE id=?")
    writeRecord = try database.prepare("INSERT OR REPLACE INTO record(id, body) VALUES(?, ?)")
    deleteRecord = try database.prepare("DELETE FROM record WHERE id=?")
  }
}

extension CheckoutID {
  /// The number as SQLite keeps it.
  fileprivate var column: Int64 { Int64(bitPattern: rawValue) }

  fileprivate init(column: Int64) { self.init(UInt64(bitPattern: column)) }
}
