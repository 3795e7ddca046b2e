import Checkout
import ValueTree

@testable import CheckoutStore

/// Rows in memory that count as durable: what is not committed is taken back, and each commit can be
/// made to fail.
final class VolatileBackend: StoreBackend {
  private struct Rows {
    var rows: [Int64: (id: CheckoutID, row: Row, body: [UInt8])] = [:]
    var fixed: [UInt64: Value] = [:]
    var parts: [UInt64: [Int: Value]] = [:]
    var records: [UInt64: Value] = [:]
    var notes: [StoreNote: String] = [:]
    var lastNumber: Int64 = 0
  }

  private var kept = Rows()
  private var now = Rows()
  /// Whether nothing can be committed.
  var isFailing = false
  /// How many commits there were.
  private(set) var commitCount = 0
  /// Whether each commit had to survive a power failure.
  private(set) var commits: [Bool] = []
  private var isPayment = false
  /// How many commits have failed.
  private(set) var failureCount = 0

  var isDurable: Bool { true }
  var epoch: String? { "epoch-1" }
  var foundVersion: Int64 { SQLiteBackend.version }
  var loss: StoreLoss? { nil }
  func setNote(_ note: StoreNote, to text: String?) { now.notes[note] = text }
  func text(of note: StoreNote) -> String? { kept.notes[note] }
  func keepLoss() {}
  func forgetLoss() {}

  func begin(isPayment: Bool) {
    now = kept
    self.isPayment = isPayment
  }

  func commit() throws(StoreError) {
    guard !isFailing else {
      failureCount += 1
      throw .failed("the disk is full")
    }
    kept = now
    commitCount += 1
    commits.append(isPayment)
  }

  func rollBack() { now = kept }

  func writeFixed(_ value: Value, of id: CheckoutID) { now.fixed[id.rawValue] = value }

  func writePart(_ name: Int, _ value: Value, of id: CheckoutID) {
    now.parts[id.rawValue, default: [:]][name] = value
  }

  func deleteFixed(of id: CheckoutID) {
    now.fixed[id.rawValue] = nil
    now.parts[id.rawValue] = nil
  }

  func appendRow(
    of id: CheckoutID, seq: Int64, eventCount: Int, _ body: CompactWriter
  ) -> Int64 {
    now.lastNumber += 1
    let row = Row(
      number: now.lastNumber, seq: seq, eventCount: Int32(eventCount),
      byteCount: Int32(body.count))
    now.rows[now.lastNumber] = (id, row, body.bytes)
    return now.lastNumber
  }

  func replaceRow(_ number: Int64, eventCount: Int, _ body: CompactWriter) {
    now.rows[number]?.body = body.bytes
  }

  func deleteRow(_ number: Int64) { now.rows[number] = nil }

  func readRow(_ number: Int64) throws(StoreError) -> StoredRow {
    guard let body = kept.rows[number]?.body else { throw .corrupt("there is no such row") }
    return try unsafe body.withUnsafeBufferPointer { (all) throws(StoreError) in
      try unsafe StoredRow(UnsafeRawBufferPointer(all))
    }
  }

  func writeRecord(_ value: Value, of id: CheckoutID) { now.records[id.rawValue] = value }
  func deleteRecord(of id: CheckoutID) { now.records[id.rawValue] = nil }

  func scanRows(_ body: (CheckoutID, Row) -> Void) {
    for (_, entry) in kept.rows.sorted(by: { $0.key < $1.key }) { body(entry.id, entry.row) }
  }

  func scanFixed(
    _ body: (CheckoutID, Value, [(name: Int, body: Value)]) throws(StoreError) -> Void
  ) throws(StoreError) {
    for (number, value) in kept.fixed {
      let parts = (kept.parts[number] ?? [:]).map { (name: $0.key, body: $0.value) }
      try body(CheckoutID(number), value, parts)
    }
  }

  func scanRecords(_ body: (CheckoutID, Value) throws(StoreError) -> Void) throws(StoreError) {
    for (number, value) in kept.records { try body(CheckoutID(number), value) }
  }

  // MARK: Damage

  /// How many values are kept.
  var keptCount: Int {
    kept.rows.count + kept.fixed.count + kept.records.count
      + kept.parts.values.reduce(0) { $0 + $1.count }
  }

  /// Changes one of the values that are kept, as damage to the disk would.
  func damage(at place: Int, _ change: (Value) -> Value) {
    var place = place
    for (number, entry) in kept.rows.sorted(by: { $0.key < $1.key }) {
      if place == 0 {
        guard let value = unsafe entry.body.withUnsafeBytes({ unsafe try? CompactValue.read($0) })
        else { return }
        let writer = CompactWriter()
        writer.append(change(value))
        kept.rows[number]?.body = writer.bytes
      }
      place -= 1
    }
    for (number, value) in kept.fixed.sorted(by: { $0.key < $1.key }) {
      if place == 0 { kept.fixed[number] = change(value) }
      place -= 1
    }
    for (number, parts) in kept.parts.sorted(by: { $0.key < $1.key }) {
      for (name, value) in parts.sorted(by: { $0.key < $1.key }) {
        if place == 0 { kept.parts[number]?[name] = change(value) }
        place -= 1
      }
    }
    for (number, value) in kept.records.sorted(by: { $0.key < $1.key }) {
      if place == 0 { kept.records[number] = change(value) }
      place -= 1
    }
  }

  func close() {}
  func scrub() {}

  func probe() throws(StoreError) {
    if isFailing { throw .failed("the disk is full") }
  }

  var hasReserve: Bool { true }
  func releaseReserve() {}

  func restoreReserve() throws(StoreError) {
    if isFailing { throw .failed("the disk is full") }
  }
}
