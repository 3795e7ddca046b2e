import Checkout
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
  private var ended = Leftovers()
  private var records = Leftovers()
  private var isNearlyFull = false
  private var held = 0
  private var rate = ConnectionRate()
  private var own = Roster<WideSubscription>()
  /// Connections with something to do, in the order in which they are visited.
  private var visits: [Visit] = []
  private var nextVisit = 0

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
  ///   - more: How many more there may be; where there may be more, at any rate.
  ///   - now: Microseconds of a clock that nobody sets.
  /// - Returns: The quota that is full.
  func refusal(_ limits: Limits, more: Int = 0, now: UInt64) -> RPCError? {
    guard connections < limits.connectionsPerUser + more else {
      return .quotaExceeded(
        "connectionsPerUid", limits.connectionsPerUser, used: connections, by: id)
    }
    guard more > 0 || rate.admit(rate: limits.connectionRate, now: now) else {
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

  // MARK: Subscriptions

  /// Who has subscribed to all checkouts of the user.
  var subscriptions: [WideSubscription] { own.all }

  func add(_ subscription: WideSubscription) { own.insert(subscription) }

  /// Takes a subscription out.
  ///
  /// - Returns: Whether it was there.
  func remove(_ subscription: WideSubscription) -> Bool { own.remove(subscription) }

  // MARK: Visits

  /// Adds a visit behind those that the user has.
  ///
  /// - Returns: Whether there was none.
  func add(_ visit: Visit) -> Bool {
    visits.append(visit)
    return visits.count == 1
  }

  /// Takes out the next visit; there must be one.
  ///
  /// - Returns: It, and whether there are more.
  func takeVisit() -> (visit: Visit, hasMore: Bool) {
    let visit = visits[nextVisit]
    nextVisit += 1
    if nextVisit == visits.count {
      visits.removeAll(keepingCapacity: true)
      nextVisit = 0
    }
    return (visit, !visits.isEmpty)
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
  func changeLiveCount(by change: Int) {
    live += change
    table.changeLiveCount(by: change)
  }

  /// Why the user may not start another checkout, if so.
  ///
  /// Of what all users share, one may have as much as is left for the others: so there is room for
  /// whoever comes with their first. Payments are counted here, and nothing else that is over: their
  /// records stay for their time, and others go when there are too many.
  func startRefusal(_ limits: Limits) -> RPCError? {
    func isFull(_ quota: String, _ limit: Int, used: Int) -> RPCError {
      .quotaExceeded(quota, limit, used: used, by: id)
    }
    let paid = ended.paidCount + records.paidCount
    guard live < limits.checkoutsPerUser else {
      return isFull("checkoutsPerUid", limits.checkoutsPerUser, used: live)
    }
    guard paid < limits.recordsPerUser else {
      return isFull("recordsPerUid", limits.recordsPerUser, used: paid)
    }
    guard live < limits.checkouts - table.liveCount else {
      return isFull("checkouts", limits.checkouts, used: table.liveCount)
    }
    guard paid < limits.records - table.paidCount else {
      return isFull("records", limits.records, used: table.paidCount)
    }
    return nil
  }

  // MARK: What is over

  /// Counts a checkout that has ended and still has its data.
  func addEnded(_ id: CheckoutID, isPaid: Bool) {
    ended.add(id, isPaid: isPaid)
    table.addEnded(of: self.id, isPaid: isPaid)
  }

  /// Counts it no longer.
  ///
  /// - Returns: Whether it was counted.
  func removeEnded(_ id: CheckoutID) -> Bool {
    guard let isPaid = ended.remove(id) else { return false }
    table.removeEnded(of: self.id, isPaid: isPaid)
    return true
  }

  /// Counts the record of a checkout whose data is gone.
  func addRecord(_ id: CheckoutID, isPaid: Bool) {
    records.add(id, isPaid: isPaid)
    table.addRecord(of: self.id, isPaid: isPaid)
  }

  /// Counts it no longer.
  ///
  /// - Returns: Whether it was counted.
  func removeRecord(_ id: CheckoutID) -> Bool {
    guard let isPaid = records.remove(id) else { return false }
    table.removeRecord(of: self.id, isPaid: isPaid)
    return true
  }

  /// How many records there are.
  var recordCount: Int { records.count }

  /// The ended checkout whose data has to go, if the user has too many.
  func endedSurplus(_ limits: Limits) -> CheckoutID? {
    ended.count > limits.endedPerUser ? ended.oldest : nil
  }

  /// The record that has to go, if the user has too many: one of no payment.
  func recordSurplus(_ limits: Limits) -> CheckoutID? {
    records.count > limits.recordsPerUser ? records.oldestUnpaid : nil
  }

  /// The ended checkout to go first.
  fileprivate var oldestEnded: CheckoutID? { ended.oldest }
  /// The record of no payment to go first.
  fileprivate var oldestUnpaidRecord: CheckoutID? { records.oldestUnpaid }

  /// Looks whether the user has come to have four fifths of the records there may be.
  ///
  /// - Returns: Whether that is so, and was not said since there were few.
  func comesNearRecordLimit(_ limits: Limits) -> Bool {
    let few = limits.recordsPerUser / 2
    let many = limits.recordsPerUser - limits.recordsPerUser / 5
    if records.count <= few { isNearlyFull = false }
    guard !isNearlyFull, records.count > few, records.count >= many else { return false }
    isNearlyFull = true
    return true
  }

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
  private var live = 0
  private var paid = 0
  /// Who has how many ended checkouts with their data.
  private var ended = Ranking()
  /// Who has how many records of no payment.
  private var unpaidRecords = Ranking()
  private var recordTotal = 0
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

  /// The ended checkout whose data has to go, if all users together have too many: one of the user
  /// who has most.
  var endedSurplus: CheckoutID? {
    guard live + ended.total > limits.value.checkouts, let most = ended.first else { return nil }
    return users[most]?.oldestEnded
  }

  /// The record that has to go, likewise: one of no payment.
  var recordSurplus: CheckoutID? {
    guard recordTotal > limits.value.records, let most = unpaidRecords.first else { return nil }
    return users[most]?.oldestUnpaidRecord
  }

  /// How many checkouts are not over.
  fileprivate var liveCount: Int { live }
  /// How many are over and have reached a payment, whatever is left of them.
  fileprivate var paidCount: Int { paid }

  fileprivate func changeLiveCount(by change: Int) { live += change }

  fileprivate func addEnded(of user: UInt32, isPaid: Bool) {
    ended.add(user)
    if isPaid { paid += 1 }
  }

  fileprivate func removeEnded(of user: UInt32, isPaid: Bool) {
    ended.remove(user)
    if isPaid { paid -= 1 }
  }

  fileprivate func addRecord(of user: UInt32, isPaid: Bool) {
    recordTotal += 1
    if isPaid { paid += 1 } else { unpaidRecords.add(user) }
  }

  fileprivate func removeRecord(of user: UInt32, isPaid: Bool) {
    recordTotal -= 1
    if isPaid { paid -= 1 } else { unpaidRecords.remove(user) }
  }

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
