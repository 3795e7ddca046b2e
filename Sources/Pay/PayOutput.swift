import JSON
import LinuxSystem
import Terminal
import ValueTree

/// What `pay` prints.
struct PayOutput {
  let console: any PayConsole
  /// Whether somebody sits at a terminal, and is told on its screen what there is to do.
  let isInteractive: Bool

  /// Tells the address of a page that the shopper must open.
  ///
  /// - Parameters:
  ///   - address: The address.
  ///   - name: Which page it is, a word.
  ///   - checkoutID: Whose page it is.
  /// - Throws: Why that could not be written.
  func tell(_ address: String, of name: String, _ checkoutID: String) throws(PayFailure) {
    guard !isInteractive else { return }
    let line: Value = [
      "page": .string(name), "url": .string(address), "checkoutId": .string(checkoutID),
    ]
    try write(console.isJSON ? line.jsonText : "\(name) \(address)")
  }

  /// Tells what the checkout has come to.
  func tell(_ verdict: Verdict, _ checkoutID: String) throws(PayFailure) {
    if console.isJSON {
      try write(verdict.value(of: checkoutID).jsonText)
    } else {
      try write(isInteractive ? verdict.sentences : verdict.words)
      if !isInteractive, let advice = verdict.advice { explain(advice) }
    }
  }

  private func write(_ text: String) throws(PayFailure) {
    let lines = text.split(separator: "\n").map { String($0).visible }
    try console.put(lines.joined(separator: "\n"))
  }

  /// Tells something that is for people alone.
  func explain(_ text: String) { console.complain("checkoutctl: \(text.visible)") }
}
