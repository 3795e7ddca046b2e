import Checkout
import CheckoutProtocol
import CheckoutStore
import JSON
import JSONRPC
import ValueTree

/// Who hears of what happens to checkouts: subscriptions, the events of the past that some are being
/// sent, and the calls that wait for something.
final class EventHub {
  private let outbound: Outbound
  private let turn: Turn
  private let limits: CurrentLimits
  private let alarms: Alarms<UInt64>
  private let reader: EventReader
  private let writer = EventWriter()
  /// How many subscriptions there are to all of one user's own checkouts.
  private var ownCount = 0
  /// Subscriptions to checkouts of others too.
  private var others = Roster<WideSubscription>()
  private let listings: Listings
  private let replaying = UncheckedList<Subscription>()
  private var waits: [UInt64: Wait] = [:]
  private var waitCount: UInt64 = 0
  /// What calls that would wait are refused with, once the daemon stops.
  private var refusal: RPCError?

  init(
    _ outbound: Outbound, _ turn: Turn, _ reader: EventReader, _ limits: CurrentLimits,
    _ schedule: Schedule
  ) {
    self.outbound = outbound
    self.turn = turn
    self.reader = reader
    self.limits = limits
    listings = Listings(outbound, turn, reader)
    alarms = Alarms(in: schedule, holdsDaemon: true)
    alarms.whenDue { [unowned self] number in
      if let wait = waits[number] { finish(wait) }
    }
  }

  // MARK: Publishing

  /// Sends an event to whoever wants it.
  ///
  /// It is written once, and only if somebody listens.
  func publish(_ record: EventRecord, of live: LiveCheckout) {
    let bit = record.event.kind.bit
    var lines = Lines(record: record, live: live)
    for subscription in live.subscriptions
    where !subscription.isReplaying && subscription.filter.contains(bit) {
      offer(&lines, to: subscription.session, isRedacted: subscription.isRedacted)
    }
    for subscription in live.user.subscriptions where subscription.wants(bit) {
      guard subscription.session.subscription(to: live.id) == nil else { continue }
      offer(&lines, to: subscription.session, isRedacted: false)
    }
    for subscription in others.all where subscription.wants(bit) {
      guard subscription.session.subscription(to: live.id) == nil,
        let access = subscription.access(to: live)
      else { continue }
      offer(&lines, to: subscription.session, isRedacted: access == .observe)
    }
    for wait in live.waits where wait.isMet(by: record.event.kind) {
      setProgress(.event(record.event.kind.rawValue), of: wait)
    }
  }

  /// Where an event stands in the arena, as far as it was written.
  private struct Lines {
    let record: EventRecord
    let live: LiveCheckout
    var plain: EventWriter.Written?
    var redacted: EventWriter.Written?
  }

  private func offer(_ lines: inout Lines, to session: Session, isRedacted: Bool) {
    let known = isRedacted ? lines.redacted : lines.plain
    let line = known ?? write(lines.record, of: lines.live, isRedacted: isRedacted)
    if isRedacted { lines.redacted = line } else { lines.plain = line }
    session.output.offer(line, of: lines.live.id, seq: lines.record.seq)
  }

  private func write(
    _ record: EventRecord, of live: LiveCheckout, isRedacted: Bool
  ) -> EventWriter.Written {
    let line = writer.write(
      record, of: live, isRedacted: isRedacted, as: .notification, to: outbound.output)
    outbound.noteEvent(line.range.lowerBound)
    return line
  }

  // MARK: Subscriptions

  /// Subscribes a client to one checkout, after the event of that number or from now on, in place of a
  /// subscription it had.
  func subscribe(
    _ session: Session, to live: LiveCheckout, _ filter: EventFilter, isRedacted: Bool,
    after: Int64?
  ) -> Subscription {
    let old = session.subscription(to: live.id)
    if let old { remove(old) }
    let idCount = session.subscriptionIDCount
    let subscription = Subscription(
      id: session.nextSubscriptionID(), session: session, live: live, filter: filter,
      isRedacted: isRedacted, after: after, turn: outbound.turn)
    add(subscription)
    // What is sent again was not lost: told after the reply, the client would take it as gone.
    let losses = after == nil ? nil : session.output.forgetLosses(of: live.id)
    undoIfItDepends(session, idCount) { [unowned self] in
      remove(subscription)
      if let old { restore(old, of: session) }
      if let losses { session.output.noteLosses(losses) }
    }
    return subscription
  }

