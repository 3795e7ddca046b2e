import CheckoutClient
import CheckoutProtocol

/// What the command line asks for.
struct Invocation {
  /// What is to be done; nil to print ``text``.
  private let command: Command?
  private let text: String
  /// The options, and the command's name before its operands.
  let given: GivenOptions
  /// Where the daemon listens.
  let socket: String
  /// When to give up.
  let deadline: Deadline
  /// What is said, and how.
  let console: Console

  /// Reads a command line.
  ///
  /// - Throws: What is wrong with it.
  init(_ arguments: [String]) throws(Failure) {
    given = try GivenOptions(arguments)
    socket = given[.socket] ?? DefaultSocket.path
    let milliseconds = try given.number(
      .timeout, in: 1...Deadline.maximumMilliseconds, unit: "milliseconds")
    deadline = milliseconds.map(Deadline.after) ?? .never
    let named = try Self.command(given)
    console = Console(isJSON: given.has(.json) || named?.isJSON == true)
    if given.has(.help) {
      (command, text) = (nil, named.map(Help.text) ?? Help.general)
    } else if given.has(.version) {
      (command, text) = (nil, "checkoutctl \(Release.version)")
    } else {
      guard let named else { throw .usage("expected a command") }
      try named.check(given)
      (command, text) = (named, "")
    }
  }

  private static func command(_ given: GivenOptions) throws(Failure) -> Command? {
    guard let word = given.operands.first else { return nil }
    guard let command = Command.all.first(where: { $0.name == word }) else {
      throw .usage("there is no such command")
    }
    return command
  }

  /// The operands of the command.
  var operands: ArraySlice<String> { given.operands.dropFirst() }

  /// Does what is asked for.
  ///
  /// - Returns: How the process ends.
  func run() -> ExitStatus {
    do throws(Failure) {
      guard let command else {
        try console.print(text)
        return .success
      }
      try command.run(self)
      return console.hasLostEvents ? .eventsLost : .success
    } catch {
      return error.report(on: console)
    }
  }
}
