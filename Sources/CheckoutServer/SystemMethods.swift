import Checkout
import CheckoutProtocol
import CheckoutStore
import JSON
import JSONRPC
import PrimerAPI
import ValueTree

/// What `system.*` and `rpc.*` do.
struct SystemMethods {
  private let checkouts: Checkouts
  private let hub: EventHub
  private let health: StoreHealth
  private let questions: Questions
  private let backups: Backups
  private let users: UserTable
  private let directory: SessionDirectory
  private let counters: Counters
  private let limits: CurrentLimits
  private let clock: ServerClock
  private let options: OptionSource
  private let identity: ServerIdentity

  init(
    _ checkouts: Checkouts, _ hub: EventHub, _ health: StoreHealth, _ questions: Questions,
    _ backups: Backups, _ users: UserTable,
    _ directory: SessionDirectory, _ counters: Counters, _ limits: CurrentLimits,
    _ clock: ServerClock, _ options: OptionSource, _ identity: ServerIdentity
  ) {
    self.checkouts = checkouts
    self.hub = hub
    self.health = health
    self.questions = questions
    self.backups = backups
    self.users = users
    self.directory = directory
    self.counters = counters
    self.limits = limits
    self.clock = clock
    self.options = options
    self.identity = identity
  }

  var handlers: [Handler] {
    [
      Handler(Methods.hello) { session, client throws(RPCError) in
        session.greet(as: client)
        return .value(hello(session.caller))
      },
      Handler(Methods.ping) { _, _ throws(RPCError) in .written { $0.append("{}") } },
      Handler(Methods.echo) { _, params throws(RPCError) in .value(params) },
      Handler(Methods.status) { session, _ throws(RPCError) in .value(status(for: session)) },
      Handler(Methods.metrics) { session, _ throws(RPCError) in
        try session.caller.requireAdministrator()
        return .value([
          "contentType": .string(MetricsText.contentType), "text": .string(metrics),
        ])
      },
      Handler(Methods.allowQuestions) { session, _ throws(RPCError) in
        try session.caller.requireAdministrator()
        try questions.allow()
        session.output.nextReplyDependsOnTurn()
        return .value(.object([]))
      },
      Handler(Methods.backup) { session, name throws(RPCError) in
        try session.caller.requireAdministrator()
        return try backups.begin(as: name)
      },
      Handler(Methods.connections) { session, page throws(RPCError) in
        try session.caller.requireAdministrator()
        return connections(page, for: session.output)
      },
      Handler(Methods.reload) { session, _ throws(RPCError) in
        try session.caller.requireAdministrator()
        switch options.reload() {
        case .success(let names):
          guard !names.isEmpty else { return .value(.object([])) }
          return .value(["needsRestart": .array(names.map { .string($0) })])
        case .failure(let problem):
          throw .invalidConfiguration(problem.message, option: problem.option, line: problem.line)
        }
      },
      Handler(Methods.discover) { _, _ throws(RPCError) in
        let document = identity.discovery
        return .written { $0.append(json: document) }
      },
    ]
  }

  private func hello(_ caller: Caller) -> Value {
    [
      "server": ["name": "checkoutd", "version": .string(identity.version)], "protocol": 1,
      "epoch": .string(identity.epoch), "limits": limits.value.value(checkouts.spans),
      "you": [
        "uid": .integer(Int64(caller.userID)), "gid": .integer(Int64(caller.groupID)),
        "pid": .integer(Int64(caller.processID)), "role": .string(caller.roleName),
      ],
      "features": .array(
        ComponentRow.all.flatMap(\.paymentMethodTypes).map(Value.string) + [
          "WEB_REDIRECT", "replay",
        ]),
    ]
  }

  // MARK: Status

