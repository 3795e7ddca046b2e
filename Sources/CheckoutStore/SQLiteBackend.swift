import Checkout
import Glibc
import LinuxSystem
import ValueTree

/// Rows in an SQLite file (WAL), `checkoutd.sqlite` of the state directory.
final class SQLiteBackend: StoreBackend {
  /// The version of tables and rows that is written; a file's is its `user_version`.
  ///
  /// Every change of what a row holds raises it, so that an earlier release says that the state is newer
  /// and not that it is damaged. What the version before wrote is read, and nothing older.
  static let version: Int64 = 2
  /// What is set aside for the answers to payments under way, should the disk be full.
  private static let reserveByteCount = 16 * 1024 * 1024

  let database: Database
  private let statements: Statements
  private let reservePath: String
  private(set) var epoch: String?
  private(set) var hasReserve = false
  private(set) var foundVersion: Int64
  var isDurable: Bool { true }

  init(directory: String) throws(StoreError) {
    try Self.check(directory)
    reservePath = directory + "/reserve"
    do throws(SQLiteError) {
      let path = directory + "/checkoutd.sqlite"
      try Self.create(path, in: directory)
      database = try Database(path: path)
      unsafe chmod(path, 0o600)
      foundVersion = try Self.configure(database)
      Self.removeDrafts(in: directory)
      statements = try Statements(database)
    } catch {
      throw Self.openingError(error)
    }
    do throws(SQLiteError) {
      epoch = try readEpoch()
    } catch {
      throw Self.openingError(error)
    }
    // A disk too full for it is found out by the first commit that fails.
    try? restoreReserve()
  }

  private static func check(_ directory: String) throws(StoreError) {
    var info = stat()
    guard unsafe stat(directory, &info) == 0 else {
      throw .unusable("\(directory) does not exist")
    }
    guard info.st_mode & S_IFMT == S_IFDIR else {
      throw .unusable("\(directory) is not a directory")
    }
    guard unsafe access(directory, R_OK | W_OK | X_OK) == 0 else {
      throw .unusable("\(directory) may not be written")
    }
  }

