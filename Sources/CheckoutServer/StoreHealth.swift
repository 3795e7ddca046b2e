import Checkout
import CheckoutStore
import Systemd

/// How the store is, and what is done while it cannot be written: the turn that failed is told of, and
/// what was kept is tried again each second.
final class StoreHealth {
  private let store: CheckoutStore
  private let turn: Turn
  private let checkouts: Checkouts
  private let journal: Journal
  private let report: ServiceReport
  private let retryAlarm: Alarm
  private let reserveAlarm: Alarm

  /// Why what is due cannot be wiped, while it cannot.
  private var wipingProblem: StoreError?

  private static let pause: Milliseconds = 1000

  init(
    _ store: CheckoutStore, _ turn: Turn, _ checkouts: Checkouts, _ journal: Journal,
    _ report: ServiceReport, _ schedule: Schedule
  ) {
    self.store = store
    self.turn = turn
    self.checkouts = checkouts
    self.journal = journal
    self.report = report
    retryAlarm = Alarm(in: schedule, holdsDaemon: true)
    reserveAlarm = Alarm(in: schedule, holdsDaemon: true)
    retryAlarm.whenDue { [unowned self] in retry() }
    reserveAlarm.whenDue { [unowned self] in setReserveAside() }
  }

  /// How the store is, for people to read.
  var text: String { (turn.problem ?? wipingProblem)?.description ?? "ok" }

  /// Takes note of what a start has found to be missing.
  func noteLoss(_ loss: StoreLoss?) {
    switch loss {
    case nil: return
    case .unsynchronized(let count):
      journal.notice(
        "the last \(count) commits did not survive the end of the machine; none had to",
        id: MessageID.stateLost)
    case .damaged(let why):
      journal.error(
        "the state is damaged: \(why); what was under way ends with an unknown outcome",
        id: MessageID.stateLost)
    case .restored:
      journal.notice(
        "the state was restored from a copy; what was under way ends with an unknown outcome",
        id: MessageID.stateLost)
    }
  }

  /// Takes note of whether what is due can be wiped.
  func noteWiping(_ problem: StoreError?) {
    let was = wipingProblem
    wipingProblem = problem
    report.set(problem.map { "nothing can be wiped: \($0)" }, as: .wiping)
    switch (was, problem) {
    case (nil, let problem?):
      journal.error("nothing can be wiped: \(problem)", id: MessageID.storeFailed)
    case (_?, nil): journal.notice("what is due is wiped again", id: MessageID.storeRecovered)
    default: return
    }
  }

  /// Takes note that a turn could not be committed.
  func noteFailure() {
    guard let problem = turn.problem else { return }
    retryAlarm.set(after: Self.pause)
    guard report.set(problem.description, as: .store) else { return }
    journal.error("\(problem)", id: MessageID.storeFailed)
  }

  /// Tries to write what was kept; with nothing kept, whether writing works at all.
  ///
  /// What was set aside on the disk is there for the first, and must be back before commands are
  /// taken again.
  private func retry() {
    guard turn.problem != nil else { return }
    retryAlarm.set(after: Self.pause)
    let keepsArrivals = turn.keepsArrivals
    do throws(StoreError) {
      if keepsArrivals { store.releaseReserve() } else { try store.restoreReserve() }
      try store.probe()
    } catch {
      return turn.note(error)
    }
    guard !keepsArrivals else {
      return turn.retry { arrival, live in checkouts.receive(arrival, of: live) }
    }
    retryAlarm.clear()
    turn.endProblem()
    report.set(nil, as: .store)
    journal.notice("the state can be written again", id: MessageID.storeRecovered)
  }

  /// Sets space aside on the disk; what there is no room for at the start is set aside as soon as
  /// there is.
  func setReserveAside() {
    do throws(StoreError) {
      if !store.hasReserve, turn.problem == nil { try store.restoreReserve() }
    } catch {}
    if !store.hasReserve { reserveAlarm.set(after: Self.pause) }
  }
}
