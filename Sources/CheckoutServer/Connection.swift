import Checkout
import JSON
import JSONRPC
import LinuxSystem
import ValueTree

/// One client: what it has sent, what it is owed, and who it is.
///
/// Confined to the loop's thread.
final class Connection: ReplySink {
  /// Names the connection in the epoll set.
  let number: UInt64
  let descriptor: FileDescriptor
  let caller: Caller
  unowned let server: Server

  /// Lent to nobody while it delivers lines: what happens meanwhile must ask ``isInputStopped``.
  private var framer: LineFramer
  /// Whether lines were left because too much was under way.
  private var isInputStopped = false
  /// What this turn says to it.
  private var list = Outbound.List()
  private var backlog = Backlog()
  private var watched: EpollEvents = .readable
  /// The peer has closed its half: nothing more will come.
  private var hasInputEnded = false
  /// The connection is closed once what waits has been sent.
  private var isClosing = false
  /// The descriptor is out of the set: replies have nowhere to go.
  private(set) var isClosed = false

  /// How many calls wait for something to happen.
  var waitingCount = 0
  /// Whether the client has introduced itself, and so wants to hear of the daemon's own affairs.
  var saidHello = false
  /// What it calls itself.
  var clientName: String?
  /// The subscriptions to one checkout each.
  var subscriptions: [CheckoutID: Subscription] = [:]
  /// The subscription to all of somebody's checkouts.
  var wideSubscription: WideSubscription?
  var subscriptionCount = 0
  /// The calls that wait, so that they end with the connection.
  var waits: [Wait] = []
  /// What was dropped for want of room, by checkout.
  private var lost: [CheckoutID: ClosedRange<Int64>] = [:]
  private(set) var lostCount = 0
  /// Why it was last refused something, as an error id.
  var lastRefusal: String?

  init(_ descriptor: consuming FileDescriptor, number: UInt64, caller: Caller, of server: Server) {
    self.descriptor = descriptor
    self.number = number
    self.caller = caller
    self.server = server
    framer = LineFramer(maximumLineByteCount: server.limits.line)
  }

  // MARK: Input

  /// Reads once, and runs the calls that came.
  func receive(_ events: EpollEvents) {
    guard !isClosed else { return }
    if events.contains(.writable) { server.markDirty(self) }
    guard !hasInputEnded, !isInputStopped else {
      if events.contains(.hangUp) || events.contains(.error) { server.close(self) }
      return
    }
    switch unsafe descriptor.receive(into: server.inputBuffer) {
    case .bytes(let count):
      unsafe framer.feed(server.input(count)) { take($0) }
      isInputStopped = framer.isStopped
    case .endOfInput:
      hasInputEnded = true
      framer.finish { take($0) }
      isInputStopped = framer.isStopped
      if events.contains(.hangUp) { return server.close(self) }
    case .wouldBlock: return
    case .peerGone, .failed: return server.close(self)
    }
    server.markDirty(self)
  }

  /// Goes on with lines that were left because too much was under way.
  func resumeInput() {
    guard !isClosed, isInputStopped, hasRoom else { return }
    framer.resume { take($0) }
    isInputStopped = framer.isStopped
    server.markDirty(self)
  }

  /// Whether one more call may start.
  private var hasRoom: Bool {
    callsInFlight < server.limits.inFlight && queuedByteCount < server.limits.queue && !isClosing
  }

  private func take(_ event: LineEvent) -> Bool {
    switch event {
    case .line(let line):
      if unsafe isHTTP(line) {
        closeSaying(RPCError(.closing, [.init("reason", "http")]))
        return false
      }
      unsafe server.dispatcher.dispatch(line, from: self, in: self)
    case .tooLong: report(.lineTooLarge(limit: server.limits.line))
    case .flood:
      closeSaying(RPCError(.closing, [.init("reason", "line-flood")]))
      return false
    }
    return hasRoom
  }

  /// A browser, or something else that speaks HTTP, must not be able to make calls from a body.
  private func isHTTP(_ line: UnsafeRawBufferPointer) -> Bool {
    guard line.count >= 14, let first = unsafe line.first, first >= 0x41, first <= 0x5A else {
      return false
    }
    let text = unsafe String(decoding: line.prefix(4096), as: UTF8.self)
    return text.split(separator: " ").last?.hasPrefix("HTTP/1.") == true
  }

  // MARK: Output

