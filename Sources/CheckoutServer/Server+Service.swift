package import Checkout
import CheckoutStore
import JSONRPC
import LinuxSystem
import PrimerAPI
import Systemd

extension Server {
  /// Tells the service manager that every listener accepts.
  package func announceReady() {
    toldStatus = statusText
    service.notify(.ready, status: toldStatus)
    timers.set(.status, at: Clock.bootMicroseconds() + 1_000_000)
    log.notice("ready", id: MessageID.started)
    if idleSpan > 0, !listeners.allSatisfy(\.isShared) {
      log.warning("idle-exit is of no use without the service manager's sockets: it stays")
    }
  }

  /// Tells the service manager that the start goes on.
  func tellProgress(_ count: Int) {
    service.notify(
      .extendTimeout(microseconds: 60_000_000), status: "Reading the state: \(count) checkouts")
  }

  /// Begins to stop; again while stopping does nothing.
  package func beginDrain(timeout: Milliseconds) {
    guard drain == nil else { return }
    drain = Drain(self, timeout: timeout)
  }

  private var statusText: String {
    let count = checkouts.checkouts.count
    let text = "\(connections.count) connections, \(count) checkouts"
    let problems = [
      storeProblem?.description,
      configurationProblem.map { "the configuration was not changed: \($0)" },
      egressProblem.map { "the egress cannot be reached: \($0)" },
    ]
    return ([text] + problems.compactMap(\.self)).joined(separator: "; ")
  }

  /// Tells the service manager what the daemon does, at most once a second.
  func tellStatus() {
    guard isStatusDue, drain == nil else { return }
    let text = statusText
    guard text != toldStatus else { return }
    toldStatus = text
    isStatusDue = false
    service.notify(.status, status: text)
    timers.set(.status, at: Clock.bootMicroseconds() + 1_000_000)
  }

  /// Reads the configuration again and puts it in force; a wrong one changes nothing.
  ///
  /// Limits hold for the connections to come, time-outs for the requests to come; sockets, state, certificates and what
  /// upstream may be are read at start only.
  ///
  /// - Returns: What is wrong, or `nil`.
  func reload() -> OptionError? {
    service.notify(.reloading, status: "Reading the configuration")
    defer {
      toldStatus = statusText
      service.notify(.ready, status: toldStatus)
      if !service.synchronize() { log.warning("the service manager does not answer") }
    }
    switch readOptions() {
    case .failure(let problem):
      configurationProblem = problem.message
      log.error(
        "the configuration was not changed: \(problem.message)", id: MessageID.reloadFailed)
      return problem
    case .success(let options):
      configurationProblem = nil
      limits = options.limits
      idleSpan = options.idleSpan
      spans = options.spans
      retention = options.retention
      gateway.timeouts = options.timeouts
      store.eventLimits = options.limits.events
      inbound.setLimits(limits)
      log.minimumLevel = options.logLevel
      log.notice("the configuration is in force", id: MessageID.reloaded)
      return nil
    }
  }

  /// Reads the configuration again because of a signal; what is wrong stands in the journal.
  package func reloadByItself() { _ = reload() }
}
