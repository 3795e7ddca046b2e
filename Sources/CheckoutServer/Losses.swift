import Checkout

/// Events that a slow reader was not sent: those it has to be told of, and those of the turn under
/// way, which may come to nothing.
final class Losses {
  private var known: [CheckoutID: ClosedRange<Int64>] = [:]
  private var fresh: [CheckoutID: ClosedRange<Int64>] = [:]
  private var freshCount = 0
  private var total = 0

  init() {}

  /// Goes on with what an earlier process has not told.
  init(_ known: [ConnectionState.Lost], count: Int) {
    for entry in known { self.known[entry.checkout] = entry.seqs }
    total = count
  }

  /// How many there were in all.
  var count: Int { total }

  /// Whether there is nothing to tell.
  var isEmpty: Bool { known.isEmpty }

  /// Whether an event of that checkout was lost and not told of: those that follow it are lost too.
  func contains(_ checkout: CheckoutID) -> Bool {
    guard !known.isEmpty || !fresh.isEmpty else { return false }
    return known[checkout] != nil || fresh[checkout] != nil
  }

  /// Adds an event of the turn under way.
  func add(_ seq: Int64, of checkout: CheckoutID) {
    let first = fresh[checkout]?.lowerBound ?? seq
    fresh[checkout] = min(first, seq)...max(first, seq)
    freshCount += 1
  }

  /// Keeps the turn's: it is committed.
  ///
  /// - Returns: How many there were.
  func keepTurn() -> Int {
    guard freshCount > 0 else { return 0 }
    for (checkout, range) in fresh {
      let first = known[checkout]?.lowerBound ?? range.lowerBound
      known[checkout] = min(first, range.upperBound)...range.upperBound
    }
    defer { dropTurn() }
    total += freshCount
    return freshCount
  }

  /// Forgets the turn's: it was taken back.
  func dropTurn() {
    fresh = [:]
    freshCount = 0
  }

  /// Takes out those of a checkout, and those of the turn under way with them.
  ///
  /// - Returns: Those of earlier turns.
  func remove(_ checkout: CheckoutID) -> ConnectionState.Lost? {
    fresh[checkout] = nil
    return known.removeValue(forKey: checkout).map { .init(checkout: checkout, seqs: $0) }
  }

  /// Adds those of earlier turns.
  func note(_ lost: ConnectionState.Lost) { known[lost.checkout] = lost.seqs }

  /// Hands out what there is to tell.
  func takeAll() -> [ConnectionState.Lost] {
    defer { known = [:] }
    return all
  }

  /// What there is to tell.
  var all: [ConnectionState.Lost] { known.map { .init(checkout: $0.key, seqs: $0.value) } }
}
