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
  private var sessions: [Fingerprint: CheckoutID] = [:]
  private var byOwner: [UInt32: [LiveCheckout]] = [:]
  private var all: [LiveCheckout] = []
  private var startCount: UInt64 = 0
  /// How many checkouts of each user are not over.
  private var liveCounts: [UInt32: Int] = [:]

  /// Every checkout, in the order they were started.
  var checkouts: [LiveCheckout] { all }

  /// One user's checkouts, in the order they were started.
  func checkouts(of owner: UInt32) -> [LiveCheckout] { byOwner[owner] ?? [] }

  subscript(id: CheckoutID) -> LiveCheckout? { live[id.rawValue] }

  /// How many checkouts of a user are not over.
  func liveCount(of owner: UInt32) -> Int { liveCounts[owner] ?? 0 }

  /// Takes note of whether a checkout is over.
  func note(_ entry: LiveCheckout, isOver: Bool) {
    guard entry.isOver != isOver else { return }
    entry.isOver = isOver
    liveCounts[entry.owner, default: 0] += isOver ? -1 : 1
  }

  /// The checkout that a user started with that key.
  func checkout(startedBy owner: UInt32, key: String) -> LiveCheckout? {
    startKeys[StartKey(owner: owner, key: key)].flatMap { self[$0] }
  }

  /// Adds a checkout that has just been started.
  func add(_ checkout: Checkout, start: StartRecord) -> LiveCheckout {
    let entry = LiveCheckout(checkout, ordinal: startCount + 1, start: start)
    insert(entry)
    return entry
  }

  /// Adds a checkout in its place in the order of starts; the usual place is the last.
  func insert(_ entry: LiveCheckout) {
    startCount = max(startCount, entry.ordinal)
    note(entry, isOver: entry.checkout.isEnded)
    live[entry.id.rawValue] = entry
    Self.insert(entry, into: &all)
    Self.insert(entry, into: &byOwner[entry.checkout.owner, default: []])
    if let key = entry.start.key {
      startKeys[StartKey(owner: entry.checkout.owner, key: key)] = entry.id
    }
    guard entry.checkout.outcome == nil || entry.checkout.outcome == .unknown else { return }
    sessions[entry.start.tokenFingerprint] = entry.id
    if let session = entry.start.sessionFingerprint { sessions[session] = entry.id }
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
    releaseSession(of: entry)
    note(entry, isOver: true)
    if liveCounts[entry.owner] == 0 { liveCounts[entry.owner] = nil }
    live[entry.id.rawValue] = nil
    if let key = entry.start.key {
      startKeys[StartKey(owner: entry.checkout.owner, key: key)] = nil
    }
    Self.remove(entry, from: &all)
    Self.remove(entry, from: &byOwner[entry.checkout.owner, default: []])
  }

  private static func remove(_ entry: LiveCheckout, from list: inout [LiveCheckout]) {
    let place = list.firstPlace(after: entry.ordinal - 1)
    if place < list.count, list[place] === entry { list.remove(at: place) }
  }

  // MARK: Client sessions

  /// The checkout that holds a client session, named by the digest of its token or its id.
  func holder(of fingerprint: Fingerprint) -> LiveCheckout? {
    sessions[fingerprint].flatMap { self[$0] }
  }

  /// Gives a client session to a checkout.
  func take(session: Fingerprint, for entry: LiveCheckout) {
    entry.start.sessionFingerprint = session
    sessions[session] = entry.id
  }

  /// Lets others have a checkout's client session.
  func releaseSession(of entry: LiveCheckout) {
    let start = entry.start
    if sessions[start.tokenFingerprint] == entry.id { sessions[start.tokenFingerprint] = nil }
    if let session = start.sessionFingerprint, sessions[session] == entry.id {
      sessions[session] = nil
    }
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
