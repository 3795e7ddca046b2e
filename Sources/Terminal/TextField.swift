/// A line that is being typed.
package struct TextField: Sendable, Equatable {
  private var before = ""
  private var after = ""
  private let isSecret: Bool

  /// As long as any name or address that is one.
  private static let maximumScalarCount = 320

  /// Makes a field.
  ///
  /// - Parameters:
  ///   - text: What is in it to begin with; the cursor is at its end.
  ///   - isSecret: Whether bullets are shown in place of what is typed.
  package init(_ text: String = "", isSecret: Bool = false) {
    before = text
    self.isSecret = isSecret
  }

  /// What has been typed.
  package var text: String { before + after }

  /// Takes a key.
  ///
  /// - Parameter key: The key.
  /// - Returns: Whether the key is one for such a field, if only that it had nothing to do.
  package mutating func handle(_ key: Key) -> Bool {
    switch key {
    case .character(let scalar):
      if text.unicodeScalars.count < Self.maximumScalarCount {
        before.unicodeScalars.append(scalar)
      }
    case .backspace, .control("h"): _ = before.popLast()
    case .delete: if !after.isEmpty { after.removeFirst() }
    case .left, .control("b"): if let last = before.popLast() { after = String(last) + after }
    case .right, .control("f"): if !after.isEmpty { before.append(after.removeFirst()) }
    case .home, .control("a"): (before, after) = ("", text)
    case .end, .control("e"): (before, after) = (text, "")
    case .control("u"): before = ""
    case .control("k"): after = ""
    case .control("w"):
      before = String(before.reversed().drop { $0 == " " }.drop { $0 != " " }.reversed())
    default: return false
    }
    return true
  }

  /// The part to show: as much as fits, with the cursor in it.
  ///
  /// - Parameter columns: How many columns there are, that of the cursor included.
  /// - Returns: The part, and in which of its columns the cursor is.
  package func window(columns: Int) -> (text: String, cursor: Int) {
    let head = shown(before).suffix(columns: max(columns - 1, 0))
    let width = head.columnCount
    return (head + shown(after).prefix(columns: max(columns - width, 0)), width)
  }

  private func shown(_ text: String) -> String {
    isSecret ? String(repeating: "•", count: text.count) : text.visible
  }
}
