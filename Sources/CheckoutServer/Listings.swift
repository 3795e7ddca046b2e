import Checkout
import CheckoutProtocol
import CheckoutStore
import JSONRPC

/// The subscriptions to many checkouts whose first snapshots are being made, and the calls that are
/// answered with them.
final class Listings {
  private let outbound: Outbound
  private let turn: Turn
  private let reader: EventReader
  private let writer = EventWriter()
  private var underWay: [(listing: Listing, call: KeptCall)] = []

  init(_ outbound: Outbound, _ turn: Turn, _ reader: EventReader) {
    self.outbound = outbound
    self.turn = turn
    self.reader = reader
  }

  /// Whether there are any.
  var isUnderWay: Bool { !underWay.isEmpty }

  /// Begins one.
  func begin(_ call: consuming PendingCall, for subscription: WideSubscription) {
    let kept = KeptCall(call)
    let output = subscription.session.output
    subscription.setListing(true)
    underWay.append((Listing(for: subscription), kept))
    guard output.dependsOnTurn else { return }
    output.beginCall()
    turn.undo { [unowned self] in
      if forget(subscription) != nil { kept.fail(RPCError(.storeFailed)) }
    }
  }

  /// Makes a slice of the first; the others follow in turns of their own.
  func goOn(in source: (WideSubscription) -> [LiveCheckout]) {
    guard !underWay.isEmpty else { return }
    let (begun, call) = underWay.removeFirst()
    var listing = begun
    if listing.goOn(in: source(listing.subscription), wallOffset: turn.wallOffset) {
      finish(listing, call)
    } else {
      underWay.append((listing, call))
    }
  }

  /// Answers with what there is, for the subscription ends.
  func cut(_ subscription: WideSubscription) {
    guard let (begun, call) = forget(subscription) else { return }
    var listing = begun
    listing.cut()
    call.succeed { listing.write(to: $0) }
  }

  /// Refuses all that are under way.
  ///
  /// - Returns: What they were to begin.
  func refuse(_ error: RPCError) -> [WideSubscription] {
    let refused = underWay
    underWay = []
    for (listing, call) in refused {
      listing.subscription.setListing(false)
      call.fail(error)
    }
    return refused.map(\.listing.subscription)
  }

  private func forget(
    _ subscription: WideSubscription
  ) -> (listing: Listing, call: KeptCall)? {
    subscription.setListing(false)
    guard let place = underWay.firstIndex(where: { $0.listing.subscription === subscription })
    else { return nil }
    return underWay.remove(at: place)
  }

  /// Answers with what there is, and sends what has happened since.
  private func finish(_ listing: Listing, _ call: KeptCall) {
    listing.subscription.setListing(false)
    call.succeed { listing.write(to: $0) }
    for (live, seq) in listing.told where live.checkout.seq > seq {
      sendNews(of: live, after: seq, to: listing.subscription)
    }
  }

  private func sendNews(
    of live: LiveCheckout, after seq: Int64, to subscription: WideSubscription
  ) {
    let session = subscription.session
    guard session.subscription(to: live.id) == nil, let access = subscription.access(to: live)
    else { return }
    do throws(RPCError) {
      try reader.forEach(of: live, after: seq) { record in
        guard subscription.filter.contains(record.event.kind) else { return true }
        let line = writer.write(
          record, of: live, isRedacted: access == .observe, as: .notification,
          to: outbound.output)
        session.output.offer(line, of: live.id, seq: record.seq)
        return true
      }
    } catch {
      session.output.closeSaying(error)
    }
  }
}
