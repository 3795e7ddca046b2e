import Checkout
import CheckoutProtocol
import Testing
import ValueTree

@testable import CheckoutServer

@Suite struct EventHubTests {
  private func names(_ lines: [Value]) -> [String] { lines.compactMap { $0["method"]?.string } }

  @Test func `each hears what it has asked for, once`() throws {
    let parts = Parts()
    let (owner, other, idle) = (parts.session(), parts.session(of: 1001), parts.session())
    let live = try parts.start(by: owner)
    _ = parts.hub.subscribe(owner, .all, .own)
    _ = parts.hub.subscribe(owner, to: live, .all, isRedacted: false, after: nil)
    _ = parts.hub.subscribe(other, .all, .own)
    _ = parts.hub.subscribe(idle, EventFilter(names: ["checkout.didCompleteCheckout"]), .own)
    #expect(parts.hub.wideCount(of: nil) == 3 && parts.hub.wideCount(of: owner.user) == 2)
    _ = try parts.checkouts.perform(.cancel(reason: nil), on: live, by: owner)
    parts.endTurn()
    #expect(try names(parts.said(to: owner)) == ["checkout.didFail"])
    #expect(try parts.said(to: other).isEmpty && parts.said(to: idle).isEmpty)
    for session in [owner, other, idle] { parts.hub.leave(session) }
    #expect(parts.hub.wideCount(of: nil) == 0 && live.subscriptions.isEmpty)
  }

  @Test func `an observer is told no secret, and a stranger nothing any more`() throws {
    let parts = Parts()
    let (owner, observer) = (parts.session(), parts.session(of: 1001))
    let live = try parts.start(by: owner)
    _ = try parts.checkouts.perform(
      .share(Share(subject: .user(1001), role: .drive)), on: live, by: owner)
    let subscription = parts.hub.subscribe(
      observer, to: live, .all, isRedacted: false, after: nil)
    _ = try parts.checkouts.perform(
      .share(Share(subject: .user(1001), role: .observe)), on: live, by: owner)
    #expect(subscription.isRedacted)
    _ = try parts.checkouts.perform(.unshare(.user(1001)), on: live, by: owner)
    #expect(live.subscriptions.isEmpty && observer.subscriptionCount == 0)
  }

  @Test func `stored events come first, and those that happen meanwhile after them`() throws {
    let parts = Parts()
    let owner = parts.session()
    let live = try parts.start(by: owner)
    parts.endTurn()
    parts.upstream.answer(SampleUpstream.answer)
    parts.endTurn()
    _ = parts.hub.subscribe(owner, to: live, .all, isRedacted: false, after: 0)
    _ = try parts.checkouts.perform(.cancel(reason: nil), on: live, by: owner)
    parts.endTurn()
    parts.hub.replay()
    let seqs = try parts.said(to: owner).compactMap { $0["params"]?["seq"]?.integer }
    #expect(seqs == [1, 2])
    #expect(!parts.hub.canReplay)
  }
}
