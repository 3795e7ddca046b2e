import Checkout
import CheckoutProtocol
import JSON
import JSONRPC
import ValueTree

/// What `events.*` do.
struct EventMethods {
  private let checkouts: Checkouts
  private let hub: EventHub

  init(_ checkouts: Checkouts, _ hub: EventHub) {
    self.checkouts = checkouts
    self.hub = hub
  }

  var handlers: [Handler] {
    [
      Handler(Methods.subscribe) { session, call throws(RPCError) in
        switch call.scope {
        case .checkout(let checkout, let after):
          try subscribe(session, call.filter, to: checkout, after: after)
        case .wide(let isShared, let isAll):
          try subscribe(session, call.filter, isAll ? .all : isShared ? .shared : .own)
        }
      },
      Handler(Methods.unsubscribe, unsubscribe),
      Handler(Methods.readEvents, read),
    ]
  }

  private func subscribe(
    _ session: Session, _ filter: EventFilter, to checkout: CheckoutReference, after: Int64?
  ) throws(RPCError) -> Reply {
    let (live, access) = try checkouts.find(checkout, for: session)
    if let after { try requireHappened(after, of: live) }
    // Of an archived one nothing is left to be sent again, and nothing can come.
    let subscription = hub.subscribe(
      session, to: live, filter, isRedacted: access == .observe,
      after: live.isArchived ? nil : after)
    guard let after else {
      return .value([
        "subscriptionId": .string(subscription.id),
        "snapshots": [live.shortSnapshot(for: access, wallOffset: checkouts.wallOffset)],
      ])
    }
    let reply: Value = [
      "subscriptionId": .string(subscription.id), "from": .integer(after + 1),
      "to": .integer(live.isArchived ? after : live.checkout.seq),
      "ended": .bool(live.checkout.isEnded),
    ]
    return .value(reply.adding("trimmedTo", hub.trimmedTo(live).map { .integer($0) }))
  }

  private func subscribe(
    _ session: Session, _ filter: EventFilter, _ reach: WideSubscription.Reach
  ) throws(RPCError) -> Reply {
    if reach == .all { try session.caller.requireAdministrator() }
    let source = checkouts.all(of: session.caller.userID, reach)
    if source.count > Listing.sliceCount { try hub.checkStopping() }
    checkouts.nextReplyTellsOfMany(session)
    let subscription = hub.subscribe(session, filter, reach)
    guard source.count <= Listing.sliceCount else {
      return .later { hub.list($0, for: subscription) }
    }
    var listing = Listing(for: subscription)
    _ = listing.goOn(in: source, wallOffset: checkouts.wallOffset)
    return .written { [listing] in listing.write(to: $0) }
  }

  private func unsubscribe(_ session: Session, _ id: String) throws(RPCError) -> Reply {
    guard hub.unsubscribe(session, id) else {
      throw RPCError(CheckoutError(.unknownSubscription, path: "/subscriptionId"))
    }
    return .value(.object([]))
  }

  private func read(_ session: Session, _ call: ReadEvents) throws(RPCError) -> Reply {
    let (live, access) = try checkouts.find(call.checkout, for: session)
    try requireHappened(call.after, of: live)
    if call.span > 0, !live.checkout.isEnded,
      try !hub.hasNews(of: live, after: call.after, call.filter)
    {
      try hub.checkWaiting(session)
      return .later { pending in
        hub.wait(
          pending, on: live,
          for: .event(after: call.after, filter: call.filter, limit: call.limit), session,
          span: call.span)
      }
    }
    let page = try hub.read(
      of: live, after: call.after, call.filter, limit: call.limit,
      isRedacted: access == .observe, for: session.output)
    return .written { $0.append(contentsOf: page) }
  }

  /// Refuses to begin after an event that has not happened.
  ///
  /// A client asks for that when it has met another state than this one: it must begin anew.
  private func requireHappened(_ seq: Int64, of live: LiveCheckout) throws(RPCError) {
    guard seq > live.checkout.seq else { return }
    throw RPCError(
      .invalidParams,
      [
        .init("path", "/params/after"),
        .init("description", "is beyond the checkout's latest event"),
        .init("used", .integer(live.checkout.seq)),
      ])
  }
}
