/// A line of a configuration file that sets something: `option = value`.
///
/// Empty lines, and those that begin with `#`, set nothing.
package struct ConfigurationLine: Sendable, Equatable {
  /// Which line it is, from 1.
  package let number: Int
  /// What it sets; the whole line if it has no equals sign.
  package let name: String
  /// What it sets it to, without blanks at its ends; `nil` if it has no equals sign.
  package let value: String?

  /// The lines of a file that set something, in order.
  ///
  /// - Parameter text: The file's text.
  /// - Returns: One for each line that sets something, or fails to.
  package static func all(of text: String) -> [ConfigurationLine] {
    var lines: [ConfigurationLine] = []
    // By bytes: to a string, a carriage return and the line feed after it are one character.
    let pieces = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for (index, bytes) in pieces.enumerated() {
      let line = Substring(bytes).trimmed
      if line.isEmpty || line.hasPrefix("#") { continue }
      let equals = line.firstIndex(of: "=")
      lines.append(
        ConfigurationLine(
          number: index + 1, name: String(line[..<(equals ?? line.endIndex)].trimmed),
          value: equals.map { String(line[line.index(after: $0)...].trimmed) }))
    }
    return lines
  }
}

extension StringProtocol {
  /// Without spaces, tabs and carriage returns at its ends.
  fileprivate var trimmed: SubSequence {
    let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" || $0 == "\r" }
    guard let first = firstIndex(where: { !isBlank($0) }),
      let last = lastIndex(where: { !isBlank($0) })
    else { return self[endIndex...] }
    return self[first...last]
  }
}
