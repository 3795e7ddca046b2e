import Checkout
import CheckoutStore
import JSONRPC
import PrimerAPI
import Systemd
import ValueTree

/// When the process ends: after SIGTERM, or when there is nothing to do.
final class Lifetime {
  private let clients: Clients
  private let checkouts: Checkouts
  private let hub: EventHub
  private let backups: Backups
  private let turn: Turn
  private let doors: Doors
  private let upstream: any UpstreamGateway
  private let schedule: Schedule
  private let report: ServiceReport
  private let journal: Journal
  private let handover: HandoverWriter
  private let idleAlarm: Alarm
  private let drainAlarm: Alarm
  private let isDurable: Bool
  private let exit: (Int32) -> Void
  /// How long the daemon stays with nothing to do; zero is for ever.
  private var idleSpan: Milliseconds = 0
  /// How long payments under way are waited for when stopping.
  private var drainSpan: Milliseconds = 0
  private var drain = Drain.none

  private enum Drain {
    case none
    /// What was asked is answered, payments under way are waited for.
    case begun
    /// They are waited for no longer.
    case outOfTime
    case over
  }

  /// Makes the lifetime of a server, whose state survives the process if it is durable; it ends the
  /// process, once the turn is over, by `exit`.
  init(
    _ clients: Clients, _ checkouts: Checkouts, _ hub: EventHub, _ backups: Backups, _ turn: Turn,
    _ doors: Doors, _ upstream: any UpstreamGateway, _ schedule: Schedule, _ report: ServiceReport,
    _ journal: Journal, _ handover: HandoverWriter, isDurable: Bool, exit: @escaping (Int32) -> Void
  ) {
    self.clients = clients
    self.checkouts = checkouts
    self.hub = hub
    self.backups = backups
    self.turn = turn
    self.doors = doors
    self.upstream = upstream
    self.schedule = schedule
    self.report = report
    self.journal = journal
    self.handover = handover
    self.isDurable = isDurable
    self.exit = exit
    idleAlarm = Alarm(in: schedule, holdsDaemon: false)
    drainAlarm = Alarm(in: schedule, holdsDaemon: false)
    idleAlarm.whenDue { [unowned self] in endIfIdle() }
    drainAlarm.whenDue { [unowned self] in
      if case .begun = drain { drain = .outOfTime }
    }
  }

  // MARK: Stopping

  /// Begins to stop: every call that would wait is told so.
  ///
  /// Clients are accepted and served meanwhile, for that may take as long as the creation of a payment;
  /// but nothing is begun that would have to be waited for. Again while stopping it does nothing.
  func beginDrain() {
    guard case .none = drain else { return }
    drain = .begun
    // As long as it may take, and a little to tell everybody.
    report.stopping(
      "Draining: \(clients.count) connections", within: UInt64(max(0, drainSpan) + 10_000) * 1000)
    journal.notice("stopping", id: MessageID.stopping)
    drainAlarm.set(after: drainSpan)
    clients.announceDrain()
    hub.refuseWaits(RPCError(.shuttingDown))
    checkouts.beginStopping()
    backups.refuse(RPCError(.shuttingDown))
  }

  /// Ends the process once no payment is under way upstream and everyone has what they are owed; to be
  /// asked at the end of a turn.
  func check() {
    switch drain {
    case .none: return watchIdleness()
    case .begun: guard !checkouts.isPaying else { return }
    case .outOfTime:
      if checkouts.isPaying {
        journal.warning("a payment is still under way upstream; stopping all the same")
      }
    case .over: return
    }
    drain = .over
    // Who comes from now on waits for the next run.
    doors.close()
    clients.refuseBatches(RPCError(.shuttingDown))
    clients.flushAll()
    if !handover.leave(clients) { clients.sayGoodbye(RPCError(.shuttingDown)) }
    upstream.shutdown()
    exit(0)
  }

  /// Ends the process at once, and tells nobody anything: the disk has lost what it had taken.
  func end(with error: StoreError?) {
    if case .over = drain { return }
    drain = .over
    let problem = error?.description ?? "the state is lost"
    journal.write(
      LogEntry(
        .critical, "\(problem); ending, to begin again with what is there",
        id: MessageID.storeFailed, isKept: true))
    report.stopping(problem)
    exit(1)
  }

  // MARK: Idle exit

  /// Sets how long the daemon stays with nothing to do; zero is for ever.
  func setSpans(idle: Milliseconds, drain: Milliseconds) {
    idleSpan = idle
    drainSpan = drain
  }

  /// Says that an idle exit is of no use where clients could not start the daemon again.
  func checkIdleExit() {
    guard idleSpan > 0, !doors.areShared else { return }
    journal.warning("idle-exit is of no use without the service manager's sockets: it stays")
  }

  /// Whether nobody is connected and nothing is under way or due.
  private var isIdle: Bool {
    guard clients.count == 0, turn.problem == nil, !turn.keepsArrivals, !schedule.holdsDaemon
    else { return false }
    let status = upstream.status
    guard status.underWay == 0, status.queued == 0 else { return false }
    return isDurable || checkouts.all.allSatisfy { $0.checkout.isEnded }
  }

  private func watchIdleness() {
    guard idleSpan > 0, clients.count == 0, isIdle else { return idleAlarm.clear() }
    if !idleAlarm.isSet { idleAlarm.set(after: idleSpan) }
  }

  /// Ends the process, if there is still nothing to do and every socket is the service manager's.
  ///
  /// From here on nobody is accepted: who connects waits in the socket for the next start. The
  /// service manager must know that this is the end before it sees the process gone, or it would
  /// take a start that is asked for meanwhile as done.
  private func endIfIdle() {
    guard isIdle, doors.areShared else { return }
    journal.info("nothing to do", id: MessageID.idle)
    doors.close()
    report.stopping("Ended: nothing to do")
    report.synchronize()
    exit(0)
  }
}