  /// Subscribes a client to many checkouts, in place of such a subscription it had.
  func subscribe(
    _ session: Session, _ filter: EventFilter, _ reach: WideSubscription.Reach
  ) -> WideSubscription {
    let old = session.wide
    if let old { remove(old) }
    let idCount = session.subscriptionIDCount
    let subscription = WideSubscription(
      id: session.nextSubscriptionID(), session: session, filter: filter, reach: reach,
      turn: outbound.turn)
    add(subscription)
    undoIfItDepends(session, idCount) { [unowned self] in
      remove(subscription)
      if let old { restore(old, of: session) }
    }
    return subscription
  }

  /// What a call has begun is taken back with its reply, and with it the ids that were given.
  private func undoIfItDepends(
    _ session: Session, _ idCount: Int, _ body: @escaping () -> Void
  ) {
    guard session.output.dependsOnTurn else { return }
    turn.undo {
      body()
      session.setSubscriptionIDCount(idCount)
    }
  }

  /// Ends the subscription of that id.
  ///
  /// - Returns: Whether there is one.
  func unsubscribe(_ session: Session, _ id: String) -> Bool {
    if let narrow = session.subscription(named: id) {
      remove(narrow)
      undoIfNew(narrow.turn, session) { [unowned self] in restore(narrow, of: session) }
      return true
    }
    guard let wide = session.wide, wide.id == id else { return false }
    remove(wide)
    undoIfNew(wide.turn, session) { [unowned self] in restore(wide, of: session) }
    return true
  }

  /// A subscription that this turn has begun may be taken back, and with it whatever followed.
  private func undoIfNew(_ number: UInt64, _ session: Session, _ body: @escaping () -> Void) {
    guard number == outbound.turn else { return }
    session.output.nextReplyDependsOnTurn()
    turn.undo(body)
  }

  /// Gives a subscription back, unless the client has gone meanwhile.
  private func restore(_ subscription: Subscription, of session: Session) {
    guard session.output.acceptsReplies else { return }
    // It was only to be passed over, and may still be there.
    replaying.replaceAll(replaying.all.filter { $0 !== subscription })
    add(subscription)
  }

  private func restore(_ subscription: WideSubscription, of session: Session) {
    if session.output.acceptsReplies { add(subscription) }
  }

  /// Goes on with the subscriptions of a client that an earlier run of the daemon has left.
  func resume(_ subscription: Subscription) { add(subscription) }

  /// Goes on with the subscriptions of a client that an earlier run of the daemon has left.
  func resume(_ subscription: WideSubscription) { add(subscription) }

  private func add(_ subscription: Subscription) {
    subscription.session.set(subscription, to: subscription.live.id)
    subscription.live.add(subscription)
    subscription.setActive(true)
    if subscription.isReplaying { replaying.append(subscription) }
  }

  private func remove(_ subscription: Subscription) {
    let (session, live) = (subscription.session, subscription.live)
    if session.subscription(to: live.id) === subscription { session.set(nil, to: live.id) }
    live.remove(subscription)
    subscription.setActive(false)
  }

  private func add(_ subscription: WideSubscription) {
    subscription.session.set(subscription)
    if subscription.reach == .own {
      ownCount += 1
      subscription.session.user.add(subscription)
    } else {
      others.insert(subscription)
    }
  }

  private func remove(_ subscription: WideSubscription) {
    let session = subscription.session
    if session.wide === subscription { session.set(nil) }
    if subscription.isListing { listings.cut(subscription) }
    if subscription.reach != .own {
      others.remove(subscription)
    } else if session.user.remove(subscription) {
      ownCount -= 1
    }
  }

  /// How many clients, of one user or of all, have subscribed to many checkouts.
  func wideCount(of user: User?) -> Int {
    guard let user else { return ownCount + others.count }
    return user.subscriptions.count + others.all.count { $0.session.user === user }
  }

  /// Ends the subscriptions of those whom a checkout is no longer shared with, and hides or shows
  /// secrets to the others as their role now says.
  func revise(_ live: LiveCheckout) {
    for subscription in live.subscriptions {
      guard let access = subscription.session.caller.access(to: live) else {
        let session = subscription.session
        remove(subscription)
        turn.undo { [unowned self] in restore(subscription, of: session) }
        continue
      }
      let before = subscription.isRedacted
      guard before != (access == .observe) else { continue }
      subscription.setRedacted(!before)
      turn.undo { subscription.setRedacted(before) }
    }
  }

