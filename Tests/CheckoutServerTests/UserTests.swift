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
}
