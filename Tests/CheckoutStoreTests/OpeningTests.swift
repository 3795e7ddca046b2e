import Checkout
import Glibc
import Testing
import ValueTree

@testable import CheckoutStore

/// A directory that cannot be used, and one that can.
@Suite struct OpeningTests {
  let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  /// A store with two checkouts in the directory, closed.
  private func fill(pages: Int = 40) throws {
    let store = try CheckoutStore(directory: directory.path)
    for number in UInt64(1)...2 {
      let text = String(repeating: "t", count: pages * 2000)
      try store.write([.didReceiveStep, .didFail], of: CheckoutID(number), after: 0, text: text)
    }
  }

  private func sql(_ text: String) throws {
    if directory.names.isEmpty { try write([], to: directory.database) }
    let database = try Database(path: directory.database)
    database.checkpointsOnClose()
    try database.run(text)
  }

  /// Opens and recovers: what must fail does so in one of the two.
  private func open() throws {
    let store = try CheckoutStore(directory: directory.path)
    _ = try store.recovered()
    _ = try store.recoveredRecords()
  }

  /// Why the directory is refused; and that it is left as it is.
  private func refusal() throws -> StoreError? {
    let before = try directory.contents()
    let error = #expect(throws: StoreError.self) { try open() }
    #expect(try directory.contents() == before)
    return error
  }

  private func isCorrupt(_ error: StoreError?) -> Bool {
    if case .corrupt = error { true } else { false }
  }

  private func isUnusable(_ error: StoreError?) -> Bool {
    if case .unusable = error { true } else { false }
  }

