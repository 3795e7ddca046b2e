import Checkout
import CheckoutProtocol
import JSON
import JSONRPC
import PrimerAPI
import ValueTree

/// What `checkout.*` do.
struct CheckoutMethods {
  private let checkouts: Checkouts
  private let hub: EventHub
  private let clock: ServerClock
  private let tokenReader: ClientTokenReader

  init(
    _ checkouts: Checkouts, _ hub: EventHub, _ clock: ServerClock,
    _ tokenReader: ClientTokenReader
  ) {
    self.checkouts = checkouts
    self.hub = hub
    self.clock = clock
    self.tokenReader = tokenReader
  }

  var handlers: [String: Handler] {
    [
      "checkout.start": start,
      "checkout.get": get,
      "checkout.wait": wait,
      "checkout.list": list,
      "checkout.cancel": { session, parameters throws(RPCError) in
        try run(.cancel(reason: parameters[1]?.string), atLeast: .drive, session, parameters)
      },
      "checkout.decide": decide,
      "checkout.share": { session, parameters throws(RPCError) in
        let subject = try Share.Subject(uid: parameters["uid"], gid: parameters["gid"])
        let share = Share(subject: subject, role: Share.Role(parameters["role"]))
        let (live, _) = try checkouts.find(parameters.checkout, for: session, atLeast: .own)
        try checkouts.requireRoom(for: share, of: live)
        return try checkouts.answer(.share(share), on: live, by: session, hub)
      },
      "checkout.unshare": { session, parameters throws(RPCError) in
        let subject = try Share.Subject(uid: parameters["uid"], gid: parameters["gid"])
        return try run(.unshare(subject), atLeast: .own, session, parameters)
      },
    ]
  }

  private func run(
    _ command: Command, atLeast needed: Access, _ session: Session, _ parameters: Parameters
  ) throws(RPCError) -> Reply {
    let (live, _) = try checkouts.find(parameters.checkout, for: session, atLeast: needed)
    return try checkouts.answer(command, on: live, by: session, hub)
  }

  // MARK: Start

  private func start(_ session: Session, _ parameters: Parameters) throws(RPCError) -> Reply {
    try hub.checkWaiting(session)
    let encoded = parameters["clientToken"]?.string ?? ""
    let key = parameters["startKey"]?.string
    let allowsRepeat = parameters["allowRepeat"]?.bool == true
    let fingerprint = Fingerprint(
      encoded, parameters["settings"]?.value.jsonText, parameters["decisions"]?.value.jsonText,
      parameters["decisionTimeoutMs"]?.value.jsonText, parameters["share"]?.value.jsonText,
      allowsRepeat ? "allowRepeat" : nil)
    if let key, let live = try checkouts.started(by: session, key: key, as: fingerprint) {
      return .later { call in hub.wait(call, on: live, for: .start, session) }
    }
    try checkouts.requireRoom(for: session)
    let shares = try [Share](parameters["share"])
    try checkouts.requireRoom(for: shares, of: session.user)
    let settings = try reading { () throws(CheckoutError) in try Settings(parameters) }
    let token = try reading { () throws(CheckoutError) in
      try read(encoded, for: \.configurationURL)
    }
    let live = try checkouts.start(
      Checkouts.Start(
        token: token, settings: settings, shares: shares,
        record: StartRecord(
          key: key, fingerprint: fingerprint, tokenFingerprint: Fingerprint(token.accessToken),
          allowsRepeat: allowsRepeat)), by: session)
    return .later { call in hub.wait(call, on: live, for: .start, session) }
  }

  /// Reads a client token, which must have that field, if one is named.
  private func read(
    _ encoded: String, for field: KeyPath<ClientToken, String?>? = nil
  ) throws(CheckoutError) -> ClientToken {
    do throws(ClientTokenProblem) {
      let token = try tokenReader.read(encoded, now: clock.wall)
      if let field, token[keyPath: field] == nil {
        throw ClientTokenProblem.missing(field: "configurationUrl")
      }
      return token
    } catch {
      throw CheckoutError(error, path: "/clientToken")
    }
  }

  // MARK: Decisions

