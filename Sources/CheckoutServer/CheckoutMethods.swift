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

  var handlers: [Handler] {
    [
      Handler(Methods.start, start),
      Handler(Methods.get, get),
      Handler(Methods.wait, wait),
      Handler(Methods.list, list),
      Handler(Methods.cancel) { session, call throws(RPCError) in
        try run(.cancel(reason: call.reason), on: call.checkout, atLeast: .drive, session)
      },
      Handler(Methods.decide, decide),
      Handler(Methods.share) { session, call throws(RPCError) in
        let (live, _) = try checkouts.find(call.checkout, for: session, atLeast: .own)
        try checkouts.requireRoom(for: call.share, of: live)
        return try checkouts.answer(.share(call.share), on: live, by: session, hub)
      },
      Handler(Methods.unshare) { session, call throws(RPCError) in
        try run(.unshare(call.subject), on: call.checkout, atLeast: .own, session)
      },
    ]
  }

  private func run(
    _ command: Command, on checkout: CheckoutReference, atLeast needed: Access, _ session: Session
  ) throws(RPCError) -> Reply {
    let (live, _) = try checkouts.find(checkout, for: session, atLeast: needed)
    return try checkouts.answer(command, on: live, by: session, hub)
  }

  // MARK: Start

  private func start(_ session: Session, _ asked: StartCheckout) throws(RPCError) -> Reply {
    try hub.checkWaiting(session)
    let fingerprints = Fingerprints(
      [asked.clientToken] + asked.texts + [asked.allowsRepeat ? "allowRepeat" : nil])
    if let key = asked.key,
      let live = try checkouts.started(by: session, key: key, as: fingerprints)
    {
      return .later { call in hub.wait(call, on: live, for: .start, session) }
    }
    try checkouts.requireRoom(for: session)
    try checkouts.requireRoom(for: asked.shares, of: session.user)
    let token = try read(asked.clientToken, for: \.configurationURL)
    let live = try checkouts.start(
      Checkouts.Start(
        token: token, settings: asked.settings, shares: asked.shares,
        record: StartRecord(
          key: asked.key, fingerprint: fingerprints.current,
          tokenFingerprint: Fingerprints(accessToken: token.accessToken).current,
          allowsRepeat: asked.allowsRepeat)), by: session)
    return .later { call in hub.wait(call, on: live, for: .start, session) }
  }

  /// Reads a client token, which must have that field, if one is named.
  private func read(
    _ encoded: String, for field: KeyPath<ClientToken, String?>? = nil
  ) throws(RPCError) -> ClientToken {
    do throws(ClientTokenProblem) {
      let token = try tokenReader.read(encoded, now: clock.wall)
      if let field, token[keyPath: field] == nil {
        throw ClientTokenProblem.missing(field: "configurationUrl")
      }
      return token
    } catch {
      throw RPCError(CheckoutError(error, path: "/clientToken"))
    }
  }

  // MARK: Decisions

  private func decide(_ session: Session, _ call: DecideCheckout) throws(RPCError) -> Reply {
    let (live, _) = try checkouts.find(call.checkout, for: session, atLeast: .drive)
    let decision = try read(call.answer)
    if case .continue(let key?) = decision, checkouts.isTaken(key: key, besides: live) {
      throw RPCError(CheckoutError(.idempotencyKeyReused, path: "/paymentIdempotencyKey"))
    }
    return try checkouts.answer(
      .decide(id: call.decisionID, decision), on: live, by: session, hub)
  }

  private func read(_ answer: DecideCheckout.Answer) throws(RPCError) -> Decision {
    switch answer {
    case .goOn(let key):
      guard key.map(isHeaderSafe) ?? true else {
        throw RPCError(
          CheckoutError(
            .invalidValue, detail: "An idempotency key is visible ASCII",
            path: "/paymentIdempotencyKey"))
      }
      return .continue(idempotencyKey: key)
    case .abort(let message, let payment): return .abort(message: message, payment: payment)
    case .complete(let payment): return .complete(payment)
    case .continueWithNewClientToken(let encoded):
      return .continueWithNewClientToken(try read(encoded))
    }
  }

  // MARK: Looking

  private func get(
    _ session: Session, _ checkout: CheckoutReference
  ) throws(RPCError) -> Reply {
    let (live, access) = try checkouts.find(checkout, for: session)
    return .value(live.snapshot(for: access, wallOffset: checkouts.wallOffset))
  }

  private func wait(_ session: Session, _ asked: WaitForCheckout) throws(RPCError) -> Reply {
    let (live, _) = try checkouts.find(asked.checkout, for: session)
    if asked.span > 0 { try hub.checkWaiting(session) }
    let condition = Wait.Condition.state(
      isTerminal: asked.condition.isTerminal, isAwaiting: asked.condition.isAwaiting,
      names: asked.condition.names)
    return .later { call in hub.wait(call, on: live, for: condition, session, span: asked.span) }
  }

  private func list(_ session: Session, _ asked: ListCheckouts) throws(RPCError) -> Reply {
    if asked.isAll { try session.caller.requireAdministrator() }
    checkouts.nextReplyTellsOfMany(session)
    let user = session.caller.userID
    let source = asked.isAll || asked.isShared ? checkouts.all : checkouts.all(of: user)
    let after = asked.page.cursor
    var page = ResultPage(for: session.output)
    var next: UInt64?
    var last = after
    for live in source[source.firstPlace(after: after)...] {
      let access =
        asked.isAll || live.owner == user ? .own : session.caller.sharedAccess(to: live)
      guard let access, asked.states?.contains(live.checkout.state) ?? true else { continue }
      guard page.count < asked.page.limit,
        page.add(live.shortSnapshot(for: access, wallOffset: checkouts.wallOffset))
      else {
        next = last
        break
      }
      last = live.ordinal
    }
    return .written { [page, next] in page.write("checkouts", next: next, to: $0) }
  }
}
