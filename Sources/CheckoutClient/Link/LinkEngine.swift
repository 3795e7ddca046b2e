import Dispatch
import Glibc
import JSONRPC
import LinuxSystem
import ValueTree

/// What a ``Link`` does: one thread that connects, sends, receives, and connects again.
final class LinkEngine: Sendable {
  struct State {
    var isClosed = false
    var isRunning = false
    var isConnected = false
    /// Whether anybody has ever answered at the path.
    var hasHeard = false
    /// Whether somebody has answered over the present connection or the last.
    var hasAnsweredLately = false
    var lastNumber: Int64 = 0
    var calls: [Int64: PendingCall] = [:]
    var feeds: [String: Feed] = [:]
    /// Calls that a daemon about to stop has answered with that, to be made again.
    var held: Set<Int64> = []
    /// What the present connection has still to be sent.
    var unsent: [UInt8] = []
    /// The last words of a daemon that closed the connection.
    var refusal: RPCError?
  }

  private let path: String
  private let patience: Int64
  private let wake = WakeSignal()
  let state: Guarded<State>

  init(path: String, patience: Int64, isKnown: Bool) {
    self.path = path
    self.patience = patience
    state = Guarded(State(hasHeard: isKnown))
  }

  /// How long a call that a stopping daemon refused waits before it is made again, in milliseconds.
  private static let pause: Int32 = 250
  private static let longestBackoff: Int64 = 1000

  /// Adds a call.
  func add(_ call: PendingCall) {
    change { $0.add(call) }
  }

  /// Adds a feed, in place of the one of the same checkout.
  func add(_ feed: Feed) {
    change { state in
      state.feeds[feed.checkoutID] = feed
      state.subscribe(feed.checkoutID)
    }
  }

  /// Ends the thread; nobody is told anything any more.
  func close() {
    state.withLock { $0.isClosed = true }
    wake?.send()
  }

  /// Changes the state, and sees to it that the thread notices.
  private func change(_ body: (inout State) -> Void) {
    let starts = state.withLock { state in
      body(&state)
      let starts = !state.isRunning
      state.isRunning = true
      return starts
    }
    if starts {
      DispatchQueue(label: "checkoutd.link").async { self.run() }
    } else {
      wake?.send()
    }
  }

  // MARK: The thread

  private func run() {
    var backoff: Int64 = 20
    var lostAt: UInt64?
    while !isClosed {
      guard hasWork else {
        waitForWake(Deadline.never)
        continue
      }
      let reason = connectAndServe()
      if hasAnswered() { (backoff, lostAt) = (20, nil) }
      let now = Clock.monotonicMicroseconds()
      let since = lostAt ?? now
      lostAt = since
      if !hasHeard || now - since >= UInt64(patience) * 1000 {
        giveUp(reason)
        (backoff, lostAt) = (20, nil)
        continue
      }
      waitForWake(.after(milliseconds: backoff))
      backoff = min(backoff * 2, Self.longestBackoff)
    }
  }

  private func connectAndServe() -> CheckoutClientError {
    do throws(UnixSocketError) {
      let socket = try UnixSocket.connect(to: path)
      try? FileDescriptor.setNonBlockingAndCloseOnExec(socket.rawValue)
      state.withLock { $0.connect() }
      let ending = serve(socket)
      return state.withLock { state in
        state.disconnect()
        if let refusal = state.refusal.take() { return CheckoutClientError(refusal) }
        return CheckoutClientError(ending)
      }
    } catch {
      return .unreachable("\(error)")
    }
  }

  private func serve(_ socket: borrowing FileDescriptor) -> ClientError {
    let reader = MessageReader()
    var pending: ArraySlice<UInt8> = []
    while true {
      let (isClosed, isHolding) = state.withLock { state in
        pending += state.unsent
        state.unsent = []
        return (state.isClosed, !state.held.isEmpty)
      }
      guard !isClosed else { return .closed }
      if let ending = send(&pending, to: socket) { return ending }
      let events = POLLIN | (pending.isEmpty ? 0 : POLLOUT)
      let ready = wait(socket.rawValue, events, isHolding ? Self.pause : -1)
      if ready == nil { state.withLock { $0.repeatHeld() } }
      guard let ready, ready & ~Int16(POLLOUT) != 0 else { continue }
      if let ending = reader.receive(from: socket, handle) { return ending }
    }
  }

  private func send(
    _ pending: inout ArraySlice<UInt8>, to socket: borrowing FileDescriptor
  ) -> ClientError? {
    while !pending.isEmpty {
      switch unsafe pending.withUnsafeBytes({ unsafe socket.send($0) }) {
      case .bytes(let count): pending = pending.dropFirst(count)
      // Why it has gone may be what it said at last, so that reading must find the end.
      case .wouldBlock: return nil
      case .peerGone:
        pending = []
      case .failed(let error): return .failed(error)
      }
    }
    return nil
  }

  /// Waits for the socket, for being woken, or for the time to be over, which is nil.
  private func wait(_ socket: Int32, _ events: Int32, _ timeout: Int32) -> Int16? {
    var entries = [
      pollfd(fd: socket, events: Int16(events), revents: 0),
      pollfd(fd: wake?.rawValue ?? -1, events: Int16(POLLIN), revents: 0),
    ]
    // Without a signal, for want of descriptors, looking now and then must do.
    let timeout = wake == nil ? Self.pause : timeout
    let count = unsafe poll(&entries, nfds_t(entries.count), timeout)
    if entries[1].revents != 0 { wake?.clear() }
    return count == 0 ? nil : entries[0].revents
  }

  private func waitForWake(_ deadline: Deadline) {
    _ = wait(-1, 0, deadline.pollTimeout)
  }

  private var isClosed: Bool { state.withLock { $0.isClosed } }
  private var hasHeard: Bool { state.withLock { $0.hasHeard } }
  private var hasWork: Bool { state.withLock { !$0.calls.isEmpty || !$0.feeds.isEmpty } }
}
