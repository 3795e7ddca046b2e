import Checkout
import CheckoutProtocol
import JSON
import JSONRPC
import LinuxSystem
import PrimerAPI
import Systemd
import ValueTree

extension Handlers {
  /// The handlers of `checkout.*`.
  static var checkout: [String: Handler] {
    [
      "checkout.start": { connection, parameters throws(RPCError) in
        try start(connection, parameters)
      },
      "checkout.get": { connection, parameters throws(RPCError) in
        let (live, access) = try find(parameters, for: connection)
        let snapshot = live.checkout.snapshot
        return .value(access == .observe ? Redaction.redact(snapshot) : snapshot)
      },
      "checkout.wait": { connection, parameters throws(RPCError) in
        try wait(connection, parameters)
      },
      "checkout.list": { connection, parameters throws(RPCError) in
        try list(connection, parameters)
      },
      "checkout.cancel": { connection, parameters throws(RPCError) in
        let (live, _) = try find(parameters, for: connection, atLeast: .drive)
        return try run(
          .cancel(reason: parameters[1]?.string), on: live, from: connection)
      },
      "checkout.decide": { connection, parameters throws(RPCError) in
        let (live, _) = try find(parameters, for: connection, atLeast: .drive)
        let decision = try readDecision(parameters, connection.server)
        return try run(
          .decide(id: parameters[1]?.string ?? "", decision), on: live, from: connection)
      },
      "checkout.share": { connection, parameters throws(RPCError) in
        let (live, _) = try find(parameters, for: connection, atLeast: .own)
        let subject = try Share.Subject(uid: parameters["uid"], gid: parameters["gid"])
        let share = Share(subject: subject, role: Share.Role(parameters["role"]))
        let answer = try run(.share(share), on: live, from: connection)
        connection.server.reviseSubscriptions(of: live)
        return answer
      },
      "checkout.unshare": { connection, parameters throws(RPCError) in
        let (live, _) = try find(parameters, for: connection, atLeast: .own)
        let subject = try Share.Subject(uid: parameters["uid"], gid: parameters["gid"])
        let answer = try run(.unshare(subject), on: live, from: connection)
        connection.server.reviseSubscriptions(of: live)
        return answer
      },
    ]
  }

  // MARK: Start

  private static func start(
    _ connection: Connection, _ parameters: Parameters
  ) throws(RPCError) -> Reply {
    let server = connection.server
    try checkWaiting(connection)
    let owner = connection.caller.userID
    let encoded = parameters["clientToken"]?.string ?? ""
    let key = parameters["startKey"]?.string
    let allowsRepeat = parameters["allowRepeat"]?.bool == true
    let fingerprint = Fingerprint(
      encoded, parameters["settings"]?.value.jsonText, parameters["decisions"]?.value.jsonText,
      parameters["decisionTimeoutMs"]?.value.jsonText, parameters["share"]?.value.jsonText,
      allowsRepeat ? "allowRepeat" : nil)
    if let key, let live = server.checkouts.checkout(startedBy: owner, key: key) {
      guard live.start.fingerprint == fingerprint else {
        throw RPCError(CheckoutError(.keyReused, path: "/startKey", checkout: live.id))
      }
      try server.requireStore()
      if live.isTouched { connection.repliesDepend() }
      return .later { server.wait($0, on: live, from: connection, for: .start) }
    }
    try server.requireStore()
    let used = server.liveCount(of: owner)
    guard used < server.limits.checkoutsPerUser else {
      throw .quotaExceeded(
        "checkoutsPerUid", server.limits.checkoutsPerUser, used: used, by: owner)
    }
    let (token, settings, shares) = try readStart(encoded, parameters, server)
    let tokenFingerprint = Fingerprint(token.accessToken)
    try checkSession(tokenFingerprint, allowsRepeat: allowsRepeat, owner, server)
    let moment = server.moment
    let checkout = Checkout(
      id: server.newCheckoutID(), owner: owner, token: token, settings: settings, shares: shares,
      spans: server.spans, moment: moment)
    let live = server.checkouts.add(
      checkout,
      start: StartRecord(
        key: key, fingerprint: fingerprint, tokenFingerprint: tokenFingerprint,
        allowsRepeat: allowsRepeat))
    server.log.info(
      "checkout started", id: MessageID.checkoutStarted,
      fields: [("CHECKOUT_ID", live.idText), ("CLIENT_UID", String(owner))])
    server.touch(live)
    server.apply(live.checkout.begin(at: moment), to: live)
    return .later { server.wait($0, on: live, from: connection, for: .start) }
  }

  private static func readStart(
    _ encoded: String, _ parameters: Parameters, _ server: Server
  ) throws(RPCError) -> (ClientToken, Settings, [Share]) {
    let shares = try [Share](parameters["share"])
    return try read { () throws(CheckoutError) in
      let settings = try Settings(parameters)
      let token: ClientToken
      do throws(ClientTokenProblem) {
        token = try server.tokenReader.read(encoded, now: Clock.wallMilliseconds())
        guard token.configurationURL != nil else {
          throw ClientTokenProblem.missing(field: "configurationUrl")
        }
      } catch {
        throw CheckoutError(error, path: "/clientToken")
      }
      return (token, settings, shares)
    }
  }

  /// One live checkout for each client session, across all users; a session whose payment's outcome
  /// is unknown stays closed.
  private static func checkSession(
    _ token: Fingerprint, allowsRepeat: Bool, _ owner: UInt32, _ server: Server
  ) throws(RPCError) {
    guard let holder = server.checkouts.holder(of: token) else { return }
    if allowsRepeat && holder.checkout.isEnded {
      return server.noteRepeat(after: holder, by: owner)
    }
    let isVisible = holder.owner == owner || owner == 0
    throw RPCError(CheckoutError(.sessionInUse, checkout: isVisible ? holder.id : nil))
  }