  @Test func `files are for their owner alone`() throws {
    let store = try CheckoutStore(directory: directory.path)
    try store.write([.didReceiveStep], of: CheckoutID(1), after: 0)
    #expect(directory.names == ["checkoutd.sqlite", "checkoutd.sqlite-wal", "reserve"])
    for name in directory.names { #expect(mode(of: directory.file(name)) == 0o600, "\(name)") }
  }

  @Test func `a mode that was loosened is tightened`() throws {
    try fill()
    #expect(unsafe chmod(directory.database, 0o644) == 0)
    try open()
    #expect(mode(of: directory.database) == 0o600)
  }

  @Test func `a store that was closed leaves no log`() throws {
    try fill()
    #expect(directory.names == ["checkoutd.sqlite", "reserve"])
  }

  @Test func `a start goes on where one was ended that had just made the database`() throws {
    try fill()
    let draft = "checkoutd.sqlite.4711"
    #expect(unsafe link(directory.database, directory.file(draft)) == 0)
    try open()
    #expect(!directory.names.contains(draft))
  }

  @Test func `a second name that is no draft is refused and left`() throws {
    try fill()
    for name in ["checkoutd.sqlite.old", "checkoutd.sqlite-4711", "4711"] {
      #expect(unsafe link(directory.database, directory.file(name)) == 0)
      #expect(isUnusable(try refusal()), "\(name)")
      unsafe unlink(directory.file(name))
    }
    try open()
  }

  @Test func `a directory has one daemon`() throws {
    var first: CheckoutStore? = try CheckoutStore(directory: directory.path)
    try first?.write([.didReceiveStep], of: CheckoutID(1), after: 0)
    for _ in 0..<2 {
      let before = try directory.contents()
      #expect(throws: StoreError.inUse) { try CheckoutStore(directory: directory.path) }
      #expect(try directory.contents() == before)
      try first?.write([.didReceiveStep], of: CheckoutID(1), after: 1)
    }
    first = nil
    try open()
  }

  @Test func `a directory that is missing, or none, is unusable`() throws {
    try write([1, 2, 3], to: directory.file("plain"))
    for path in [directory.file("nothing"), directory.file("plain"), "", "/dev/null"] {
      let error = #expect(throws: StoreError.self) { try CheckoutStore(directory: path) }
      #expect(isUnusable(error), "\(path)")
    }
    #expect(directory.names == ["plain"])
  }

  @Test(.enabled(if: geteuid() != 0, "root may write everywhere"))
  func `a directory that may not be written is unusable`() throws {
    try fill()
    #expect(unsafe chmod(directory.path, 0o500) == 0)
    let error = #expect(throws: StoreError.self) { try open() }
    #expect(isUnusable(error))
    #expect(unsafe chmod(directory.path, 0o700) == 0)
  }

  @Test func `a directory in the database's place is unusable`() throws {
    #expect(unsafe mkdir(directory.database, 0o700) == 0)
    let error = #expect(throws: StoreError.self) { try open() }
    #expect(isUnusable(error))
  }

  @Test(arguments: [1, 15, 50, 100, 512, 4096, 40_000])
  func `what is no database is refused and left`(count: Int) throws {
    try write(Array("not a database, whoever wrote it ".utf8.cycled(count)), to: directory.database)
    #expect(isCorrupt(try refusal()))
  }

  @Test(arguments: [1, 50, 99, 100, 1000, 4096, 5000, 8192, 12_288, 40_960, 102_400])
  func `a truncated file is refused and left`(count: Int) throws {
    try fill()
    let whole = try readBytes(directory.database)
    #expect(whole.count > 150_000)
    try write(Array(whole[..<count]), to: directory.database)
    #expect(isCorrupt(try refusal()))
  }

  @Test func `damaged pages are refused and left`() throws {
    try fill()
    let whole = try readBytes(directory.database)
    for page in 1..<4 {
      var damaged = whole
      for place in page * 4096..<(page + 1) * 4096 { damaged[place] = 0xA5 }
      try write(damaged, to: directory.database)
      // Not every page is needed to take up what is there.
      let before = try directory.contents()
      do { try open() } catch let error as StoreError { #expect(isCorrupt(error)) }
      #expect(try directory.contents() == before)
    }
  }

  @Test(arguments: [SQLiteBackend.version + 1, 99, 1 << 30])
  func `a newer version's state is refused and left`(version: Int64) throws {
    try fill()
    try sql("PRAGMA user_version=\(version)")
    #expect(try refusal() == .newer(found: version, known: SQLiteBackend.version))
  }

  @Test func `so it is with its log still beside it`() throws {
    let store = try CheckoutStore(directory: directory.path)
    try store.write([.didReceiveStep], of: CheckoutID(1), after: 0)
    let copy = try directory.copy()
    let database = try Database(path: copy.database)
    let later = SQLiteBackend.version + 1
    try database.run("PRAGMA locking_mode=EXCLUSIVE; PRAGMA user_version=\(later)")
    let newer = try copy.copy()
    let before = try newer.contents()
    #expect(before.keys.sorted() == ["checkoutd.sqlite", "checkoutd.sqlite-wal"])
    #expect(throws: StoreError.newer(found: later, known: SQLiteBackend.version)) {
      try CheckoutStore(directory: newer.path)
    }
    #expect(try newer.contents() == before)
  }

  @Test(arguments: [
    "CREATE TABLE note(text)", "CREATE TABLE change(id)",
    "CREATE TABLE note(text); PRAGMA user_version=1", "PRAGMA user_version=1",
    "CREATE TABLE note(text); PRAGMA user_version=-3", "CREATE VIEW note AS SELECT 1",
  ])
  func `another program's database is refused and left`(schema: String) throws {
    try sql(schema)
    #expect(isCorrupt(try refusal()))
  }

  @Test func `an empty file is refused and left`() throws {
    try write([], to: directory.database)
    #expect(isCorrupt(try refusal()))
  }

  @Test func `the reserve is set aside, given up and set aside again`() throws {
    let store = try CheckoutStore(directory: directory.path)
    var info = stat()
    #expect(unsafe stat(directory.file("reserve"), &info) == 0)
    #expect(info.st_size == 16 * 1024 * 1024)
    #expect(info.st_blocks >= 32 * 1024)
    #expect(store.hasReserve)
    store.releaseReserve()
    #expect(!store.hasReserve)
    #expect(!directory.names.contains("reserve"))
    try store.restoreReserve()
    #expect(store.hasReserve)
    #expect(directory.names.contains("reserve"))
  }
}

extension Collection {
  /// The first elements of the collection repeated.
  fileprivate func cycled(_ count: Int) -> [Element] {
    var all: [Element] = []
    while all.count < count { all += self.prefix(count - all.count) }
    return all
  }
}
