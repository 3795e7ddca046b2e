import JSONRPC

/// One user, known by uid: what is held for all their connections and checkouts together.
///
/// There is one for each uid, found when a connection is accepted and charged by everyone.
final class User {
  private let uid: UInt32
  private unowned let table: UserTable
  private var connections = 0
  private var checkouts = 0
  private var live = 0
  private var held = 0
  private var rate = ConnectionRate()

  init(_ id: UInt32, in table: UserTable) {
    uid = id
    self.table = table
  }

  /// The uid.
  var id: UInt32 { uid }

  // MARK: Connections

  /// Why one more connection must be refused, if it must.
  ///
  /// - Parameters:
  ///   - limits: What is allowed.
  ///   - now: Microseconds of a clock that nobody sets.
  /// - Returns: The quota that is full.
  func refusal(_ limits: Limits, now: UInt64) -> RPCError? {
    guard connections < limits.connectionsPerUser else {
      return .quotaExceeded(
        "connectionsPerUid", limits.connectionsPerUser, used: connections, by: id)
    }
    guard rate.admit(rate: limits.connectionRate, now: now) else {
      return .quotaExceeded(
        "connectionRate", limits.connectionRate, used: limits.connectionRate, by: id)
    }
    return nil
  }

  func addConnection() {
    connections += 1
    table.addConnection()
  }

  func removeConnection() {
    connections -= 1
    table.removeConnection()
  }

  // MARK: Bytes

  /// Charges what is held for one of the user's connections.
  ///
  /// - Parameter change: How much more it is than before.
  func charge(_ change: Int) {
    held += change
    table.charge(change)
  }

  /// How much one connection may hold now.
  var share: Int { table.share }

  /// Whether all connections together hold more than they may.
  var isOverBudget: Bool { table.isOverBudget }

  // MARK: Checkouts

  /// How many checkouts are not over.
  var liveCount: Int { live }

  /// Counts a checkout that is kept, whatever is left of it.
  func addCheckout() { checkouts += 1 }

  func removeCheckout() { checkouts -= 1 }

  /// Counts one more checkout, or one less, that is not over.
  func changeLiveCount(by change: Int) { live += change }

  /// Whether nothing is held, and nothing of the past is to be remembered.
  func isGone(_ limits: Limits, now: UInt64) -> Bool {
    connections == 0 && checkouts == 0 && held == 0
      && rate.isFull(rate: limits.connectionRate, now: now)
  }
}

/// Every user who has something here, and what all of them hold together.
final class UserTable {
  private let limits: CurrentLimits
  private var users: [UInt32: User] = [:]
  private var connections = 0
  private var held = 0
  /// How many users there may be before those who are gone are looked for.
  private var sweepCount = 64

  init(_ limits: CurrentLimits) { self.limits = limits }

  /// The user with that uid.
  func user(_ id: UInt32) -> User {
    if let known = users[id] { return known }
    let user = User(id, in: self)
    users[id] = user
    return user
  }

  /// Forgets the users who have gone, when there have come to be many.
  func sweep(now: UInt64) {
    guard users.count > sweepCount else { return }
    users = users.filter { !$0.value.isGone(limits.value, now: now) }
    sweepCount = max(64, 2 * users.count)
  }

  /// How many connections there are.
  var connectionCount: Int { connections }
  /// How many bytes are held for clients.
  var heldByteCount: Int { held }

  fileprivate func addConnection() { connections += 1 }
  fileprivate func removeConnection() { connections -= 1 }
  fileprivate func charge(_ change: Int) { held += change }

  /// How much one connection may hold now: its part of what all may hold.
  fileprivate var share: Int {
    let limits = limits.value
    return min(limits.queue, limits.memory / max(1, connections))
  }

  fileprivate var isOverBudget: Bool { held > limits.value.memory }
}

/// How many connections somebody has made of late: a bucket that fills by so many a second and holds
/// twice as many.
struct ConnectionRate {
  private var tokens = 0.0
  private var filledAt: UInt64?

  private func filled(rate: Int, now: UInt64) -> Double {
    let capacity = 2 * Double(rate)
    guard let filledAt, now >= filledAt else { return capacity }
    return min(capacity, tokens + Double(now - filledAt) * Double(rate) / 1_000_000)
  }

  /// Takes note of one more connection.
  ///
  /// - Parameters:
  ///   - rate: How many are allowed in a second.
  ///   - now: Microseconds of a clock that nobody sets.
  /// - Returns: Whether it is allowed.
  mutating func admit(rate: Int, now: UInt64) -> Bool {
    tokens = filled(rate: rate, now: now)
    filledAt = now
    guard tokens >= 1 else { return false }
    tokens -= 1
    return true
  }

  /// Whether as many may come as if nobody had ever come.
  func isFull(rate: Int, now: UInt64) -> Bool {
    filled(rate: rate, now: now) >= 2 * Double(rate)
  }
}
