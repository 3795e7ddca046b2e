import Checkout
import Testing
import ValueTree

@testable import CheckoutServer
@testable import CheckoutStore

/// A state that the first release has left, see `Tests/crash/first_release`.
@Suite struct EarlierVersionTests {
  private static let state: String = {
    let parts = "\(#filePath)".split(separator: "/").dropLast(2)
    return "/" + parts.joined(separator: "/") + "/crash/first_release/stopped/checkoutd.sqlite"
  }()

  /// The rows that a start reads, by checkout: what is written once, its parts, its last row; records.
  private struct Rows: Equatable {
    var fixed: [UInt64: Value] = [:]
    var parts: [UInt64: [Value]] = [:]
    var lastRow: [UInt64: Int64] = [:]
    var records: [UInt64: Value] = [:]

    init(_ backend: some StoreBackend) throws {
      var found = self
      try backend.scanRows { id, row in found.lastRow[id.rawValue] = row.number }
      try backend.scanFixed { id, value, parts in
        found.fixed[id.rawValue] = value
        found.parts[id.rawValue] = parts.map(\.body)
      }
      try backend.scanRecords { id, value in found.records[id.rawValue] = value }
      self = found
    }
  }

  @Test func `a first start writes everything anew that a later one reads`() throws {
    let directory = try TemporaryState(copying: Self.state)
    let before: Rows
    do {
      before = try Rows(try SQLiteBackend(directory: directory.path, bootID: 1))
      #expect(before.records.values.allSatisfy { $0.array?.count == 5 })
    }
    let lastRow = try #require(before.lastRow.values.max())
    let store = try CheckoutStore(directory: directory.path, bootID: 1)
    try ServerBench(store: store).turn()
    store.close()
    let other = try TemporaryState(copying: directory.path + "/checkoutd.sqlite")
    let after: Rows
    do {
      let backend = try SQLiteBackend(directory: other.path, bootID: 1)
      #expect(backend.foundVersion == SQLiteBackend.version)
      after = try Rows(backend)
    }
    #expect(Set(after.fixed.keys).union(after.records.keys).count > 25)
    #expect(after.lastRow.values.allSatisfy { $0 > lastRow })
    #expect(after.records.values.allSatisfy { $0.array?.count == 6 })
    for record in after.records.values {
      let stored = try #require(record.array)
      #expect(try OutcomeRecord(stored[3]).stored == stored[3])
    }
  }
}
