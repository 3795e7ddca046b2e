import Glibc
import LinuxSystem
import ValueTree

/// What is missing of a state, as its files show.
package enum StoreLoss: Sendable, Equatable {
  /// The latest commits, none of which had to be on the disk: a power failure may take them.
  case unsynchronized(commitCount: Int)
  /// Commits that nothing but damage can have taken; why that is known.
  case damaged(String)
  /// Whatever has happened since the state was copied, to which it has gone back.
  case restored
}

/// What the file says about the run that wrote it last: the start of the machine in which it runs, or
/// that it has stopped in order.
enum RunMark {
  /// All that there was stands in the file, and there is no log.
  static let stopped = "stopped"
}

/// What tells a file from another that has taken its name.
struct FileIdentity: Equatable {
  private let device: dev_t
  private let number: ino_t

  init(_ info: stat) {
    device = info.st_dev
    number = info.st_ino
  }
}

/// The files of a state: looked at first, then opened, and changed only by those who know them to be theirs.
struct StateFiles {
  static let database = "checkoutd.sqlite"
  static let log = "checkoutd.sqlite-wal"
  static let reserve = "reserve"
  /// What this process is making, until it is done; a start removes what others have left.
  static var draft: String { database + ".\(getpid())" }

  let database: Database
  let version: Int64
  let epoch: String?
  let loss: StoreLoss?
  /// The number of the last row.
  let lastRow: Int64
  let identities: [(name: String, file: FileIdentity?)]

  /// Opens the files, and makes them if there are none.
  init(in directory: StateDirectory, bootID: Int64) throws(StoreError) {
    try Self.removeSecondName(in: directory)
    let hasDatabase = try directory.check(Self.database) != nil
    let log = try directory.check(Self.log)
    for name in [Self.database + "-journal", Self.reserve] { try directory.check(name) }
    if !hasDatabase {
      // A new one would make the log useless for good.
      guard log?.st_size ?? 0 == 0 else {
        throw .corrupt("the database is missing, and its log is there")
      }
      try Self.makeDatabase(in: directory) { _, draft throws(StoreError) in
        let path = directory.path(of: draft)
        try Self.opening { () throws(SQLiteError) in try Self.makeTables(path) }
      }
    }
    let scan = LogScan(try directory.contents(of: Self.log))
    (database, version) = try Self.openDatabase(in: directory)
    let opened = database
    (epoch, lastRow) = try Self.opening { () throws(SQLiteError) in
      (
        try opened.text("SELECT value FROM meta WHERE name='epoch'"),
        try opened.number("SELECT max(id) FROM change") ?? 0
      )
    }
    let last = lastRow
    loss = try Self.opening { () throws(SQLiteError) in
      try Self.loss(of: opened, scan, hasLog: log != nil, lastRow: last, bootID: bootID)
    }
    directory.restrict(Self.database)
    Self.removeDrafts(in: directory)
    var identities: [(name: String, file: FileIdentity?)] = []
    for name in [Self.database, Self.log] {
      identities.append((name, try directory.status(of: name).map(FileIdentity.init)))
    }
    self.identities = identities
  }

  // MARK: Making