  /// Lets go of everything that is only for a client.
  func leave(_ session: Session) {
    for subscription in session.subscriptions { remove(subscription) }
    if let wide = session.wide { remove(wide) }
    for wait in session.waiting { release(wait) }
  }

  // MARK: Listings

  /// Answers the subscription to many checkouts with their snapshots, over as many turns as that takes.
  func list(_ call: consuming PendingCall, for subscription: WideSubscription) {
    listings.begin(call, for: subscription)
  }

  /// Whether snapshots are being made.
  var isListing: Bool { listings.isUnderWay }

  /// Makes some more of them; what is told has been committed.
  ///
  /// - Parameter source: The checkouts that a subscription may reach.
  func goOnListing(in source: (WideSubscription) -> [LiveCheckout]) { listings.goOn(in: source) }

  /// Lets go of everything that is only about a checkout as it was: calls that wait for it are answered
  /// with an error, those that wait for its start with another if there is one.
  func dropFollowers(
    of live: LiveCheckout, _ error: RPCError, startError: RPCError? = nil
  ) {
    for subscription in live.subscriptions {
      if let last = subscription.replayedTo { tellGone(live.writtenSeq, after: last, subscription) }
      remove(subscription)
    }
    for wait in live.waits {
      if case .start = wait.condition {
        fail(wait, startError ?? error)
      } else {
        fail(wait, error)
      }
    }
  }

  // MARK: The past

  /// Sends stored events to those who asked for them, as far as each has room, until they have
  /// caught up and hear of events as they happen.
  func replay() {
    guard !replaying.isEmpty else { return }
    var left = Self.replayCount
    var served = 0
    let all = replaying.all
    while served < all.count, left > 0 {
      left -= sendStored(to: all[served])
      served += 1
    }
    // Whoever had something comes last in the next turn.
    replaying.replaceAll((all[served...] + all[..<served]).filter(\.isReplaying))
  }

  /// Whether there is room for more of them; of those whose client has gone since, nothing is left.
  var canReplay: Bool {
    replaying.all.contains { $0.isReplaying && $0.session.output.hasRoomForReplay }
  }

  /// How many stored events all subscriptions together are sent in a turn, as about so many.
  private static let replayCount = 4000

  /// Sends stored events, ``EventReader/walkCount`` at most.
  ///
  /// - Returns: How many were looked at.
  private func sendStored(to subscription: Subscription) -> Int {
    guard subscription.isReplaying, let from = subscription.replayedTo else { return 0 }
    let output = subscription.session.output
    let arena = outbound.output
    var last = from
    var isComplete = true
    var walked = 0
    do throws(RPCError) {
      try reader.forEach(of: subscription.live, after: from) { record in
        guard walked < EventReader.walkCount, output.hasRoomForReplay else {
          isComplete = false
          return false
        }
        walked += 1
        // Only events of components are dropped before the checkout is.
        if subscription.filter.wantsComponents {
          tellGone(record.seq - 1, after: last, subscription)
        }
        last = record.seq
        guard subscription.filter.contains(record.event.kind) else { return true }
        let line = writer.write(
          record, of: subscription.live, isRedacted: subscription.isRedacted, as: .notification,
          to: arena)
        output.replay(line, of: subscription.live.id, seq: record.seq)
        return true
      }
    } catch {
      output.closeSaying(error)
      return walked
    }
    if isComplete { tellGone(subscription.live.writtenSeq, after: last, subscription) }
    subscription.setReplayed(to: isComplete ? nil : last)
    return walked
  }

  /// Tells, in the place of events that are kept no longer, that they are lost.
  private func tellGone(_ seq: Int64, after last: Int64, _ subscription: Subscription) {
    guard seq > last else { return }
    subscription.session.output.tell(
      ConnectionState.Lost(checkout: subscription.live.id, seqs: last + 1...seq))
  }

  /// The highest number of an event that is kept no longer.
  func trimmedTo(_ live: LiveCheckout) -> Int64? { reader.trimmedTo(live) }

  /// Whether an event of those kinds is kept after a number.
  func hasNews(
    of live: LiveCheckout, after: Int64, _ filter: EventFilter
  ) throws(RPCError) -> Bool {
    try reader.hasNews(of: live, after: after, filter)
  }

