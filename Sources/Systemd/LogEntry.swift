/// Something to be written to the log.
///
/// Whoever may still have to take back what an entry tells of keeps it and writes it later.
package struct LogEntry: Sendable {
  /// How much it matters.
  package let level: Log.Level
  /// Whether it is dropped last, like an error, when entries cannot be written, as an outcome is.
  package let isKept: Bool

  let message: String
  let id: StaticString?
  let fields: [Log.Field]
  let file: StaticString
  let line: Int

  /// Makes an entry.
  ///
  /// - Parameters:
  ///   - level: How much it matters.
  ///   - message: What happened, for people.
  ///   - id: The kind of event, 32 hexadecimal digits, by which the journal finds all of its kind.
  ///   - fields: What it is about, by name.
  ///   - isKept: Whether it is dropped last when entries cannot be written.
  ///   - file: Where in the source it was written.
  ///   - line: Where in that file.
  package init(
    _ level: Log.Level, _ message: String, id: StaticString? = nil, fields: [Log.Field] = [],
    isKept: Bool = false, file: StaticString = #fileID, line: Int = #line
  ) {
    self.level = level
    self.message = message
    self.id = id
    self.fields = fields
    self.isKept = isKept
    self.file = file
    self.line = line
  }
}

/// An entry as it is sent: what others of its kind have in common with it, and what is its own.
struct EncodedEntry: Equatable {
  var head: [UInt8]
  var tail: [UInt8]

  /// A value of the journal's has no more bytes: the whole stays below what a datagram can hold.
  static let valueLimit = 16_384
  /// Nor has an entry for the journal.
  static let entryLimit = 65_536
  /// The system writes so much to a pipe as one, or not at all (`PIPE_BUF`).
  static let lineLimit = 4096

  /// What the journal knows this program by.
  private static let identifier: String = {
    let path = CommandLine.arguments.first ?? ""
    return path.split(separator: "/").last.map(String.init) ?? path
  }()

  /// Encodes an entry.
  init(_ entry: LogEntry, as form: Log.Form) {
    head = []
    tail = []
    if form == .journal { encodeForJournal(entry) } else { encodeLine(entry, form) }
  }

  // MARK: The journal

  /// - Source: the journal's native protocol, https://systemd.io/JOURNAL_NATIVE_PROTOCOL/.
  private mutating func encodeForJournal(_ entry: LogEntry) {
    Self.add("MESSAGE", entry.message, to: &head)
    Self.add("PRIORITY", "\(entry.level.rawValue)", to: &head)
    Self.add("SYSLOG_IDENTIFIER", Self.identifier, to: &head)
    Self.add("CODE_FILE", "\(entry.file)", to: &head)
    Self.add("CODE_LINE", "\(entry.line)", to: &head)
    if let id = entry.id { Self.add("MESSAGE_ID", "\(id)", to: &head) }
    for field in entry.fields {
      var bytes: [UInt8] = []
      Self.add(field.name, field.value, to: &bytes)
      guard head.count + tail.count + bytes.count <= Self.entryLimit else { break }
      tail += bytes
    }
  }

  private static func add(_ name: StaticString, _ value: String, to bytes: inout [UInt8]) {
    let value = cut(Array(value.utf8), to: valueLimit)
    bytes += "\(name)".utf8
    if value.contains(UInt8(ascii: "\n")) {
      bytes.append(UInt8(ascii: "\n"))
      let count = UInt64(value.count)
      bytes += (0..<8).map { UInt8(truncatingIfNeeded: count >> ($0 * 8)) }
    } else {
      bytes.append(UInt8(ascii: "="))
    }
    bytes += value
    bytes.append(UInt8(ascii: "\n"))
  }

  // MARK: Lines

  /// Makes one line: nothing in it can begin another line or steer a terminal.
  private mutating func encodeLine(_ entry: LogEntry, _ form: Log.Form) {
    var text = form == .plain ? "" : "<\(entry.level.rawValue)>"
    Self.appendHarmless(entry.message, to: &text)
    head = Self.cut(Array(text.utf8), to: Self.lineLimit - 1)
    text = ""
    for field in entry.fields {
      text += " \(field.name)="
      Self.appendHarmless(field.value, to: &text)
    }
    tail = Self.cut(Array(text.utf8), to: Self.lineLimit - 1 - head.count)
    tail.append(UInt8(ascii: "\n"))
  }

  private static func appendHarmless(_ words: String, to text: inout String) {
    for scalar in words.unicodeScalars {
      switch scalar.value {
      case 0x0A: text += "\\n"
      case 0..<0x20, 0x7F..<0xA0, 0x2028, 0x2029:
        text += "\\u{\(String(scalar.value, radix: 16))}"
      default: text.unicodeScalars.append(scalar)
      }
    }
  }

  /// The beginning of a text, of whole characters.
  private static func cut(_ text: [UInt8], to limit: Int) -> [UInt8] {
    guard text.count > limit else { return text }
    var end = max(0, limit)
    while end > 0, text[end] & 0xC0 == 0x80 { end -= 1 }
    return Array(text[..<end])
  }
}
