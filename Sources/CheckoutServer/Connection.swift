import Checkout
import JSONRPC
import LinuxSystem

/// One client's connection: joins its descriptor, what it has sent and what it is owed.
final class Connection {
  private let descriptor: FileDescriptor
  private let tagValue: UInt64
  private let client: Session
  private let input: ConnectionInput
  private let output: ConnectionOutput
  private var interest: EpollEvents = .readable
  /// What is charged to the user.
  private var charged = 0
  /// How much the client had taken when it was found to be owed too much; `nil` while it is not.
  private var takenWhenStuck: Int?
  /// Whether a visit is planned.
  private var isPlanned = false

  /// What has become of a client that is owed too much.
  enum Progress {
    case same
    /// It is found to be owed too much.
    case stuck
    /// It is not any more.
    case freed
  }

  /// Makes a connection that is known by a tag.
  init(
    _ descriptor: consuming FileDescriptor, tag: UInt64, _ session: Session,
    _ input: ConnectionInput
  ) {
    self.descriptor = descriptor
    tagValue = tag
    client = session
    self.input = input
    output = session.output
  }

  /// What it is known by: its number and its descriptor.
  var tag: UInt64 { tagValue }

  /// Its place in the order in which clients came.
  var number: UInt64 { Self.number(of: tagValue) }

  /// The descriptor's number.
  var rawValue: Int32 { descriptor.rawValue }

  /// What handlers know of the client.
  var session: Session { client }

  /// Makes a tag: the kernel tells it when a client is ready, and by then another may have the
  /// descriptor.
  static func tag(_ number: UInt64, _ descriptor: Int32) -> UInt64 {
    number << 24 | UInt64(UInt32(bitPattern: descriptor))
  }

  static func descriptor(of tag: UInt64) -> Int { Int(tag & 0xFF_FFFF) }

  static func number(of tag: UInt64) -> UInt64 { tag >> 24 }

  // MARK: Input

  /// What has come of being ready.
  enum Received {
    /// Something was read.
    case something
    /// It is ready only because what it waits for is done at the end of the turn.
    case nothing
    /// The client is gone.
    case gone
  }

  /// Takes note that a visit is planned.
  ///
  /// - Returns: Whether none was.
  func plan() -> Bool {
    defer { isPlanned = true }
    return !isPlanned
  }

  /// Goes on with what was left, or reads once and runs the calls that came.
  func visit(_ events: EpollEvents) -> Received {
    isPlanned = false
    if canResume { resume() }
    return events.isEmpty ? .nothing : receive(events)
  }

  /// Reads once, and runs the calls that came.
  private func receive(_ events: EpollEvents) -> Received {
    if output.hasBacklog { output.markDirty() }
    guard input.isWanted, !output.isClosing else { return events.isGone ? .gone : .nothing }
    switch input.receive(from: descriptor) {
    case .nothing: return .nothing
    case .gone: return .gone
    case .end:
      if events.isGone { return .gone }
      output.markDirty()
    case .something: if input.isWaiting { output.markDirty() }
    }
    if charged > 0 || input.heldByteCount > 0 || output.heldByteCount > 0, !keepsBudget() {
      output.markDirty()
    }
    return .something
  }

  /// Goes on with input that was left because enough was under way.
  private func resume() {
    input.resume()
    output.markDirty()
  }

  /// Refuses what is left of a batch that was stopped.
  func abandonBatch(with error: RPCError) { input.abandonBatch(with: error) }

  /// Charges the user what is held; a client that holds more than its share, while all together hold
  /// too much, is let go.
  ///
  /// - Returns: Whether it may stay.
  private func keepsBudget() -> Bool {
    let held = charge()
    let user = client.user
    guard held > 0, user.isOverBudget, held > user.share, !output.isClosing else { return true }
    output.closeSaying(.quotaExceeded("memory", user.share, used: held), waits: false)
    input.drop()
    _ = charge()
    return false
  }

  private func charge() -> Int {
    let held = output.heldByteCount + input.heldByteCount
    if held != charged {
      client.user.charge(held - charged)
      charged = held
    }
    return held
  }

  // MARK: Output

  /// Takes back what this turn has said, since it could not be written.
  func takeBack() { output.takeBack() }

  /// Sends what the turn said.
  ///
  /// - Returns: Whether the connection stays.
  func flush() -> Bool {
    guard output.flush(to: descriptor) else { return false }
    if output.isClosing { input.drop() }
    output.setAwaited(input.isWaiting)
    return keepsBudget() && !output.isFinished && !isDone
  }

  /// Whether there is nothing more to do: the client has closed its half, every call is answered, and
  /// no event is to come.
  private var isDone: Bool {
    guard input.isOver, output.callsInFlight == 0, !output.hasBacklog, client.wide == nil else {
      return false
    }
    return client.subscriptions.allSatisfy { $0.live.checkout.isEnded && !$0.isReplaying }
  }

  /// Whether input waits, and may go on.
  var canResume: Bool { input.isWaiting && output.hasRoom }

  /// What the connection is to be watched for, if that has changed.
  func takeInterest() -> EpollEvents? {
    let readable = input.isWanted && !output.isClosing ? EpollEvents.readable.rawValue : 0
    let writable = output.hasBacklog ? EpollEvents.writable.rawValue : 0
    let wanted = EpollEvents(rawValue: readable | writable)
    guard wanted != interest else { return nil }
    interest = wanted
    return wanted
  }

  /// Looks whether the client is owed so much that it must read some of it within a time.
  func watchProgress() -> Progress {
    guard output.isStuck else { return takenWhenStuck.take() == nil ? .same : .freed }
    guard takenWhenStuck == nil else { return .same }
    takenWhenStuck = output.takenByteCount
    return .stuck
  }

  /// Whether the client has read nothing since it was found to be owed too much; it is looked at anew
  /// from now on.
  func hasReadNothing() -> Bool {
    guard let taken = takenWhenStuck.take() else { return false }
    return taken == output.takenByteCount
  }

  /// Lets go of everything but the descriptor, which is closed with the connection.
  func close() {
    output.close()
    input.drop()
    client.user.charge(-charged)
    charged = 0
  }

  // MARK: Restarts

  /// What the next run of the daemon has to know to go on with this client; to be asked after
  /// ``flush()``.
  var state: ConnectionState {
    var state = ConnectionState()
    input.write(to: &state)
    output.write(to: &state)
    state.saidHello = client.saidHello
    state.clientName = client.clientName
    state.subscriptionCount = client.subscriptionIDCount
    state.subscriptions = client.subscriptions.map {
      ConnectionState.Narrow(
        id: $0.id, checkout: $0.live.id, filter: $0.filter,
        after: $0.replayedTo ?? $0.live.writtenSeq)
    }
    state.wide = client.wide.map {
      ConnectionState.Wide(id: $0.id, filter: $0.filter, reach: $0.reach)
    }
    return state
  }

  /// Goes on where the last run of the daemon has left it; what the client sent meanwhile is read as
  /// ever, and what was held is delivered in the next turn.
  func resume(_ state: ConnectionState) {
    input.resume(state)
    output.resume(state)
    if state.saidHello { client.greet(as: state.clientName) }
    client.setSubscriptionIDCount(state.subscriptionCount)
    _ = keepsBudget()
  }
}
