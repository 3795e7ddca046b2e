import Checkout
import ValueTree

/// Where rows are kept.
///
/// A sequence of writes stands between ``begin(isPayment:)`` and ``commit()`` or ``rollBack()``.
protocol StoreBackend: AnyObject {
  var isDurable: Bool { get }
  var epoch: String? { get }
  /// The version of the rows that are there.
  var foundVersion: Int64 { get }
  /// What was found to be missing at the start.
  var loss: StoreLoss? { get }

  func begin(isPayment: Bool) throws(StoreError)
  func commit() throws(StoreError)
  func rollBack()

  func writeFixed(_ value: Value, of id: CheckoutID) throws(StoreError)
  func writePart(_ name: Int, _ value: Value, of id: CheckoutID) throws(StoreError)
  func deleteFixed(of id: CheckoutID) throws(StoreError)

  func appendRow(
    of id: CheckoutID, seq: Int64, eventCount: Int, _ body: CompactWriter
  ) throws(StoreError) -> Int64
  func replaceRow(_ number: Int64, eventCount: Int, _ body: CompactWriter)
    throws(StoreError)
  func deleteRow(_ number: Int64) throws(StoreError)
  func readRow(_ number: Int64) throws(StoreError) -> StoredRow

  func writeRecord(_ value: Value, of id: CheckoutID) throws(StoreError)
  func deleteRecord(of id: CheckoutID) throws(StoreError)

  func scanRows(_ body: (CheckoutID, Row) -> Void) throws(StoreError)
  func scanFixed(
    _ body: (CheckoutID, Value, [(name: Int, body: Value)]) throws(StoreError) -> Void
  ) throws(StoreError)
  func scanRecords(_ body: (CheckoutID, Value) throws(StoreError) -> Void) throws(StoreError)

  func setNote(_ note: StoreNote, to text: String?) throws(StoreError)
  func text(of note: StoreNote) throws(StoreError) -> String?

  func keepLoss() throws(StoreError)
  func forgetLoss() throws(StoreError)

  /// Says that the state is whole, for whoever looks at it next.
  func close()
  func scrub() throws(StoreError)
  func probe() throws(StoreError)
  func beginCopy(as name: String) throws(StoreError) -> StateCopy?
  var copies: (count: Int, byteCount: Int64) { get }
  var hasReserve: Bool { get }
  func releaseReserve()
  func restoreReserve() throws(StoreError)
}

/// What is written down beside checkouts and records.
enum StoreNote: String {
  /// The checkout whose question has made a second payment.
  case questionsStopper = "questions"
}

/// What has no files.
extension StoreBackend {
  func beginCopy(as name: String) throws(StoreError) -> StateCopy? { nil }
  var copies: (count: Int, byteCount: Int64) { (0, 0) }
}

/// Rows in memory: events only, since nobody will ask for the state again.
final class MemoryBackend: StoreBackend {
  /// A row's number is its place; the places of rows that were deleted are used again.
  private var rows: [[UInt8]] = []
  private var freePlaces: [Int] = []

  var isDurable: Bool { false }
  var epoch: String? { nil }
  var foundVersion: Int64 { SQLiteBackend.version }

  func begin(isPayment: Bool) {}
  func commit() {}
  func rollBack() {}

  func writeFixed(_ value: Value, of id: CheckoutID) {}
  func writePart(_ name: Int, _ value: Value, of id: CheckoutID) {}
  func deleteFixed(of id: CheckoutID) {}

  func appendRow(
    of id: CheckoutID, seq: Int64, eventCount: Int, _ body: CompactWriter
  ) -> Int64 {
    guard let place = freePlaces.popLast() else {
      rows.append(body.bytes)
      return Int64(rows.count - 1)
    }
    rows[place] = body.bytes
    return Int64(place)
  }

  func replaceRow(_ number: Int64, eventCount: Int, _ body: CompactWriter) {
    rows[Int(number)] = body.bytes
  }

  func deleteRow(_ number: Int64) {
    rows[Int(number)] = []
    freePlaces.append(Int(number))
  }

  func readRow(_ number: Int64) throws(StoreError) -> StoredRow {
    try unsafe rows[Int(number)].withUnsafeBufferPointer { (bytes) throws(StoreError) in
      try unsafe StoredRow(UnsafeRawBufferPointer(bytes))
    }
  }

  func writeRecord(_ value: Value, of id: CheckoutID) {}
  func deleteRecord(of id: CheckoutID) {}

  func scanRows(_ body: (CheckoutID, Row) -> Void) {}
  func scanFixed(
    _ body: (CheckoutID, Value, [(name: Int, body: Value)]) throws(StoreError) -> Void
  ) {}
  func scanRecords(_ body: (CheckoutID, Value) throws(StoreError) -> Void) {}

  func setNote(_ note: StoreNote, to text: String?) {}
  func text(of note: StoreNote) -> String? { nil }

  var loss: StoreLoss? { nil }
  func keepLoss() {}
  func forgetLoss() {}

  func close() {}
  func scrub() {}
  func probe() {}
  var hasReserve: Bool { true }
  func releaseReserve() {}
  func restoreReserve() {}
}

extension StoredRow {
  /// Reads a row's bytes.
  init(_ bytes: UnsafeRawBufferPointer) throws(StoreError) {
    value = try unsafe Value(stored: bytes)
  }
}

extension Value {
  /// Reads a stored tree.
  init(stored bytes: UnsafeRawBufferPointer) throws(StoreError) {
    do throws(CompactValue.Malformed) {
      self = try unsafe CompactValue.read(bytes)
    } catch {
      throw StoreError.corrupt("a row cannot be read")
    }
  }
}
