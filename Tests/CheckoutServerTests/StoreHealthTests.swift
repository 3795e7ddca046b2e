import Checkout
import Systemd
import Testing

@testable import CheckoutServer

@Suite struct StoreHealthTests {
  @Test func `what was kept is written before commands are taken again`() throws {
    let parts = Parts()
    let report = ServiceReport(ServiceManager(), parts.journal, parts.schedule)
    let health = StoreHealth(
      parts.store, parts.turn, parts.checkouts, parts.journal, report, parts.schedule)
    let session = parts.session()
    let live = try parts.start(by: session)
    parts.endTurn()
    parts.backend.isFailing = true
    parts.checkouts.receive(.timer(.expiry), of: live)
    #expect(parts.turn.commit() != .written)
    health.noteFailure()
    #expect(throws: (any Error).self) { try parts.turn.requireStore() }

    parts.time.pass(milliseconds: 1000)
    parts.schedule.fireDue()
    #expect(!parts.turn.hasChanges)
    parts.backend.isFailing = false
    parts.time.pass(milliseconds: 1000)
    parts.schedule.fireDue()
    #expect(parts.turn.commit() == .written && live.checkout.isEnded)
    #expect(parts.turn.problem != nil)
    parts.time.pass(milliseconds: 1000)
    parts.schedule.fireDue()
    #expect(parts.turn.problem == nil)
  }

  @Test func `a problem is new once`() {
    let parts = Parts()
    let report = ServiceReport(ServiceManager(), parts.journal, parts.schedule)
    #expect(report.set("full", as: .store))
    #expect(!report.set("full", as: .store))
    #expect(report.set("gone", as: .egress))
    report.set(nil, as: .store)
    #expect(report.set("full", as: .store))
  }
}