  // MARK: Decisions

  private static func readDecision(
    _ parameters: Parameters, _ server: Server
  ) throws(RPCError) -> Decision {
    try read { () throws(CheckoutError) in
      switch parameters["decision"]?.string {
      case "continue":
        let key = parameters["paymentIdempotencyKey"]?.string
        guard key.map(isHeaderSafe) ?? true else {
          throw CheckoutError(
            .invalidValue, detail: "An idempotency key is visible ASCII",
            path: "/paymentIdempotencyKey")
        }
        return .continue(idempotencyKey: key)
      case "abort": return .abort(message: parameters["message"]?.string)
      case "complete":
        return .complete(
          parameters["payment"].map {
            Payment(
              id: $0["id"]?.string, orderID: $0["orderId"]?.string, status: $0["status"]?.string)
          })
      default:
        guard let encoded = parameters["clientToken"]?.string else {
          throw CheckoutError(
            .invalidValue, detail: "continueWithNewClientToken needs a clientToken",
            path: "/clientToken")
        }
        do throws(ClientTokenProblem) {
          return .continueWithNewClientToken(
            try server.tokenReader.read(encoded, now: Clock.wallMilliseconds()))
        } catch {
          throw CheckoutError(error, path: "/clientToken")
        }
      }
    }
  }

  // MARK: Waiting and listing

  private static func wait(
    _ connection: Connection, _ parameters: Parameters
  ) throws(RPCError) -> Reply {
    let (live, _) = try find(parameters, for: connection)
    var words: [String] = []
    if let view = parameters["for"] { words = view.elements.compactMap(\.string) }
    let names = words.filter { $0 != "terminal" && $0 != "awaiting" }
    guard !words.isEmpty, names.allSatisfy({ EventKind(rawValue: $0) != nil }) else {
      throw .invalidParams(
        path: "/params/for", description: "takes terminal, awaiting or the names of events")
    }
    let span = parameters["waitMs"]?.integer ?? 0
    if span > 0 { try checkWaiting(connection) }
    let condition = Wait.Condition.state(
      isTerminal: words.contains("terminal"), isAwaiting: words.contains("awaiting"), names: names)
    return .later {
      connection.server.wait($0, on: live, from: connection, for: condition, span: span)
    }
  }

  private static func readCursor(_ view: JSONView?) throws(RPCError) -> UInt64 {
    guard let text = view?.string else { return 0 }
    guard let ordinal = UInt64(text), String(ordinal) == text else {
      throw .invalidParams(path: "/params/cursor", description: "is not a page's next")
    }
    return ordinal
  }

  private static func list(
    _ connection: Connection, _ parameters: Parameters
  ) throws(RPCError) -> Reply {
    let isAll = parameters["all"]?.bool == true
    if isAll { try administrator(connection) }
    let isShared = parameters["shared"]?.bool == true
    let server = connection.server
    if !server.touched.isEmpty { connection.repliesDepend() }
    var states: [String]?
    if let view = parameters["states"] { states = view.elements.compactMap(\.string) }
    let source =
      isAll || isShared
      ? server.checkouts.checkouts : server.checkouts.checkouts(of: connection.caller.userID)
    let after = try readCursor(parameters["cursor"])
    let limit = Int(parameters["limit"]?.integer ?? 100)
    var page: [Value] = []
    var next: String?
    var last = after
    for live in source[source.firstPlace(after: after)...] {
      let access: Access?
      if isAll || live.owner == connection.caller.userID {
        access = .own
      } else {
        access = connection.caller.sharedAccess(to: live)
      }
      guard let access, states?.contains(live.checkout.state.rawValue) ?? true else { continue }
      guard page.count < limit else {
        next = String(last)
        break
      }
      let snapshot = live.checkout.shortSnapshot
      page.append(access == .observe ? Redaction.redact(snapshot) : snapshot)
      last = live.ordinal
    }
    return .value(
      .object(
        [.init("checkouts", .array(page))] + (next.map { [.init("next", .string($0))] } ?? [])))
  }
}

extension Server {
  func newCheckoutID() -> CheckoutID {
    while true {
      let id = CheckoutID(Random.uint64())
      if checkouts[id] == nil { return id }
    }
  }

  /// Lets a call wait; a condition that is fulfilled already is answered at once.
  func wait(
    _ call: consuming PendingCall, on live: LiveCheckout, from connection: Connection,
    for condition: Wait.Condition, span: Milliseconds? = nil
  ) {
    waitCount += 1
    let wait = Wait(
      number: waitCount, call: call, connection: connection, live: live,
      condition: condition)
    live.waits = live.waits + [wait]
    waits[wait.number] = wait
    connection.waits = connection.waits + [wait]
    connection.waitingCount += 1
    if isOver(wait) || span == 0 {
      finish(wait)
    } else if let span {
      timers.set(
        .wait(wait.number), at: Clock.bootMicroseconds() + UInt64(max(0, span)) * 1000)
    }
  }

  /// Ends the subscriptions and waits of those whom a checkout is no longer shared with, and hides
  /// or shows secrets to the others as their role now says.
  func reviseSubscriptions(of live: LiveCheckout) {
    for subscription in live.subscriptions {
      let access = subscription.connection.caller.access(to: live)
      guard let access else {
        subscription.connection.subscriptions[live.id] = nil
        end(subscription)
        continue
      }
      subscription.isRedacted = access == .observe
    }
    for wait in live.waits where wait.connection.caller.access(to: live) == nil {
      fail(wait, RPCError(CheckoutError(.unknownCheckout)))
    }
  }
}
