import LinuxSystem
import Systemd

/// What the service manager is told about the daemon.
final class ServiceReport {
  private let service: ServiceManager
  private let journal: Journal
  private let alarm: Alarm
  private var problems: [(cause: Cause, text: String)] = []
  private var told = ""
  /// Whether something may be told anew: at most once a second.
  private var isDue = false
  private var isStopping = false

  /// What a problem is with.
  enum Cause: Int {
    case store
    case wiping
    case configuration
    case egress
    case questions
  }

  init(_ service: ServiceManager, _ journal: Journal, _ schedule: Schedule) {
    self.service = service
    self.journal = journal
    alarm = Alarm(in: schedule, holdsDaemon: false)
    alarm.whenDue { [unowned self] in isDue = true }
  }

  /// Sets what is wrong, or that nothing is any more.
  ///
  /// - Parameters:
  ///   - text: What is wrong, for people; nil if nothing is.
  ///   - cause: With what.
  /// - Returns: Whether it was right before.
  @discardableResult
  func set(_ text: String?, as cause: Cause) -> Bool {
    let wasRight = !problems.contains { $0.cause == cause }
    problems.removeAll { $0.cause == cause }
    if let text { problems.append((cause, text)) }
    problems.sort { $0.cause.rawValue < $1.cause.rawValue }
    isDue = true
    return wasRight
  }

  /// Takes note of whether the egress can be reached.
  func noteEgress(_ problem: Errno?) {
    set(problem.map { "the egress cannot be reached: \($0)" }, as: .egress)
    if let problem {
      journal.error("the egress cannot be reached: \(problem)", id: MessageID.egress)
    } else {
      journal.notice("the egress can be reached again", id: MessageID.egress)
    }
  }

  private func status(_ counts: String) -> String {
    ([counts] + problems.map(\.text)).joined(separator: "; ")
  }

  /// Tells that every listener accepts.
  func ready(_ counts: String) {
    told = status(counts)
    service.notify(.ready, status: told)
    alarm.set(after: 1000)
    journal.notice("ready", id: MessageID.started)
  }

  /// Tells that the start goes on.
  func starting(_ text: String) {
    service.notify(.extendTimeout(microseconds: 60_000_000), status: text)
  }

  /// Tells that the configuration is being read.
  func reloading() { service.notify(.reloading, status: "Reading the configuration") }

  /// Tells that it was read.
  func reloaded(_ counts: String) {
    told = status(counts)
    service.notify(.ready, status: told)
    synchronize()
  }

  /// Tells that the daemon stops, which may take so long if it is not done already.
  func stopping(_ text: String, within microseconds: UInt64? = nil) {
    isStopping = true
    service.notify(.stopping, status: text)
    if let microseconds { service.notify(.extendTimeout(microseconds: microseconds)) }
  }

  /// Tells what the daemon does, if that has changed and may be told.
  func tell(_ counts: () -> String) {
    guard isDue, !isStopping else { return }
    let text = status(counts())
    guard text != told else { return }
    told = text
    isDue = false
    service.notify(.status, status: text)
    alarm.set(after: 1000)
  }

  /// Waits until the service manager has taken in what it was told.
  func synchronize() {
    if !service.synchronize() { journal.warning("the service manager does not answer") }
  }
}
