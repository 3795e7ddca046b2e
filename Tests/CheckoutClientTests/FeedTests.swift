@testable import CheckoutClient
import Testing
import ValueTree

@Suite struct FeedTests {
  private func feed(after seq: Int64 = 0, to: Int64? = 0) -> Feed {
    var feed = Feed(of: Script.checkout, after: seq) { _ in }
    feed.willSubscribe(1)
    if let to { feed.didSubscribe(1, ["to": .integer(to)]) }
    return feed
  }

  @Test func `what comes in order is delivered once`() {
    var feed = feed()
    #expect(
      [1, 2, 2, 1, 3].map { feed.take($0) } == [.deliver, .deliver, .ignore, .ignore, .deliver])
    #expect(feed.lastSeq == 3)
    #expect(feed.params == ["checkoutId": .string(Script.checkout), "after": 3])
  }

  @Test func `a gap is asked for, and what follows it waits`() {
    var feed = feed()
    #expect(feed.take(1) == .deliver)
    #expect(feed.take(3) == .resubscribe)
    feed.willSubscribe(2)
    #expect(feed.take(4) == .ignore)
    feed.didSubscribe(2, ["to": 4])
    #expect([2, 3, 4, 5].map { feed.take($0) } == [.deliver, .deliver, .deliver, .deliver])
  }

  @Test func `what the daemon itself has dropped is not asked for again`() {
    var feed = feed(to: 10)
    #expect(feed.take(7) == .deliver)
    #expect(feed.take(10) == .deliver)
    #expect(feed.take(12) == .resubscribe)
  }

  @Test func `lost events are asked for unless they are known`() {
    var feed = feed()
    #expect(feed.take(1) == .deliver)
    #expect(feed.lose(upTo: 1) == .ignore)
    #expect(feed.lose(upTo: 2) == .resubscribe)
    feed.willSubscribe(2)
    #expect(feed.lose(upTo: 2) == .ignore)
  }

  @Test func `only the answer to the latest subscription counts`() {
    var feed = feed(to: nil)
    feed.willSubscribe(2)
    feed.didSubscribe(1, ["to": 9])
    #expect(feed.take(9) == .ignore)
    feed.didSubscribe(2, ["to": 9])
    #expect(feed.take(9) == .deliver)
  }
}
