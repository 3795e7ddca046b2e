/// A list of which one entry is chosen.
package struct ChoiceList: Sendable {
  /// An entry.
  package struct Choice: Sendable, Equatable {
    /// What tells it from the others.
    package let id: String
    /// What it is called.
    package let label: String
    /// What else there is to say about it; also, why it cannot be chosen.
    package let note: String?
    /// Whether it can be chosen.
    package let isEnabled: Bool

    /// Makes an entry.
    ///
    /// - Parameters:
    ///   - id: What tells it from the others.
    ///   - label: What it is called.
    ///   - note: What else there is to say about it.
    ///   - isEnabled: Whether it can be chosen.
    package init(id: String, label: String, note: String? = nil, isEnabled: Bool = true) {
      self.id = id
      self.label = label
      self.note = note
      self.isEnabled = isEnabled
    }
  }

  /// The entries, in their order.
  package private(set) var choices: [Choice]
  private var place: Int?

  /// Makes a list; its first entry that can be chosen is.
  ///
  /// - Parameter choices: The entries.
  package init(_ choices: [Choice] = []) {
    self.choices = choices
    place = choices.firstIndex(where: \.isEnabled)
  }

  /// The entry that is chosen; nil if none can be.
  package var selection: Choice? { place.map { choices[$0] } }

  /// Takes other entries; what was chosen stays so if it is among them.
  ///
  /// - Parameter choices: The entries.
  package mutating func replace(with choices: [Choice]) {
    let id = selection?.id
    self = ChoiceList(choices)
    if let same = choices.firstIndex(where: { $0.id == id && $0.isEnabled }) { place = same }
  }

  /// Takes a key.
  ///
  /// - Parameter key: The key.
  /// - Returns: Whether the key is one for such a list, if only that it had nothing to do.
  package mutating func handle(_ key: Key) -> Bool {
    switch key {
    case .up, .control("p"): move(by: -1)
    case .down, .control("n"): move(by: 1)
    case .pageUp: move(by: -Self.page)
    case .pageDown: move(by: Self.page)
    default: return false
    }
    return true
  }

  private static let page = 8

  /// Goes so many entries on that can be chosen, or as far as there are any.
  private mutating func move(by distance: Int) {
    guard let place else { return }
    let enabled = choices.indices.filter { choices[$0].isEnabled }
    guard let rank = enabled.firstIndex(of: place) else { return }
    self.place = enabled[min(max(rank + distance, 0), enabled.count - 1)]
  }

  /// The list as it looks in a window of so many lines, always with the chosen entry in it.
  ///
  /// - Parameter rows: How many lines there are.
  /// - Returns: As many lines at most.
  package func lines(rows: Int) -> [TextLine] {
    guard choices.count > rows else { return choices.indices.map(line) }
    guard rows > 0 else { return [] }
    let center = place ?? 0
    guard rows >= 3 else {
      let first = min(max(center - rows / 2, 0), choices.count - rows)
      return (first..<first + rows).map(line)
    }
    // The first and the last line say how much is above and below.
    let count = rows - 2
    let first = min(max(center - count / 2, 0), choices.count - count)
    let rest = choices.count - first - count
    return [Self.more("↑", first)] + (first..<first + count).map(line) + [Self.more("↓", rest)]
  }

  private static func more(_ arrow: String, _ count: Int) -> TextLine {
    count > 0 ? TextLine("  \(arrow) \(count) more", .faint) : TextLine()
  }

  private func line(_ index: Int) -> TextLine {
    let choice = choices[index]
    let isChosen = index == place
    let style: TextStyle = isChosen ? .chosen : choice.isEnabled ? .plain : .faint
    let line = TextLine(isChosen ? "› " : "  ").adding(choice.label, style)
    return choice.note.map { line.adding("  \($0)", .faint) } ?? line
  }
}