  private func status(for session: Session) -> Value {
    let isAdministrator = session.caller.isAdministrator
    let shown = isAdministrator ? checkouts.all : checkouts.all(of: session.user.id)
    var counts: [(state: CheckoutState, count: Int64)] =
      CheckoutState.allCases.map { ($0, 0) }
    var requestCount: Int64 = 0
    var subscriptionCount = hub.wideCount(of: isAdministrator ? nil : session.user)
    for live in shown {
      if let place = counts.firstIndex(where: { $0.state == live.checkout.state }) {
        counts[place].count += 1
      }
      requestCount += Int64(live.requestCount)
      subscriptionCount += live.subscriptions.count
    }
    var members: [Value.Member] = [
      .init("uptimeMs", .integer(clock.uptime)),
      .init("version", .string(identity.version)),
      .init(
        "checkouts",
        .object(
          counts.filter { $0.count > 0 }.map { .init($0.state.rawValue, .integer($0.count)) })),
      .init("subscriptions", .integer(Int64(subscriptionCount))),
    ]
    if isAdministrator { members += administratorMembers }
    members.append(
      .init(
        "upstream", isAdministrator ? upstreamValue : ["underWay": .integer(requestCount)]))
    members.append(
      .init(
        "store",
        .object(
          [
            .init("kind", identity.isDurable ? "sqlite" : "memory"),
            .init("health", .string(health.text)),
          ] + (isAdministrator ? [.init("backups", backups.status)] : []))))
    return .object(members)
  }

  private var upstreamValue: Value {
    let status = checkouts.upstreamStatus
    return [
      "underWay": .integer(Int64(status.underWay)), "queued": .integer(Int64(status.queued)),
      "succeeded": .integer(Int64(status.succeeded)), "failed": .integer(Int64(status.failed)),
      "lastSuccessAt": Value(status.lastSuccessAt.map { Timestamp($0).text }),
      "lastFailureAt": Value(status.lastFailureAt.map { Timestamp($0).text }),
    ]
  }

  private var administratorMembers: [Value.Member] {
    [
      .init("questions", questions.status),
      .init(
        "events",
        [
          "published": .integer(counters.eventsPublished),
          "lost": .integer(counters.eventsLost),
        ]),
      .init(
        "connections",
        [
          "open": .integer(Int64(users.connectionCount)),
          "accepted": .integer(counters.connectionsAccepted),
          "refused": .integer(counters.refusalCount), "refusals": counters.refusalsValue,
          "heldBytes": .integer(Int64(users.heldByteCount)),
        ]),
      .init(
        "calls", counters.callCounters?.value(refused: counters.refusedCallsValue) ?? .null),
    ]
  }

  // MARK: Metrics

  private var metrics: String {
    var text = MetricsText()
    text.gauge(
      "checkoutd_build_info", "What runs.", [([("version", identity.version)], 1)])
    text.gauge(
      "checkoutd_start_time_seconds", "When it was started, since 1970.",
      Double(clock.wall - clock.uptime) / 1000)
    addCheckouts(to: &text)
    addClients(to: &text)
    addUpstream(to: &text)
    text.gauge(
      "checkoutd_store_healthy", "Whether what is answered can be kept.",
      health.text == "ok" ? 1 : 0)
    text.histogram(
      "checkoutd_commit_duration_seconds", "How long commits took.", [([], counters.commits)])
    return text.text
  }

  private func addCheckouts(to text: inout MetricsText) {
    var states: [CheckoutState: Int] = [:]
    var oldest: WallTime?
    for live in checkouts.all {
      states[live.checkout.state, default: 0] += 1
      if let since = live.checkout.payingSince { oldest = min(oldest ?? since, since) }
    }
    text.gauge(
      "checkoutd_checkouts", "How many checkouts there are, by state.",
      CheckoutState.allCases.map { ([("state", $0.rawValue)], Double(states[$0] ?? 0)) })
    text.gauge(
      "checkoutd_oldest_payment_seconds",
      "How long the oldest payment attempt has been under way; 0 if there is none.",
      oldest.map { Double(max(0, clock.now - $0)) / 1000 } ?? 0)
    text.counter(
      "checkoutd_checkouts_ended_total", "What checkouts came to.",
      counters.outcomeCounts.map { method, outcome, count in
        ([("payment_method", method), ("outcome", outcome.rawValue)], Double(count))
      })
  }

  private func addClients(to text: inout MetricsText) {
    text.gauge("checkoutd_connections", "Open connections.", Double(users.connectionCount))
    text.counter(
      "checkoutd_connections_accepted_total", "Connections that were taken in.",
      Double(counters.connectionsAccepted))
    text.counter(
      "checkoutd_connections_refused_total", "Connections that were refused or closed, and why.",
      counters.refusalCounts.map { ([("reason", $0)], Double($1)) })
    text.gauge(
      "checkoutd_held_bytes", "What is held for clients.", Double(users.heldByteCount))
    text.counter(
      "checkoutd_calls_total", "Calls that were answered.",
      Double(counters.callCounters?.calls ?? 0))
    text.counter(
      "checkoutd_calls_refused_total", "Calls that a quota refused.",
      counters.refusedCallCounts.map { ([("reason", $0)], Double($1)) })
    text.counter(
      "checkoutd_events_published_total", "Events of checkouts.",
      Double(counters.eventsPublished))
    text.counter(
      "checkoutd_events_lost_total", "Events that slow readers were not sent.",
      Double(counters.eventsLost))
  }

