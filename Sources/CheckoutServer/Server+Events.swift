import Checkout
import CheckoutProtocol
import CheckoutStore
import CheckoutStore
import JSON
import JSONRPC
import LinuxSystem
import Systemd
import ValueTree

extension Server {
  /// Numbers an event, keeps it and sends it to whoever wants it.
  ///
  /// It is written once, and only if somebody listens.
  func publish(_ event: Event, of live: LiveCheckout, at time: WallTime) {
    live.writtenSeq += 1
    counters.eventsPublished += 1
    let record = EventRecord(seq: live.writtenSeq, time: time, event: event)
    store.publish(record, to: log(of: live))
    var plain: Range<Int>?
    var redacted: Range<Int>?
    func line(isRedacted: Bool) -> Range<Int> {
      if let known = isRedacted ? redacted : plain { return known }
      let start = outbound.output.count
      write(record, of: live, isRedacted: isRedacted, asNotification: true, to: outbound.output)
      let range = start..<outbound.output.count
      outbound.noteEvent(start)
      if isRedacted { redacted = range } else { plain = range }
      return range
    }
    let bit = event.kind.bit
    for subscription in live.subscriptions
    where !subscription.isReplaying && subscription.filter.contains(bit) {
      subscription.connection.deliver(
        line(isRedacted: subscription.isRedacted), of: live.id, seq: record.seq)
    }
    for subscription in wideSubscriptions where subscription.filter.contains(bit) {
      guard subscription.connection.subscriptions[live.id] == nil,
        let access = subscription.access(to: live)
      else { continue }
      subscription.connection.deliver(
        line(isRedacted: access == .observe), of: live.id, seq: record.seq)
    }
    for wait in live.waits { note(event.kind, for: wait) }
  }

  /// The text of a time; many events have that of the one before.
  private func timestampText(_ time: WallTime) -> String {
    if time != lastTimestamp.time { lastTimestamp = (time, Timestamp(time).text) }
    return lastTimestamp.text
  }

