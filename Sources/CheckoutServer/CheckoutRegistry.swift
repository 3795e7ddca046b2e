import Checkout

/// The checkouts of the server, and the ways to find one.
struct CheckoutRegistry {
  /// Names a start key of one user.
  private struct StartKey: Hashable {
    let owner: UInt32
    let key: String
  }

  /// Names a client session: by its token before the configuration is known, then also by its id.
  private enum SessionKey: Hashable {
    case token(Fingerprint)
    case session(String)
  }

  private var live: [CheckoutID: LiveCheckout] = [:]
  private var startKeys: [StartKey: CheckoutID] = [:]
  private var sessions: [SessionKey: CheckoutID] = [:]
  private var byOwner: [UInt32: [LiveCheckout]] = [:]
  private var all: [LiveCheckout] = []
  private var startCount: UInt64 = 0

  /// Every checkout, in the order they were started.
  var checkouts: [LiveCheckout] { all }

  /// One user's checkouts, in the order they were started.
  func checkouts(of owner: UInt32) -> [LiveCheckout] { byOwner[owner] ?? [] }

  subscript(id: CheckoutID) -> LiveCheckout? { live[id] }

  /// The checkout that a user started with that key.
  func checkout(startedBy owner: UInt32, key: String) -> LiveCheckout? {
    startKeys[StartKey(owner: owner, key: key)].flatMap { live[$0] }
  }

  /// Adds a checkout.
  mutating func add(_ checkout: Checkout, start: StartRecord) -> LiveCheckout {
    startCount += 1
    let entry = LiveCheckout(checkout, ordinal: startCount, start: start)
    live[checkout.id] = entry
    all.append(entry)
    byOwner[checkout.owner, default: []].append(entry)
    if let key = start.key {
      startKeys[StartKey(owner: checkout.owner, key: key)] = checkout.id
    }
    sessions[.token(start.tokenFingerprint)] = checkout.id
    return entry
  }

  /// Forgets a checkout.
  mutating func remove(_ entry: LiveCheckout) {
    releaseSession(of: entry)
    live[entry.id] = nil
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

  /// The checkout that holds the client session of a token.
  func holder(ofToken fingerprint: Fingerprint) -> LiveCheckout? {
    sessions[.token(fingerprint)].flatMap { live[$0] }
  }

  /// The checkout that holds a client session.
  func holder(ofSession id: String) -> LiveCheckout? {
    sessions[.session(id)].flatMap { live[$0] }
  }

  /// Gives a client session to a checkout.
  mutating func take(session id: String, for entry: LiveCheckout) {
    sessions[.session(id)] = entry.id
  }

  /// Lets others have a checkout's client session.
  mutating func releaseSession(of entry: LiveCheckout) {
    let token = SessionKey.token(entry.start.tokenFingerprint)
    if sessions[token] == entry.id { sessions[token] = nil }
    guard let id = entry.checkout.configuration?.clientSession.id else { return }
    if sessions[.session(id)] == entry.id { sessions[.session(id)] = nil }
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
