import JSON
import ValueTree

/// Rows in columns, for people.
struct Table {
  /// What stands in a column of a row.
  struct Cell {
    let text: String
    let look: Paint.Look

    init(_ text: String, _ look: Paint.Look = .plain) {
      self.text = text.isEmpty ? "-" : text.printable
      self.look = look
    }

    /// A mark, which may be empty.
    init(mark: String, _ look: Paint.Look = .plain) {
      text = mark
      self.look = look
    }

    /// A value as it is; a dash if there is none.
    init(_ value: Value?, _ look: Paint.Look = .plain) {
      switch value {
      case nil, .null: self.init("", look)
      case .string(let text)?: self.init(text, look)
      case let other?: self.init(other.jsonText, look)
      }
    }
  }

  private let rows: [[Cell]]

  /// Makes a table with names above its columns, or without any.
  init(_ columns: [String], _ rows: [[Cell]]) {
    self.rows = (columns.isEmpty ? [] : [columns.map { Cell(mark: $0, .heading) }]) + rows
  }

  /// The rows as lines, nothing at their ends.
  func text(_ paint: Paint) -> String {
    let widths = (rows.first ?? []).indices.map { column in
      rows.map { $0[column].text.count }.max() ?? 0
    }
    return rows.map { row in
      row.enumerated().map { column, cell in
        let isLast = row[(column + 1)...].allSatisfy(\.text.isEmpty)
        let space = isLast ? 0 : widths[column] - cell.text.count + 2
        return paint(cell.text, cell.look) + String(repeating: " ", count: space)
      }.joined()
    }.joined(separator: "\n")
  }
}

extension Value {
  /// The value as JSON with a line for each member and element.
  ///
  /// - Parameter margin: What stands before each line but the first.
  /// - Returns: The text.
  func indentedText(_ margin: String = "") -> String {
    let inner = margin + "  "
    switch self {
    case .array(let elements) where !elements.isEmpty:
      return "[\n" + elements.map { inner + $0.indentedText(inner) }.joined(separator: ",\n")
        + "\n\(margin)]"
    case .object(let members) where !members.isEmpty:
      let lines = members.map { member in
        "\(inner)\(Value.string(member.name).jsonText): \(member.value.indentedText(inner))"
      }
      return "{\n" + lines.joined(separator: ",\n") + "\n\(margin)}"
    default: return jsonText
    }
  }
}
