import Checkout
import ValueTree

@testable import CheckoutStore

/// A backend that fails a chosen call, and hands on the others.
final class FaultyBackend: StoreBackend {
  private let backend: any StoreBackend
  /// How many calls that write still succeed; `nil` for all.
  var callsLeft: Int?

  init(_ backend: any StoreBackend) { self.backend = backend }

  private func pass() throws(StoreError) {
    guard let left = callsLeft else { return }
    guard left > 0 else { throw .failed("the disk is full") }
    callsLeft = left - 1
  }

  var isDurable: Bool { backend.isDurable }
  var epoch: String? { backend.epoch }
  var foundVersion: Int64 { backend.foundVersion }

  func begin(isPayment: Bool) throws(StoreError) {
    try pass()
    try backend.begin(isPayment: isPayment)
  }

  func commit() throws(StoreError) {
    try pass()
    try backend.commit()
  }

  func rollBack() { backend.rollBack() }

  func setNote(_ note: StoreNote, to text: String?) throws(StoreError) {
    try pass()
    try backend.setNote(note, to: text)
  }

  func text(of note: StoreNote) throws(StoreError) -> String? { try backend.text(of: note) }

  func writeFixed(_ value: Value, of id: CheckoutID) throws(StoreError) {
    try pass()
    try backend.writeFixed(value, of: id)
  }

  func writePart(_ name: Int, _ value: Value, of id: CheckoutID) throws(StoreError) {
    try pass()
    try backend.writePart(name, value, of: id)
  }

  func deleteFixed(of id: CheckoutID) throws(StoreError) {
    try pass()
    try backend.deleteFixed(of: id)
  }

  func appendRow(
    of id: CheckoutID, seq: Int64, eventCount: Int, _ body: CompactWriter
  ) throws(StoreError) -> Int64 {
    try pass()
    return try backend.appendRow(of: id, seq: seq, eventCount: eventCount, body)
  }

  func replaceRow(_ number: Int64, eventCount: Int, _ body: CompactWriter)
    throws(StoreError)
  {
    try pass()
    try backend.replaceRow(number, eventCount: eventCount, body)
  }

  func deleteRow(_ number: Int64) throws(StoreError) {
    try pass()
    try backend.deleteRow(number)
  }

  func readRow(_ number: Int64) throws(StoreError) -> StoredRow { try backend.readRow(number) }

  func writeRecord(_ value: Value, of id: CheckoutID) throws(StoreError) {
    try pass()
    try backend.writeRecord(value, of: id)
  }

  func deleteRecord(of id: CheckoutID) throws(StoreError) {
    try pass()
    try backend.deleteRecord(of: id)
  }

  func scanRows(_ body: (CheckoutID, Row) -> Void) throws(StoreError) {
    try backend.scanRows(body)
  }

  func scanFixed(
    _ body: (CheckoutID, Value, [(name: Int, body: Value)]) throws(StoreError) -> Void
  ) throws(StoreError) {
    try backend.scanFixed(body)
  }

  func scanRecords(_ body: (CheckoutID, Value) throws(StoreError) -> Void) throws(StoreError) {
    try backend.scanRecords(body)
  }

  var loss: StoreLoss? { backend.loss }
  func keepLoss() throws(StoreError) { try backend.keepLoss() }
  func forgetLoss() throws(StoreError) { try backend.forgetLoss() }

  func close() { backend.close() }
  func scrub() throws(StoreError) { try backend.scrub() }
  func probe() throws(StoreError) { try backend.probe() }
  var hasReserve: Bool { backend.hasReserve }
  func releaseReserve() { backend.releaseReserve() }
  func restoreReserve() throws(StoreError) { try backend.restoreReserve() }
}
