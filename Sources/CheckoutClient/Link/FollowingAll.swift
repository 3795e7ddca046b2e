import JSONRPC
import ValueTree

/// The events of many checkouts from now on, those of each once and in order.
///
/// One subscription brings what happens. For each checkout is known how far its events have been
/// told: where the subscription leaves some out, or there was no connection, that checkout is
/// followed by itself from there on, so that its gap is filled before anything after it is told.
struct FollowingAll: Follower {
  /// What a call was for.
  private enum Question {
    case epoch
    /// The checkouts that there are before anything is told; those that events were missed of.
    case earlier, missed
    case subscription
    case events(of: String, number: Int)
  }

  private struct Single {
    var following: Following
    /// Up to where the daemon has told that there are events.
    var last: Int64
  }

  private let client: String
  private let reach: [Value.Member]
  private var epoch: String?
  private var hasListed = false
  /// The last event of each checkout that was told, or was before.
  private var seqs: [String: Int64] = [:]
  private var singles: [String: Single] = [:]
  private var asked: [Int: Question] = [:]
  private var lastNumber = 0
  private var unsent: [Ask] = []
  private var untold: [Told] = []

  /// - Parameters:
  ///   - reach: Whose checkouts, as `events.subscribe` takes it.
  ///   - client: What the follower is called.
  init(reach: [Value.Member], client: String) {
    self.reach = reach
    self.client = client
  }

  var hasEnded: Bool { false }

  mutating func open() {
    (asked, unsent, singles) = ([:], [], [:])
    ask("system.hello", [.init("client", .string(client))], .epoch)
  }

  mutating func takeAsks() -> [Ask] {
    defer { unsent = [] }
    return unsent
  }

  mutating func takeTold() -> [Told] {
    defer { untold = [] }
    return untold
  }

  mutating func take(_ answer: Result<Value, RPCError>, to number: Int) throws(ClientError) {
    guard let question = asked.removeValue(forKey: number) else { return }
    if case .events(let id, let number) = question {
      return try take(answer, to: number, about: id)
    }
    let result: Value
    do throws(RPCError) { result = try answer.get() } catch { throw .remote(error) }
    switch question {
    case .epoch:
      guard let epoch = result["epoch"]?.string else { throw .missing("epoch") }
      begin(in: epoch)
    case .earlier:
      Self.note(result["checkouts"]) { checkout, seq in seqs[checkout] = seq }
      guard !goOnListing(after: result, .earlier) else { return }
      hasListed = true
      ask("events.subscribe", reach, .subscription)
    case .subscription:
      if result["more"]?.bool == true { return list(.missed) }
      Self.note(result["snapshots"]) { checkout, seq in fill(checkout, upTo: seq) }
    case .missed:
      Self.note(result["checkouts"]) { checkout, seq in fill(checkout, upTo: seq) }
      _ = goOnListing(after: result, .missed)
    case .events: break
    }
  }

  private mutating func begin(in epoch: String) {
    if let known = self.epoch, known != epoch {
      seqs = [:]
      untold.append(.reset)
    }
    self.epoch = epoch
    if hasListed { ask("events.subscribe", reach, .subscription) } else { list(.earlier) }
  }

  mutating func hear(_ event: ClientEvent) {
    guard let id = event.checkoutID else { return untold.append(.event(event)) }
    if singles[id] != nil {
      singles[id]?.following.hear(event)
      return settle(id)
    }
    let known = seqs[id] ?? 0
    if event.method == "events.lost" { return fill(id, upTo: event.params["to"]?.integer ?? 0) }
    guard let seq = event.seq, seq > known else { return }
    guard seq - known == 1 else { return fill(id, upTo: seq) }
    seqs[id] = seq
    untold.append(.event(event))
  }

  // MARK: Gaps

  /// Has the events of a checkout up to one told, unless they have been.
  private mutating func fill(_ id: String, upTo last: Int64) {
    let known = seqs[id] ?? 0
    guard last > known, let epoch else { return }
    if let single = singles[id] {
      singles[id]?.last = max(single.last, last)
      return
    }
    var following = Following(id, after: .init(epoch: epoch, seq: known))
    following.open(in: epoch)
    singles[id] = Single(following: following, last: last)
    settle(id)
  }

  private mutating func take(
    _ answer: Result<Value, RPCError>, to number: Int, about id: String
  ) throws(ClientError) {
    do throws(ClientError) {
      try singles[id]?.following.take(answer, to: number)
      settle(id)
    } catch {
      // It may have been forgotten meanwhile.
      guard error.errorID == "unknown-checkout", let single = singles.removeValue(forKey: id)
      else { throw error }
      let known = single.following.place.seq
      guard single.last > known else { return }
      seqs[id] = single.last
      untold.append(.lost(checkoutID: id, seqs: known + 1...single.last))
    }
  }

  /// Takes what a checkout that is followed by itself has brought, and what it needs.
  private mutating func settle(_ id: String) {
    guard var single = singles[id] else { return }
    untold += single.following.takeTold()
    for wanted in single.following.takeAsks() {
      ask(wanted.method, wanted.params.object ?? [], .events(of: id, number: wanted.number))
    }
    seqs[id] = single.following.place.seq
    singles[id] = single.following.hasEnded ? nil : single
  }

  // MARK: Calls

  private mutating func list(_ question: Question, _ cursor: [Value.Member] = []) {
    ask("checkout.list", reach + [.init("limit", 1000)] + cursor, question)
  }

  /// Asks for the next page, if there is one.
  private mutating func goOnListing(after page: Value, _ question: Question) -> Bool {
    guard let next = page["next"] else { return false }
    list(question, [.init("cursor", next)])
    return true
  }

  private static func note(_ snapshots: Value?, _ body: (String, Int64) -> Void) {
    for snapshot in snapshots?.array ?? [] {
      if let id = snapshot["checkoutId"]?.string, let seq = snapshot["seq"]?.integer {
        body(id, seq)
      }
    }
  }

  private mutating func ask(_ method: String, _ members: [Value.Member], _ question: Question) {
    lastNumber += 1
    asked[lastNumber] = question
    unsent.append(Ask(number: lastNumber, method: method, params: .object(members)))
  }
}
