import Checkout
import CheckoutStore
import ValueTree

/// What an earlier process has left.
struct RecoveredState {
  /// Every checkout, in the order they were started.
  let checkouts: [LiveCheckout]
  /// What is missing.
  let loss: StoreLoss?
  /// Whether there are rows that an earlier version has written.
  let isOfEarlierVersion: Bool
  /// The checkout whose question has made a second payment, as long as nobody has looked into that.
  let questionsStopper: CheckoutID?

  /// Whether more may have happened since than could be told of.
  var isRestored: Bool {
    switch loss {
    case nil, .unsynchronized: false
    case .damaged, .restored: true
    }
  }
}

/// Reads the checkouts that an earlier process has left.
struct Recovery {
  private let store: CheckoutStore
  private let users: UserTable
  private let clock: ServerClock
  private let spans: Spans
  private let bootID: Int64

  init(
    _ store: CheckoutStore, _ users: UserTable, _ clock: ServerClock, spans: Spans,
    bootID: Int64
  ) {
    self.store = store
    self.users = users
    self.clock = clock
    self.spans = spans
    self.bootID = bootID
  }

  /// Reads every checkout, in the order they were started, and has the steady clock go on from what
  /// was written last.
  ///
  /// - Parameter progress: Told how many there are so far, now and then.
  /// - Returns: What there is, of which nothing knows yet.
  /// - Throws: ``StoreError`` if a row cannot be read; then nothing has been changed.
  func read(_ progress: (Int) -> Void) throws(StoreError) -> RecoveredState {
    // Reading may write what has been found to be missing, by this version.
    let isOfEarlierVersion = store.isOfEarlierVersion
    var found: [LiveCheckout] = []
    var latest: StoredMoment?
    progress(0)
    try store.recover { stored throws(StoreError) in
      found.append(try checkout(stored, &latest))
      if found.count % 10_000 == 0 { progress(found.count) }
    }
    try store.recoverRecords { id, value throws(StoreError) in
      found.append(try record(id, value, &latest))
    }
    if let latest { clock.goOn(from: latest, bootID: bootID) }
    found.sort { $0.ordinal < $1.ordinal }
    return RecoveredState(
      checkouts: found, loss: store.loss, isOfEarlierVersion: isOfEarlierVersion,
      questionsStopper: try store.questionsStopper())
  }

  private func checkout(
    _ stored: RecoveredCheckout, _ latest: inout StoredMoment?
  ) throws(StoreError) -> LiveCheckout {
    guard let fixed = stored.fixed.array, fixed.count == 3, let start = StartRecord(fixed[0]),
      let ordinal = Self.ordinal(fixed[1]), let hot = stored.hot.array, hot.count == 2,
      let written = StoredMoment(hot[1])
    else { throw StoreError.corrupt("a checkout's row cannot be read") }
    note(written, &latest)
    do throws(StoredStateError) {
      let checkout = try Checkout(
        id: stored.id, spans: spans, repetition: start.repetition(of: stored.id),
        fixed: fixed[2], hot: hot[0], parts: stored.parts)
      let live = LiveCheckout(
        checkout, of: users.user(checkout.owner), ordinal: ordinal, start: start)
      live.markStored()
      return live
    } catch {
      throw StoreError.corrupt("a checkout's state cannot be read")
    }
  }

  private func record(
    _ id: CheckoutID, _ value: Value, _ latest: inout StoredMoment?
  ) throws(StoreError) -> LiveCheckout {
    guard let parts = value.array, 5...6 ~= parts.count, let start = StartRecord(parts[0]),
      let ordinal = Self.ordinal(parts[1]),
      let owner = parts[2].integer.flatMap(UInt32.init(exactly:)),
      let record = try? OutcomeRecord(parts[3]), let written = StoredMoment(parts[4])
    else { throw StoreError.corrupt("a record cannot be read") }
    note(written, &latest)
    let checkout = Checkout(id: id, owner: owner, record: record)
    let live = LiveCheckout(
      checkout, of: users.user(owner), ordinal: ordinal, start: start,
      keptKey: parts.count == 6 ? Fingerprint(parts[5]) : nil)
    live.markStored()
    return live
  }

  /// A place in the order of starts: from 1, and far from the last number there is.
  private static func ordinal(_ value: Value) -> UInt64? {
    guard let number = value.integer, (1...Int64.max >> 1).contains(number) else { return nil }
    return UInt64(number)
  }

  private func note(_ written: StoredMoment, _ latest: inout StoredMoment?) {
    if latest.map({ $0.now < written.now }) ?? true { latest = written }
  }
}
