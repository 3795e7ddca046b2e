import Checkout
import JSONRPC
import Testing
import ValueTree

@testable import CheckoutServer

@Suite struct UserTests {
  private var limits: Limits {
    var limits = Limits()
    limits.connectionRate = 10
    limits.connectionsPerUser = 25
    limits.memory = 1000
    limits.queue = 400
    return limits
  }

  @Test func `connections come at a rate that nobody else makes forgotten`() {
    let table = UserTable(CurrentLimits(limits))
    let user = table.user(1000)
    for _ in 0..<20 { #expect(user.refusal(limits, now: 5_000_000) == nil) }
    #expect(user.refusal(limits, now: 5_000_000)?.quota == "connectionRate")
    for id in 2000..<4000 {
      #expect(table.user(UInt32(id)).refusal(limits, now: 5_000_000) == nil)
      table.sweep(now: 5_000_000)
    }
    #expect(table.user(1000) === user)
    #expect(user.refusal(limits, now: 5_000_000)?.quota == "connectionRate")
    #expect(user.refusal(limits, now: 5_100_000) == nil)
  }

  @Test func `a user of whom nothing is left is forgotten`() {
    let table = UserTable(CurrentLimits(limits))
    weak let user = table.user(1000)
    user?.addConnection()
    for id in 2000..<2100 { _ = table.user(UInt32(id)) }
    table.sweep(now: 5_000_000)
    #expect(user != nil)
    user?.removeConnection()
    for id in 3000..<3200 { _ = table.user(UInt32(id)) }
    table.sweep(now: 5_000_000)
    #expect(user == nil)
  }

  @Test func `there are so many connections of a user`() {
    let table = UserTable(CurrentLimits(limits))
    let user = table.user(1000)
    for second in 0..<25 {
      #expect(user.refusal(limits, now: UInt64(second) * 1_000_000) == nil)
      user.addConnection()
    }
    let refusal = user.refusal(limits, now: 60_000_000)
    #expect(refusal?.quota == "connectionsPerUid" && refusal?.data?["used"] == 25)
    #expect(table.user(1001).refusal(limits, now: 60_000_000) == nil)
  }

  @Test func `what all may hold is divided among the connections`() {
    let table = UserTable(CurrentLimits(limits))
    let (first, second) = (table.user(1000), table.user(1001))
    first.addConnection()
    #expect(first.share == 400)
    for _ in 0..<9 { second.addConnection() }
    #expect(first.share == 100 && second.share == 100)
    second.charge(1001)
    #expect(first.isOverBudget && table.heldByteCount == 1001)
    second.charge(-1)
    #expect(!first.isOverBudget)
  }

  /// What a user has, and what all others have; which quota is full, if one is.
  static let rooms: [(own: (live: Int, paid: Int), others: (live: Int, paid: Int), full: String?)] =
    [
      ((0, 0), (0, 0), nil),
      ((4, 0), (0, 0), nil),
      ((5, 0), (0, 0), "checkoutsPerUid"),
      // As many as are left for the others.
      ((3, 0), (6, 0), "checkouts"),
      ((2, 0), (7, 0), "checkouts"),
      ((2, 0), (5, 0), nil),
      ((0, 0), (9, 0), nil),
      ((0, 0), (10, 0), "checkouts"),
      ((0, 6), (0, 0), nil),
      ((0, 7), (0, 0), "recordsPerUid"),
      ((0, 5), (0, 10), "records"),
      ((0, 4), (0, 10), nil),
      ((0, 0), (0, 19), nil),
      ((0, 0), (0, 20), "records"),
    ]

  @Test(arguments: rooms.indices) func `room for another checkout`(_ row: Int) {
    let (own, others, full) = Self.rooms[row]
    var limits = limits
    limits.checkoutsPerUser = 5
    limits.checkouts = 10
    limits.recordsPerUser = 7
    limits.records = 20
    let table = UserTable(CurrentLimits(limits))
    for (id, kept) in [(UInt32(1000), own), (1001, others)] {
      let user = table.user(id)
      for _ in 0..<kept.live { user.changeLiveCount(by: 1) }
      for number in 0..<kept.paid {
        let checkout = CheckoutID(UInt64(id) << 32 | UInt64(number))
        if number % 2 == 0 {
          user.addRecord(checkout, isPaid: true)
        } else {
          user.addEnded(checkout, isPaid: true)
        }
      }
      // What never reached a payment takes no room.
      user.addRecord(CheckoutID(UInt64(id)), isPaid: false)
    }
    let refusal = table.user(1000).startRefusal(limits)
    #expect(refusal?.quota == full)
    if full != nil { #expect(refusal?.data?["uid"] == 1000) }
  }

  @Test func `the user who has most gives first`() {
    var limits = limits
    limits.checkouts = 5
    limits.records = 4
    let table = UserTable(CurrentLimits(limits))
    let (small, big) = (table.user(1000), table.user(1001))
    small.addEnded(CheckoutID(1), isPaid: false)
    for number in UInt64(11)...14 { big.addEnded(CheckoutID(number), isPaid: number == 11) }
    #expect(table.endedSurplus == nil)
    // Live ones have their data too.
    small.changeLiveCount(by: 1)
    #expect(table.endedSurplus == CheckoutID(12))
    #expect(big.removeEnded(CheckoutID(12)) && !big.removeEnded(CheckoutID(12)))
    #expect(table.endedSurplus == nil)

    small.addRecord(CheckoutID(1), isPaid: false)
    for number in 21...24 { big.addRecord(CheckoutID(UInt64(number)), isPaid: number <= 22) }
    #expect(table.recordSurplus == CheckoutID(23))
    #expect(big.removeRecord(CheckoutID(23)) && big.removeRecord(CheckoutID(24)))
    big.addRecord(CheckoutID(25), isPaid: true)
    big.addRecord(CheckoutID(26), isPaid: true)
    #expect(table.recordSurplus == CheckoutID(1))
    #expect(small.removeRecord(CheckoutID(1)))
    // A payment's record stays for its time.
    big.addRecord(CheckoutID(27), isPaid: true)
    #expect(table.recordSurplus == nil)
  }

  @Test func `so many of a user's keep their data`() {
    var limits = limits
    limits.endedPerUser = 2
    limits.recordsPerUser = 2
    let table = UserTable(CurrentLimits(limits))
    let user = table.user(1000)
    defer { withExtendedLifetime(table) {} }
    for number in 1...2 { user.addEnded(CheckoutID(UInt64(number)), isPaid: number == 1) }
    #expect(user.endedSurplus(limits) == nil)
    user.addEnded(CheckoutID(3), isPaid: true)
    #expect(user.endedSurplus(limits) == CheckoutID(2))
    for number in 1...3 { user.addRecord(CheckoutID(UInt64(number)), isPaid: true) }
    #expect(user.recordSurplus(limits) == nil)
    user.addRecord(CheckoutID(4), isPaid: false)
    #expect(user.recordSurplus(limits) == CheckoutID(4))
  }

  @Test func `four fifths of the records are told of once`() {
    var limits = limits
    limits.recordsPerUser = 10
    let table = UserTable(CurrentLimits(limits))
    let user = table.user(1000)
    defer { withExtendedLifetime(table) {} }
    var told: [Int] = []
    func add(_ numbers: ClosedRange<UInt64>) {
      for number in numbers {
        user.addRecord(CheckoutID(number), isPaid: false)
        if user.comesNearRecordLimit(limits) { told.append(user.recordCount) }
      }
    }
    add(1...10)
    #expect(told == [8])
    for number in UInt64(1)...4 { _ = user.removeRecord(CheckoutID(number)) }
    add(11...14)
    #expect(told == [8])
    for number in UInt64(5)...10 { _ = user.removeRecord(CheckoutID(number)) }
    add(15...20)
    #expect(told == [8, 8])
  }

  @Test func `administrators' connections come beside the others`() {
    let table = UserTable(CurrentLimits(limits))
    let user = table.user(1000)
    for _ in 0..<25 { user.addConnection() }
    #expect(user.refusal(limits, now: 1)?.quota == "connectionsPerUid")
    for _ in 0..<16 {
      #expect(user.refusal(limits, more: 16, now: 1) == nil)
      user.addConnection()
    }
    #expect(user.refusal(limits, more: 16, now: 1)?.quota == "connectionsPerUid")
  }

  @Test func `some descriptors are no client's`() {
    #expect(DescriptorBudget(limit: 4352).forClients == 4240)
    #expect(DescriptorBudget(limit: 256).forClients == 144)
    #expect(DescriptorBudget(limit: 64).forClients == 32)
  }
}
