import Systemd

/// The server's log, the same for all its parts.
final class Journal {
  private var log: Log

  init(_ log: Log) { self.log = log }

  /// Sets what is important enough to be written.
  func setLevel(_ level: Log.Level) { log.minimumLevel = level }

  /// Writes an entry.
  func write(_ entry: LogEntry) { log.write(entry) }

  /// Writes that something failed for good.
  func error(_ message: String, id: StaticString? = nil, fields: [Log.Field] = []) {
    log.error(message, id: id, fields: fields)
  }

  /// Writes that something is not as it should be.
  func warning(_ message: String, id: StaticString? = nil, fields: [Log.Field] = []) {
    log.warning(message, id: id, fields: fields)
  }

  /// Writes that something rare has happened.
  func notice(_ message: String, id: StaticString? = nil, fields: [Log.Field] = []) {
    log.notice(message, id: id, fields: fields)
  }

  /// Writes what helps to find a fault; what it says is made only if that is wanted.
  func debug(_ message: @autoclosure () -> String, checkout: String) {
    log.debug(message(), fields: [("CHECKOUT_ID", checkout)])
  }

  /// Writes that something normal has happened.
  func info(_ message: String, id: StaticString? = nil, fields: [Log.Field] = []) {
    log.info(message, id: id, fields: fields)
  }
}