  private func decide(_ session: Session, _ parameters: Parameters) throws(RPCError) -> Reply {
    let (live, _) = try checkouts.find(parameters.checkout, for: session, atLeast: .drive)
    let decision = try reading { () throws(CheckoutError) in try readDecision(parameters) }
    if case .continue(let key?) = decision, checkouts.isTaken(key: key, besides: live) {
      throw RPCError(CheckoutError(.idempotencyKeyReused, path: "/paymentIdempotencyKey"))
    }
    return try checkouts.answer(
      .decide(id: parameters[1]?.string ?? "", decision), on: live, by: session, hub)
  }

  private func readDecision(_ parameters: Parameters) throws(CheckoutError) -> Decision {
    switch parameters["decision"]?.string {
    case "continue":
      let key = parameters["paymentIdempotencyKey"]?.string
      guard key.map(isHeaderSafe) ?? true else {
        throw CheckoutError(
          .invalidValue, detail: "An idempotency key is visible ASCII",
          path: "/paymentIdempotencyKey")
      }
      return .continue(idempotencyKey: key)
    case "abort":
      return .abort(message: parameters["message"]?.string, payment: readPayment(parameters))
    case "complete": return .complete(readPayment(parameters))
    default:
      guard let encoded = parameters["clientToken"]?.string else {
        throw CheckoutError(
          .invalidValue, detail: "continueWithNewClientToken needs a clientToken",
          path: "/clientToken")
      }
      return .continueWithNewClientToken(try read(encoded))
    }
  }

  private func readPayment(_ parameters: Parameters) -> Payment? {
    parameters["payment"].map {
      Payment(id: $0["id"]?.string, orderID: $0["orderId"]?.string, status: $0["status"]?.string)
    }
  }

  // MARK: Looking

  private func get(_ session: Session, _ parameters: Parameters) throws(RPCError) -> Reply {
    let (live, access) = try checkouts.find(parameters.checkout, for: session)
    let snapshot = live.checkout.snapshot(wallOffset: checkouts.wallOffset)
    return .value(access == .observe ? Redaction.redact(snapshot) : snapshot)
  }

  private func wait(_ session: Session, _ parameters: Parameters) throws(RPCError) -> Reply {
    let (live, _) = try checkouts.find(parameters.checkout, for: session)
    var words: [String] = []
    if let view = parameters["for"] { words = view.elements.compactMap(\.string) }
    let names = words.filter { $0 != "terminal" && $0 != "awaiting" }
    guard !words.isEmpty, names.allSatisfy({ EventKind(rawValue: $0) != nil }) else {
      throw .invalidParams(
        path: "/params/for", description: "takes terminal, awaiting or the names of events")
    }
    let span = parameters["waitMs"]?.integer ?? 0
    if span > 0 { try hub.checkWaiting(session) }
    let condition = Wait.Condition.state(
      isTerminal: words.contains("terminal"), isAwaiting: words.contains("awaiting"), names: names)
    return .later { call in hub.wait(call, on: live, for: condition, session, span: span) }
  }

  private func list(_ session: Session, _ parameters: Parameters) throws(RPCError) -> Reply {
    let isAll = parameters["all"]?.bool == true
    if isAll { try session.caller.requireAdministrator() }
    let isShared = parameters["shared"]?.bool == true
    checkouts.nextReplyTellsOfMany(session)
    var states: [String]?
    if let view = parameters["states"] { states = view.elements.compactMap(\.string) }
    let user = session.caller.userID
    let source = isAll || isShared ? checkouts.all : checkouts.all(of: user)
    let after = try cursor(parameters["cursor"])
    let limit = Int(parameters["limit"]?.integer ?? 100)
    var page = ResultPage(for: session.output)
    var next: UInt64?
    var last = after
    for live in source[source.firstPlace(after: after)...] {
      let access =
        isAll || live.owner == user ? .own : session.caller.sharedAccess(to: live)
      guard let access, states?.contains(live.checkout.state.rawValue) ?? true else { continue }
      let snapshot = live.checkout.shortSnapshot(wallOffset: checkouts.wallOffset)
      guard page.count < limit, page.add(access == .observe ? Redaction.redact(snapshot) : snapshot)
      else {
        next = last
        break
      }
      last = live.ordinal
    }
    return .written { [page, next] in page.write("checkouts", next: next, to: $0) }
  }

  private func cursor(_ view: JSONView?) throws(RPCError) -> UInt64 {
    guard let text = view?.string else { return 0 }
    guard let ordinal = UInt64(text), String(ordinal) == text else {
      throw .invalidParams(path: "/params/cursor", description: "is not a page's next")
    }
    return ordinal
  }
}
