import Glibc
import JSON
import ValueTree

/// What the command says: answers on the standard output, the rest on the standard error.
final class Console {
  /// Whether the answers are for programs.
  let isJSON: Bool
  /// The colours of the standard output.
  let paint: Paint
  /// Whether somebody sees what is being waited for.
  private let showsProgress: Bool
  /// What is told to be waited for; empty if nothing is.
  private(set) var progress = ""
  private(set) var hasLostEvents = false

  init(isJSON: Bool) {
    self.isJSON = isJSON
    paint = Paint(descriptor: ProcessStreams.output)
    showsProgress = isatty(ProcessStreams.error) == 1
  }

  /// Writes lines to the standard output.
  func print(_ text: String) throws(Failure) {
    tellProgress("")
    try ProcessStreams.write(text)
  }

  /// Writes an answer as it is wanted: as one line of JSON, or as a text for people.
  func print(_ value: Value, text: (Paint) -> String) throws(Failure) {
    try print(isJSON ? value.jsonText : text(paint))
  }

  /// Writes a line to the standard error.
  func complain(_ text: String) {
    tellProgress("")
    ProcessStreams.complain(text)
  }

  /// Tells what is being waited for, in place of what was told before; nothing if it is empty.
  func tellProgress(_ text: String) {
    guard showsProgress, text != progress else { return }
    progress = text
    ProcessStreams.tell("\r\u{1B}[K" + text)
  }

  /// Tells that events of a checkout happened and cannot be had any more.
  func tellLoss(of checkout: String, from first: Int64, to last: Int64) throws(Failure) {
    hasLostEvents = true
    complain("checkoutctl: events \(first) to \(last) of \(checkout) were lost")
    guard isJSON else { return }
    let params: Value = [
      "checkoutId": .string(checkout), "from": .integer(first), "to": .integer(last),
    ]
    try print((["method": "events.lost", "params": params] as Value).jsonText)
  }

  /// Tells that the daemon knows nothing any more of what was before.
  func tellReset() {
    hasLostEvents = true
    complain("checkoutctl: the daemon's state was reset, and events were lost")
  }
}
