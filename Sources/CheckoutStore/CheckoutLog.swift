package import Checkout
import ValueTree

/// What the store knows of one checkout without reading.
package final class CheckoutLog {
  /// Which checkout.
  package let id: CheckoutID
  private(set) var index = RowIndex()
  /// The number of the last event in a row.
  private(set) var lastSeq: Int64 = 0

  /// The last turn that had to do with it, and what it has published: the events as they stand in a
  /// row, how many they are, and the number of the last one.
  private(set) var turn = -1
  var staged: CompactWriter?
  var stagedCount = 0
  var stagedSeq: Int64 = 0
  /// Whether none of them is of the checkout as a whole.
  var isOfComponentsAlone = true

  init(_ id: CheckoutID) { self.id = id }

  /// Begins a turn; what is left of one that came to nothing is forgotten.
  func begin(_ turn: Int) {
    self.turn = turn
    staged?.removeAll()
    stagedCount = 0
    isOfComponentsAlone = true
  }

  func append(_ row: Row) {
    index.append(row)
    lastSeq = row.seq
  }

  func noteTrimmed(to seq: Int64?) { index.trimmedTo = seq }

  func remove(_ trimming: Trimming) { index.remove(trimming) }
}
