import LinuxSystem

/// The options there are, in the order in which they are told of.
enum Option: Int, CaseIterable, Sendable {
  case tokenFile, startKey, handling, locale, urlScheme, publishableKey, merchantName, mandateText
  case settings, data, decide, decisionTimeout, allowRepeat
  case state, shared, all
  case reason, wait, since, retry, sequential, json
  case socket, timeout, version, help

  /// Those that go with every command.
  static let common: [Option] = [.socket, .timeout, .version, .help]

  /// How it is written.
  var row: CommandLineOption {
    switch self {
    case .tokenFile: CommandLineOption("token-file", takesValue: true)
    case .startKey: CommandLineOption("start-key", letter: "k", takesValue: true)
    case .handling: CommandLineOption("handling", takesValue: true)
    case .locale: CommandLineOption("locale", takesValue: true)
    case .urlScheme: CommandLineOption("url-scheme", takesValue: true)
    case .publishableKey: CommandLineOption("publishable-key", takesValue: true)
    case .merchantName: CommandLineOption("merchant-name", takesValue: true)
    case .mandateText: CommandLineOption("mandate-text", takesValue: true)
    case .settings: CommandLineOption("settings", takesValue: true)
    case .data: CommandLineOption("data", takesValue: true)
    case .decide: CommandLineOption("decide")
    case .decisionTimeout: CommandLineOption("decision-timeout", takesValue: true)
    case .allowRepeat: CommandLineOption("allow-repeat")
    case .state: CommandLineOption("state", takesValue: true)
    case .shared: CommandLineOption("shared")
    case .all: CommandLineOption("all", letter: "a")
    case .reason: CommandLineOption("reason", takesValue: true)
    case .wait: CommandLineOption("wait", letter: "w", takesValue: true)
    case .since: CommandLineOption("since", takesValue: true)
    case .retry: CommandLineOption("retry", takesValue: true)
    case .sequential: CommandLineOption("sequential")
    case .json: CommandLineOption("json", letter: "j")
    case .socket: CommandLineOption("socket", letter: "s", takesValue: true)
    case .timeout: CommandLineOption("timeout", letter: "t", takesValue: true)
    case .version: CommandLineOption("version", letter: "V")
    case .help: CommandLineOption("help", letter: "h")
    }
  }

  /// What its value is called; nil if it takes none.
  var valueName: String? {
    switch self {
    case .tokenFile, .settings, .data: "FILE"
    case .startKey, .publishableKey: "KEY"
    case .handling: "HOW"
    case .locale, .urlScheme, .merchantName: "NAME"
    case .mandateText, .reason: "TEXT"
    case .decisionTimeout, .retry, .timeout: "MS"
    case .state: "STATE"
    case .wait: "EVENT"
    case .since: "SEQ"
    case .socket: "PATH"
    case .decide, .allowRepeat, .shared, .all, .sequential, .json, .version, .help: nil
    }
  }

  /// What it does.
  var summary: String {
    switch self {
    case .tokenFile: "read the client token from this file; - is standard input"
    case .startKey: "a name of your choice: the same key and parameters, the same checkout"
    case .handling: "how payments are handled: auto or manual"
    case .locale: "the shopper's language, as in nl-NL"
    case .urlScheme: "the scheme or address that a shopper comes back to, which ACH needs"
    case .publishableKey: "Stripe's publishable key, which ACH needs"
    case .merchantName: "the merchant's name, for the text of ACH mandates"
    case .mandateText: "the text of ACH mandates, in place of the usual one"
    case .settings: "read the settings from this file, as a JSON object; options go over it"
    case .data: "read what a shopper would be asked for from this file, and ask nobody"
    case .decide: "be asked before the payment is created (checkout.willCreatePayment)"
    case .decisionTimeout: "how long each decision may take"
    case .allowRepeat: "start although an earlier outcome of this session is unknown"
    case .state: "only those in this state; several with commas between"
    case .shared: "also those that others share with you"
    case .all: "everyone's; for administrators"
    case .reason: "why, for the record"
    case .wait: "end when this has come: terminal, awaiting, or the name of an event"
    case .since: "begin after the event with this number, not with the first"
    case .retry:
      "try so long to reach a daemon that has gone away (60000)"
    case .sequential: "send each line only when those before it are answered"
    case .json: "print JSON, one line for each answer or event"
    case .socket: "where the daemon listens"
    case .timeout: "give up after so many milliseconds; without it there is no limit"
    case .version: "print the version, and end"
    case .help: "print this, or what there is to know of a command, and end"
    }
  }
}
