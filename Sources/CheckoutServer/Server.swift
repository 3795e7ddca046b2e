import Checkout
package import CheckoutStore
import Glibc
import JSONRPC
package import LinuxSystem
package import PrimerAPI
package import Systemd

/// The server: joins the core, the store and the upstream gateway with the sockets, on one loop.
///
/// Everything here runs on the loop's thread. A turn is one dispatched source: inputs change
/// checkouts in place and say things into the arena; then the store commits, and only then do
/// replies, events and upstream requests go out.
package final class Server {
  private let turn: Turn
  private let checkouts: Checkouts
  private let hub: EventHub
  private let clients: Clients
  private let doors: Doors
  private let housekeeping: Housekeeping
  private let health: StoreHealth
  private let schedule: Schedule
  private let report: ServiceReport
  private let questions: Questions
  private let options: OptionSource
  private let lifetime: Lifetime
  private let recovery: Recovery
  private let takeover: Takeover
  /// Rings when a deadline has come.
  private var timer: Systemd.Timer?
  /// Rings in the next turn, for what was left of this one.
  private var soon: Systemd.Timer?
  private var isSoonArmed = false

  /// Makes a server that does not listen yet.
  ///
  /// - Throws: ``Errno`` if the kernel refuses what the loop needs.
  package convenience init(
    loop: EventLoop, log: Log, service: ServiceManager, store: CheckoutStore,
    gateway: PrimerGateway, options: CheckedOptions, bootID: Int64, version: String,
    readOptions: @escaping () -> Result<CheckedOptions, OptionError>
  ) throws(Errno) {
    try self.init(
      loop: loop, clock: .system, log: log, service: service, store: store, upstream: gateway,
      options: options, bootID: bootID, version: version, readOptions: readOptions)
  }

  init(
    loop: EventLoop, clock source: ClockSource, log: Log, service: ServiceManager,
    store: CheckoutStore, upstream: any UpstreamGateway, options started: CheckedOptions,
    bootID: Int64, version: String,
    readOptions: @escaping () -> Result<CheckedOptions, OptionError>
  ) throws(Errno) {
    let (limits, spans) = (started.options.limits, started.options.spans)
    let clock = ServerClock(source)
    let journal = Journal(log)
    let counters = Counters()
    let current = CurrentLimits(limits)
    let users = UserTable(current)
    let directory = SessionDirectory()
    let outbound = Outbound()
    schedule = Schedule(clock)
    report = ServiceReport(service, journal, schedule)
    options = OptionSource(started, readOptions, report, journal)
    turn = Turn(store, clock, journal, counters, bootID: bootID)
    hub = EventHub(
      outbound, turn, EventReader(store, journal), current, schedule)
    questions = Questions(
      store, turn, report, journal, isWanted: started.options.asksQuestions)
    checkouts = Checkouts(
      turn, hub, questions, upstream, clock, counters, current, schedule, spans: spans)
    health = StoreHealth(store, turn, checkouts, journal, report, schedule)
    housekeeping = Housekeeping(
      store, turn, checkouts, users, current, hub, clock, journal, health, schedule,
      started.options.retention)

    let backups = Backups(store, clock, journal, schedule)
    let identity = ServerIdentity(
      version: version, epoch: store.epoch ?? hexadecimal(Random.uint64()),
      isDurable: store.isDurable)
    let methods = MethodTable<Session>(
      SystemMethods(
        checkouts, hub, health, questions, backups, users, directory, counters, current, clock,
        options,
        identity),
      CheckoutMethods(checkouts, hub, clock, ClientTokenReader(policy: started.policy)),
      ComponentMethods(checkouts, hub, turn), EventMethods(checkouts, hub))
    let inbound = Inbound(methods, limits)
    counters.setCalls { [weak inbound] in inbound?.counters }
    clients = try Clients(
      inbound, outbound, users, directory, hub, turn, clock, counters, journal, current, schedule,
      commitIsCostly: store.isDurable)
    let entrance = Entrance(
      clients, users, counters, journal, current, clock, serverUserID: geteuid(),
      descriptors: DescriptorBudget(limit: ProcessHardening.openFileLimit))
    doors = Doors(loop, entrance, schedule)
    recovery = Recovery(store, users, clock, spans: spans, bootID: bootID)
    takeover = Takeover(entrance, checkouts, hub, journal)
    lifetime = Lifetime(
      clients, checkouts, hub, backups, turn, doors, upstream, schedule, report, journal,
      HandoverWriter(service, journal, bootID: bootID), isDurable: store.isDurable
    ) { loop.exit($0) }

    options.whenRead { [unowned self] options in
      current.set(options.limits)
      inbound.setLimits(options.limits)
      store.eventLimits = options.limits.events
      upstream.timeouts = options.timeouts
      journal.setLevel(options.logLevel)
      turn.setAlwaysSynchronous(options.retention.isAlwaysSynchronous)
      checkouts.setSpans(options.spans)
      questions.setWanted(options.asksQuestions)
      housekeeping.setRetention(options.retention)
      lifetime.setSpans(idle: options.idleSpan, drain: options.drainSpan)
    }
    options.setCounts { [unowned self] in counts }
    upstream.onEgressChanged = { [report] problem in report.noteEgress(problem) }
    upstream.onBanksLeftOut = { count, sessionID in
      journal.warning(
        "\(count) entries of a bank list make no sense and were left out",
        fields: [("SESSION_ID", sessionID)])
    }
    try join(loop)
  }

  private func join(_ loop: EventLoop) throws(Errno) {
    timer = try loop.addTimer { [unowned self] in schedule.fireDue() }
    soon = try loop.addTimer { [unowned self] in
      isSoonArmed = false
      clients.serve()
    }
    _ = try loop.addIO(clients.rawValue, .readable) { [unowned self] _ in clients.serve() }
    loop.endOfTurn = { [unowned self] in endTurn() }
  }

  // MARK: Life

  /// Takes up every checkout where its last commit left it, and the clients where the last run left
  /// them; wipes what is overdue.
  ///
  /// To be called before anything listens.
  ///
  /// - Parameter handover: What the last run has left.
  /// - Throws: ``StoreError`` if a row cannot be read, and then nothing has been changed; or if the disk
  ///   loses what was written.
  package func recover(_ handover: consuming Handover = Handover()) throws(StoreError) {
    let state = try recovery.read { count in
      report.starting("Reading the state: \(count) checkouts")
    }
    health.noteLoss(state.loss)
    questions.takeUp(stoppedBy: state.questionsStopper)
    let found = state.checkouts
    if state.isOfEarlierVersion { turn.rewrite(found) }
    if state.isRestored { turn.makeUpForLoss() }
    checkouts.takeUp(found, isRestored: state.isRestored)
    carryOut()
    // What its clients know is of another state.
    if state.loss == .restored { handover.takeAll { client, _ in client.shutDown() } }
    takeover.run(&handover)
    checkouts.resumeWork(of: found, isRestored: state.isRestored)
    endTurn()
    health.setReserveAside()
    for live in found { housekeeping.takeUp(live) }
    housekeeping.endTurn()
    // Whether the process before this one had scrubbed what it wiped is not known.
    housekeeping.scrub()
    endTurn()
    if let error = turn.fatal { throw error }
  }

  /// Begins to accept from a listening socket.
  ///
  /// - Parameters:
  ///   - descriptor: The socket.
  ///   - path: Where it was bound by this process; nil if it was passed in.
  ///   - isForAdministrators: Whether nobody else can connect to it.
  /// - Throws: ``Errno`` if the kernel refuses to watch it.
  package func listen(
    on descriptor: consuming FileDescriptor, path: String?, isForAdministrators: Bool = false
  ) throws(Errno) {
    try doors.open(descriptor, path: path, isForAdministrators: isForAdministrators)
  }

  /// Takes in a client that has come otherwise than by a listening socket.
  func admit(_ client: consuming FileDescriptor, as caller: Caller) {
    doors.admit(client, as: caller)
  }

  /// Tells the service manager that every listener accepts.
  package func announceReady() {
    report.ready(counts)
    lifetime.checkIdleExit()
  }

  /// Whether the clients could be waited for when that was done last.
  package var canServe: Bool { clients.canServe }

  /// Reads the configuration again because of a signal; what is wrong stands in the journal.
  package func reloadByItself() { _ = options.reload() }

  /// Begins to stop; again while stopping does nothing.
  package func beginDrain() { lifetime.beginDrain() }

  private var counts: String {
    "\(clients.count) connections, \(checkouts.count) checkouts"
  }

  // MARK: Turns

  /// Serves whoever is ready, and does what is due: one turn, for whoever has no loop.
  func runTurn() {
    clients.serve()
    schedule.fireDue()
    endTurn()
  }

  private func endTurn() {
    housekeeping.endTurn()
    switch turn.commit() {
    case .written: carryOut()
    case .takenBack:
      clients.takeBack()
      health.noteFailure()
    case .lost:
      // The commit may be there or not; to tell either could be wrong. The next start reads which.
      return lifetime.end(with: turn.fatal)
    }
    hub.goOnListing { checkouts.all(of: $0.session.caller.userID, $0.reach) }
    hub.replay()
    clients.endTurn()
    // What was sent made room for more; that is for a turn of its own.
    if clients.hasWaitingInput || hub.canReplay || hub.isListing || housekeeping.hasWork {
      armSoon()
    }
    report.tell { counts }
    lifetime.check()
    armTimer()
  }

  /// Does what could not be done before the commit.
  private func carryOut() {
    while let effect = turn.takeEffect() {
      switch effect {
      case .perform(let operation, let live): checkouts.send(operation, for: live)
      case .abandon(let operation, let live): checkouts.abandon(operation, of: live)
      case .setTimer(let timer, let deadline): checkouts.setTimer(timer, at: deadline)
      case .clearTimer(let timer): checkouts.clearTimer(timer)
      case .settleWaits(let live): hub.settleWaits(on: live)
      case .ended(let live, let outcome): housekeeping.ended(live, outcome)
      case .removed(let live, let error): housekeeping.removed(live, error)
      }
    }
  }

  /// Has what was left of this turn done in the next.
  ///
  /// A timer that is armed again has its turn later: others who are ready would come first for ever.
  private func armSoon() {
    guard !isSoonArmed else { return }
    isSoonArmed = true
    soon?.arm(atBootMicroseconds: 0)
  }

  private func armTimer() {
    let (nearest, hasChanged) = schedule.takeChange()
    guard hasChanged else { return }
    if let nearest {
      timer?.arm(atBootMicroseconds: nearest)
    } else {
      timer?.disarm()
    }
  }
}

func hexadecimal(_ number: UInt64) -> String {
  let digits = String(number, radix: 16)
  return String(repeating: "0", count: 16 - digits.utf8.count) + digits
}
