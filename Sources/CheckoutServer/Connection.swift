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
  /// The server's, at hand: what every line needs.
  let outbound: Outbound
  private let inbound: Inbound
  /// As they were when the client came.
  private let limits: Limits

  /// Lent to nobody while it delivers lines: what happens meanwhile must ask ``isInputStopped``.
  private var framer: LineFramer
  /// Whether lines were left because too much was under way.
  private var isInputStopped = false
  /// What this turn says to it.
  private var list = Outbound.List()
  /// What it has not taken of earlier turns; there is none while it keeps up.
  private var backlog: Backlog?
  /// How many bytes of it there are, at hand.
  private var backlogByteCount = 0
  /// How many bytes of unfinished lines the framer holds, at hand.
  private var heldInputByteCount = 0
  private var watchesInput = true
  private var watchesOutput = false
  /// Whether the next reply tells of what this turn has changed.
  private var nextReplyDepends = false
  /// Whether it is among those that are to be flushed at the end of this turn; flushing it before
  /// does not change that.
  var isDirty = false
  /// The one after it among those.
  var nextDirty: Connection?
  /// The peer has closed its half: nothing more will come.
  private var hasInputEnded = false
  /// The connection is closed once what waits has been sent.
  private var isClosing = false
  /// It is closed as soon as it has been told, whatever of it the client has taken.
  private var closesAtOnce = false
  /// The descriptor is out of the set: replies have nowhere to go.
  private(set) var isClosed = false

  /// Lines delivered since its share of the turn began, and when that was.
  private var lineCount = 0
  private var shareBegan: UInt64 = 0

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
  /// Whether anything was, at hand.
  private var hasLost = false
  private(set) var lostCount = 0
  /// What the server has counted for it.
  private(set) var accountedByteCount = 0
  /// How much the client had taken when it was found to be owed too much; `nil` while it is not.
  private var takenWhenStuck: Int?
  /// Why it was last refused something, as an error id.
  var lastRefusal: String?

  init(_ descriptor: consuming FileDescriptor, number: UInt64, caller: Caller, of server: Server) {
    self.descriptor = descriptor
    self.number = number
    self.caller = caller
    self.server = server
    outbound = server.outbound
    inbound = server.inbound
    output = server.outbound.output
    limits = server.limits
    maximumReplyByteCount = limits.lineOut
    framer = LineFramer(maximumLineByteCount: limits.line)
  }

  // MARK: Input

  /// Reads once, and runs the calls that came.
  ///
  /// - Returns: Whether something was read: not if it is found to be ready only because what it waits
  ///   for is done at the end of the turn.
  func receive(_ events: EpollEvents) -> Bool {
    guard !isClosed else { return false }
    if watchesOutput { outbound.markDirty(self) }
    guard !hasInputEnded, !isInputStopped, !isClosing else {
      if events.isGone { server.close(self) }
      return false
    }
    beginShare()
    switch unsafe descriptor.receive(into: inbound.buffer) {
    case .bytes(let count):
      unsafe framer.feed(inbound.read(count)) { take($0) }
      noteFramer()
      if isInputStopped { outbound.markDirty(self) }
    case .endOfInput:
      hasInputEnded = true
      framer.finish { take($0) }
      noteFramer()
      if events.isGone {
        server.close(self)
        return true
      }
      outbound.markDirty(self)
    case .wouldBlock: return false
    case .peerGone, .failed:
      server.close(self)
      return false
    }
    account()
    if heldInputByteCount > 0 { checkBudget(heldInputByteCount) }
    return true
  }

  /// Lets a client go that holds more than its share while all together hold too much.
  private func checkBudget(_ held: Int) {
    guard !isClosing, server.isOverBudget, held > server.share else { return }
    closeSaying(.quotaExceeded("memory", server.share, used: held))
    closesAtOnce = true
    dropInput()
    account()
  }

  /// Takes note of how the framer stands, after it has delivered what it could.
  private func noteFramer() {
    isInputStopped = framer.isStopped
    heldInputByteCount = framer.heldByteCount
  }

  /// Tells the server how much is held for the client, if that has changed.
  private func account() {
    let held = backlogByteCount + heldInputByteCount
    guard held != accountedByteCount else { return }
    server.account(held, insteadOf: accountedByteCount)
    accountedByteCount = held
  }

  /// Goes on with lines that were left because too much was under way.
  func resumeInput() {
    guard !isClosed, isInputStopped, hasRoom else { return }
    beginShare()
    framer.resume { take($0) }
    noteFramer()
    outbound.markDirty(self)
  }

  /// Whether one more call may start.
  private var hasRoom: Bool {
    callsInFlight < limits.inFlight && !isOwedTooMuch && !isClosing
  }

  private func beginShare() { lineCount = 0 }

  /// Whether this client has had its share of the turn: the others wait.
  ///
  /// Its time begins after the second line, since most clients send one at a time.
  private var hasHadItsShare: Bool {
    lineCount &+= 1
    if lineCount == 2 { shareBegan = Clock.monotonicMicroseconds() }
    return lineCount & 3 == 0
      && Clock.monotonicMicroseconds() &- shareBegan > Self.shareMicroseconds
  }

  private static let shareMicroseconds: UInt64 = 2000

  private func take(_ event: LineEvent) -> Bool {
    switch event {
    case .line(let line):
      if unsafe isHTTP(line) {
        closeSaying(RPCError(.closing, [.init("reason", "http")]))
        return false
      }
      guard unsafe inbound.dispatcher.dispatch(line, from: self, in: self) else { return false }
    case .tooLong: report(.lineTooLarge(limit: limits.line))
    case .flood:
      closeSaying(RPCError(.closing, [.init("reason", "line-flood")]))
      return false
    }
    return hasRoom && !hasHadItsShare
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

  let output: JSONOutput
  let maximumReplyByteCount: Int
  let batches = UnfinishedBatches()
  var acceptsReplies: Bool { !isClosed }

  var callsInFlight = 0 {
    didSet {
      if callsInFlight < oldValue, isInputStopped { server.resumeLater(self) }
    }
  }

  /// Bytes that wait to be taken by the client.
  var queuedByteCount: Int { backlogByteCount + list.byteCount }

  /// How many bytes may wait: what the limits say, or less, its share of what there is for all.
  private var queueLimit: Int { server.share }

  /// Whether so much waits that events are dropped and calls left.
  ///
  /// The share is asked for only once there is something to divide.
  private var isOwedTooMuch: Bool {
    let queued = queuedByteCount
    return queued >= Self.freeByteCount && queued >= queueLimit
  }

  /// What waits below this is nobody's loss.
  private static let freeByteCount = 4096

  func stampReply() -> UInt64 {
    defer { nextReplyDepends = false }
    return nextReplyDepends ? outbound.turn : 0
  }

  func replyAppended(_ line: ReplyLine) {
    outbound.note(line)
    enqueue(line.range.lowerBound, line.range.count)
  }

  private func enqueue(_ offset: Int, _ count: Int) {
    if !isDirty { outbound.markDirty(self) }
    // Taken out and put back: lending it would have every look at it checked.
    var said = list
    outbound.add(offset, count, to: &said)
    list = said
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
    guard !isOwedTooMuch, !hasLost || lost[checkout] == nil else {
      lostCount += 1
      server.counters.eventsLost += 1
      let first = lost[checkout]?.lowerBound ?? seq
      lost[checkout] = first...seq
      hasLost = true
      return
    }
    enqueue(range.lowerBound, range.count)
  }

  /// Whether events that nobody may drop can be added now.
  var hasRoomForReplay: Bool { queuedByteCount < queueLimit / 2 }

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
    hasLost = false
  }

  /// Takes back what this turn has said, since it could not be written.
  ///
  /// Events go, results become `store-failed`.
  func refuseReplies() {
    let error = RPCError(.storeFailed)
    batches.takeBack(turn: outbound.turn, as: error)
    guard !list.isEmpty else { return }
    let lines = outbound.lines(of: list)
    list = Outbound.List()
    for line in lines {
      let start = output.count
      switch line {
      case .fact(let range): output.append(range, of: output)
      case .reply(let reply): output.append(reply, takingBack: outbound.turn, as: error)
      case .event: continue
      }
      enqueue(start, output.count - start)
    }
  }

  /// Takes note that the next reply tells of what this turn has changed.
  func repliesDepend() { nextReplyDepends = true }

  /// Counts a call that was refused for want of room, right or store; what is wrong with a call itself
  /// is no refusal.
  func noteFailure(_ error: RPCError) {
    switch error.code {
    case .quotaExceeded, .permissionDenied, .shuttingDown, .storeFailed: break
    default: return
    }
    let reason = error.quota ?? error.errorId ?? "refused"
    lastRefusal = reason
    server.counters.countRefusedCall(reason)
  }

  /// Says why, and closes once that has been sent.
  func closeSaying(_ error: RPCError) {
    guard !isClosing, !isClosed else { return }
    let reason = error.quota ?? error.errorId ?? "closing"
    lastRefusal = reason
    server.counters.countRefusal(reason)
    report(error)
    isClosing = true
    outbound.markDirty(self)
  }

  // MARK: The end of a turn

  /// Sends what the turn said, as far as the client takes it, and settles what happens next.
  func flush() {
    nextReplyDepends = false
    guard !isClosed else { return }
    if let backlog {
      guard backlog.flush(to: descriptor) else { return server.close(self) }
      noteBacklog()
    }
    if hasLost, queuedByteCount < queueLimit / 2 { tellLost() }
    if !list.isEmpty {
      let said = list
      list = Outbound.List()
      guard send(said) else { return server.close(self) }
    }
    if isClosing { dropInput() }
    if backlogByteCount != 0 || accountedByteCount != 0 {
      account()
      if backlogByteCount > 0 { checkBudget(backlogByteCount) }
      watchProgress()
    }
    if closesAtOnce || backlogByteCount == 0 && isFinished { return server.close(self) }
    if isInputStopped && hasRoom { server.resumeLater(self) }
    let wantsInput = !hasInputEnded && !isInputStopped && !isClosing
    let wantsOutput = backlogByteCount != 0
    guard wantsInput != watchesInput || wantsOutput != watchesOutput else { return }
    watchesInput = wantsInput
    watchesOutput = wantsOutput
    server.watch(self, input: wantsInput, output: wantsOutput)
  }

  /// Lets go of what a client that is told to go has sent and nobody will read.
  private func dropInput() {
    guard heldInputByteCount > 0 else { return }
    framer = LineFramer(maximumLineByteCount: limits.line)
    noteFramer()
  }

  /// Sends what the turn said; what the client does not take joins what it has not taken before.
  ///
  /// - Returns: `false` if the client is gone.
  private func send(_ said: Outbound.List) -> Bool {
    var sent = 0
    if backlogByteCount == 0 {
      guard let count = outbound.send(said, to: descriptor) else { return false }
      sent = count
    }
    guard sent < said.byteCount else { return true }
    let rest = backlog ?? Backlog()
    backlog = rest
    outbound.copy(said, from: sent, to: rest)
    noteBacklog()
    return true
  }

  /// Takes note of how much waits.
  private func noteBacklog() { backlogByteCount = backlog?.count ?? 0 }

  /// Gives a client that is owed too much a time to read some of it.
  private func watchProgress() {
    guard let backlog, backlog.count >= (isClosing ? 1 : queueLimit) else {
      if takenWhenStuck.take() != nil { server.timers.clear(.slowReader(number)) }
      return
    }
    guard takenWhenStuck == nil else { return }
    takenWhenStuck = backlog.takenByteCount
    server.timers.set(
      .slowReader(number), at: Clock.bootMicroseconds() + UInt64(limits.slowReader) * 1000)
  }

  /// Lets the client go if it has read nothing since it was found to be owed too much.
  func checkProgress() {
    guard let taken = takenWhenStuck.take(), !isClosed else { return }
    guard taken == backlog?.takenByteCount else { return watchProgress() }
    closeSaying(RPCError(.closing, [.init("reason", "slow-reader")]))
    // Nothing more will fit; what the kernel holds is all that the client will ever read.
    flush()
    server.close(self)
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

  // MARK: Restarts

  /// What the next run of the daemon has to know to go on with this client.
  ///
  /// To be asked after ``flush()``.
  var state: ConnectionState {
    var state = ConnectionState(output: backlog?.rest ?? [], input: framer.held)
    state.isClosing = isClosing
    state.saidHello = saidHello
    state.clientName = clientName
    state.subscriptionCount = subscriptionCount
    state.lost = lost.map { .init(checkout: $0.key, seqs: $0.value) }
    state.lostCount = lostCount
    return state
  }

  /// Goes on where the last run of the daemon has left it; what the client sent meanwhile is read as
  /// ever.
  func resume(_ state: ConnectionState) {
    if !state.output.isEmpty {
      let rest = Backlog()
      unsafe state.output.withUnsafeBytes { unsafe rest.append($0) }
      backlog = rest
      noteBacklog()
    }
    framer = LineFramer(continuing: state.input, maximumLineByteCount: limits.line)
    heldInputByteCount = framer.heldByteCount
    isInputStopped = true
    isClosing = state.isClosing
    saidHello = state.saidHello
    clientName = state.clientName
    subscriptionCount = state.subscriptionCount
    for entry in state.lost { lost[entry.checkout] = entry.seqs }
    hasLost = !lost.isEmpty
    lostCount = state.lostCount
    account()
    // At the end of the turn what waits is sent, and in the next what was held is delivered.
    outbound.markDirty(self)
  }

  /// Takes note that the server has let go of it.
  func markClosed() {
    isClosed = true
    list = Outbound.List()
    batches.drop()
  }
}
