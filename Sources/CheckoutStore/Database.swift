import CSQLite
import ValueTree

/// What went wrong in SQLite.
struct SQLiteError: Error, CustomStringConvertible {
  /// The primary result code.
  let code: Int32
  /// SQLite's own words; no statement and no bound value.
  let message: String
  /// Whether it is a flush that failed: what was written before may be lost, and nobody can tell.
  var isFlush = false
  /// The error of the system call beneath it, if there is one.
  var systemCode: Int32 = 0

  /// A file that is not ours.
  static let foreign = SQLiteError(
    code: SQLITE_NOTADB, message: "the file is no database, or another program's")

  /// There is too little room for a copy.
  static let noRoom = SQLiteError(
    code: SQLITE_FULL, message: "there is too little room for a copy of the state")

  /// A log that somebody reads, so that it cannot be truncated.
  static let busyLog = SQLiteError(code: SQLITE_BUSY, message: "the log is in use")

  var description: String { "SQLite: \(message) (\(code))" }

  /// Whether the file is not a database, or is damaged.
  var isCorrupt: Bool { code == SQLITE_CORRUPT || code == SQLITE_NOTADB }
  /// Whether the statement names what the file does not have.
  var isUnknownName: Bool { code == SQLITE_ERROR }
  /// Whether it may be gone at the next try, though nobody has mended anything.
  var mayPass: Bool {
    switch code {
    case SQLITE_IOERR, SQLITE_FULL, SQLITE_NOMEM, SQLITE_INTERRUPT: true
    default: StateDirectory.mayPass(systemCode)
    }
  }
  /// Whether another process holds the database.
  var isBusy: Bool { code == SQLITE_BUSY || code == SQLITE_LOCKED }
}

/// One connection to a database file.
@safe  // the handle is opened and closed here, and lent to statements that do not outlive it
final class Database {
  let handle: OpaquePointer
  private let frames: UnsafeMutablePointer<Int32>

  /// Opens a file that is there, by a path without links.
  init(path: String) throws(SQLiteError) {
    var opened: OpaquePointer?
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW
    let code = unsafe sqlite3_open_v2(path, &opened, flags, nil)
    guard let handle = unsafe opened else {
      throw SQLiteError(code: code, message: "out of memory")
    }
    unsafe self.handle = handle
    guard code == SQLITE_OK else {
      let error = unsafe SQLiteError(
        code: code & 0xFF, message: String(cString: sqlite3_errmsg(handle)),
        systemCode: sqlite3_system_errno(handle))
      unsafe sqlite3_close_v2(handle)
      throw error
    }
    unsafe frames = .allocate(capacity: 1)
    unsafe frames.initialize(to: 0)
    unsafe sqlite3_extended_result_codes(handle, 0)
    _ = unsafe csqlite_set_defensive(handle)
    _ = unsafe csqlite_set_checkpoint_on_close(handle, 0)
  }

  /// Has the log merged into the file at the end; until then closing leaves every byte as it is.
  func checkpointsOnClose() { _ = unsafe csqlite_set_checkpoint_on_close(handle, 1) }

  deinit {
    unsafe sqlite3_close_v2(handle)
    unsafe frames.deallocate()
  }

  /// Leaves it to the caller when the log is merged into the file.
  func countFrames() { unsafe csqlite_count_frames(handle, frames) }

  /// How many frames the log had after the last commit.
  var frameCount: Int { Int(unsafe frames.pointee) }

  /// Merges the log into the file, as far as that is possible without waiting.
  func checkpoint() throws(SQLiteError) {
    let code = unsafe sqlite3_wal_checkpoint_v2(
      handle, nil, SQLITE_CHECKPOINT_PASSIVE, nil, nil)
    guard code == SQLITE_OK else { throw error(code) }
    unsafe frames.pointee = 0
  }

  /// The file, if there is one.
  var file: DatabaseFile? { unsafe csqlite_file(handle).map { unsafe DatabaseFile($0) } }

  /// How large it is, with what only the log holds.
  func byteCount() throws(SQLiteError) -> Int64 {
    let (size, _) = (try number("PRAGMA page_size") ?? 0).multipliedReportingOverflow(
      by: try number("PRAGMA page_count") ?? 0)
    return size
  }

  /// Has every page read anew when it is needed again.
  func dropCache() { unsafe sqlite3_db_release_memory(handle) }