  /// Writes an event as a notification's line, or as an element of `events.read`.
  private func write(
    _ record: EventRecord, of live: LiveCheckout, isRedacted: Bool, asNotification: Bool,
    to output: JSONOutput
  ) {
    let event = record.event
    output.append(asNotification ? #"{"jsonrpc":"2.0","method":""# : #"{"method":""#)
    output.append(event.kind.name)
    output.append(#"","params":{"checkoutId":"#)
    output.append(plain: live.idText)
    output.append(#","seq":"#)
    output.append(record.seq)
    output.append(#","time":"#)
    output.append(plain: timestampText(record.time))
    if let component = event.component {
      output.append(#","componentId":"#)
      output.append(plain: live.componentText(component))
    }
    for member in isRedacted ? Redaction.redact(event.members) : event.members {
      output.append(byte: UInt8(ascii: ","))
      output.append(string: member.name)
      output.append(byte: UInt8(ascii: ":"))
      output.append(value: member.value)
    }
    output.append("}}")
    if asNotification { output.appendLineFeed() }
  }

  /// Hands out kept events; what cannot be read is told of in the journal.
  ///
  /// - Returns: Whether they could be read.
  func readEvents(
    of live: LiveCheckout, after seq: Int64, _ body: (EventRecord) -> Bool
  ) -> Bool {
    do throws(StoreError) {
      try store.readEvents(of: live.id, after: seq, body)
      return true
    } catch {
      log.error("\(error)", id: MessageID.storeFailed, fields: [("CHECKOUT_ID", live.idText)])
      return false
    }
  }

  // MARK: Subscriptions

  /// Takes a subscription off its checkout.
  func end(_ subscription: Subscription) {
    let live = subscription.live
    live.subscriptions = live.subscriptions.filter { $0 !== subscription }
    forget(subscription)
  }

  /// Stops sending what a subscription has not been sent yet.
  func forget(_ subscription: Subscription) {
    replaying.removeAll { $0 === subscription }
  }

  func endWideSubscription(of connection: Connection) {
    guard let wide = connection.wideSubscription else { return }
    wideSubscriptions = wideSubscriptions.filter { $0 !== wide }
    connection.wideSubscription = nil
  }

  /// Sends stored events to those who asked for them, as far as each has room, until they have
  /// caught up and hear of events as they happen.
  func replay() {
    guard !replaying.isEmpty else { return }
    var still: [Subscription] = []
    for subscription in replaying {
      sendStored(to: subscription)
      if subscription.isReplaying { still.append(subscription) }
    }
    replaying = still
  }

  private func sendStored(to subscription: Subscription) {
    guard let from = subscription.replayedTo else { return }
    let connection = subscription.connection
    var last = from
    var isComplete = true
    let isRead = readEvents(of: subscription.live, after: from) { record in
      guard connection.hasRoomForReplay else {
        isComplete = false
        return false
      }
      last = record.seq
      guard subscription.filter.contains(record.event.kind) else { return true }
      let start = outbound.output.count
      write(
        record, of: subscription.live, isRedacted: subscription.isRedacted, asNotification: true,
        to: outbound.output)
      connection.append(start..<outbound.output.count)
      return true
    }
    guard isRead else {
      // Events that cannot be read must not look as if they had not happened.
      return connection.closeSaying(RPCError(.storeFailed))
    }
    subscription.replayedTo = isComplete ? nil : last
  }

  // MARK: Waits

  /// Takes note of an event that a wait is for; it is answered once the whole input has been handled,
  /// so that the answer tells of everything that happened with it.
  private func note(_ kind: EventKind, for wait: Wait) {
    switch wait.condition {
    case .event(_, let filter, _): if filter.contains(kind) { wait.isFulfilled = true }
    case .state(_, _, let names):
      if wait.matched == nil, names.contains(kind.rawValue) { wait.matched = kind.rawValue }
    case .start, .operation: break
    }
  }

  /// Answers the waits that the state of a checkout ends, once a whole input has been handled.
  func settleWaits(on live: LiveCheckout) {
    for wait in live.waits where isOver(wait) { finish(wait) }
  }

  /// Whether there is nothing left to wait for.
  func isOver(_ wait: Wait) -> Bool {
    guard wait.result == nil else { return true }
    switch wait.condition {
    case .start: return !wait.live.checkout.isStarting
    case .operation: return false
    case .state: return match(of: wait) != nil || wait.live.checkout.isEnded
    case .event: return wait.isFulfilled || wait.live.checkout.isEnded
    }
  }

  /// What of a wait's condition the checkout fulfils as it is.
  private func match(of wait: Wait) -> String? {
    guard case .state(let isTerminal, let isAwaiting, _) = wait.condition else { return nil }
    if let matched = wait.matched { return matched }
    if isTerminal && wait.live.checkout.isEnded { return "terminal" }
    if isAwaiting && !wait.live.checkout.awaiting.isEmpty { return "awaiting" }
    return nil
  }

  /// Answers a wait.
  func finish(_ wait: Wait) {
    release(wait)
    guard let call = wait.takeCall() else { return }
    switch wait.result {
    case .success(let value): return call.succeed(value)
    case .failure(let error): return call.fail(RPCError(error))
    case nil: break
    }
    let access = wait.connection.caller.access(to: wait.live) ?? .observe
    switch wait.condition {
    case .start, .operation: call.succeed(snapshot(of: wait.live, for: access))
    case .state:
      call.succeed([
        "snapshot": snapshot(of: wait.live, for: access), "matched": Value(match(of: wait)),
      ])
    case .event(let after, let filter, let limit):
      call.succeed { output in
        writeEvents(
          of: wait.live, after: after, filter: filter, limit: limit,
          isRedacted: access == .observe, to: output)
      }
    }
  }

  private func snapshot(of live: LiveCheckout, for access: Access) -> Value {
    let snapshot = live.checkout.snapshot
    return access == .observe ? Redaction.redact(snapshot) : snapshot
  }

  /// Answers a wait with an error.
  func fail(_ wait: Wait, _ error: RPCError) {
    release(wait)
    wait.takeCall()?.fail(error)
  }

  private func release(_ wait: Wait) {
    wait.connection.waits = wait.connection.waits.filter { $0 !== wait }
    drop(wait)
  }

  /// Forgets a wait.
  func drop(_ wait: Wait) {
    wait.live.waits = wait.live.waits.filter { $0 !== wait }
    waits[wait.number] = nil
    timers.clear(.wait(wait.number))
    wait.connection.waitingCount -= 1
  }

  /// Writes the result of `events.read`; as much as a line holds.
  func writeEvents(
    of live: LiveCheckout, after: Int64, filter: EventFilter, limit: Int, isRedacted: Bool,
    to output: JSONOutput
  ) {
    let room = limits.lineOut - 4096
    let start = output.count
    var next = after
    var count = 0
    output.append(#"{"events":["#)
    _ = readEvents(of: live, after: after) { record in
      guard filter.contains(record.event.kind) else {
        next = record.seq
        return true
      }
      guard count < limit else { return false }
      let end = output.count
      if count > 0 { output.append(byte: UInt8(ascii: ",")) }
      write(record, of: live, isRedacted: isRedacted, asNotification: false, to: output)
      guard output.count - start < room || count == 0 else {
        output.truncate(to: end)
        return false
      }
      next = record.seq
      count += 1
      return true
    }
    output.append(#"],"next":"#)
    output.append(next)
    output.append(#","ended":"#)
    output.append(live.checkout.isEnded && (next >= live.checkout.seq || count == 0))
    if let trimmed = store.trimmedTo(live.id) {
      output.append(#","trimmedTo":"#)
      output.append(trimmed)
    }
    output.append("}")
  }
}
