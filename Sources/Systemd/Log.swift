import CSystemd
import Glibc

/// Writes the daemon's log.
///
/// A value that is cheap to copy; copies write to the same place.
package struct Log: Sendable {
  /// How much an entry matters; the numbers are syslog's, the lowest matters most.
  package enum Level: Int32, Sendable, CaseIterable, Comparable {
    case emergency, alert, critical, error, warning, notice, info, debug

    /// Orders by the number: `error < info`.
    package static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }
  }

  /// How entries are written.
  package enum Form: Sendable, Equatable {
    /// Entries with fields, over the journal's own socket.
    case journal

    /// Lines that begin with the level, `<6>`, for a service manager or a pipe.
    case prefixed

    /// Lines for a person at a terminal.
    case plain
  }

  /// A fact about an entry beside its message: an upper-case name and a value.
  package typealias Field = (name: StaticString, value: String)

  /// The least important level that is written.
  package var minimumLevel: Level

  private let form: Form
  private let descriptor: Int32

  /// Makes a log.
  ///
  /// - Parameters:
  ///   - minimumLevel: The least important level that is written.
  ///   - form: How entries are written.
  ///   - descriptor: Where lines go, standard error if not said otherwise; it stays the caller's.
  package init(
    minimumLevel: Level = .info, form: Form = .ofStandardError(), descriptor: Int32 = STDERR_FILENO
  ) {
    self.minimumLevel = minimumLevel
    self.form = form
    self.descriptor = descriptor
  }

  /// Writes an entry if its level is to be written; never fails.
  ///
  /// - Parameters:
  ///   - level: How much it matters.
  ///   - message: What happened, for people. Only made if it is written.
  ///   - id: The kind of event, 32 hexadecimal digits, by which the journal finds all of its kind.
  ///   - fields: What it is about, by name.
  ///   - file: Where in the source it was written.
  ///   - line: Where in that file.
  package func log(
    _ level: Level, _ message: @autoclosure () -> String, id: StaticString? = nil,
    fields: [Field] = [], file: StaticString = #fileID, line: Int = #line
  ) {
    guard level <= minimumLevel else { return }
    let message = message()
    if form == .journal {
      var entry = JournalEntry()
      entry.add("MESSAGE", message)
      entry.add("PRIORITY", "\(level.rawValue)")
      entry.add("CODE_FILE", "\(file)")
      entry.add("CODE_LINE", "\(line)")
      if let id { entry.add("MESSAGE_ID", "\(id)") }
      for field in fields { entry.add(field.name, field.value) }
      if entry.send() { return }
    }
    write(Self.line(level, message, fields, hasPrefix: form != .plain))
  }

  /// Makes one line of an entry: nothing in it can begin another line or steer a terminal.
  private static func line(
    _ level: Level, _ message: String, _ fields: [Field], hasPrefix: Bool
  ) -> String {
    var text = hasPrefix ? "<\(level.rawValue)>" : ""
    appendHarmless(message, to: &text)
    for field in fields {
      text += " \(field.name)="
      appendHarmless(field.value, to: &text)
    }
    return text + "\n"
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

  /// Writes a line; what cannot be written is lost.
  private func write(_ line: String) {
    var line = line
    line.withUTF8 { bytes in
      var written = 0
      while written < bytes.count {
        let count = unsafe Glibc.write(
          descriptor, bytes.baseAddress?.advanced(by: written), bytes.count - written)
        if count < 0 && errno == EINTR { continue }
        guard count > 0 else { return }
        written += count
      }
    }
  }
}

extension Log.Form {
  /// How to write to this process's standard error.
  ///
  /// The journal says in `JOURNAL_STREAM` which file is its own; a redirection inside the service
  /// leaves the variable behind, so the file is compared.
  ///
  /// - Returns: `journal` if that is where it leads, `plain` for a terminal, else `prefixed`.
  package static func ofStandardError() -> Log.Form {
    let stream = unsafe getenv("JOURNAL_STREAM").map { unsafe String(cString: $0) }
    return of(STDERR_FILENO, journalStream: stream)
  }

  static func of(_ descriptor: Int32, journalStream: String?) -> Log.Form {
    if isatty(descriptor) == 1 { return .plain }
    var status = stat()
    guard let journalStream, unsafe fstat(descriptor, &status) == 0 else { return .prefixed }
    return journalStream == "\(status.st_dev):\(status.st_ino)" ? .journal : .prefixed
  }
}

extension Log {
  /// Writes that something failed for good.
  package func error(
    _ message: @autoclosure () -> String, id: StaticString? = nil, fields: [Field] = [],
    file: StaticString = #fileID, line: Int = #line
  ) {
    log(.error, message(), id: id, fields: fields, file: file, line: line)
  }

  /// Writes that something is wrong and the daemon goes on.
  package func warning(
    _ message: @autoclosure () -> String, id: StaticString? = nil, fields: [Field] = [],
    file: StaticString = #fileID, line: Int = #line
  ) {
    log(.warning, message(), id: id, fields: fields, file: file, line: line)
  }

  /// Writes that something normal happened that an administrator wants to see.
  package func notice(
    _ message: @autoclosure () -> String, id: StaticString? = nil, fields: [Field] = [],
    file: StaticString = #fileID, line: Int = #line
  ) {
    log(.notice, message(), id: id, fields: fields, file: file, line: line)
  }

  /// Writes that something normal happened.
  package func info(
    _ message: @autoclosure () -> String, id: StaticString? = nil, fields: [Field] = [],
    file: StaticString = #fileID, line: Int = #line
  ) {
    log(.info, message(), id: id, fields: fields, file: file, line: line)
  }

  /// Writes what helps to find a fault.
  package func debug(
    _ message: @autoclosure () -> String, id: StaticString? = nil, fields: [Field] = [],
    file: StaticString = #fileID, line: Int = #line
  ) {
    log(.debug, message(), id: id, fields: fields, file: file, line: line)
  }
}
