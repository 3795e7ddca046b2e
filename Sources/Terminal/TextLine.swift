/// How a piece of text looks.
package enum TextStyle: Sendable, Equatable {
  /// As the terminal has it.
  case plain
  /// Bold.
  case strong
  /// Fainter than the rest.
  case faint
  /// In reverse: where one is.
  case chosen
  /// In green.
  case good
  /// In red.
  case bad
  /// Black on white, whatever the terminal's colours are: what cameras read.
  case code

  /// What turns the look on (SGR); empty if there is nothing to turn on.
  func sequence(isColored: Bool) -> String {
    switch self {
    case .plain: ""
    case .strong: "\u{1B}[1m"
    case .faint: "\u{1B}[2m"
    case .chosen: "\u{1B}[7m"
    case .good: isColored ? "\u{1B}[32m" : ""
    case .bad: isColored ? "\u{1B}[31m" : "\u{1B}[1m"
    case .code: "\u{1B}[30;107m"
    }
  }
}

/// One line of a screen.
package struct TextLine: Sendable, Equatable {
  /// A piece of text that looks alike throughout.
  package struct Piece: Sendable, Equatable {
    /// The text, of which nothing steers a terminal.
    package let text: String
    /// How it looks.
    package let style: TextStyle
  }

  /// What the line is made of.
  package private(set) var pieces: [Piece] = []

  /// Makes an empty line.
  package init() {}

  /// Makes a line of one piece.
  ///
  /// - Parameters:
  ///   - text: The text, from wherever.
  ///   - style: How it looks.
  package init(_ text: String, _ style: TextStyle = .plain) {
    pieces = [Piece(text: text.visible, style: style)]
  }

  /// Adds a piece.
  ///
  /// - Parameters:
  ///   - text: The text, from wherever.
  ///   - style: How it looks.
  /// - Returns: The line with the piece at its end.
  package func adding(_ text: String, _ style: TextStyle = .plain) -> TextLine {
    var line = self
    line.pieces.append(Piece(text: text.visible, style: style))
    return line
  }

  /// The text without its looks.
  package var text: String { pieces.map(\.text).joined() }

  /// The line as a terminal takes it.
  func rendered(columns: Int, isColored: Bool) -> String {
    var left = columns
    var output = ""
    for piece in pieces where left > 0 {
      let text = piece.text.fitted(to: left)
      left -= text.columnCount
      // What did not fit ends the line.
      if text != piece.text { left = 0 }
      let sequence = piece.style.sequence(isColored: isColored)
      output += sequence.isEmpty ? text : sequence + text + "\u{1B}[0m"
    }
    return output
  }
}

extension [TextLine] {
  /// Makes lines of a text that may be long.
  ///
  /// - Parameters:
  ///   - text: The text, from wherever.
  ///   - style: How it looks.
  ///   - columns: How many columns there are.
  package init(_ text: String, _ style: TextStyle = .plain, columns: Int) {
    self = text.wrapped(to: columns).map { TextLine($0, style) }
  }
}
