import Checkout
import Glibc
import Testing
import ValueTree

@testable import CheckoutStore

/// What the first release has left, see `Tests/crash/first_release`.
@Suite struct FirstReleaseTests {
  private static let place: String = {
    let parts = "\(#filePath)".split(separator: "/").dropLast(2)
    return "/" + parts.joined(separator: "/") + "/crash/first_release"
  }()

  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private func copy(_ name: String) throws {
    for file in ["checkoutd.sqlite", "checkoutd.sqlite-wal"] {
      let path = "\(Self.place)/\(name)/\(file)"
      guard unsafe access(path, F_OK) == 0 else { continue }
      try write(try readBytes(path), to: directory.file(file))
    }
  }

  private var fileVersion: Int64? {
    get throws { try Database(path: directory.database).number("PRAGMA user_version") }
  }

  @Test(arguments: [("stopped", 25, 6), ("killed", 2, 0)])
  func `everything is there`(name: String, checkoutCount: Int, recordCount: Int) throws {
    try copy(name)
    let store = try CheckoutStore(directory: directory.path)
    #expect(store.isOfEarlierVersion)
    let found = try store.recovered()
    #expect(found.count == checkoutCount)
    #expect(try store.recoveredRecords().count == recordCount)
    for id in found.keys {
      let numbers = try store.numbers(of: id)
      let trimmed = store.trimmedTo(id) ?? 0
      #expect(numbers.contains(trimmed) == false)
      #expect(numbers.filter { $0 > trimmed }.first ?? trimmed + 1 == trimmed + 1)
    }
  }

  @Test func `its version is raised with the first commit, and no sooner`() throws {
    try copy("stopped")
    var store: CheckoutStore? = try CheckoutStore(directory: directory.path)
    _ = try store?.recovered()
    let untouched = try directory.copy()
    #expect(throws: Never.self) { try Database(path: untouched.database).run("SELECT 1") }
    #expect(try Database(path: untouched.database).number("PRAGMA user_version") == 1)
    try store?.write([.didReceiveStep], of: CheckoutID(1), after: 0)
    #expect(store?.isOfEarlierVersion == false)
    store = nil
    #expect(try fileVersion == SQLiteBackend.version)
    #expect(try CheckoutStore(directory: directory.path).isOfEarlierVersion == false)
  }

  @Test func `a first commit that fails leaves the version`() throws {
    try copy("stopped")
    let backend = FaultyBackend(try SQLiteBackend(directory: directory.path, bootID: 1))
    let store = CheckoutStore(backend: backend)
    _ = try store.recovered()
    backend.callsLeft = 1
    #expect(throws: StoreError.self) {
      try store.write([.didReceiveStep], of: CheckoutID(1), after: 0)
    }
    #expect(store.isOfEarlierVersion)
    backend.callsLeft = nil
    try store.write([.didReceiveStep], of: CheckoutID(1), after: 0)
    #expect(!store.isOfEarlierVersion)
  }
}