  var output: JSONOutput { server.outbound.output }
  var acceptsReplies: Bool { !isClosed }
  var maximumReplyByteCount: Int { server.limits.lineOut }

  var callsInFlight = 0 {
    didSet {
      if callsInFlight < oldValue, isInputStopped { server.resumeLater(self) }
    }
  }

  /// Bytes that wait to be taken by the client.
  var queuedByteCount: Int { backlog.count + list.byteCount }

  /// Bytes held for the client in both directions.
  var heldByteCount: Int { queuedByteCount + framer.heldByteCount }

  func replyAppended(from start: Int) {
    enqueue(start, output.count - start)
  }

  private func enqueue(_ offset: Int, _ count: Int) {
    if list.isEmpty { server.markDirty(self) }
    server.outbound.add(offset, count, to: &list)
  }

  /// Sends a notification of the daemon's own.
  func notify(_ method: StaticString, _ members: [Value.Member]) {
    guard !isClosed else { return }
    let start = output.count
    output.appendNotification(method, members)
    enqueue(start, output.count - start)
  }

  /// Sends an event that stands in the arena, if there is room; one that is dropped is counted and
  /// told of later.
  func deliver(_ range: Range<Int>, of checkout: CheckoutID, seq: Int64) {
    guard queuedByteCount < server.limits.queue, lost[checkout] == nil else {
      lostCount += 1
      server.counters.eventsLost += 1
      let first = lost[checkout]?.lowerBound ?? seq
      lost[checkout] = first...seq
      return
    }
    enqueue(range.lowerBound, range.count)
  }

  /// Whether events that nobody may drop can be added now.
  var hasRoomForReplay: Bool { queuedByteCount < server.limits.queue / 2 }

  /// Adds a line that stands in the arena, whatever the room.
  func append(_ range: Range<Int>) { enqueue(range.lowerBound, range.count) }

  /// Tells what was lost, now that there is room again.
  private func tellLost() {
    for (checkout, range) in lost {
      notify(
        "events.lost",
        [
          .init("checkoutId", .string(checkout.text)), .init("from", .integer(range.lowerBound)),
          .init("to", .integer(range.upperBound)),
        ])
    }
    lost = [:]
  }

  /// Takes back what this turn has said, since it could not be written.
  ///
  /// Events go, results become `store-failed`.
  func refuseReplies() {
    guard !list.isEmpty else { return }
    let lines = server.outbound.bytes(of: list)
    list = Outbound.List()
    for line in lines.split(separator: UInt8(ascii: "\n")) {
      guard let refusal = server.refusal(ofReply: Array(line)) else { continue }
      let start = output.count
      output.append(value: refusal)
      output.appendLineFeed()
      enqueue(start, output.count - start)
    }
  }

  /// Says why, and closes once that has been sent.
  func closeSaying(_ error: RPCError) {
    guard !isClosing else { return }
    report(error)
    isClosing = true
    server.markDirty(self)
  }

  // MARK: The end of a turn

  /// Sends what the turn said, as far as the client takes it, and settles what happens next.
  func flush() {
    guard !isClosed else { return }
    if !backlog.isEmpty, !backlog.flush(to: descriptor) { return server.close(self) }
    if !lost.isEmpty, queuedByteCount < server.limits.queue / 2 { tellLost() }
    if !list.isEmpty {
      let isOpen = server.outbound.send(list, to: descriptor, backlog: &backlog)
      list = Outbound.List()
      guard isOpen else { return server.close(self) }
    }
    if backlog.isEmpty && isFinished { return server.close(self) }
    if isInputStopped && hasRoom { server.resumeLater(self) }
    watch()
  }

  /// Whether the connection has nothing more to do: told to close, or its half closed, every call
  /// answered and no event to come.
  private var isFinished: Bool {
    if isClosing { return true }
    guard hasInputEnded, !isInputStopped, callsInFlight == 0, wideSubscription == nil else {
      return false
    }
    return subscriptions.values.allSatisfy { $0.live.checkout.isEnded && !$0.isReplaying }
  }

  private func watch() {
    var wanted: EpollEvents = []
    if !hasInputEnded && !isInputStopped { wanted.insert(.readable) }
    if !backlog.isEmpty { wanted.insert(.writable) }
    guard wanted != watched else { return }
    watched = wanted
    server.watch(self, wanted)
  }

  /// Takes note that the server has let go of it.
  func markClosed() {
    isClosed = true
    list = Outbound.List()
  }
}
