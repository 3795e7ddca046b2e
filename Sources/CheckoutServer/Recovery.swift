import Checkout
import CheckoutStore
import ValueTree

/// Reads the checkouts that an earlier process has left.
struct Recovery {
  private let store: CheckoutStore
  private let users: UserTable
  private let clock: ServerClock
  private let spans: Spans
  private let moment: StoredMoment

  init(
    _ store: CheckoutStore, _ users: UserTable, _ clock: ServerClock, spans: Spans,
    moment: StoredMoment
  ) {
    self.store = store
    self.users = users
    self.clock = clock
    self.spans = spans
    self.moment = moment
  }

  /// Reads every checkout, in the order they were started.
  ///
  /// - Parameter progress: Told how many there are so far, now and then.
  /// - Returns: The checkouts, of which nothing knows yet.
  /// - Throws: ``StoreError`` if a row cannot be read; then nothing has been changed.
  func read(_ progress: (Int) -> Void) throws(StoreError) -> [LiveCheckout] {
    var found: [LiveCheckout] = []
    progress(0)
    try store.recover { stored throws(StoreError) in
      found.append(try checkout(stored))
      if found.count % 10_000 == 0 { progress(found.count) }
    }
    try store.recoverRecords { id, value throws(StoreError) in
      found.append(try record(id, value))
    }
    found.sort { $0.ordinal < $1.ordinal }
    return found
  }

  private func checkout(_ stored: RecoveredCheckout) throws(StoreError) -> LiveCheckout {
    guard let fixed = stored.fixed.array, fixed.count == 3, let start = StartRecord(fixed[0]),
      let ordinal = Self.ordinal(fixed[1]), let hot = stored.hot.array, hot.count == 2,
      let written = StoredMoment(hot[1])
    else { throw StoreError.corrupt("a checkout's row cannot be read") }
    do throws(StoredStateError) {
      let checkout = try Checkout(
        id: stored.id, spans: spans, fixed: fixed[2], hot: hot[0], parts: stored.parts,
        shift: shift(from: written))
      let live = LiveCheckout(
        checkout, of: users.user(checkout.owner), ordinal: ordinal, start: start)
      live.markStored()
      return live
    } catch {
      throw StoreError.corrupt("a checkout's state cannot be read")
    }
  }

  private func record(_ id: CheckoutID, _ value: Value) throws(StoreError) -> LiveCheckout {
    guard let parts = value.array, parts.count == 5, let start = StartRecord(parts[0]),
      let ordinal = Self.ordinal(parts[1]),
      let owner = parts[2].integer.flatMap(UInt32.init(exactly:)),
      var record = try? OutcomeRecord(parts[3]), let written = StoredMoment(parts[4])
    else { throw StoreError.corrupt("a record cannot be read") }
    record.endedAt += shift(from: written)
    let checkout = Checkout(id: id, owner: owner, record: record)
    let live = LiveCheckout(
      checkout, of: users.user(owner), ordinal: ordinal, start: start)
    live.markStored()
    return live
  }

  /// A place in the order of starts: from 1, and far from the last number there is.
  private static func ordinal(_ value: Value) -> UInt64? {
    guard let number = value.integer, (1...Int64.max >> 1).contains(number) else { return nil }
    return UInt64(number)
  }

  /// What must be added to a deadline that was written then, if the clock was set since.
  private func shift(from written: StoredMoment) -> Milliseconds {
    let drift = moment.now - written.now - written.elapsed(until: moment)
    // Below a second it is the rounding of two clocks, not a clock that was set.
    return abs(drift) < 1000 ? 0 : drift
  }
}
