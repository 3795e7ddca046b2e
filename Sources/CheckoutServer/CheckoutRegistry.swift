import Checkout

/// The checkouts of the server, and the ways to find one.
final class CheckoutRegistry {
  /// Names a start key of one user.
  private struct StartKey: Hashable {
    let owner: UInt32
    let key: String
  }

  /// By the ids' numbers, which are hashed in less time than ids.
  private var live: [UInt64: LiveCheckout] = [:]
  private var startKeys: [StartKey: CheckoutID] = [:]
  /// Who holds a client session: by the digest of its token, and of its id once that is known.
  private var sessions = SessionHolds<CheckoutID>()
  private var byOwner: [UInt32: [LiveCheckout]] = [:]
  private var all: [LiveCheckout] = []
  private var startCount: UInt64 = 0

  /// Every checkout, in the order they were started.
  var checkouts: [LiveCheckout] { all }

  /// How many there are.
  var count: Int { all.count }

  /// One user's checkouts, in the order they were started.
  func checkouts(of owner: UInt32) -> [LiveCheckout] { byOwner[owner] ?? [] }

  subscript(id: CheckoutID) -> LiveCheckout? { live[id.rawValue] }

  /// Takes note of whether a checkout is over.
  func note(_ entry: LiveCheckout, isOver: Bool) {
    guard entry.isOver != isOver else { return }
    entry.setOver(isOver)
    entry.user.changeLiveCount(by: isOver ? -1 : 1)
  }

  /// The checkout that a user started with that key.
  func checkout(startedBy owner: UInt32, key: String) -> LiveCheckout? {
    startKeys[StartKey(owner: owner, key: key)].flatMap { self[$0] }
  }

  /// The place of the next checkout in the order of starts.
  var nextOrdinal: UInt64 { startCount + 1 }

  /// Adds a checkout in its place in the order of starts; the usual place is the last.
  func insert(_ entry: LiveCheckout) {
    startCount = max(startCount, entry.ordinal)
    entry.user.addCheckout()
    note(entry, isOver: entry.checkout.isEnded)
    live[entry.id.rawValue] = entry
    Self.insert(entry, into: &all)
    Self.insert(entry, into: &byOwner[entry.owner, default: []])
    if let key = entry.start.key {
      startKeys[StartKey(owner: entry.owner, key: key)] = entry.id
    }
    noteHold(of: entry)
  }

  private static func insert(_ entry: LiveCheckout, into list: inout [LiveCheckout]) {
    if let last = list.last, last.ordinal > entry.ordinal {
      list.insert(entry, at: list.firstPlace(after: entry.ordinal))
    } else {
      list.append(entry)
    }
  }

  /// Forgets a checkout.
  func remove(_ entry: LiveCheckout) {
    guard live.removeValue(forKey: entry.id.rawValue) != nil else { return }
    for session in entry.start.sessions { sessions.remove(session, entry.id) }
    note(entry, isOver: true)
    entry.user.removeCheckout()
    if let key = entry.start.key {
      startKeys[StartKey(owner: entry.owner, key: key)] = nil
    }
    Self.remove(entry, from: &all)
    Self.remove(entry, from: &byOwner[entry.owner, default: []])
    if byOwner[entry.owner]?.isEmpty == true { byOwner[entry.owner] = nil }
  }

  /// Forgets the checkout that was added last, as if it had never been.
  func takeBack(_ entry: LiveCheckout) {
    remove(entry)
    startCount = entry.ordinal - 1
  }

  private static func remove(_ entry: LiveCheckout, from list: inout [LiveCheckout]) {
    let place = list.firstPlace(after: entry.ordinal &- 1)
    if place < list.count, list[place] === entry { list.remove(at: place) }
  }

  // MARK: Client sessions

  /// The checkout that holds a client session, named by digests of its tokens and its id, against
  /// another: a live one first.
  func holder(of names: [Fingerprint], against other: LiveCheckout? = nil) -> LiveCheckout? {
    let holders = names.compactMap { name in
      sessions.holder(of: name, against: other?.id).flatMap { self[$0] }
    }
    return holders.first { !$0.checkout.isEnded } ?? holders.first
  }

  /// Gives a client session to a checkout.
  func take(session: Fingerprint, for entry: LiveCheckout) {
    entry.setSession(session)
    noteHold(of: entry)
  }

  /// Takes a client session back from a checkout.
  func takeBack(session: Fingerprint, from entry: LiveCheckout, before: Fingerprint?) {
    if session != before { sessions.remove(session, entry.id) }
    entry.setSession(before)
  }

  /// Takes note of whether a checkout's client session stays held.
  func noteHold(of entry: LiveCheckout) {
    for session in entry.start.sessions {
      sessions.note(
        session, entry.id, isLive: !entry.checkout.isEnded, holds: entry.checkout.holdsSession)
    }
  }

  // MARK: Payments

  /// Whether some checkout here ended as failed or cancelled with that payment.
  func hasSettled(paymentID: String) -> Bool {
    all.contains { entry in
      entry.checkout.outcome?.holdsSession == false && entry.checkout.paymentID == paymentID
    }
  }

  /// Whether another checkout may have created its payment with a key that its client chose.
  func isTaken(key: String, besides entry: LiveCheckout) -> Bool {
    let fingerprints = Fingerprints(paymentKey: key)
    return all.contains { $0 !== entry && fingerprints.contains($0.keyFingerprint) }
  }
}

extension [LiveCheckout] {
  /// The place of the first checkout started after that one.
  func firstPlace(after ordinal: UInt64) -> Int {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if self[middle].ordinal <= ordinal { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
