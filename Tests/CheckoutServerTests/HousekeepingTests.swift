import Checkout
import Testing

@testable import CheckoutServer

@Suite struct HousekeepingTests {
  private func housekeeping(_ parts: Parts) -> Housekeeping {
    var retention = Retention()
    retention.data = 1000
    retention.record = 5000
    return Housekeeping(
      parts.store, parts.turn, parts.checkouts, parts.hub, parts.clock, parts.journal,
      parts.schedule, retention)
  }

  private func ended(_ parts: Parts) throws -> LiveCheckout {
    let session = parts.session()
    let live = try parts.start(by: session)
    parts.endTurn()
    _ = try parts.checkouts.perform(.cancel(reason: nil), on: live, by: session)
    parts.endTurn()
    return live
  }

  private func pass(_ parts: Parts, milliseconds: UInt64) {
    parts.time.pass(milliseconds: milliseconds)
    parts.schedule.fireDue()
  }

  @Test func `data goes first, then the record`() throws {
    let parts = Parts()
    let housekeeping = housekeeping(parts)
    let live = try ended(parts)
    housekeeping.ended(live, .cancelled)
    pass(parts, milliseconds: 999)
    #expect(!live.isArchived)
    pass(parts, milliseconds: 1)
    #expect(live.isArchived && live.checkout.state == .archived)
    #expect(parts.checkouts.checkout(live.id) === live)
    pass(parts, milliseconds: 5000)
    #expect(parts.checkouts.checkout(live.id) == nil && parts.checkouts.count == 0)
  }

  @Test func `what cannot be wiped is wiped later`() throws {
    let parts = Parts()
    let housekeeping = housekeeping(parts)
    let live = try ended(parts)
    housekeeping.ended(live, .cancelled)
    parts.backend.isFailing = true
    pass(parts, milliseconds: 1000)
    #expect(!live.isArchived)
    parts.backend.isFailing = false
    pass(parts, milliseconds: 1000)
    #expect(live.isArchived)
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
    housekeeping(parts).takeUp(live)
    #expect(live.isArchived)
  }
}
