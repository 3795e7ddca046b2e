package import Checkout
import CheckoutProtocol
import LinuxSystem
package import PrimerAPI
package import Systemd

/// What an administrator can set, by option or configuration file.
package struct Options: Sendable {
  /// Where to listen when no socket is passed in; none means the default place.
  package var sockets: [String] = []
  /// Whether everything is kept in memory, and lost with the process.
  package var isEphemeral = false
  /// Hosts beside `*.primer.io` that tokens may name.
  package var upstreamAllow: [String] = []
  /// The certificates to trust; `nil` for the system's.
  package var certificateFile: String?
  /// The proxy to go through.
  package var proxy: String?
  /// What connects to upstream in the daemon's place.
  package var egress: EgressPath?
  /// Who the daemon tells upstream that it is.
  package var client = SDKClient(version: Release.version)
  /// What is logged at least.
  package var logLevel = Log.Level.info
  /// How long a stop waits for payments under way.
  ///
  /// As long as the creation of one may take, and a little.
  package var drainTimeout: Milliseconds = 110_000

  /// How long payments are waited for when stopping: as said, or as long as a creation may take.
  package var drainSpan: Milliseconds {
    given["drain-timeout"] == nil
      ? max(drainTimeout, timeouts.createPayment + 10_000) : drainTimeout
  }

  /// How long the daemon stays with nothing to do; zero is for ever.
  package var idleSpan: Milliseconds = 0
  /// What the server allows.
  package var limits = Limits()
  /// How long things may take.
  package var spans = Spans()
  /// Where the state is kept; `nil` for the default place.
  package var stateDirectory: String?
  /// How long things are kept, and how surely.
  package var retention = Retention()
  /// Whether upstream is asked what became of a payment.
  package var asksQuestions = true
  /// How long upstream may take.
  package var timeouts = Timeouts()

  /// What was given, by the name of the option: each value with where it stands.
  private(set) var given: [String: [(text: String, place: OptionPlace)]] = [:]

  /// The defaults.
  package init() {}

  /// Applies one setting.
  ///
  /// - Parameters:
  ///   - row: The option.
  ///   - text: Its value.
  ///   - place: Where it stands.
  /// - Throws: What is wrong with it; the message does not repeat the value.
  package mutating func set(
    _ row: OptionRow, to text: String, at place: OptionPlace = .commandLine
  ) throws(OptionError) {
    guard row.apply(text, &self) else { throw OptionError(row, row.expectation, at: place) }
    given[row.name] = (row.isRepeatable ? given[row.name] ?? [] : []) + [(text, place)]
  }

  /// Reads a configuration file: one `option = value` a line, `#` begins a comment.
  ///
  /// - Parameters:
  ///   - text: The file's text.
  ///   - path: The file's path, for what is said of it.
  /// - Throws: The first line that is wrong, and how.
  package mutating func read(configuration text: String, of path: String) throws(OptionError) {
    for line in ConfigurationLine.all(of: text) {
      let place = OptionPlace.line(line.number, of: path)
      guard let value = line.value else {
        throw OptionError("expected option = value", at: place)
      }
      guard let row = OptionRow.all.first(where: { $0.name == line.name }) else {
        throw OptionError(unknown: line.name, at: place)
      }
      try set(row, to: value, at: place)
    }
  }
}

/// Where the value of an option stands.
package enum OptionPlace: Sendable, Equatable {
  /// On the command line.
  case commandLine
  /// On a line of a file.
  case line(Int, of: String)
  /// In something of that name: a variable, or a credential.
  case other(String)
}

/// What is wrong with an option.
package struct OptionError: Error, Sendable, Equatable {
  /// For the administrator to read: where, what, and how.
  package let message: String
  /// The option's name, if it is about a known one.
  package let option: String?
  /// The line of the configuration file, if it stands there.
  package let line: Int?

  /// Makes an error that is about no line of the configuration and about no option.
  package init(_ message: String) {
    self.message = message
    option = nil
    line = nil
  }

  /// Makes an error about an option.
  ///
  /// - Parameters:
  ///   - row: Which.
  ///   - problem: What is wrong with its value, without the value.
  ///   - place: Where it stands.
  package init(_ row: OptionRow, _ problem: String, at place: OptionPlace) {
    self.init(problem, about: row.name, at: place)
  }

  /// Makes an error about a line that names no option.
  init(_ problem: String, at place: OptionPlace) { self.init(problem, about: nil, at: place) }

  /// Makes an error about a name that is no option's.
  init(unknown name: String, at place: OptionPlace) {
    // What is not like a name may be a value that stands in the wrong place, and secret.
    let isName = name.utf8.count <= 40 && name.allSatisfy { $0.isASCII && $0.isLetter || $0 == "-" }
    var problem = "there is no such option"
    if isName, !name.isEmpty { problem += ": " + name }
    if let meant = closest(to: name, of: OptionRow.all.map(\.name)) {
      problem += "; did you mean \(meant)?"
    }
    self.init(problem, at: place)
  }

  private init(_ problem: String, about option: String?, at place: OptionPlace) {
    self.option = option
    let named = (option.map { "--\($0): " } ?? "") + problem
    switch place {
    case .commandLine:
      line = nil
      message = named
    case .line(let number, let path):
      line = number
      message = "\(path): line \(number): \(named)"
    case .other(let name):
      line = nil
      message = "\(name): \(problem)"
    }
  }
}
