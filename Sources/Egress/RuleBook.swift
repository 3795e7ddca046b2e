import Glibc
import LinuxSystem
import Synchronization
package import Systemd
package import Upstream

/// Where the rules stand: in the daemon's own configuration file, and on the command line.
///
/// The file is read anew for each connection, so that nobody has to be told when it has changed. One
/// with a mistake changes nothing, as with the daemon; without a good one before it, the rules are
/// those of an empty file.
package final class RuleBook: Sendable {
  private let path: String?
  private let entries: [String]
  private let proxy: ProxyAddress?
  private let log: Log
  private let last: Mutex<(rules: Rules, problem: String?)>

  /// Opens the book.
  ///
  /// - Parameters:
  ///   - path: The configuration file, which may be missing.
  ///   - entries: What is allowed beside what the file says.
  ///   - proxy: The URL of the proxy, if the file names none.
  ///   - log: Where mistakes are told of.
  /// - Throws: ``UpstreamEntryProblem`` for the first of the entries that is malformed.
  package init(
    path: String?, entries: [String] = [], proxy: String? = nil, log: Log
  ) throws(UpstreamEntryProblem) {
    self.path = path
    self.entries = entries
    self.proxy = proxy.flatMap(ProxyAddress.init)
    self.log = log
    if proxy != nil, self.proxy == nil {
      log.error("the credential is not the URL of an HTTP proxy")
    }
    last = Mutex(
      (Rules(policy: try UpstreamPolicy(entries: entries), proxy: self.proxy), nil))
  }

  /// The rules as they are now.
  func rules() -> Rules {
    let result = read()
    return last.withLock { last in
      switch result {
      case .success(let rules): last = (rules, nil)
      case .failure(let mistake):
        if mistake.text != last.problem { log.error("the rules were not changed: \(mistake.text)") }
        last.problem = mistake.text
      }
      return last.rules
    }
  }

  private struct Mistake: Error {
    let text: String
  }

  private func read() -> Result<Rules, Mistake> {
    guard let path else { return rules(from: []) }
    guard let text = readTextFile(path) else {
      let isMissing = unsafe access(path, F_OK) != 0 && errno == ENOENT
      return isMissing ? rules(from: []) : .failure(Mistake(text: "\(path): cannot be read"))
    }
    return rules(from: ConfigurationLine.all(of: text)).mapError {
      Mistake(text: "\(path): \($0.text)")
    }
  }

  private func rules(from lines: [ConfigurationLine]) -> Result<Rules, Mistake> {
    var rules: Rules
    do throws(UpstreamEntryProblem) {
      let listed = lines.filter { $0.name == "upstream-allow" }.compactMap(\.value)
      rules = Rules(policy: try UpstreamPolicy(entries: entries + listed), proxy: proxy)
    } catch { return .failure(Mistake(text: "upstream-allow: \(error)")) }
    if let line = lines.first(where: { $0.value == nil }) {
      return .failure(Mistake(text: "line \(line.number): expected option = value"))
    }
    if let line = lines.last(where: { $0.name == "proxy" }), let url = line.value {
      guard let proxy = ProxyAddress(url) else {
        return .failure(Mistake(text: "line \(line.number): proxy: not the URL of an HTTP proxy"))
      }
      rules.proxy = proxy
    }
    return .success(rules)
  }
}
