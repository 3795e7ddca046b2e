import Checkout
import Systemd
import Testing

@testable import CheckoutServer

@Suite struct HousekeepingTests {
  private func housekeeping(_ parts: Parts) -> Housekeeping { makeHousekeeping(parts).0 }

  private func makeHousekeeping(_ parts: Parts) -> (Housekeeping, StoreHealth) {
    var retention = Retention()
    retention.data = 1000
    retention.record = 5000
    let report = ServiceReport(ServiceManager(), parts.journal, parts.schedule)
    let health = StoreHealth(
      parts.store, parts.turn, parts.checkouts, parts.journal, report, parts.schedule)
    let housekeeping = Housekeeping(
      parts.store, parts.turn, parts.checkouts, parts.users, parts.limits, parts.hub, parts.clock,
      parts.journal, health,
      parts.schedule, retention)
    return (housekeeping, health)
  }

  private func ended(_ parts: Parts, _ token: String = "a") throws -> LiveCheckout {
    let session = parts.session()
    let live = try parts.start(token, by: session)
    parts.endTurn()
    _ = try parts.checkouts.perform(.cancel(reason: nil), on: live, by: session)
    parts.endTurn()
    return live
  }

  private func pass(_ parts: Parts, _ housekeeping: Housekeeping, milliseconds: UInt64) {
    parts.time.pass(milliseconds: milliseconds)
    parts.schedule.fireDue()
    housekeeping.endTurn()
  }

  @Test func `data goes first, then the record`() throws {
    let parts = Parts()
    let housekeeping = housekeeping(parts)
    let live = try ended(parts)
    housekeeping.ended(live, .cancelled)
    pass(parts, housekeeping, milliseconds: 999)
    #expect(!live.isArchived)
    pass(parts, housekeeping, milliseconds: 1)
    #expect(live.isArchived && live.checkout.state == .archived)
    #expect(parts.checkouts.checkout(live.id) === live)
    pass(parts, housekeeping, milliseconds: 5000)
    #expect(parts.checkouts.checkout(live.id) == nil && parts.checkouts.count == 0)
  }

  @Test func `beyond the bound the oldest go, though their wiping fails at first`() throws {
    var limits = Limits()
    limits.endedPerUser = 1
    let parts = Parts(limits)
    let housekeeping = housekeeping(parts)
    let (first, second) = (try ended(parts), try ended(parts, "b"))
    housekeeping.ended(first, .cancelled)
    #expect(!housekeeping.hasWork)
    housekeeping.ended(second, .cancelled)
    #expect(housekeeping.hasWork)
    parts.backend.isFailing = true
    housekeeping.endTurn()
    #expect(parts.checkouts.checkout(first.id) === first && !housekeeping.hasWork)
    parts.backend.isFailing = false
    pass(parts, housekeeping, milliseconds: 1000)
    // It never reached a payment and has no start key: nothing is left.
    #expect(parts.checkouts.checkout(first.id) == nil)
    #expect(parts.checkouts.checkout(second.id) === second)
  }

  @Test func `what cannot be wiped is wiped later, and the store says so`() throws {
    let parts = Parts()
    let (housekeeping, health) = makeHousekeeping(parts)
    let live = try ended(parts)
    housekeeping.ended(live, .cancelled)
    parts.backend.isFailing = true
    for span: UInt64 in [1000, 1000, 2000, 4000] {
      #expect(!live.isArchived)
      pass(parts, housekeeping, milliseconds: span)
      #expect(health.text != "ok")
    }
    parts.backend.isFailing = false
    pass(parts, housekeeping, milliseconds: 7999)
    #expect(!live.isArchived)
    pass(parts, housekeeping, milliseconds: 1)
    #expect(live.isArchived && health.text == "ok")
  }

  @Test func `what is due in a turn is wiped at once, but for what the turn has changed`() throws {
    let parts = Parts()
    let housekeeping = housekeeping(parts)
    let all = try ["a", "b", "c"].map { try ended(parts, $0) }
    for live in all { housekeeping.ended(live, .cancelled) }
    parts.time.pass(milliseconds: 1000)
    parts.schedule.fireDue()
    parts.turn.touch(all[1])
    housekeeping.endTurn()
    #expect(all.map(\.isArchived) == [true, false, true])
    parts.endTurn()
    pass(parts, housekeeping, milliseconds: 0)
    #expect(all[1].isArchived)
  }

  @Test func `a checkout that was cancelled lets another have its client session`() throws {
    let parts = Parts()
    let housekeeping = housekeeping(parts)
    let live = try ended(parts)
    let session = parts.session(of: 1001)
    housekeeping.ended(live, .cancelled)
    #expect(throws: Never.self) { try parts.start(by: session) }
    // That one goes on.
    #expect(throws: (any Error).self) { try parts.start(by: session) }
  }

  @Test func `what an earlier process has left overdue is wiped at once`() throws {
    let parts = Parts()
    let live = try ended(parts)
    parts.time.pass(milliseconds: 2000)
    let housekeeping = housekeeping(parts)
    housekeeping.takeUp(live)
    housekeeping.endTurn()
    #expect(live.isArchived)
  }
}
