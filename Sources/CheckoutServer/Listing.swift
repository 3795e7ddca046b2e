import Checkout
import CheckoutProtocol
import JSON
import JSONRPC
import ValueTree

/// The snapshots with which a subscription to many checkouts begins, made in slices: a thousand at once
/// would keep everybody else waiting.
struct Listing {
  /// How many snapshots are made in one go.
  static let sliceCount = 100
  /// How many checkouts are looked at meanwhile, most of them nobody's affair.
  private static let walkCount = 4000
  /// How many snapshots there are at most; the rest is for `checkout.list`.
  private static let mostCount = 1000

  let subscription: WideSubscription
  private var page: ResultPage
  private var last: UInt64 = 0
  /// Whether there were more than there is room for.
  private var isCut = false
  /// What was told so far: each checkout, and its number of events by then.
  private(set) var told: [(live: LiveCheckout, seq: Int64)] = []

  init(for subscription: WideSubscription) {
    self.subscription = subscription
    page = ResultPage(for: subscription.session.output)
  }

  /// Makes the next slice.
  ///
  /// - Parameters:
  ///   - source: The checkouts that the subscription may reach, in the order of their starts.
  ///   - wallOffset: How far the wall clock is ahead of the steady one now.
  /// - Returns: Whether it was the last.
  mutating func goOn(in source: [LiveCheckout], wallOffset: Milliseconds) -> Bool {
    let first = source.firstPlace(after: last)
    let most = min(Self.mostCount, page.count + Self.sliceCount)
    for live in source[first...].prefix(Self.walkCount) {
      if let access = subscription.access(to: live) {
        guard page.count < most else {
          isCut = page.count == Self.mostCount
          return isCut
        }
        guard page.add(live.shortSnapshot(for: access, wallOffset: wallOffset)) else {
          isCut = true
          return true
        }
        told.append((live, live.checkout.seq))
      }
      last = live.ordinal
    }
    return source.count - first <= Self.walkCount
  }

  /// Ends it before all were told.
  mutating func cut() { isCut = true }

  /// Writes the result of `events.subscribe`.
  func write(to output: JSONOutput) {
    output.append(#"{"subscriptionId":"#)
    output.append(string: subscription.id)
    output.append(#","snapshots":"#)
    page.write(to: output)
    if isCut { output.append(#","more":true"#) }
    output.append("}")
  }
}
