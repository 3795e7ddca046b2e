import Checkout
import Testing
import ValueTree

@testable import CheckoutStore

/// Rows whose numbers make no sense are refused where they are read.
@Suite struct DamagedRowTests {
  private func events(_ row: Value, endingAt seq: Int64) throws(StoreError) -> [EventRecord] {
    let writer = CompactWriter()
    writer.append(row)
    return try unsafe writer.withUnsafeBytes { bytes throws(StoreError) in
      try unsafe StoredRow(bytes).events(endingAt: seq)
    }
  }

  private func event(component: Value) -> Value { [2, 1000, component, .object([])] }

  @Test(arguments: [-1, .min, .max, 65_536] as [Int64])
  func `an event of a component that cannot be`(component: Int64) {
    #expect(throws: StoreError.self) {
      try events([.null, [event(component: .integer(component))]], endingAt: 1)
    }
  }

  @Test func `an event of a component that can be`() throws {
    let list: Value = [event(component: 65_535), event(component: .null)]
    let read = try events([.null, list], endingAt: 2)
    #expect(read.map(\.event.component) == [65_535, nil])
  }

  @Test(arguments: [0, 1] as [Int64])
  func `more events than numbers for them`(seq: Int64) {
    let event = event(component: 0)
    #expect(throws: StoreError.self) { try events([.null, [event, event]], endingAt: seq) }
  }

  @Test(arguments: [[0], [-1], [4], [2, 2], [3, 1], [.min], [.max]] as [[Int64]])
  func `numbers that are not in order, or not of the row`(numbers: [Int64]) {
    let list = numbers.map { [.integer($0), event(component: 0)] as Value }
    #expect(throws: StoreError.self) { try events([.null, .array(list), true], endingAt: 3) }
  }

  @Test func `numbers with gaps`() throws {
    let list = [1, 3].map { [.integer($0), event(component: 0)] as Value }
    #expect(try events([.null, .array(list), true], endingAt: 3).map(\.seq) == [1, 3])
  }
}
