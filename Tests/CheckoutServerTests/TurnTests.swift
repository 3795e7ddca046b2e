import Checkout
import Testing

@testable import CheckoutServer

@Suite struct TurnTests {
  @Test func `what was done is undone backwards, and nothing follows it`() throws {
    let parts = Parts()
    let live = try parts.start(by: parts.session())
    parts.backend.isFailing = true
    var log: [Int] = []
    parts.turn.undo { log.append(1) }
    parts.turn.undo { log.append(2) }
    #expect(parts.turn.commit() != .written)
    #expect(log == [2, 1])
    #expect(parts.turn.takeEffect() == nil)
    #expect(parts.turn.problem != nil && !parts.turn.hasChanges)
    #expect(parts.checkouts.checkout(live.id) == nil && live.user.liveCount == 0)
  }

  @Test func `what is committed is not undone`() throws {
    let parts = Parts()
    _ = try parts.start(by: parts.session())
    parts.turn.undo { Issue.record("it was committed") }
    #expect(parts.endTurn())
    #expect(parts.upstream.sent.count == 1)
    parts.backend.isFailing = true
    _ = try parts.start("b", by: parts.session())
    #expect(parts.turn.commit() != .written)
  }

  @Test func `events count once they are committed`() throws {
    let parts = Parts()
    let session = parts.session()
    let live = try parts.start(by: session)
    parts.endTurn()
    parts.backend.isFailing = true
    _ = try parts.checkouts.perform(.cancel(reason: nil), on: live, by: session)
    #expect(parts.turn.commit() != .written)
    #expect(parts.counters.eventsPublished == 0 && !live.checkout.isEnded)
    parts.backend.isFailing = false
    parts.turn.endProblem()
    _ = try parts.checkouts.perform(.cancel(reason: nil), on: live, by: session)
    #expect(parts.turn.commit() == .written)
    #expect(parts.counters.eventsPublished == 1 && live.writtenSeq == 1)
  }

  @Test func `what nobody can send again is kept until a commit has taken it`() throws {
    let parts = Parts()
    let session = parts.session()
    let live = try parts.start(by: session)
    parts.endTurn()
    parts.backend.isFailing = true
    parts.checkouts.receive(.timer(.expiry), of: live)
    #expect(parts.turn.commit() != .written && parts.turn.keepsArrivals)
    // While the store fails it is not even tried.
    parts.checkouts.receive(.timer(.poll), of: live)
    #expect(!parts.turn.hasChanges)
    parts.backend.isFailing = false
    parts.turn.retry { arrival, live in parts.checkouts.receive(arrival, of: live) }
    // What comes beside the retry waits for the next.
    parts.checkouts.receive(.timer(.decision), of: live)
    #expect(parts.turn.commit() == .written)
    #expect(live.checkout.isEnded && parts.turn.keepsArrivals)
    parts.turn.endProblem()
    parts.turn.retry { arrival, live in parts.checkouts.receive(arrival, of: live) }
    #expect(parts.turn.commit() == .written && !parts.turn.keepsArrivals)
  }
}
