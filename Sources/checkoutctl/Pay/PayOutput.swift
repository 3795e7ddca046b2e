import JSON
import LinuxSystem
import Terminal
import ValueTree

/// What `pay` prints.
struct PayOutput {
  let console: Console
  /// Whether somebody sits at a terminal, and is told on its screen what there is to do.
  let isInteractive: Bool

  /// Tells the address of a page that the shopper must open.
  ///
  /// - Parameters:
  ///   - address: The address.
  ///   - name: Which page it is, a word.
  ///   - checkoutID: Whose page it is.
  /// - Throws: Why that could not be written.
  func tell(_ address: String, of name: String, _ checkoutID: String) throws(Failure) {
    guard !isInteractive else { return }
    let line: Value = [
      "page": .string(name), "url": .string(address), "checkoutId": .string(checkoutID),
    ]
    try write(console.isJSON ? line.jsonText : "\(name) \(address)")
  }

  /// Tells what the checkout has come to.
  func tell(_ verdict: Verdict, _ checkoutID: String) throws(Failure) {
    if console.isJSON {
      try write(verdict.value(of: checkoutID).jsonText)
    } else {
      try write(isInteractive ? verdict.sentences : verdict.words)
      if !isInteractive, let advice = verdict.advice { explain(advice) }
    }
  }

  /// Nobody needs to read it: how the command ends still tells how the payment did.
  private func write(_ text: String) throws(Failure) {
    let lines = text.split(separator: "\n").map { String($0).visible }
    do throws(Failure) { try console.print(lines.joined(separator: "\n")) } catch {
      guard case .output(Errno.brokenPipe) = error else { throw error }
    }
  }

  /// Tells something that is for people alone.
  func explain(_ text: String) { console.complain("checkoutctl: \(text.visible)") }
}
