package import Checkout
package import CheckoutStore
import CheckoutProtocol
import Glibc
import JSON
import JSONRPC
package import LinuxSystem
package import PrimerAPI
package import Systemd
package import Upstream
import ValueTree

/// The server: joins the core, the store and the upstream gateway with the sockets, on one loop.
///
/// Everything here runs on the loop's thread. A turn is one dispatched source: inputs change
/// checkouts in place and say things into the arena; then the store commits, and only then do
/// replies, events and upstream requests go out.
@safe  // the input buffer is made and freed here, and lent with its size
package final class Server {
  let loop: EventLoop
  var log: Log
  let service: ServiceManager
  let store: CheckoutStore
  let gateway: PrimerGateway
  var limits: Limits
  var spans: Spans
  let version: String
  let epoch: String
  let startedAt = Clock.bootMicroseconds()
  let tokenReader: ClientTokenReader
  let readOptions: () -> Result<Options, OptionError>
  /// The OpenRPC document of the methods, events and errors, which never changes.
  lazy var discovery: [UInt8] = OpenRPC(
    title: "checkoutd", version: version,
    description: "Holds headless checkout components and drives their payments.",
    methods: Methods.all, events: Methods.notifications, extensions: Methods.extensions
  ).document.jsonBytes
  let inbound: Inbound

  /// The wall clock as it was when the server started, carried on by a clock that nobody sets: spans
  /// measured with it are right whatever happens to the wall clock.
  private let steadyOffset = Clock.wallMilliseconds() - Int64(Clock.bootMicroseconds() / 1000)
  let bootID: Int64
  var retention: Retention

  let checkouts = CheckoutRegistry()
  /// The checkouts that this turn has touched.
  var touched: [LiveCheckout] = []
  /// Whether money hangs on this turn.
  var isPaymentTurn = false
  /// What came in this turn that nobody can send again.
  var turnInputs: [(live: LiveCheckout, input: Input)] = []
  /// Why the store cannot be written, while it cannot.
  var storeProblem: StoreError?
  /// Whether what was kept while the store could not be written is being tried again.
  var isRetrying = false
  var isScrubDue = false
  /// Microseconds that the last scrubbing took.
  var lastScrubSpan: UInt64 = 0
  var lastTimestamp: (time: WallTime, text: String) = (0, Timestamp(0).text)
  var entropy = EntropyPool()
  let counters = Counters()
  let outbound = Outbound()

  /// Replaced, never changed in place, as those of each checkout.
  var wideSubscriptions: [WideSubscription] = []
  var replaying: [Subscription] = []
  var waits: [UInt64: Wait] = [:]
  var waitCount: UInt64 = 0

  var timers = TimerQueue<Deadline>()
  private var timer: Systemd.Timer?
  var afterCommit: [DeferredEffect] = []

  private let clients: Epoll
  var connections: [UInt64: Connection] = [:]
  private let byDescriptor = DescriptorTable()
  var connectionCounts: [UInt32: Int] = [:]
  private var connectionNumber: UInt64 = 0
  private var stalled: [Connection] = []
  private var stalledTimer: Systemd.Timer?
  private(set) var listeners: [Listener] = []
  var connectionRates = ConnectionRates()
  /// Bytes of all queues and unfinished lines.
  private(set) var heldByteCount = 0
  let serverUserID = geteuid()
  var drain: Drain?
  /// Whether the service manager may be told anew what the daemon does.
  var isStatusDue = false
  var toldStatus = ""
  /// What is wrong with the configuration that was read last.
  var configurationProblem: String?
  /// Why the egress cannot be reached, while it cannot.
  private(set) var egressProblem: Errno?
  /// How long the daemon stays with nothing to do; zero is for ever.
  package var idleSpan: Milliseconds = 0
  /// Which of the clients last found to be ready have not been served yet.
  private var readyClients = 0..<0
  /// Whether the clients could be waited for when that was done last.
  package var canServe: Bool { couldWait }
  private var couldWait = true

  /// Makes a server that does not listen yet.
  ///
  /// - Throws: ``Errno`` if the kernel refuses what the loop needs.
  package init(
    loop: EventLoop, log: Log, service: ServiceManager, store: CheckoutStore,
    gateway: PrimerGateway, policy: UpstreamPolicy, limits: Limits, spans: Spans,
    retention: Retention, bootID: Int64, version: String,
    readOptions: @escaping () -> Result<Options, OptionError>
  ) throws(Errno) {
    self.loop = loop
    self.log = log
    self.service = service
    self.store = store
    self.gateway = gateway
    self.limits = limits
    self.spans = spans
    self.retention = retention
    self.bootID = bootID
    epoch = store.epoch ?? hexadecimal(Random.uint64())
    self.version = version
    self.readOptions = readOptions
    tokenReader = ClientTokenReader(policy: policy)
    clients = try Epoll()
    inbound = Inbound(limits)
    timer = try loop.addTimer { [unowned self] in fireTimers() }
    stalledTimer = try loop.addTimer { [unowned self] in resumeStalled() }
    _ = try loop.addIO(clients.rawValue, .readable) { [unowned self] _ in serveClients() }
    loop.endOfTurn = { [unowned self] in endTurn() }
    gateway.onEgressChanged = { [unowned self] problem in noteEgress(problem) }
    gateway.onBanksLeftOut = { [log] count, sessionID in
      log.warning(
        "\(count) entries of a bank list make no sense and were left out",
        fields: [("SESSION_ID", sessionID)])
    }
  }

  /// The time, as spans are measured.
  var now: WallTime { steadyOffset + Int64(Clock.bootMicroseconds() / 1000) }

  private func noteEgress(_ problem: Errno?) {
    egressProblem = problem
    if let problem {
      log.error("the egress cannot be reached: \(problem)", id: MessageID.egress)
    } else {
      log.notice("the egress can be reached again", id: MessageID.egress)
    }
  }

  // MARK: Connections

  /// Begins to accept from a listening socket.
  package func listen(on descriptor: consuming FileDescriptor, path: String?) throws(Errno) {
    listeners.append(try Listener(descriptor, path: path, of: self))
  }

  /// Takes in a client that was accepted.
  ///
  /// - Returns: The connection, unless the kernel refuses to watch it.
  @discardableResult
  func admit(_ descriptor: consuming FileDescriptor, caller: Caller) -> Connection? {
    let raw = descriptor.rawValue
    let connection = Connection(
      descriptor, number: connectionNumber + 1, caller: caller, of: self)
    do throws(Errno) {
      try clients.add(raw, .readable, tag: Self.tag(of: connection))
    } catch {
      log.error("cannot watch a connection: \(error)")
      return nil
    }
    connectionNumber = connection.number
    counters.connectionsAccepted += 1
    connections[connection.number] = connection
    byDescriptor[raw] = connection
    connectionCounts[caller.userID, default: 0] += 1
    return connection
  }

  /// What the kernel is told to call a connection: its descriptor, to find it, and its number, since
  /// by the time it is found to be ready another may have the descriptor.
  private static func tag(of connection: Connection) -> UInt64 {
    connection.number << 24 | UInt64(connection.descriptor.rawValue)
  }

  private func connection(tagged tag: UInt64) -> Connection? {
    guard let found = byDescriptor[Int32(tag & 0xFF_FFFF)], found.number == tag >> 24 else {
      return nil
    }
    return found
  }

  func watch(_ connection: Connection, input: Bool, output: Bool) {
    var events: EpollEvents = []
    if input { events.insert(.readable) }
    if output { events.insert(.writable) }
    do throws(Errno) {
      try clients.modify(connection.descriptor.rawValue, events, tag: Self.tag(of: connection))
    } catch {
      log.error("cannot watch a connection: \(error)")
      close(connection)
    }
  }

  /// How much one connection may hold now: its share of what all may hold.
  var share: Int { min(limits.queue, limits.memory / max(1, connections.count)) }

  /// Whether all connections together hold more than they may.
  var isOverBudget: Bool { heldByteCount > limits.memory }

  /// Takes note of what a connection holds.
  func account(_ byteCount: Int, insteadOf before: Int) { heldByteCount += byteCount - before }

  /// Lets go of a connection, and of everything that is only for it.
  func close(_ connection: Connection) {
    guard !connection.isClosed else { return }
    account(0, insteadOf: connection.accountedByteCount)
    timers.clear(.slowReader(connection.number))
    connection.markClosed()
    do throws(Errno) {
      try clients.remove(connection.descriptor.rawValue)
    } catch {
      log.error("cannot let go of a connection: \(error)")
    }
    connections[connection.number] = nil
    byDescriptor[connection.descriptor.rawValue] = nil
    connectionCounts[connection.caller.userID, default: 1] -= 1
    if connectionCounts[connection.caller.userID] == 0 {
      connectionCounts[connection.caller.userID] = nil
    }
    for subscription in connection.subscriptions.values { end(subscription) }
    connection.subscriptions = [:]
    endWideSubscription(of: connection)
    for wait in connection.waits { drop(wait) }
    connection.waits = []
  }

  private func serveClients() {
    let began = Clock.monotonicMicroseconds()
    do throws(Errno) {
      // Those left over come first, or the last of many might never have their turn.
      if readyClients.isEmpty { readyClients = 0..<(try clients.wait()) }
      couldWait = true
      while serveReady(since: began), sharesCommit(since: began) {
        readyClients = 0..<(try clients.wait())
      }
    } catch {
      couldWait = false
      log.error("cannot wait for clients: \(error)")
    }
  }

  /// Serves the clients found to be ready, for 10 ms at most.
  ///
  /// - Returns: Whether all had their turn, and one at least had something to say.
  private func serveReady(since began: UInt64) -> Bool {
    var hasRead = false
    while let index = readyClients.popFirst() {
      let ready = clients.ready(index)
      if connection(tagged: ready.tag)?.receive(ready.events) == true { hasRead = true }
      if index & 15 == 15, Clock.monotonicMicroseconds() - began > 10_000 { break }
    }
    return hasRead && readyClients.isEmpty
  }

  /// Whether those who have come meanwhile are to be served as well, before what the turn has changed
  /// is written: a commit costs as much as many calls.
  private func sharesCommit(since began: UInt64) -> Bool {
    store.isDurable && !touched.isEmpty && Clock.monotonicMicroseconds() - began < 1000
  }

  /// Lets a connection go on with lines it has left, in a turn of their own.
  func resumeLater(_ connection: Connection) {
    if stalled.isEmpty { stalledTimer?.arm(atBootMicroseconds: 0) }
    stalled.append(connection)
  }

  private func resumeStalled() {
    let connections = stalled
    stalled = []
    for connection in connections { connection.resumeInput() }
  }

  // MARK: Turns

  func endTurn() {
    if commitTurn() {
      // Carrying out may add to the list; what it adds is carried out as well.
      var index = 0
      while index < afterCommit.count {
        carryOut(afterCommit[index])
        index += 1
      }
    }
    afterCommit.removeAll(keepingCapacity: true)
    replay()
    // Flushing may add to the list: a lost event is told of, a finished drain says good-bye.
    while let connection = outbound.popDirty() { connection.flush() }
    outbound.removeAll()
    if replaying.contains(where: { $0.connection.hasRoomForReplay }) {
      // What was sent made room for more; that is for a turn of its own.
      stalledTimer?.arm(atBootMicroseconds: 0)
    }
    tellStatus()
    watchIdleness()
    armTimer()
    drain?.check()
  }

  private func armTimer() {
    if let nearest = timers.nearest() {
      timer?.arm(atBootMicroseconds: nearest)
    } else {
      timer?.disarm()
    }
  }

  private func fireTimers() {
    let now = Clock.bootMicroseconds()
    var left = 256  // The rest comes in the next turn, after the clients have had theirs.
    while left > 0, let deadline = timers.popExpired(at: now) {
      left -= 1
      switch deadline {
      case .checkout(let id, let timer):
        if let live = checkouts[id] { receive(.timerFired(timer), of: live) }
      case .wait(let number):
        if let wait = waits[number] { finish(wait) }
      case .drain: drain?.timeOut()
      case .status: isStatusDue = true
      case .wipe(let id): if let live = checkouts[id] { wipe(live) }
      case .forget(let id): if let live = checkouts[id] { forgetRecord(of: live) }
      case .scrub: scrub()
      case .accept: for listener in listeners { listener.goOn(self) }
      case .slowReader(let number): connections[number]?.checkProgress()
      case .idle: endIfIdle()
      case .retry: retryStore()
      case .reserve: setReserveAside()
      }
    }
  }

  /// Stops accepting; what was passed in stays the service manager's, what was bound here goes.
  func stopListening() {
    for listener in listeners { listener.stop() }
    listeners = []
  }
}

/// What the server's timers are for.
enum Deadline: Hashable {
  case checkout(CheckoutID, TimerID)
  case wait(UInt64)
  case drain
  case status
  /// Clients that could not be taken in are to be looked for again.
  case accept
  /// A client that reads nothing is to be let go.
  case slowReader(UInt64)
  /// A checkout's data is to be wiped.
  case wipe(CheckoutID)
  /// A checkout's record is to be forgotten.
  case forget(CheckoutID)
  /// What was wiped is to be made unreadable.
  case scrub
  /// Nothing was to be done for so long that the daemon may end.
  case idle
  /// The store is to be tried again.
  case retry
  /// Space is to be set aside on the disk.
  case reserve
}

/// What must not be done before the commit.
enum DeferredEffect {
  case perform(Operation, LiveCheckout)
  case abandon(OperationID, LiveCheckout)
  case setTimer(CheckoutID, TimerID, at: UInt64)
  case clearTimer(CheckoutID, TimerID)
  case settleWaits(LiveCheckout)
  case finished(LiveCheckout, Outcome)
  case removed(LiveCheckout)
}

func hexadecimal(_ number: UInt64) -> String {
  let digits = String(number, radix: 16)
  return String(repeating: "0", count: 16 - digits.utf8.count) + digits
}
