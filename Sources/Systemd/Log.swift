import Glibc
import LinuxSystem

/// Writes the daemon's log.
///
/// A value that is cheap to copy; copies write to the same place. Nothing here waits: what finds no
/// room is written when there is some (``LogPump``), and what does not fit meanwhile is dropped, the
/// least important first, and told of.
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

  let sink: LogSink

  /// Makes a log.
  ///
  /// - Parameters:
  ///   - minimumLevel: The least important level that is written.
  ///   - form: How entries are written; as lines if there is no journal to connect to.
  ///   - descriptor: Where lines go, standard error if not said otherwise; it stays the caller's.
  ///   - journal: Where the journal listens.
  package init(
    minimumLevel: Level = .info, form: Form = .ofStandardError(),
    descriptor: Int32 = STDERR_FILENO, journal: String = "/run/systemd/journal/socket"
  ) {
    self.minimumLevel = minimumLevel
    sink = LogSink(form, descriptor: descriptor, journal: journal)
  }

  /// Writes an entry if its level is to be written; never waits, and never fails.
  package func write(_ entry: LogEntry) {
    if entry.level <= minimumLevel { sink.write(entry) }
  }

  /// Writes what could not be written before, for the process is about to end.
  ///
  /// - Parameter milliseconds: How long that may take.
  package func finish(within milliseconds: Int32 = 500) {
    let end = Clock.bootMicroseconds() + UInt64(max(0, milliseconds)) * 1000
    while !sink.drain() {
      let now = Clock.bootMicroseconds()
      guard now < end else { return }
      var entry = pollfd(fd: sink.rawValue, events: Int16(POLLOUT), revents: 0)
      // At least a millisecond, or a descriptor with an error would be asked again and again.
      if unsafe poll(&entry, 1, Int32(clamping: (end - now + 999) / 1000)) > 0 { _ = usleep(1000) }
    }
  }

  /// Writes an entry if its level is to be written; never fails.
  ///
  /// - Parameters:
  ///   - level: How much it matters.
  ///   - message: What happened, for people. Only made if it is written.
  ///   - id: The kind of event, 32 hexadecimal digits, by which the journal finds all of its kind.
  ///   - fields: What it is about, by name.
  ///   - isKept: Whether it is dropped last when entries cannot be written.
  ///   - file: Where in the source it was written.
  ///   - line: Where in that file.
  package func log(
    _ level: Level, _ message: @autoclosure () -> String, id: StaticString? = nil,
    fields: [Field] = [], isKept: Bool = false, file: StaticString = #fileID, line: Int = #line
  ) {
    guard level <= minimumLevel else { return }
    sink.write(
      LogEntry(
        level, message(), id: id, fields: fields, isKept: isKept, file: file, line: line))
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
    isKept: Bool = false, file: StaticString = #fileID, line: Int = #line
  ) {
    log(.info, message(), id: id, fields: fields, isKept: isKept, file: file, line: line)
  }

  /// Writes what helps to find a fault.
  package func debug(
    _ message: @autoclosure () -> String, id: StaticString? = nil, fields: [Field] = [],
    file: StaticString = #fileID, line: Int = #line
  ) {
    log(.debug, message(), id: id, fields: fields, file: file, line: line)
  }
}
