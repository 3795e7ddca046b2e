import Checkout
import CheckoutProtocol
import CheckoutStore
import JSON
import JSONRPC
import LinuxSystem
import ValueTree

extension Server {
  /// Numbers an event, keeps it and sends it to whoever wants it.
  func publish(_ event: Event, of live: LiveCheckout) {
    live.writtenSeq += 1
    counters.eventsPublished += 1
    let seq = live.writtenSeq
    let output = outbound.output
    let start = output.count
    write(event, seq: seq, of: live, to: output)
    let range = start..<output.count
    unsafe output.withUnsafeBytes { arena in
      unsafe store.append(
        UnsafeRawBufferPointer(rebasing: arena[range]), seq: seq, kind: event.kind, to: live.id)
    }
    var redacted: Range<Int>?
    for subscription in live.subscriptions
    where !subscription.isReplaying && subscription.filter.contains(event.kind) {
      let shown = subscription.isRedacted ? redact(range, &redacted) : range
      subscription.connection.deliver(shown, of: live.id, seq: seq)
    }
    for subscription in wideSubscriptions where subscription.filter.contains(event.kind) {
      guard subscription.connection.subscriptions[live.id] == nil,
        let access = subscription.access(to: live.checkout)
      else { continue }
      let shown = access == .observe ? redact(range, &redacted) : range
      subscription.connection.deliver(shown, of: live.id, seq: seq)
    }
    for wait in live.waits { note(event.kind, for: wait) }
  }

  private func write(
    _ event: Event, seq: Int64, of live: LiveCheckout, to output: JSONOutput
  ) {
    output.append(#"{"jsonrpc":"2.0","method":""#)
    output.append(event.kind.name)
    output.append(#"","params":{"checkoutId":"#)
    output.append(string: live.idText)
    output.append(#","seq":"#)
    output.append(seq)
    output.append(#","time":"#)
    output.append(string: Timestamp(Clock.wallMilliseconds()).text)
    if let component = event.component {
      output.append(#","componentId":"#)
      output.append(string: ComponentID(checkout: live.id, index: component).text)
    }
    for member in event.members {
      output.append(byte: UInt8(ascii: ","))
      output.append(string: member.name)
      output.append(byte: UInt8(ascii: ":"))
      output.append(value: member.value)
    }
    output.append("}}")
    output.appendLineFeed()
  }

  /// The redacted form of a line in the arena, written once and only if somebody needs it.
  private func redact(_ range: Range<Int>, _ known: inout Range<Int>?) -> Range<Int> {
    if let known { return known }
    let output = outbound.output
    let line = unsafe output.withUnsafeBytes { unsafe Array($0[range]) }
    let start = output.count
    unsafe line.withUnsafeBytes { unsafe writeRedacted($0, to: output, asNotification: true) }
    let redacted = start..<output.count
    known = redacted
    return redacted
  }

  /// Writes an event's line again, without secrets and collected data.
  func writeRedacted(
    _ line: UnsafeRawBufferPointer, to output: JSONOutput, asNotification: Bool
  ) {
    guard let value = try? unsafe eventReader.value(of: line) else {
      preconditionFailure("an event of our own is not JSON")
    }
    if asNotification { output.append(#"{"jsonrpc":"2.0","method":"#) } else {
      output.append(#"{"method":"#)
    }
    output.append(value: value["method"] ?? .null)
    output.append(#","params":"#)
    output.append(value: Redaction.redact(value["params"] ?? .null))
    output.append("}")
    if asNotification { output.appendLineFeed() }
  }

  // MARK: Subscriptions

  /// Takes a subscription off its checkout.
  func end(_ subscription: Subscription) {
    subscription.live.subscriptions.removeAll { $0 === subscription }
    forget(subscription)
  }

  /// Stops sending what a subscription has not been sent yet.
  func forget(_ subscription: Subscription) {
    replaying.removeAll { $0 === subscription }
  }

  func endWideSubscription(of connection: Connection) {
    guard let wide = connection.wideSubscription else { return }
    wideSubscriptions.removeAll { $0 === wide }
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
    let output = outbound.output
    var last = from
    var isComplete = true
    store.readEvents(of: subscription.live.id, after: from) { event in
      guard connection.hasRoomForReplay else {
        isComplete = false
        return false
      }
      last = event.seq
      guard subscription.filter.contains(event.kind) else { return true }
      let start = output.count
      if subscription.isRedacted {
        unsafe writeRedacted(event.line, to: output, asNotification: true)
      } else {
        unsafe output.append(bytes: event.line)
      }
      connection.append(start..<output.count)
      return true
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
    }
  }

  /// Answers the waits that the state of a checkout ends, once a whole input has been handled.
  func settleWaits(on live: LiveCheckout) {
    guard !live.waits.isEmpty else { return }
    for wait in live.waits {
      if let matched = match(of: wait) {
        finish(wait, matched: matched)
      } else if wait.isFulfilled || live.checkout.isEnded {
        finish(wait, matched: nil)
      }
    }
  }

  /// What of a wait's condition the checkout fulfils as it is.
  func match(of wait: Wait) -> String? {
    guard case .state(let isTerminal, let isAwaiting, _) = wait.condition else { return nil }
    if let matched = wait.matched { return matched }
    if isTerminal && wait.live.checkout.isEnded { return "terminal" }
    if isAwaiting && !wait.live.checkout.awaiting.isEmpty { return "awaiting" }
    return nil
  }

  /// Answers a wait.
  func finish(_ wait: Wait, matched: String?) {
    release(wait)
    let access = wait.connection.caller.access(to: wait.live.checkout) ?? .observe
    switch wait.condition {
    case .state:
      var snapshot = wait.live.checkout.snapshot
      if access == .observe { snapshot = Redaction.redact(snapshot) }
      wait.call.succeed(["snapshot": snapshot, "matched": Value(matched)])
    case .event(let after, let filter, let limit):
      wait.call.succeed { output in
        writeEvents(
          of: wait.live, after: after, filter: filter, limit: limit,
          isRedacted: access == .observe, to: output)
      }
    }
  }

  /// Answers a wait with an error.
  func fail(_ wait: Wait, _ error: RPCError) {
    release(wait)
    wait.call.fail(error)
  }

  private func release(_ wait: Wait) {
    wait.connection.waits.removeAll { $0 === wait }
    drop(wait)
  }

  /// Forgets a wait.
  func drop(_ wait: Wait) {
    wait.live.waits.removeAll { $0 === wait }
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
    store.readEvents(of: live.id, after: after) { event in
      guard filter.contains(event.kind) else {
        next = event.seq
        return true
      }
      guard count < limit, output.count - start + event.byteCount < room else { return false }
      if count > 0 { output.append(byte: UInt8(ascii: ",")) }
      if isRedacted {
        unsafe writeRedacted(event.line, to: output, asNotification: false)
      } else {
        // The line without its version and line feed.
        output.append(byte: UInt8(ascii: "{"))
        unsafe output.append(
          bytes: UnsafeRawBufferPointer(rebasing: event.line.dropFirst(17).dropLast()))
      }
      next = event.seq
      count += 1
      return true
    }
    output.append(#"],"next":"#)
    output.append(next)
    output.append(#","ended":"#)
    output.append(live.checkout.isEnded && next >= live.checkout.seq)
    if let trimmed = store.trimmedTo(live.id) {
      output.append(#","trimmedTo":"#)
      output.append(trimmed)
    }
    output.append("}")
  }
}