  /// Makes the database.
  ///
  /// It is made under another name and without waiting for the disk, and becomes the database once it
  /// is whole and written: a start that is cut short leaves none, and a new one costs two flushes.
  ///
  /// `fill` makes it in the file of that name, which is empty.
  static func makeDatabase(
    in directory: StateDirectory,
    _ fill: (borrowing FileDescriptor, _ name: String) throws(StoreError) -> Void
  ) throws(StoreError) {
    let draft = draft
    let names = [draft, draft + "-wal", draft + "-journal"]
    for name in names { directory.remove(name) }
    defer { for name in names { directory.remove(name) } }
    // Readable by nobody else from the first moment.
    let file = try directory.open(draft, O_RDWR | O_CREAT | O_EXCL)
    try fill(file, draft)
    do throws(Errno) {
      try file.synchronize()
    } catch {
      throw StateDirectory.problem(with: directory.path(of: draft), error.code)
    }
    try directory.link(draft, as: database)
    directory.remove(draft)
    try directory.synchronize()
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
      INSERT INTO meta VALUES('run', '\(RunMark.stopped)');
      PRAGMA user_version=\(SQLiteBackend.version);
      COMMIT;
      PRAGMA journal_mode=WAL;
      """)
  }

  /// Removes what starts that were cut short have left; to be called once the database is locked.
  private static func removeDrafts(in directory: StateDirectory) {
    for name in drafts(in: directory) { directory.remove(name) }
    StateCopy.removeDraft(in: directory)
  }

  /// Removes the draft that has become the database, where a start was ended before it did so.
  private static func removeSecondName(in directory: StateDirectory) throws(StoreError) {
    guard let info = try directory.status(of: database), info.st_nlink > 1 else { return }
    for name in drafts(in: directory)
    where try directory.status(of: name).map(FileIdentity.init) == FileIdentity(info) {
      directory.remove(name)
    }
  }

  private static func drafts(in directory: StateDirectory) -> [String] {
    let prefix = database + "."
    return directory.names(beginningWith: prefix).filter {
      $0.dropFirst(prefix.count).first?.isNumber == true
    }
  }

  // MARK: Opening

  private static let newerVersion: Int32 = -1

  /// The order matters: the locking mode must be known before the first read, so that the log needs
  /// no shared memory and a second daemon is refused; what cannot be used is found out before the
  /// first write.
  ///
  /// - Returns: The database, and the version of what is in it.
  static func openDatabase(
    _ name: String = database, in directory: StateDirectory
  ) throws(StoreError) -> (Database, version: Int64) {
    // SQLite would take one that is shorter for a new one.
    if let info = try directory.status(of: name), info.st_size < 512 {
      throw openingError(.foreign)
    }
    return try opening { () throws(SQLiteError) in
      let opened = try Database(path: directory.path(of: name))
      try opened.run("PRAGMA locking_mode=EXCLUSIVE")
      let found = try opened.number("PRAGMA user_version") ?? 0
      guard found <= SQLiteBackend.version else {
        throw SQLiteError(code: newerVersion, message: String(found))
      }
      let count = try opened.number(
        """
        SELECT count(*) FROM sqlite_schema
        WHERE name IN ('meta', 'checkout', 'part', 'change', 'record')
        """)
      guard found >= SQLiteBackend.earliestVersion, count == 5 else {
        throw SQLiteError.foreign
      }
      try opened.run("PRAGMA journal_mode=WAL")
      try opened.run("PRAGMA secure_delete=ON")
      try opened.run("PRAGMA temp_store=MEMORY")
      try opened.run("PRAGMA synchronous=NORMAL")
      opened.countFrames()
      // Takes the lock now, not at the first write.
      try opened.run("BEGIN IMMEDIATE; COMMIT")
      return (opened, found)
    }
  }

  /// What is missing.
  private static func loss(
    of database: Database, _ scan: LogScan, hasLog: Bool, lastRow: Int64, bootID: Int64
  ) throws(SQLiteError) -> StoreLoss? {
    switch try database.text("SELECT value FROM meta WHERE name='loss'") {
    case restored: return .restored
    case _?: return .damaged("an earlier start found that commits are missing")
    case nil: break
    }
    let run = try database.text("SELECT value FROM meta WHERE name='run'")
    if let run, run != RunMark.stopped, !hasLog { return .damaged("the log is missing") }
    let count = scan.lostCommitCount
    guard count > 0 else { return nil }
    if scan.lostPaymentRows.contains(where: { $0 > lastRow }) {
      return .damaged("\(count) commits in the log cannot be read, one of them a payment's")
    }
    // Nothing but a power failure loses what the process has written.
    if run == String(bootID) { return .damaged("\(count) commits in the log cannot be read") }
    return .unsynchronized(commitCount: count)
  }

  static func opening<T>(_ body: () throws(SQLiteError) -> T) throws(StoreError) -> T {
    do throws(SQLiteError) {
      return try body()
    } catch {
      throw openingError(error)
    }
  }

  static func openingError(_ error: SQLiteError) -> StoreError {
    if error.isBusy { return .inUse }
    if error.isCorrupt || error.isUnknownName { return .corrupt(error.message) }
    if error.code == newerVersion {
      return .newer(found: Int64(error.message) ?? 0, known: SQLiteBackend.version)
    }
    return error.mayPass ? .failed(error.description) : .unusable(error.description)
  }
}
