import Checkout

/// What is left of one user's checkouts that are over, in the order in which they came to be so.
///
/// Those that never reached a payment are apart: they are the first to go.
struct Leftovers {
  private var unpaid = Line<CheckoutID>()
  private var paid = Line<CheckoutID>()

  /// How many there are.
  var count: Int { unpaid.count + paid.count }
  /// How many of them have reached a payment.
  var paidCount: Int { paid.count }
  /// The oldest that never reached a payment.
  var oldestUnpaid: CheckoutID? { unpaid.first }
  /// The one to go first.
  var oldest: CheckoutID? { unpaid.first ?? paid.first }

  mutating func add(_ id: CheckoutID, isPaid: Bool) {
    if isPaid { paid.append(id) } else { unpaid.append(id) }
  }

  /// Takes one out.
  ///
  /// - Returns: Whether it had reached a payment; nil if it is not here.
  mutating func remove(_ id: CheckoutID) -> Bool? {
    if unpaid.remove(id) { return false }
    return paid.remove(id) ? true : nil
  }
}

/// Things in the order in which they came, each of which may leave at any time.
///
/// To add one or to take one out costs the same, however many there are.
struct Line<Element: Hashable> {
  /// Those who have left are empty places.
  private var entries: [Element?] = []
  private var places: [Element: Int] = [:]
  /// Where the first is that has not left.
  private var head = 0

  /// How many there are.
  var count: Int { places.count }
  /// Who has been here longest.
  var first: Element? { head < entries.count ? entries[head] : nil }

  /// Adds one that is not here yet.
  mutating func append(_ element: Element) {
    guard places[element] == nil else { return }
    places[element] = entries.count
    entries.append(element)
  }

  /// Takes one out.
  ///
  /// - Returns: Whether it was here.
  mutating func remove(_ element: Element) -> Bool {
    guard let place = places.removeValue(forKey: element) else { return false }
    entries[place] = nil
    while head < entries.count, entries[head] == nil { head += 1 }
    if entries.count > 2 * count + 16 { closeUp() }
    return true
  }

  /// Does away with the empty places, of which there are more than others.
  private mutating func closeUp() {
    entries.removeAll { $0 == nil }
    head = 0
    for (place, element) in entries.enumerated() {
      if let element { places[element] = place }
    }
  }
}

/// How many of something each user has, and who has most.
///
/// A change costs the same, however many users there are.
struct Ranking {
  private var counts: [UInt32: Int] = [:]
  private var users: [Int: Set<UInt32>] = [:]
  private var most = 0
  /// How many all have together.
  private(set) var total = 0

  /// A user who has most, if anyone has any.
  var first: UInt32? { users[most]?.first }

  mutating func add(_ user: UInt32) {
    let count = counts[user, default: 0]
    move(user, from: count, to: count + 1)
    most = max(most, count + 1)
    total += 1
  }

  mutating func remove(_ user: UInt32) {
    guard let count = counts[user] else { return }
    move(user, from: count, to: count - 1)
    // Whoever had most alone is now the first of those below.
    if users[most] == nil { most -= 1 }
    total -= 1
  }

  private mutating func move(_ user: UInt32, from before: Int, to after: Int) {
    users[before]?.remove(user)
    if users[before]?.isEmpty == true { users[before] = nil }
    if after > 0 { users[after, default: []].insert(user) }
    counts[user] = after > 0 ? after : nil
  }
}