  /// The result of `events.read`, which stays until the next one is asked for.
  func read(
    of live: LiveCheckout, after: Int64, _ filter: EventFilter, limit: Int, isRedacted: Bool,
    for client: ConnectionOutput
  ) throws(RPCError) -> JSONOutput {
    try reader.page(
      of: live, after: after, filter: filter, limit: limit, isRedacted: isRedacted, for: client)
  }

  // MARK: Waits

  /// Refuses a call that begins what the daemon would have to wait for, once it stops.
  func checkStopping() throws(RPCError) {
    if let refusal { throw refusal }
  }

  /// Refuses a call that would wait when too many do: a cancellation must always get through.
  func checkWaiting(_ session: Session) throws(RPCError) {
    try checkStopping()
    let limit = limits.value.waiting
    guard session.waitingCount < limit else {
      throw .quotaExceeded("waiting", limit, used: session.waitingCount)
    }
  }

  /// Lets a call wait, for that span at most; one that has nothing to wait for is answered at once.
  func wait(
    _ call: consuming PendingCall, on live: LiveCheckout, for condition: Wait.Condition,
    _ session: Session, span: Milliseconds? = nil
  ) {
    waitCount += 1
    let wait = Wait(
      number: waitCount, call: call, session: session, live: live, condition: condition)
    guard !wait.isOver, span != 0 else { return answer(wait) }
    waits[wait.number] = wait
    live.add(wait)
    session.add(wait)
    if let span { alarms.set(wait.number, after: span) }
    guard session.output.dependsOnTurn else { return }
    session.output.beginCall()
    turn.undo { [unowned self] in
      if waits[wait.number] != nil { fail(wait, RPCError(.storeFailed)) }
    }
  }

  /// Takes note of what an operation came to; who waits for it is answered after the commit.
  func settle(
    _ awaited: Awaited, _ result: Result<Value, CheckoutError>, of live: LiveCheckout
  ) {
    for wait in live.waits {
      if case .operation(awaited) = wait.condition { setProgress(.result(result), of: wait) }
    }
  }

  private func setProgress(_ progress: Wait.Progress, of wait: Wait) {
    let before = wait.progress
    wait.setProgress(progress)
    turn.undo { wait.setProgress(before) }
  }

  /// Answers the waits that the state of a checkout ends.
  func settleWaits(on live: LiveCheckout) {
    for wait in live.waits {
      if wait.session.caller.access(to: live) == nil {
        fail(wait, RPCError(CheckoutError(.unknownCheckout)))
      } else if wait.isOver {
        finish(wait)
      }
    }
  }

  /// Answers every call that waits, and from now on those that would: the daemon stops.
  func refuseWaits(_ error: RPCError) {
    refusal = error
    for wait in Array(waits.values) { fail(wait, error) }
    for subscription in listings.refuse(error) { remove(subscription) }
  }

  private func finish(_ wait: Wait) {
    release(wait)
    answer(wait)
  }

  private func answer(_ wait: Wait) {
    guard let call = wait.takeCall() else { return }
    let live = wait.live
    let access = wait.session.caller.access(to: live) ?? .observe
    func snapshot() -> Value { live.snapshot(for: access, wallOffset: turn.wallOffset) }
    switch (wait.condition, wait.progress) {
    case (_, .result(.success(let value))): call.succeed(value)
    case (_, .result(.failure(let error))): call.fail(RPCError(error))
    case (.start, _): call.succeed(snapshot().adding("repeats", live.start.repeats))
    case (.operation, _): call.succeed(snapshot())
    case (.state, _): call.succeed(["snapshot": snapshot(), "matched": Value(wait.match)])
    case (.event(let after, let filter, let limit), _):
      do throws(RPCError) {
        let page = try read(
          of: live, after: after, filter, limit: limit, isRedacted: access == .observe,
          for: wait.session.output)
        call.succeed { $0.append(contentsOf: page) }
      } catch {
        call.fail(error)
      }
    }
  }

  private func fail(_ wait: Wait, _ error: RPCError) {
    release(wait)
    wait.takeCall()?.fail(error)
  }

  /// Forgets a wait.
  private func release(_ wait: Wait) {
    waits[wait.number] = nil
    wait.live.remove(wait)
    wait.session.remove(wait)
    alarms.clear(wait.number)
  }
}
