import JSONRPC
import Systemd

/// Where the options come from, and who takes them into force.
///
/// Limits hold for the connections to come, time-outs for the requests to come.
final class OptionSource {
  /// What the daemon was started with: some of it is read at start alone.
  private let started: CheckedOptions
  private let read: () -> Result<CheckedOptions, OptionError>
  private let report: ServiceReport
  private let journal: Journal
  private var takers: [(Options) -> Void] = []
  private var counts: () -> String = { "" }

  init(
    _ started: CheckedOptions, _ read: @escaping () -> Result<CheckedOptions, OptionError>,
    _ report: ServiceReport, _ journal: Journal
  ) {
    self.started = started
    self.read = read
    self.report = report
    self.journal = journal
  }

  /// Has somebody take options into force: those that there are, and each time others are read.
  func whenRead(_ take: @escaping (Options) -> Void) {
    take(started.options)
    takers.append(take)
  }

  /// Says what the service manager is told that the daemon does.
  func setCounts(_ counts: @escaping () -> String) { self.counts = counts }

  /// Reads the configuration again and puts it in force; a wrong one changes nothing.
  ///
  /// - Returns: The options that are others now and wait for a restart, or what is wrong.
  func reload() -> Result<[String], OptionError> {
    report.reloading()
    defer { report.reloaded(counts()) }
    switch read() {
    case .failure(let problem):
      report.set(
        "the configuration was not changed: \(problem.message)", as: .configuration)
      journal.error(
        "the configuration was not changed: \(problem.message)", id: MessageID.reloadFailed)
      return .failure(problem)
    case .success(let checked):
      report.set(nil, as: .configuration)
      for take in takers { take(checked.options) }
      let waiting = checked.needingRestart(after: started)
      journal.notice(
        "the configuration is in force"
          + (waiting.isEmpty ? "" : "; a restart is needed for \(waiting.joined(separator: ", "))"),
        id: MessageID.reloaded)
      return .success(waiting)
    }
  }
}
