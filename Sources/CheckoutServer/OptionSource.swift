import JSONRPC
import Systemd

/// Where the options come from, and who takes them into force.
///
/// Limits hold for the connections to come, time-outs for the requests to come; sockets, state,
/// certificates and what upstream may be are read at start only.
final class OptionSource {
  private let read: () -> Result<Options, OptionError>
  private let report: ServiceReport
  private let journal: Journal
  private var takers: [(Options) -> Void] = []
  private var counts: () -> String = { "" }

  init(
    _ read: @escaping () -> Result<Options, OptionError>, _ report: ServiceReport,
    _ journal: Journal
  ) {
    self.read = read
    self.report = report
    self.journal = journal
  }

  /// Has somebody take new options into force.
  func whenRead(_ take: @escaping (Options) -> Void) { takers.append(take) }

  /// Says what the service manager is told that the daemon does.
  func setCounts(_ counts: @escaping () -> String) { self.counts = counts }

  /// Reads the configuration again and puts it in force; a wrong one changes nothing.
  ///
  /// - Returns: What is wrong, or `nil`.
  func reload() -> OptionError? {
    report.reloading()
    defer { report.reloaded(counts()) }
    switch read() {
    case .failure(let problem):
      report.set(
        "the configuration was not changed: \(problem.message)", as: .configuration)
      journal.error(
        "the configuration was not changed: \(problem.message)", id: MessageID.reloadFailed)
      return problem
    case .success(let options):
      report.set(nil, as: .configuration)
      for take in takers { take(options) }
      journal.notice("the configuration is in force", id: MessageID.reloaded)
      return nil
    }
  }
}