  private func addUpstream(to text: inout MetricsText) {
    let status = checkouts.upstreamStatus
    text.gauge(
      "checkoutd_upstream_requests", "Requests that upstream has not answered yet.",
      [
        ([("state", "sent")], Double(status.underWay)),
        ([("state", "queued")], Double(status.queued)),
      ]
    )
    text.gauge(
      "checkoutd_upstream_last_success_timestamp_seconds", "When one was answered, since 1970.",
      status.lastSuccessAt.map { Double($0) / 1000 })
    text.gauge(
      "checkoutd_upstream_last_failure_timestamp_seconds", "When one failed, since 1970.",
      status.lastFailureAt.map { Double($0) / 1000 })
    text.histogram(
      "checkoutd_upstream_request_duration_seconds", "How long requests took, with their waiting.",
      counters.requestTimes.map { operation, isAnswered, spans in
        ([("operation", operation), ("result", isAnswered ? "answered" : "failed")], spans)
      })
  }

  // MARK: Connections

  /// A page of the connections, in the order in which they came.
  private func connections(_ request: PageRequest, for client: ConnectionOutput) -> Reply {
    let (sessions, following) = directory.page(after: request.cursor, limit: request.limit)
    var page = ResultPage(for: client)
    var next = following
    var last = request.cursor
    for (number, session) in sessions {
      guard page.add(describe(session)) else {
        next = last
        break
      }
      last = number
    }
    return .written { [page, next] in page.write("connections", next: next, to: $0) }
  }

  private func describe(_ session: Session) -> Value {
    let (caller, output) = (session.caller, session.output)
    return [
      "pid": .integer(Int64(caller.processID)), "uid": .integer(Int64(caller.userID)),
      "comm": Value(caller.commandName), "client": Value(session.clientName),
      "queuedBytes": .integer(Int64(output.queuedByteCount)),
      "inFlight": .integer(Int64(output.callsInFlight)),
      "lost": .integer(Int64(output.lostCount)),
      "subscriptions": .integer(Int64(session.subscriptionCount)),
      "lastRefusal": Value(output.lastRefusal),
    ]
  }
}

/// What the server says of itself.
final class ServerIdentity {
  /// The daemon's version.
  let version: String
  /// Identifies the state: new whenever it begins anew.
  let epoch: String
  /// Whether the state survives the process.
  let isDurable: Bool
  /// The OpenRPC document of the methods, events and errors, which never changes.
  private(set) lazy var discovery: [UInt8] = OpenRPC(
    title: "checkoutd", version: version,
    description: "Holds headless checkout components and drives their payments.",
    servers: Methods.servers, methods: Methods.all, events: Methods.notifications,
    extensions: Methods.extensions
  ).document.jsonBytes

  init(version: String, epoch: String, isDurable: Bool) {
    self.version = version
    self.epoch = epoch
    self.isDurable = isDurable
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
  fileprivate func value(_ spans: Spans) -> Value {
    func number(_ number: Int) -> Value { .integer(Int64(number)) }
    return [
      "line": number(line), "lineOut": number(lineOut), "nesting": number(nesting),
      "batch": number(answerableBatch), "inFlight": number(inFlight), "waiting": number(waiting),
      "connections": number(connections),
      "administratorConnections": number(administratorConnections),
      "connectionsPerUid": number(connectionsPerUser),
      "connectionRate": number(connectionRate), "checkoutsPerUid": number(checkoutsPerUser),
      "checkouts": number(checkouts), "endedPerUid": number(endedPerUser),
      "recordsPerUid": number(recordsPerUser), "records": number(records),
      "qrImageBytes": number(ClientTokenReader.maximumImageByteCount),
      "shares": number(shares),
      "queue": number(queue), "memory": number(memory), "slowReaderMs": number(slowReader),
      "events": number(events.count), "eventBytes": number(events.byteCount),
      "attemptSpanMs": .integer(spans.attempt),
    ]
  }
}