  /// Runs statements that need no values and whose rows are of no interest.
  func run(_ sql: String) throws(SQLiteError) {
    let code = unsafe sqlite3_exec(handle, sql, nil, nil, nil)
    guard code == SQLITE_OK else { throw error(code) }
  }

  /// Prepares a statement to be kept.
  func prepare(_ sql: String) throws(SQLiteError) -> Statement {
    try Statement(sql, on: self)
  }

  /// The first column of the first row, if it is a number.
  func number(_ sql: String) throws(SQLiteError) -> Int64? {
    let statement = try prepare(sql)
    defer { statement.reset() }
    return try statement.step() ? statement.integer(0) : nil
  }

  /// The first column of the first row, if there is one, as text.
  func text(_ sql: String) throws(SQLiteError) -> String? {
    let statement = try prepare(sql)
    defer { statement.reset() }
    guard try statement.step() else { return nil }
    return unsafe statement.withBytes(0) { unsafe String(decoding: $0, as: UTF8.self) }
  }

  /// Whether a transaction is open.
  var isInTransaction: Bool { unsafe sqlite3_get_autocommit(handle) == 0 }

  func error(_ code: Int32) -> SQLiteError {
    let detailed = unsafe sqlite3_extended_errcode(handle)
    return unsafe SQLiteError(
      code: code & 0xFF, message: String(cString: sqlite3_errmsg(handle)),
      isFlush: detailed == SQLITE_IOERR | 4 << 8 || detailed == SQLITE_IOERR | 5 << 8,
      systemCode: sqlite3_system_errno(handle))
  }
}

/// A prepared statement.
@safe  // finalised here; columns are read only between a step and the next
final class Statement {
  private let handle: OpaquePointer
  private let database: Database

  fileprivate init(_ sql: String, on database: Database) throws(SQLiteError) {
    var prepared: OpaquePointer?
    let code = unsafe sqlite3_prepare_v3(
      database.handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
    guard code == SQLITE_OK, let handle = unsafe prepared else { throw database.error(code) }
    unsafe self.handle = handle
    self.database = database
  }

  deinit { unsafe sqlite3_finalize(handle) }

  /// Goes to the next row.
  ///
  /// - Returns: Whether there is one.
  func step() throws(SQLiteError) -> Bool {
    switch unsafe sqlite3_step(handle) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    case let code:
      let error = database.error(code)
      reset()
      throw error
    }
  }

  /// Runs the statement once, with numbers in its places.
  func run(_ numbers: Int64...) throws(SQLiteError) {
    bind(numbers)
    _ = try step()
    reset()
  }

  /// Runs the statement once, with numbers in its places and bytes in the place after.
  func run(_ numbers: Int64..., bytes: UnsafeRawBufferPointer) throws(SQLiteError) {
    bind(numbers)
    try unsafe finish(with: bytes, at: numbers.count + 1)
  }

  /// Runs the statement once, with numbers in its places and a tree in the place after.
  func run(_ numbers: Int64..., value: Value) throws(SQLiteError) {
    bind(numbers)
    let writer = CompactWriter()
    writer.append(value)
    try unsafe writer.withUnsafeBytes { bytes throws(SQLiteError) in
      try unsafe finish(with: bytes, at: numbers.count + 1)
    }
  }

  private func finish(with bytes: UnsafeRawBufferPointer, at place: Int) throws(SQLiteError) {
    // The bytes stay where they are until the step is done.
    _ = unsafe csqlite_bind_blob(handle, Int32(place), bytes.baseAddress, UInt64(bytes.count))
    _ = try step()
    reset()
  }

  private func bind(_ numbers: [Int64]) {
    for (place, number) in numbers.enumerated() { bind(number, at: Int32(place + 1)) }
  }

  func bind(_ number: Int64, at place: Int32) {
    _ = unsafe sqlite3_bind_int64(handle, place, number)
  }

  func reset() {
    unsafe sqlite3_reset(handle)
    unsafe sqlite3_clear_bindings(handle)
  }

  func integer(_ column: Int32) -> Int64 { unsafe sqlite3_column_int64(handle, column) }

  /// Lends a column's bytes.
  func withBytes<R, E>(
    _ column: Int32, _ body: (UnsafeRawBufferPointer) throws(E) -> R
  ) throws(E) -> R {
    let start = unsafe sqlite3_column_blob(handle, column)
    let count = Int(unsafe sqlite3_column_bytes(handle, column))
    return try unsafe body(UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count))
  }
}
