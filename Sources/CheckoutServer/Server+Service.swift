package import Checkout
import CheckoutStore
import JSONRPC
import LinuxSystem
import Systemd

extension Server {
  /// Tells the service manager that every listener accepts.
  package func announceReady() {
    toldStatus = statusText
    service.notify(.ready, status: toldStatus)
    timers.set(.status, at: Clock.bootMicroseconds() + 1_000_000)
    log.notice("ready", id: MessageID.started)
  }

  /// Begins to stop; again while stopping does nothing.
  package func beginDrain(timeout: Milliseconds) {
    guard drain == nil else { return }
    drain = Drain(self, timeout: timeout)
  }

  private var statusText: String {
    let count = checkouts.checkouts.count
    let text = "\(connections.count) connections, \(count) checkouts"
    return storeProblem.map { "\(text); \($0)" } ?? text
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
  /// Limits of lines and batches hold for the connections to come; sockets, certificates and what
  /// upstream may be are read at start only.
  ///
  /// - Returns: What is wrong, or `nil`.
  func reload() -> OptionError? {
    service.notify(.reloading, status: "Reading the configuration")
    defer { service.notify(.ready, status: statusText) }
    switch readOptions() {
    case .failure(let problem):
      log.error("the configuration was not changed: \(problem.message)")
      return problem
    case .success(let options):
      limits = options.limits
      spans = options.spans
      store.eventLimits = options.limits.events
      dispatcher = Self.makeDispatcher(limits)
      log.minimumLevel = options.logLevel
      log.notice("the configuration is in force")
      return nil
    }
  }

  /// Reads the configuration again because of a signal; what is wrong stands in the journal.
  package func reloadByItself() { _ = reload() }
}
