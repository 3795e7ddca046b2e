import CheckoutClient
import LinuxSystem

/// What the command line asks for.
struct Invocation {
  /// One thing to do.
  enum Command {
    /// Print this.
    case show(String)
    /// Make a call.
    case call(CallCommand)
    /// Show the events of one checkout, or all events.
    case follow(checkout: String?)
    /// Show what the daemon is doing, as JSON or as a table.
    case status(isJSON: Bool)
  }

  static let version = "0.1.0"

  let command: Command
  /// Where the daemon listens.
  let socket: String
  /// When to give up.
  let deadline: Deadline

  /// Reads a command line, and what it says to read.
  ///
  /// - Throws: What is wrong with it.
  init(_ arguments: [String]) throws(Failure) {
    let given = try GivenOptions(arguments)
    socket = given[.socket] ?? DefaultSocket.path
    deadline = try Self.deadline(given[.timeout])
    command = try Self.command(given)
  }

  private static func deadline(_ text: String?) throws(Failure) -> Deadline {
    guard let text else { return .never }
    let range = 1...Deadline.maximumMilliseconds
    guard let milliseconds = Int64(text), range.contains(milliseconds) else {
      throw .usage("--timeout: expected milliseconds from 1 to \(range.upperBound)")
    }
    return .after(milliseconds: milliseconds)
  }

  private static func command(_ given: GivenOptions) throws(Failure) -> Command {
    if given.has(.help) { return .show(help) }
    if given.has(.version) { return .show("checkoutctl \(version)") }
    guard let word = given.operands.first else { throw .usage("expected a command") }
    let operands = given.operands.dropFirst()
    switch word {
    case "call":
      try given.allow([.tokenFile], with: word)
      return .call(try CallCommand(operands, tokenFile: given[.tokenFile]))
    case "follow":
      try given.allow([], with: word)
      guard operands.count <= 1 else { throw .usage("follow takes one checkout at most") }
      return .follow(checkout: operands.first)
    case "status":
      try given.allow([.json], with: word)
      guard operands.isEmpty else { throw .usage("status takes no arguments") }
      return .status(isJSON: given.has(.json))
    default: throw .usage("there is no such command")
    }
  }

  private static let help = """
    Usage: checkoutctl [OPTION]... call METHOD [-|JSON]
           checkoutctl [OPTION]... follow [CHECKOUT]
           checkoutctl [OPTION]... status [--json]
    Talks to checkoutd.

      call     make a call, and print its result as one line of JSON; the parameters are read from
               standard input (-), or are the argument
      follow   print events as they happen, one line of JSON each: those of one checkout, from its
               first to its last, or all of yours until interrupted
      status   tell what the daemon is doing

      -s, --socket PATH       where the daemon listens
      -t, --timeout MS        give up after so many milliseconds; without it there is no limit
          --token-file FILE   with call: add the client token in this file to the parameters, as
                              clientToken; - is standard input
          --json              with status: print the answer as one line of JSON
      -V, --version           print the version, and end
      -h, --help              print this, and end

    Everyone on this machine can see the arguments of a command. So client tokens, and what shoppers
    have typed or chosen, are taken from standard input or a file alone, and refused as arguments.

    Without --socket it is $CHECKOUTD_SOCKET; else, for users other than root, if it exists,
    $XDG_RUNTIME_DIR/checkoutd/checkoutd.sock; else /run/checkoutd/checkoutd.sock.

    Exit status: 0, 1 if the daemon answered with an error (which is printed on standard error as one
    line of JSON), 2 if it could not be talked to, 3 if the command line is wrong.
    """
}

/// The options of a command line, and the rest of it.
struct GivenOptions {
  /// The options there are, in the order of the table that the command line is read by.
  enum Option: Int, CaseIterable {
    case socket, timeout, tokenFile, json, version, help

    var row: CommandLineOption {
      switch self {
      case .socket: CommandLineOption("socket", letter: "s", takesValue: true)
      case .timeout: CommandLineOption("timeout", letter: "t", takesValue: true)
      case .tokenFile: CommandLineOption("token-file", takesValue: true)
      case .json: CommandLineOption("json")
      case .version: CommandLineOption("version", letter: "V")
      case .help: CommandLineOption("help", letter: "h")
      }
    }
  }

  let operands: [String]
  private let values: [(option: Option, value: String?)]

  /// Takes a command line apart; a client token anywhere in it is refused first of all.
  init(_ arguments: [String]) throws(Failure) {
    guard !arguments.contains(where: Secrets.holdsToken) else { throw Secrets.refusal }
    do throws(CommandLineError) {
      let parsed = try CommandLineArguments(arguments, options: Option.allCases.map(\.row))
      operands = parsed.operands
      values = parsed.options.compactMap { index, value in
        Option(rawValue: index).map { ($0, value) }
      }
    } catch { throw .usage(error.description) }
  }

  /// The value of the last such option.
  subscript(option: Option) -> String? { values.last { $0.option == option }?.value }

  func has(_ option: Option) -> Bool { values.contains { $0.option == option } }

  /// Refuses options that mean nothing to a command.
  func allow(_ own: [Option], with command: String) throws(Failure) {
    for (option, _) in values where !([.socket, .timeout] + own).contains(option) {
      throw .usage("--\(option.row.name) does not go with \(command)")
    }
  }
}