  /// Makes the file, if there is none; refuses one that SQLite would take for empty.
  ///
  /// It is made under another name and without waiting for the disk, and becomes the database once it
  /// is whole and written: a start that is cut short leaves none, and a new one costs two flushes.
  /// Whoever comes second finds the first one's.
  private static func create(_ path: String, in directory: String) throws(SQLiteError) {
    var info = stat()
    if unsafe stat(path, &info) == 0 {
      guard info.st_mode & S_IFMT == S_IFREG else { return }
      if info.st_size < 512 { throw SQLiteError.foreign }
      return
    }
    let draft = path + ".\(getpid())"
    unsafe unlink(draft)
    defer {
      unsafe unlink(draft)
      unsafe unlink(draft + "-journal")
    }
    // Readable by nobody else from the first moment.
    let number = unsafe open(draft, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard number >= 0 else { throw failure("open") }
    let file = FileDescriptor(owning: number)
    try makeTables(draft)
    try synchronize(file)
    guard unsafe link(draft, path) == 0 || errno == EEXIST else { throw failure("link") }
    let parent = unsafe open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard parent >= 0 else { throw failure("open") }
    try synchronize(FileDescriptor(owning: parent))
  }

  private static func synchronize(_ file: borrowing FileDescriptor) throws(SQLiteError) {
    do throws(Errno) {
      try file.synchronize()
    } catch {
      throw .system(error)
    }
  }

  /// The error of a system call that has just failed.
  private static func failure(_ call: StaticString) -> SQLiteError {
    .system(Errno(code: errno, call: call))
  }

  /// Removes what starts that were cut short have left; to be called once the database is locked.
  private static func removeDrafts(in directory: String) {
    guard let entries = unsafe opendir(directory) else { return }
    defer { unsafe closedir(entries) }
    while let entry = unsafe readdir(entries) {
      let name = unsafe withUnsafeBytes(of: entry.pointee.d_name) { bytes in
        unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      let prefix = "checkoutd.sqlite."
      if name.hasPrefix(prefix), name.dropFirst(prefix.count).first?.isNumber == true {
        unsafe unlink(directory + "/" + name)
      }
    }
  }

  private static func makeTables(_ path: String) throws(SQLiteError) {
    let database = try Database(path: path)
    database.checkpointsOnClose()
    try database.run(
      """
      PRAGMA locking_mode=EXCLUSIVE;
      PRAGMA synchronous=OFF;
      PRAGMA journal_mode=MEMORY;
      PRAGMA auto_vacuum=INCREMENTAL;
      BEGIN;
      CREATE TABLE meta(name TEXT PRIMARY KEY, value TEXT) STRICT, WITHOUT ROWID;
      CREATE TABLE checkout(id INTEGER PRIMARY KEY, body BLOB) STRICT;
      CREATE TABLE part(checkout_id INTEGER, name INTEGER, body BLOB,
        PRIMARY KEY(checkout_id, name)) STRICT, WITHOUT ROWID;
      CREATE TABLE change(id INTEGER PRIMARY KEY, checkout_id INTEGER, seq INTEGER,
        event_count INTEGER, body BLOB) STRICT;
      CREATE TABLE record(id INTEGER PRIMARY KEY, body BLOB) STRICT;
      INSERT INTO meta VALUES('epoch', lower(hex(randomblob(8))));
      PRAGMA user_version=\(version);
      COMMIT;
      PRAGMA journal_mode=WAL;
      """)
  }

  private static func openingError(_ error: SQLiteError) -> StoreError {
    if error.isBusy { return .inUse }
    if error.isCorrupt || error.isUnknownName { return .corrupt(error.message) }
    if error.code == Self.newerSchema {
      return .newer(found: Int64(error.message) ?? 0, known: version)
    }
    return .unusable(error.description)
  }

  private static let newerSchema: Int32 = -1

  /// The order matters: the locking mode must be known before the first read, so that the log needs
  /// no shared memory and a second daemon is refused; what cannot be used is found out before the
  /// first write.
  ///
  /// - Returns: The version of what is in it.
  private static func configure(_ database: Database) throws(SQLiteError) -> Int64 {
    try database.run("PRAGMA locking_mode=EXCLUSIVE")
    let found = try database.number("PRAGMA user_version") ?? 0
    guard found <= version else {
      throw SQLiteError(code: newerSchema, message: String(found))
    }
    let count = try database.number(
      """
      SELECT count(*) FROM sqlite_schema
      WHERE name IN ('meta', 'checkout', 'part', 'change', 'record')
      """)
    guard found > 0, count == 5 else { throw SQLiteError.foreign }
    try database.run("PRAGMA journal_mode=WAL")
    try database.run("PRAGMA secure_delete=ON")
    try database.run("PRAGMA temp_store=MEMORY")
    try database.run("PRAGMA synchronous=NORMAL")
    // Takes the lock now, not at the first write.
    try database.run("BEGIN IMMEDIATE; COMMIT")
    return found
  }

  private func readEpoch() throws(SQLiteError) -> String? {
    let statement = try database.prepare("SELECT value FROM meta WHERE name='epoch'")
    defer { statement.reset() }
    guard try statement.step() else { return nil }
    return unsafe statement.withBytes(0) { unsafe String(decoding: $0, as: UTF8.self) }
  }

  // MARK: Transactions

  private var isSynchronous = false
  private var isInUse = false

  /// The pragma acts when it is prepared and not inside a transaction, hence each time anew.
  func begin(isPayment: Bool) throws(StoreError) {
    if !isInUse {
      isInUse = true
      database.checkpointsOnClose()
    }
    try attempt { () throws(SQLiteError) in
      if isPayment != isSynchronous {
        try database.run(
          isPayment ? "PRAGMA synchronous=FULL" : "PRAGMA synchronous=NORMAL")
        isSynchronous = isPayment
      }
      try statements.begin.run()
      // With the first change: what is only looked at stays as it is.
      guard foundVersion < Self.version else { return }
      try database.run("PRAGMA user_version=\(Self.version)")
    }
  }

  func commit() throws(StoreError) {
    try attempt { () throws(SQLiteError) in try statements.commit.run() }
    foundVersion = Self.version
  }

  func rollBack() {
    guard database.isInTransaction else { return }
    try? database.run("ROLLBACK")
  }

  private func attempt<T>(_ body: () throws(SQLiteError) -> T) throws(StoreError) -> T {
    do throws(SQLiteError) {
      return try body()
    } catch {
      throw error.isCorrupt
        ? StoreError.corrupt(error.message) : StoreError.failed(error.description)
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
      try attempt { () throws(SQLiteError) in
        try unsafe statements.appendRow.run(id.column, seq, Int64(eventCount), bytes: bytes)
        return database.lastInsertedRow
      }
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
      guard seq >= 0, let eventCount = Int32(exactly: row.integer(3)),
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

  func probe() throws(StoreError) {
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
    let number = unsafe open(reservePath, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard number >= 0 else { throw .failed("the reserve cannot be opened") }
    let file = FileDescriptor(owning: number)
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
    unsafe unlink(reservePath)
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
      "INSERT INTO change(checkout_id, seq, event_count, body) VALUES(?, ?, ?, ?)")
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
