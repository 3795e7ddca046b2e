import Egress
import Glibc
import LinuxSystem
import Systemd
import Upstream

/// `checkoutd-egress`: the command.
@main
enum Main {
  static func main() {
    // First of all: takes the service manager's variables out of the environment.
    let service = ServiceManager()
    switch Invocation(CommandLine.arguments) {
    case .show(let text):
      print(text)
      exit(0)
    case .refuse(let message):
      complain("checkoutd-egress: \(message)\nTry checkoutd-egress --help.")
      exit(2)
    case .run(let settings): exit(serve(settings, service))
    }
  }
}

/// Serves until told to stop, or until nobody needs it.
///
/// - Returns: The exit code.
private func serve(_ settings: Settings, _ service: ServiceManager) -> Int32 {
  let log = Log()
  defer { log.finish() }
  ProcessHardening.dieSilently()
  ProcessHardening.ignoreBrokenPipes()
  do {
    try ProcessHardening.forbidDumps()
    let descriptors = try ServiceManager.passedDescriptors()
    if let unusable = descriptors.unusable { throw unusable }
    let passed = descriptors.listeners
    let book = try RuleBook(
      path: settings.configuration, entries: settings.entries, proxy: proxy(log), log: log)
    // Before the first thread, which must not take them.
    let signals = try SignalDescriptor([SIGTERM, SIGINT])
    let server = try EgressServer(
      listener: try listener(passed, settings), isShared: !passed.isEmpty, book: book, log: log)
    // Clients that are being served to the last use what is its own.
    defer { withExtendedLifetime(server) {} }
    // Before anybody is accepted: the daemon waits for these.
    let count = service.takeLeft(descriptors.stored).map(server.takeOver) ?? 0
    if count > 0 { log.notice("going on with \(count) connections") }
    service.notify(.ready)
    let ending = server.run(until: signals, idleSeconds: settings.idleSeconds)
    // The service manager must know that this is the end before it sees the process gone, or it
    // would take a start that is asked for meanwhile as done.
    service.notify(.stopping, status: ending == .idle ? "Ended: nothing to do" : nil)
    if case .stopped(let signal) = ending { end(server, signal, signals, service, log) }
    if !service.synchronize() { log.warning("the service manager does not answer") }
    return 0
  } catch {
    log.error("\(error)")
    service.notify(.status, status: "\(error)")
    _ = service.synchronize()
    return 1
  }
}

/// Leaves the clients to the next run; where nobody keeps them, waits until they have ended.
///
/// A second signal ends it at once, and so does that of a terminal.
private func end(
  _ server: EgressServer, _ signal: Int32, _ signals: borrowing SignalDescriptor,
  _ service: ServiceManager, _ log: Log
) {
  guard signal == SIGTERM, !server.leave(to: service) else { return }
  // As long as the daemon waits for the answer to a payment's creation.
  let seconds: UInt64 = 100
  log.notice("waiting for connections to end, at most \(seconds) s")
  service.notify(.extendTimeout(microseconds: (seconds + 5) * 1_000_000))
  server.wait(until: signals, seconds: seconds)
}

/// The URL of the proxy, if it is a credential; without one that can be read there is none, for who
/// waits in the socket would have the program started again and again.
private func proxy(_ log: Log) -> String? {
  do throws(CredentialError) {
    return try ServiceManager.credential("checkoutd.proxy")
  } catch {
    log.error(error.description)
    return nil
  }
}

/// Where there is nothing to listen on.
private struct NoSocket: Error, CustomStringConvertible {
  let description = "there is no socket: name one with --socket, or have it passed in"
}

private func listener(
  _ passed: [ListenDescriptor], _ settings: Settings
) throws -> FileDescriptor {
  if let first = passed.first { return FileDescriptor(owning: first.rawValue) }
  guard let path = settings.socket else { throw NoSocket() }
  return try UnixSocket.listen(at: path)
}
