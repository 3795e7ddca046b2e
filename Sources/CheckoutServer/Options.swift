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
  /// How long upstream may take.
  package var timeouts = Timeouts()

  /// The defaults.
  package init() {}

  /// Applies one setting.
  ///
  /// - Throws: What is wrong with it; the message does not repeat the value.
  package mutating func set(_ row: OptionRow, to text: String) throws(OptionError) {
    guard row.apply(text, &self) else { throw OptionError("--\(row.name): \(row.expectation)") }
  }

  /// Reads a configuration file: one `option = value` a line, `#` begins a comment.
  ///
  /// - Parameter text: The file's text.
  /// - Throws: The first line that is wrong, and how.
  package mutating func read(configuration text: String) throws(OptionError) {
    for line in ConfigurationLine.all(of: text) {
      guard let value = line.value else {
        throw OptionError("line \(line.number): expected option = value")
      }
      guard let row = OptionRow.all.first(where: { $0.name == line.name }), row.isInFile else {
        throw OptionError("line \(line.number): there is no such option")
      }
      do throws(OptionError) {
        try set(row, to: value)
      } catch {
        throw OptionError("line \(line.number): \(error.message)")
      }
    }
  }
}

/// What is wrong with an option.
package struct OptionError: Error, Sendable, Equatable {
  /// For the administrator to read.
  package let message: String

  /// Makes an error.
  package init(_ message: String) { self.message = message }
}
