import Checkout
import CheckoutProtocol
import CheckoutStore
import JSON
import JSONRPC
import ValueTree

extension Handlers {
  /// The handlers of `events.*`.
  static var events: [String: Handler] {
    [
      "events.subscribe": { connection, parameters throws(RPCError) in
        try subscribe(connection, parameters)
      },
      "events.unsubscribe": { connection, parameters throws(RPCError) in
        let id = parameters[0]?.string ?? ""
        let server = connection.server
        if let subscription = connection.subscriptions.values.first(where: { $0.id == id }) {
          connection.subscriptions[subscription.live.id] = nil
          server.end(subscription)
        } else if connection.wideSubscription?.id == id {
          server.endWideSubscription(of: connection)
        } else {
          throw RPCError(CheckoutError(.unknownSubscription, path: "/subscriptionId"))
        }
        return .value(.object([]))
      },
      "events.read": { connection, parameters throws(RPCError) in
        try readEvents(connection, parameters)
      },
    ]
  }

  private static func subscribe(
    _ connection: Connection, _ parameters: Parameters
  ) throws(RPCError) -> Reply {
    let filter = try EventFilter(parameters["types"])
    let after = parameters["after"]?.integer
    guard parameters["checkoutId"] != nil else {
      guard after == nil else {
        throw .invalidParams(path: "/params/after", description: "needs a checkoutId")
      }
      return try subscribeWidely(connection, filter, parameters)
    }
    let (live, access) = try find(parameters, for: connection)
    if let after { try requireHappened(after, of: live) }
    if let old = connection.subscriptions[live.id] { connection.server.end(old) }
    connection.subscriptionCount += 1
    let subscription = Subscription(
      id: "s\(connection.subscriptionCount)", connection: connection, live: live, filter: filter,
      isRedacted: access == .observe, after: after)
    connection.subscriptions[live.id] = subscription
    live.subscriptions = live.subscriptions + [subscription]
    guard let after else {
      return .value([
        "subscriptionId": .string(subscription.id),
        "snapshots": [shown(live.checkout.shortSnapshot, access)],
      ])
    }
    connection.server.replaying.append(subscription)
    return .value([
      "subscriptionId": .string(subscription.id), "from": .integer(after + 1),
      "to": .integer(live.checkout.seq),
    ])
  }

  private static func subscribeWidely(
    _ connection: Connection, _ filter: EventFilter, _ parameters: Parameters
  ) throws(RPCError) -> Reply {
    let server = connection.server
    var reach = WideSubscription.Reach.own
    if parameters["shared"]?.bool == true { reach = .shared }
    if parameters["all"]?.bool == true {
      try administrator(connection)
      reach = .all
    }
    if !server.touched.isEmpty { connection.repliesDepend() }
    server.endWideSubscription(of: connection)
    connection.subscriptionCount += 1
    let subscription = WideSubscription(
      id: "s\(connection.subscriptionCount)", connection: connection, filter: filter,
      reach: reach)
    connection.wideSubscription = subscription
    server.wideSubscriptions = server.wideSubscriptions + [subscription]
    let source =
      reach == .own
      ? server.checkouts.checkouts(of: connection.caller.userID) : server.checkouts.checkouts
    var snapshots: [Value] = []
    var isComplete = true
    for live in source {
      guard let access = subscription.access(to: live) else { continue }
      guard snapshots.count < 1000 else {
        // The rest is for checkout.list: the events come all the same.
        isComplete = false
        break
      }
      snapshots.append(shown(live.checkout.shortSnapshot, access))
    }
    return .value(
      .object(
        [
          .init("subscriptionId", .string(subscription.id)),
          .init("snapshots", .array(snapshots)),
        ] + (isComplete ? [] : [.init("more", true)])))
  }

  private static func shown(_ snapshot: Value, _ access: Access) -> Value {
    access == .observe ? Redaction.redact(snapshot) : snapshot
  }

  /// Refuses to begin after an event that has not happened.
  ///
  /// A client asks for that when it has met another state than this one: it must begin anew.
  private static func requireHappened(
    _ seq: Int64, of live: LiveCheckout
  ) throws(RPCError) {
    guard seq > live.checkout.seq else { return }
    throw RPCError(
      .invalidParams,
      [
        .init("path", "/params/after"),
        .init("description", "is beyond the checkout's latest event"),
        .init("used", .integer(live.checkout.seq)),
      ])
  }

  private static func readEvents(
    _ connection: Connection, _ parameters: Parameters
  ) throws(RPCError) -> Reply {
    let (live, access) = try find(parameters, for: connection)
    let filter = try EventFilter(parameters["types"])
    let after = parameters["after"]?.integer ?? 0
    try requireHappened(after, of: live)
    let limit = Int(parameters["limit"]?.integer ?? 100)
    let span = parameters["waitMs"]?.integer ?? 0
    let server = connection.server
    if span > 0, !live.checkout.isEnded, !server.hasEvent(of: live, after: after, filter) {
      try checkWaiting(connection)
      return .later {
        server.wait(
          $0, on: live, from: connection,
          for: .event(after: after, filter: filter, limit: limit), span: span)
      }
    }
    return .written { output in
      server.writeEvents(
        of: live, after: after, filter: filter, limit: limit, isRedacted: access == .observe,
        to: output)
    }
  }
}

extension Server {
  fileprivate func hasEvent(
    of live: LiveCheckout, after: Int64, _ filter: EventFilter
  ) -> Bool {
    var isThere = false
    _ = readEvents(of: live, after: after) { record in
      isThere = filter.contains(record.event.kind)
      return !isThere
    }
    return isThere
  }
}
