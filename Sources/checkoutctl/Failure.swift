import CheckoutClient
import JSON
import LinuxSystem
import ValueTree

/// How the command ends.
enum ExitStatus: Int32 {
  case success = 0
  /// The daemon answered with an error, or what was waited for cannot come any more.
  case errorReply = 1
  /// The daemon could not be reached, or did not answer.
  case cannotTalk = 2
  /// The command line, or what it names, is wrong.
  case usage = 3
  /// The time that it was given is over.
  case timedOut = 4
  /// Events happened that cannot be had any more.
  case eventsLost = 5
  /// Nobody knows whether the payment was made.
  case outcomeUnknown = 6
  /// The terminal is gone.
  case hungUp = 129
  /// Ctrl-C was pressed.
  case interrupted = 130
  /// Ctrl-\ was pressed.
  case quit = 131
  /// It was told to end.
  case terminated = 143

  /// What a shell says of a command that a signal ended.
  init(signal: Int32) { self = ExitStatus(rawValue: 128 + signal) ?? .terminated }
}

/// Why the command did not do what it was asked to.
enum Failure: Error {
  /// The command line is wrong; the message repeats no value that may be secret.
  case usage(String)
  /// The connection gave no answer, or an error.
  case client(ClientError)
  /// The checkout has ended without what was waited for.
  case neverCame(String)
  /// Some of the lines of a batch were answered with errors, which have been printed.
  case errorReplies
  /// Something went wrong after the daemon had answered, as an event told.
  case refused(Value)
  /// Everything has been said; this is how the command ends.
  case ended(ExitStatus)
  /// The answer could not be written.
  case output(Errno)
  /// A file could not be written; which, and why.
  case file(String)

  /// Says so on the standard error, as far as there is something to say.
  ///
  /// - Returns: How the command ends.
  func report(on console: Console) -> ExitStatus {
    switch self {
    case .usage(let message):
      console.complain("checkoutctl: \(message)\nTry checkoutctl --help.")
      return .usage
    case .client(.remote(let error)), .client(.refused(let error)):
      console.complain(console.isJSON ? error.value.jsonText : Self.text(of: error.value))
      return .errorReply
    case .neverCame(let event):
      console.complain("checkoutctl: the checkout has ended without \(event)")
      return .errorReply
    case .errorReplies: return .errorReply
    case .refused(let error):
      console.complain(
        console.isJSON
          ? error.jsonText
          : Self.text(of: ["message": error["description"] ?? "", "data": error]))
      return .errorReply
    case .ended(let status): return status
    case .client(.outputClosed), .output(Errno.brokenPipe):
      // Whoever read the output has read enough.
      console.tellProgress("")
      return .success
    case .client(.timedOut):
      console.complain("checkoutctl: \(ClientError.timedOut)")
      return .timedOut
    case .client(let error):
      console.complain("checkoutctl: \(error)")
      return .cannotTalk
    case .file(let problem):
      console.complain("checkoutctl: \(problem)")
      return .cannotTalk
    case .output(let error):
      console.complain("checkoutctl: standard output: \(error)")
      return .cannotTalk
    }
  }

  /// An error reply for people.
  private static func text(of error: Value) -> String {
    let data = error["data"]
    let id = data?["errorId"]?.string.map { " (\($0))" } ?? ""
    let details = CheckoutErrorDetails(data ?? .object([]))
    let more = [details.wholeDescription, details.recoverySuggestion ?? ""].filter { !$0.isEmpty }
    return (["checkoutctl: \(error["message"]?.string ?? "")\(id)"] + more)
      .joined(separator: "\n  ").split(separator: "\n").map { String($0).printable }
      .joined(separator: "\n")
  }
}
