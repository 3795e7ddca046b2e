import CheckoutClient
import JSON
import LinuxSystem
import ValueTree

/// How the command ends.
enum ExitStatus: Int32 {
  case success = 0
  /// The daemon answered with an error.
  case errorReply = 1
  /// The daemon could not be reached, or did not answer.
  case cannotTalk = 2
  /// The command line, or what it names, is wrong.
  case usage = 3
}

/// Why the command did not do what it was asked to.
enum Failure: Error {
  /// The command line is wrong; the message repeats no value that may be secret.
  case usage(String)
  /// The connection gave no answer, or an error.
  case client(ClientError)
  /// The answer could not be written.
  case output(Errno)

  /// Says so on the standard error, as far as there is something to say.
  ///
  /// - Returns: How the command ends.
  func report() -> ExitStatus {
    switch self {
    case .usage(let message):
      ProcessStreams.complain("checkoutctl: \(message)\nTry checkoutctl --help.")
      return .usage
    case .client(.remote(let error)):
      ProcessStreams.complain(error.value.jsonText)
      return .errorReply
    case .client(.outputClosed), .output(Errno.brokenPipe):
      // Whoever read the output has read enough.
      return .success
    case .client(let error):
      ProcessStreams.complain("checkoutctl: \(error)")
      return .cannotTalk
    case .output(let error):
      ProcessStreams.complain("checkoutctl: standard output: \(error)")
      return .cannotTalk
    }
  }
}
