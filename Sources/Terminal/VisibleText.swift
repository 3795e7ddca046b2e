import CLinux

/// Whether the C library knows how wide characters are, which it then does whatever the locale is.
private let usesUnicode = clinux_use_unicode() == 0

extension Unicode.Scalar {
  /// Whether a terminal shows it, and does nothing else about it.
  var isVisible: Bool {
    switch properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: false
    // Those two join letters, or keep them apart; the others turn the direction of the text.
    case .format: self == "\u{200C}" || self == "\u{200D}"
    default: true
    }
  }

  /// How many columns it takes; 0 for a mark on the letter before.
  var columnCount: Int { usesUnicode ? max(0, Int(clinux_character_width(value))) : 1 }
}

extension String {
  /// The text with a sign in place of everything that could steer a terminal: control characters,
  /// and those that turn the direction of the text around them.
  package var visible: String {
    guard !unicodeScalars.allSatisfy(\.isVisible) else { return self }
    var text = ""
    text.unicodeScalars.append(
      contentsOf: unicodeScalars.map { $0.isVisible ? $0 : "\u{FFFD}" })
    return text
  }

  /// How many columns the text takes on a terminal.
  package var columnCount: Int {
    unicodeScalars.reduce(0) { $0 + $1.columnCount }
  }

  /// The text as far as it fits, with an ellipsis at its end if that is not all of it.
  ///
  /// - Parameter columns: How many columns there are.
  /// - Returns: A text that takes as many columns at most.
  package func fitted(to columns: Int) -> String {
    guard columnCount > columns else { return self }
    return columns > 0 ? prefix(columns: columns - 1) + "…" : ""
  }

  /// As many of the first characters as fit.
  func prefix(columns: Int) -> String {
    var left = columns
    return String(
      prefix { character in
        left -= String(character).columnCount
        return left >= 0
      })
  }

  /// As many of the last characters as fit.
  func suffix(columns: Int) -> String {
    var left = columns
    let reversed = reversed().prefix { character in
      left -= String(character).columnCount
      return left >= 0
    }
    return String(reversed.reversed())
  }

  /// The text in lines that fit, cut between words where that can be.
  ///
  /// - Parameter columns: How many columns there are; at least one is taken to be there.
  /// - Returns: The lines, at least one. A line break in the text begins a new line.
  package func wrapped(to columns: Int) -> [String] {
    let columns = max(columns, 1)
    return split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).flatMap {
      Self.wrapped($0, columns)
    }
  }

  private static func wrapped(_ paragraph: Substring, _ columns: Int) -> [String] {
    var lines: [String] = []
    var line = ""
    for word in paragraph.split(separator: " ").map({ String($0).visible }) {
      let joined = line.isEmpty ? word : line + " " + word
      guard joined.columnCount > columns else {
        line = joined
        continue
      }
      if !line.isEmpty { lines.append(line) }
      line = word
      while line.columnCount > columns {
        // A character wider than the line would never fit: then it is cut off by the frame.
        let head = line.prefix(columns: columns)
        let taken = head.isEmpty ? String(line.prefix(1)) : head
        lines.append(taken)
        line.removeFirst(taken.count)
      }
    }
    return lines + (line.isEmpty && !lines.isEmpty ? [] : [line])
  }
}
