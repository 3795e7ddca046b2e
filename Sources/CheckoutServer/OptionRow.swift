import Checkout
import CheckoutStore
import PrimerAPI
import Systemd
import Upstream

/// One option: its name on the command line and in the configuration file, what it takes and does.
package struct OptionRow: Sendable {
  /// The name, without the dashes.
  package let name: String
  /// The short form.
  package let letter: Character?
  /// What it takes, as help shows it; `nil` for a switch.
  package let argument: String?
  /// What it is for.
  package let summary: String
  /// What a good value is.
  package let expectation: String
  /// What it is if nobody sets it, where that is a value to be written.
  package let initial: String?
  /// Whether it may be given more than once, each adding to those before.
  package let isRepeatable: Bool
  /// When it is taken into force.
  package let when: When
  let apply: @Sendable (String, inout Options) -> Bool
  let check: Check

  /// When the value of an option is taken into force.
  package enum When: Sendable {
    /// At the start alone.
    case start
    /// With each reading of the configuration.
    case reload
  }

  /// Looks at what was given once all options are known.
  ///
  /// It returns what is wrong, and with which of the values if it may be given more than once.
  typealias Check = @Sendable (Options) -> (place: Int, problem: String)?

  private init(
    _ name: String, _ argument: String?, _ summary: String, letter: Character? = nil,
    expects expectation: String = "expected a value", initial: String? = nil,
    isRepeatable: Bool = false, when: When = .reload, check: @escaping Check = { _ in nil },
    _ apply: @escaping @Sendable (String, inout Options) -> Bool
  ) {
    self.name = name
    self.letter = letter
    self.argument = argument
    self.summary = summary
    self.expectation = expectation
    self.initial = initial
    self.isRepeatable = isRepeatable
    self.when = when
    self.check = check
    self.apply = apply
  }

  /// A number of something within a range, which is kept in some places.
  private static func number<Number: FixedWidthInteger & Sendable>(
    _ name: String, _ argument: String, _ range: ClosedRange<Number>, _ summary: String,
    of unit: String = "a whole number",
    _ paths: any WritableKeyPath<Options, Number> & Sendable...
  ) -> OptionRow {
    OptionRow(
      name, argument, summary,
      expects: "expected \(unit) from \(range.lowerBound) to \(range.upperBound)",
      initial: paths.first.map { String(Options()[keyPath: $0]) }
    ) { text, options in
      guard let number = Number(text), range.contains(number) else { return false }
      for path in paths { options[keyPath: path] = number }
      return true
    }
  }

  /// A span of milliseconds within a range.
  private static func span(
    _ name: String, _ range: ClosedRange<Milliseconds>, _ summary: String,
    _ path: any WritableKeyPath<Options, Milliseconds> & Sendable
  ) -> OptionRow {
    number(name, "MS", range, summary, of: "milliseconds", path)
  }

  /// One of some words, each of which stands for a value; the one that is meant where none is given.
  private static func choice<Choice: Sendable>(
    _ name: String, _ argument: String?, _ summary: String,
    _ choices: KeyValuePairs<String, Choice>, initial: String, when: When = .reload,
    _ path: any WritableKeyPath<Options, Choice> & Sendable
  ) -> OptionRow {
    let words = choices.map(\.key)
    return OptionRow(
      name, argument, summary,
      expects: "expected \(words.dropLast().joined(separator: ", ")) or \(words.last ?? "")",
      initial: initial, when: when
    ) { text, options in
      guard let choice = choices.first(where: { $0.key == text }) else { return false }
      options[keyPath: path] = choice.value
      return true
    }
  }

  /// A word that every request upstream carries.
  private static func word(
    _ name: String, _ argument: String, _ summary: String, initial: String? = nil,
    _ path: any WritableKeyPath<Options, String> & Sendable
  ) -> OptionRow {
    OptionRow(
      name, argument, summary, expects: "expected 1 to 64 visible characters, in ASCII",
      initial: initial, when: .start
    ) { text, options in
      guard isHeaderSafe(text), text.utf8.count <= 64 else { return false }
      options[keyPath: path] = text
      return true
    }
  }

  private static func checkUpstream(_ options: Options) -> (place: Int, problem: String)? {
    for (place, entry) in options.upstreamAllow.enumerated() {
      do throws(UpstreamEntryProblem) {
        _ = try UpstreamPolicy(entries: [entry])
      } catch {
        return (place, error.description)
      }
    }
    return nil
  }

  private static func checkProxy(_ options: Options) -> (place: Int, problem: String)? {
    guard let proxy = options.proxy else { return nil }
    guard let colon = proxy.firstIndex(of: ":"), proxy[colon...].hasPrefix("://"),
      proxySchemes.contains(proxy[..<colon].lowercased()),
      // What follows the scheme is the same for all of them.
      ProxyAddress("http" + proxy[colon...]) != nil
    else {
      return (
        0, "expected a URL: http://HOST:PORT, or with https, socks4, socks4a, socks5, socks5h"
      )
    }
    guard options.egress == nil || ProxyAddress(proxy) != nil else {
      return (0, "behind --egress it must be one for HTTP: http://HOST:PORT")
    }
    return nil
  }

  private static let proxySchemes = ["http", "https", "socks4", "socks4a", "socks5", "socks5h"]

  /// Whose value may also be a credential.
  package static let proxy = OptionRow(
    "proxy", "URL", "reach upstream through this proxy", when: .start, check: checkProxy
  ) { text, options in
    options.proxy = text
    return !text.isEmpty
  }

  /// Whose value may also be a variable of the environment.
  package static let egress = OptionRow(
    "egress", "PATH", "have checkoutd-egress, which listens here, make the connections upstream",
    expects: EgressPath.expectation, when: .start
  ) { text, options in
    options.egress = EgressPath(text)
    return options.egress != nil
  }

  /// Every option that sets something.
  package static let all: [OptionRow] = [
    OptionRow(
      "socket", "PATH", "listen here; may be given more than once", isRepeatable: true,
      when: .start
    ) { text, options in
      guard !text.isEmpty else { return false }
      options.sockets.append(text)
      return true
    },
    OptionRow("state-directory", "DIR", "keep the state here", when: .start) { text, options in
      options.stateDirectory = text
      return !text.isEmpty
    },
    choice(
      "sync", "WHEN", "make commits survive a power failure: normal (payments) or always",
      ["normal": false, "always": true], initial: "normal", \.retention.isAlwaysSynchronous),
    span(
      "retention", 0...604_800_000, "wipe a checkout's data so long after its end",
      \.retention.data),
    span(
      "outcome-retention", 0...31_536_000_000, "forget its outcome so long after its end",
      \.retention.record),
    choice(
      "ephemeral", nil, "keep everything in memory: nothing survives a restart",
      ["yes": true, "no": false], initial: "no", when: .start, \.isEphemeral),
    OptionRow(
      "upstream-allow", "HOST[:PORT]",
      "let client tokens name this host too; may be given more than once", isRepeatable: true,
      when: .start, check: checkUpstream
    ) { text, options in
      guard !text.isEmpty else { return false }
      options.upstreamAllow.append(text)
      return true
    },
    OptionRow(
      "ca-file", "FILE", "trust these certificates instead of the system's", when: .start,
      check: { $0.certificateFile.flatMap { CertificateFile.problem($0) }.map { (0, $0) } }
    ) { text, options in
      options.certificateFile = text
      return !text.isEmpty
    },
    proxy, egress,
    word(
      "sdk-client", "NAME", "tell upstream this name, for accounts that need another",
      initial: Options().client.name, \.client.name),
    word(
      "sdk-version", "VERSION", "tell upstream this version instead of the daemon's",
      \.client.version),
    word(
      "sdk-platform", "NAME", "tell upstream this platform, for accounts that need another",
      initial: Options().client.platform, \.client.platform),
    choice(
      "log-level", "LEVEL", "log this and what is more urgent",
      [
        "error": .error, "warning": .warning, "notice": .notice, "info": .info, "debug": .debug,
      ], initial: "info", \.logLevel),
    OptionRow(
      "idle-exit", "SECONDS",
      "end after so long with nothing to do; a client starts it again",
      expects: "expected a whole number from 0 (never) to 86400", initial: "0"
    ) { text, options in
      guard let seconds = Int64(text), (0...86_400).contains(seconds) else { return false }
      options.idleSpan = seconds * 1000
      return true
    },
    span(
      "drain-timeout", 0...600_000,
      "wait for payments when stopping; unset: for as long as one may take",
      \.drainTimeout),
    span(
      "request-timeout", 10...600_000,
      "time-out for configuration, session changes and tokenization",
      \.timeouts.request),
    span("bank-list-timeout", 10...600_000, "time-out for the list of banks", \.timeouts.bankList),
    number(
      "create-payment-timeout", "MS", 10...600_000, "time-out for the creation of a payment",
      of: "milliseconds", \.timeouts.createPayment, \.spans.paymentCreation),
    span(
      "payment-timeout", 10...600_000, "time-out for the resumption and completion of a payment",
      \.timeouts.payment),
    span(
      "poll-timeout", 10...600_000, "time-out for one poll of a redirect's status", \.timeouts.poll),
    span(
      "poll-span", 1000...86_400_000, "poll a redirect's status so long at most", \.spans.poll),
    span(
      "attempt-span", 1000...3_600_000,
      "stop trying to create a payment this long after submit",
      \.spans.attempt),
    choice(
      "questions", "WHETHER", "ask upstream what became of a payment: yes or no",
      ["yes": true, "no": false], initial: "yes", \.asksQuestions),
    span(
      "checkout-span", 1000...86_400_000, "let an unsubmitted checkout live so long at most",
      \.spans.checkout),
    number("max-line", "BYTES", 1024...16_777_216, "the longest line that comes in", \.limits.line),
    number(
      "max-line-out", "BYTES", 131_072...16_777_216, "the longest line that goes out",
      \.limits.lineOut),
    number("max-nesting", "N", 8...1024, "the most levels of a line", \.limits.nesting),
    number("max-batch", "N", 1...10_000, "the most members of a batch", \.limits.batch),
    number(
      "max-in-flight", "N", 1...10_000, "the most calls of a connection at once", \.limits.inFlight),
    number(
      "max-waiting", "N", 1...10_000, "the most calls of a connection that wait", \.limits.waiting),
    number(
      "max-connections", "N", 1...100_000,
      "the most connections, of which 16 are kept for administrators", \.limits.connections),
    number(
      "max-connections-per-uid", "N", 1...100_000, "the most connections of a user",
      \.limits.connectionsPerUser),
    number(
      "max-checkouts-per-uid", "N", 1...1_000_000, "the most live checkouts of a user",
      \.limits.checkoutsPerUser),
    number(
      "max-checkouts", "N", 1...1_000_000,
      "the most live checkouts of all users; half of them of one", \.limits.checkouts),
    number(
      "max-ended-per-uid", "N", 1...100_000, "the most ended checkouts of a user with their data",
      \.limits.endedPerUser),
    number(
      "max-records-per-uid", "N", 1...1_000_000, "the most records of a user's checkouts",
      \.limits.recordsPerUser),
    number(
      "max-records", "N", 1...10_000_000, "the most records of all users' checkouts",
      \.limits.records),
    number("max-shares", "N", 1...10_000, "the most shares of a checkout", \.limits.shares),
    number(
      "max-queue", "BYTES", 65_536...1_073_741_824, "the most that may wait to be read by a client",
      \.limits.queue),
    number(
      "max-memory", "BYTES", 1_048_576...1_099_511_627_776,
      "the most in all queues and unfinished lines together", \.limits.memory),
    number(
      "max-connection-rate", "N", 1...1_000_000, "the most new connections of a user in a second",
      \.limits.connectionRate),
    number(
      "slow-reader-timeout", "MS", 100...3_600_000,
      "let a client go that reads nothing for so long while owed too much",
      \.limits.slowReader),
    number(
      "max-events", "N", 100...1_000_000, "the most events kept of a checkout",
      \.limits.events.count),
    number(
      "max-event-bytes", "BYTES", 65_536...1_073_741_824, "the most kept of a checkout's events",
      \.limits.events.byteCount),
  ]
}
