/// How large a terminal is.
package struct ScreenSize: Sendable, Equatable {
  /// Characters of a line.
  package let columns: Int
  /// Lines.
  package let rows: Int

  /// Makes a size.
  ///
  /// - Parameters:
  ///   - columns: Characters of a line.
  ///   - rows: Lines.
  package init(columns: Int, rows: Int) {
    self.columns = columns
    self.rows = rows
  }
}

/// What a terminal is to show.
package struct Screen: Sendable, Equatable {
  /// Where the cursor is, both from 0.
  package struct Place: Sendable, Equatable {
    /// The line.
    package let row: Int
    /// The column.
    package let column: Int
  }

  /// The lines from the top.
  package var lines: [TextLine] = []
  /// Where one types, if one does.
  package var cursor: Place?

  /// Makes an empty screen.
  package init() {}

  /// Adds lines at the bottom.
  ///
  /// - Parameter more: The lines.
  package mutating func add(_ more: [TextLine]) { lines += more }

  /// Adds a line of one piece at the bottom.
  ///
  /// - Parameters:
  ///   - text: The text, from wherever.
  ///   - style: How it looks.
  package mutating func add(_ text: String, _ style: TextStyle = .plain) {
    lines.append(TextLine(text, style))
  }

  /// Adds a field to type in at the bottom, with the cursor in it.
  ///
  /// - Parameters:
  ///   - field: The field.
  ///   - label: What stands before it.
  ///   - columns: How many columns there are.
  package mutating func add(_ field: TextField, label: String, columns: Int) {
    let label = label.visible
    let (text, column) = field.window(columns: columns - label.columnCount)
    cursor = Place(row: lines.count, column: label.columnCount + column)
    lines.append(TextLine(label).adding(text))
  }

  /// What makes a terminal show it, in place of what it shows.
  ///
  /// Every line is put in its place by itself, and cut where the terminal ends: so nothing wraps or
  /// scrolls, however small the terminal is.
  ///
  /// - Parameters:
  ///   - size: How large the terminal is.
  ///   - isColored: Whether colours are welcome.
  /// - Returns: The text to write to it.
  package func rendered(size: ScreenSize, isColored: Bool) -> String {
    var output = "\u{1B}[?25l"
    for row in 0..<size.rows {
      output += "\u{1B}[\(row + 1);1H\u{1B}[2K"
      guard lines.indices.contains(row) else { continue }
      output += lines[row].rendered(columns: size.columns, isColored: isColored)
    }
    if let cursor, cursor.row < size.rows, cursor.column < size.columns {
      output += "\u{1B}[\(cursor.row + 1);\(cursor.column + 1)H\u{1B}[?25h"
    }
    return output
  }
}
