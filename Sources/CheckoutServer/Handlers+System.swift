import Checkout
import CheckoutProtocol
import CheckoutStore
import JSON
import JSONRPC
import LinuxSystem
import PrimerAPI
import ValueTree

extension Handlers {
  /// The handlers of `system.*` and `rpc.*`.
  static var system: [String: Handler] {
    [
      "system.hello": { connection, parameters throws(RPCError) in
        connection.saidHello = true
        connection.clientName = parameters[0]?.string
        return .value(connection.server.hello(to: connection))
      },
      "system.ping": { connection, parameters throws(RPCError) in
        .written { $0.append("{}") }
      },
      "system.echo": { connection, parameters throws(RPCError) in
        .value(parameters.params?.value ?? .null)
      },
      "system.status": { connection, parameters throws(RPCError) in
        .value(connection.server.status(for: connection.caller))
      },
      "system.connections": { connection, parameters throws(RPCError) in
        try administrator(connection)
        return .value(
          connection.server.connectionPage(
            after: parameters["cursor"]?.string.flatMap(UInt64.init) ?? 0,
            limit: Int(parameters["limit"]?.integer ?? 100)))
      },
      "system.reload": { connection, parameters throws(RPCError) in
        try administrator(connection)
        if let problem = connection.server.reload() {
          throw RPCError(CheckoutError(.invalidValue, detail: problem.message))
        }
        return .value(.object([]))
      },
      "rpc.discover": { connection, parameters throws(RPCError) in
        let document = connection.server.discovery
        return .written { $0.append(json: document) }
      },
    ]
  }
}

extension Server {
  fileprivate func hello(to connection: Connection) -> Value {
    let caller = connection.caller
    return [
      "server": ["name": "checkoutd", "version": .string(version)], "protocol": 1,
      "epoch": .string(epoch), "limits": limits.value,
      "you": [
        "uid": .integer(Int64(caller.userID)), "gid": .integer(Int64(caller.groupID)),
        "pid": .integer(Int64(caller.processID)), "role": .string(caller.roleName),
      ],
      "features": .array(
        ComponentRegistry.all.map { .string($0.kind.paymentMethodType) } + ["replay"]),
    ]
  }

  fileprivate func status(for caller: Caller) -> Value {
    let shown =
      caller.isAdministrator ? checkouts.checkouts : checkouts.checkouts(of: caller.userID)
    var counts: [(state: CheckoutState, count: Int64)] =
      CheckoutState.allCases.map { ($0, 0) }
    var requests: Int64 = 0
    var subscriptions: Int64 = 0
    for live in shown {
      if let place = counts.firstIndex(where: { $0.state == live.checkout.state }) {
        counts[place].count += 1
      }
      requests += Int64(live.requests.count)
      subscriptions += Int64(live.subscriptions.count)
    }
    var members: [Value.Member] = [
      .init("uptimeMs", .integer(Int64((Clock.bootMicroseconds() - startedAt) / 1000))),
      .init("version", .string(version)),
      .init(
        "checkouts",
        .object(
          counts.filter { $0.count > 0 }.map { .init($0.state.rawValue, .integer($0.count)) })),
      .init(
        "subscriptions",
        .integer(
          subscriptions
            + Int64(
              wideSubscriptions.filter {
                caller.isAdministrator || $0.connection.caller.userID == caller.userID
              }.count))),
    ]
    var upstream: [Value.Member] = [.init("underWay", .integer(requests))]
    if caller.isAdministrator {
      let gateway = self.gateway.status
      upstream = [
        .init("underWay", .integer(Int64(gateway.underWay))),
        .init("queued", .integer(Int64(gateway.queued))),
        .init("succeeded", .integer(Int64(gateway.succeeded))),
        .init("failed", .integer(Int64(gateway.failed))),
        .init(
          "lastSuccessAt",
          Value(gateway.lastSuccessAt.map { Timestamp($0).text })),
        .init(
          "lastFailureAt",
          Value(gateway.lastFailureAt.map { Timestamp($0).text })),
      ]
      members.append(
        .init(
          "events",
          [
            "published": .integer(counters.eventsPublished),
            "lost": .integer(counters.eventsLost),
          ]))
      members.append(
        .init(
          "connections",
          [
            "open": .integer(Int64(connections.count)),
            "accepted": .integer(counters.connectionsAccepted),
            "refused": .integer(counters.refusalCount), "refusals": counters.refusalsValue,
            "heldBytes": .integer(Int64(heldByteCount)),
          ]))
      members.append(
        .init("calls", inbound.dispatcher.counters.value(refused: counters.refusedCallsValue)))
    }
    members.append(.init("upstream", .object(upstream)))
    members.append(
      .init(
        "store",
        [
          "kind": store.isDurable ? "sqlite" : "memory",
          "health": .string(storeProblem?.description ?? "ok"),
        ]))
    return .object(members)
  }

  /// A page of the connections, in the order in which they came.
  fileprivate func connectionPage(after cursor: UInt64, limit: Int) -> Value {
    let numbers = connections.keys.filter { $0 > cursor }.sorted()
    let page = numbers.prefix(limit).compactMap { connections[$0] }
    var members = [Value.Member("connections", .array(page.map(describe)))]
    if numbers.count > page.count, let last = page.last {
      members.append(.init("next", .string(String(last.number))))
    }
    return .object(members)
  }

  private func describe(_ connection: Connection) -> Value {
    let caller = connection.caller
    return [
      "pid": .integer(Int64(caller.processID)), "uid": .integer(Int64(caller.userID)),
      "comm": Value(caller.commandName), "client": Value(connection.clientName),
      "queuedBytes": .integer(Int64(connection.queuedByteCount)),
      "inFlight": .integer(Int64(connection.callsInFlight)),
      "lost": .integer(Int64(connection.lostCount)),
      "subscriptions": .integer(
        Int64(connection.subscriptions.count + (connection.wideSubscription == nil ? 0 : 1))),
      "lastRefusal": Value(connection.lastRefusal),
    ]
  }
}

extension RPCCounters {
  fileprivate func value(refused: Value) -> Value {
    [
      "answered": .integer(Int64(calls)), "notifications": .integer(Int64(notifications)),
      "failedNotifications": .integer(Int64(failedNotifications)),
      "droppedResponses": .integer(Int64(droppedResponses)),
      "invalidRequests": .integer(Int64(invalidRequests)), "refused": refused,
    ]
  }
}

extension Limits {
  fileprivate var value: Value {
    func number(_ number: Int) -> Value { .integer(Int64(number)) }
    return [
      "line": number(line), "lineOut": number(lineOut), "nesting": number(nesting),
      "batch": number(answerableBatch), "inFlight": number(inFlight), "waiting": number(waiting),
      "connections": number(connections), "connectionsPerUid": number(connectionsPerUser),
      "connectionRate": number(connectionRate), "checkoutsPerUid": number(checkoutsPerUser),
      "queue": number(queue), "memory": number(memory), "slowReaderMs": number(slowReader),
      "events": number(events.count), "eventBytes": number(events.byteCount),
    ]
  }
}
