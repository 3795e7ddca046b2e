import CheckoutProtocol
import CheckoutServer
import CheckoutStore
import Glibc
import LinuxSystem
import PrimerAPI
import Systemd
import Upstream

/// The daemon's life: from its options to its exit code.
enum Daemon {
  /// Why the daemon cannot start.
  struct Problem: Error {
    let message: String
    /// 78 if the configuration is to blame, else 1.
    var code: Int32 = 1
  }

  /// Checks everything that can be checked without serving.
  static func check(_ settings: Invocation.Settings) throws(Problem) -> CheckedOptions {
    do {
      let checked = try settings.checked()
      try PrimerGateway.checkSystem(certificates: checked.options.certificateFile, isThorough: true)
      return checked
    } catch {
      throw problem(error)
    }
  }

  /// Serves until told to stop.
  ///
  /// - Returns: The exit code.
  static func run(
    _ settings: Invocation.Settings, _ service: ServiceManager
  ) -> Int32 {
    var log = Log()
    defer { log.finish() }
    // Before there is a second thread: it takes variables out of the environment.
    let passed: PassedDescriptors
    do throws(Errno) {
      passed = try ServiceManager.passedDescriptors()
    } catch {
      log.error("\(error)")
      return 1
    }
    do {
      if let unusable = passed.unusable { throw unusable }
      let checked = try settings.checked()
      log.minimumLevel = checked.options.logLevel
      try PrimerGateway.checkSystem(certificates: checked.options.certificateFile)
      return try serve(checked, settings, passed, log, service)
    } catch {
      let problem = problem(error)
      log.error(problem.message)
      service.notify(.status, status: problem.message)
      if problem.code == 78 { refuseClients(passed.listeners, until: settings) }
      _ = service.synchronize()
      return problem.code
    }
  }

  /// For a second, refuses the clients of a daemon that only an administrator can mend.
  ///
  /// Without that each client would be a start, and soon there would be more starts than the service
  /// manager allows: it would close the sockets for good. Once a wrong configuration has been mended
  /// nobody is refused any more; whoever comes then waits in the socket for the next start.
  ///
  /// - Parameters:
  ///   - listeners: Where they come.
  ///   - settings: What is looked at again before each is refused.
  private static func refuseClients(
    _ listeners: [ListenDescriptor], until settings: Invocation.Settings
  ) {
    guard !listeners.isEmpty else { return }
    let end = Clock.bootMicroseconds() + 1_000_000
    func isGood() -> Bool { (try? check(settings)) != nil }
    let wasGood = isGood()
    var entries = listeners.map { pollfd(fd: $0.rawValue, events: Int16(POLLIN), revents: 0) }
    while case let now = Clock.bootMicroseconds(), now < end {
      let remaining = Int32(clamping: (end - now + 999) / 1000)
      guard unsafe poll(&entries, nfds_t(entries.count), remaining) > 0 else { continue }
      // Who is refused was there before the file was looked at.
      if !wasGood, isGood() { entries = [] }
      for entry in entries where entry.revents != 0 { refuseClient(at: entry.fd) }
    }
  }

  private static func refuseClient(at number: Int32) {
    let descriptor = FileDescriptor(owning: number)
    Listener.refuseNext(at: descriptor)
    // Not closed: the server may have been the owner before it failed.
    _ = descriptor.release()
  }

  /// A state that cannot be used will not mend itself by starting again; one that another daemon has
  /// open may.
  private static func problem(_ error: any Error) -> Problem {
    switch error {
    case let problem as Problem: problem
    case let error as OptionError: Problem(message: error.message, code: 78)
    case StoreError.inUse, StoreError.failed, StoreError.flushFailed: Problem(message: "\(error)")
    case let error as SystemProblem: Problem(message: error.description, code: 78)
    case let error as UnusableDescriptor: Problem(message: error.description, code: 78)
    case is StoreError: Problem(message: "\(error)", code: 78)
    default: Problem(message: "\(error)")
    }
  }

  private static func serve(
    _ checked: CheckedOptions, _ settings: Invocation.Settings,
    _ passed: PassedDescriptors, _ log: Log, _ service: ServiceManager
  ) throws -> Int32 {
    ProcessHardening.dieSilently()
    ProcessHardening.ignoreBrokenPipes()
    ProcessHardening.returnLargeBuffers()
    try ProcessHardening.forbidDumps()
    let options = checked.options
    let wanted = options.limits.connections + 256
    let allowed = try ProcessHardening.raiseOpenFileLimit(to: wanted)
    if allowed < wanted {
      log.warning("only \(allowed) descriptors may be open, for \(wanted) wanted")
    }
    let loop = try EventLoop()
    try LogPump(on: loop, log)
    let store = try openStore(options)
    let server = try makeServer(on: loop, store, checked, settings, log, service)
    // Signals are blocked before the first thread: libcurl's resolvers must not take them.
    _ = try loop.addSignal(SIGTERM) { server.beginDrain() }
    _ = try loop.addSignal(SIGINT) { server.beginDrain() }
    _ = try loop.addSignal(SIGHUP) { server.reloadByItself() }
    try server.recover(Handover(passed.stored, bootID: try bootNumber(), service, log))
    try listen(server, passed.listeners, options)
    _ = try Watchdog(on: loop, service) { server.canServe }
    server.announceReady()
    let code = try loop.run()
    // Not left to the last reference: whoever copies the state now copies all of it.
    store.close()
    return code
  }

  private static func makeServer(
    on loop: EventLoop, _ store: CheckoutStore, _ checked: CheckedOptions,
    _ settings: Invocation.Settings, _ log: Log,
    _ service: ServiceManager
  ) throws -> Server {
    let options = checked.options
    var gateway = GatewayOptions(policy: checked.policy, client: options.client)
    if let file = options.certificateFile { gateway.certificateFile = file }
    gateway.proxy = options.proxy
    gateway.egress = options.egress
    gateway.timeouts = options.timeouts
    gateway.maximumLineByteCount = options.limits.lineOut
    store.eventLimits = options.limits.events
    return try Server(
      loop: loop, log: log, service: service, store: store,
      gateway: try PrimerGateway(on: loop, options: gateway), options: checked,
      bootID: try bootNumber(), version: Release.version,
      readOptions: { readAgain(settings) })
  }

  /// The first half of the boot id: enough to tell one start of the machine from another.
  private static func bootNumber() throws(Errno) -> Int64 {
    let digits = try ServiceManager.bootID().filter { $0 != "-" }.prefix(15)
    return Int64(digits, radix: 16) ?? 0
  }

  private static func openStore(_ options: Options) throws -> CheckoutStore {
    if options.isEphemeral { return CheckoutStore() }
    return try CheckoutStore(
      directory: try stateDirectory(options), bootID: try bootNumber())
  }

  /// Makes the state out of a copy.
  static func restore(_ copy: String, _ settings: Invocation.Settings) throws(Problem) {
    do {
      try CheckoutStore.restore(copy, to: try stateDirectory(try settings.checked().options))
    } catch {
      throw problem(error)
    }
  }

  /// Where the state is, as the options, the service manager or the user's session say.
  private static func stateDirectory(_ options: Options) throws -> String {
    let passed = variable("STATE_DIRECTORY")?.split(separator: ":").first.map(String.init)
    if let directory = options.stateDirectory ?? passed {
      return directory
    }
    let directory = try defaultStateDirectory()
    // The default place is ours to make; one that was named and is missing is a mistake.
    guard makeDirectories(directory) else {
      throw Problem(message: "\(directory) cannot be made: say where with --state-directory")
    }
    return directory
  }

  /// Makes a directory, and what is missing above it, for its user alone.
  ///
  /// - Returns: Whether it is there.
  private static func makeDirectories(_ path: String) -> Bool {
    let ends = path.indices.dropFirst().filter { path[$0] == "/" } + [path.endIndex]
    var isThere = false
    for end in ends {
      isThere = unsafe mkdir(String(path[..<end]), 0o700) == 0 || errno == EEXIST
    }
    return isThere
  }

  private static func defaultStateDirectory() throws(Problem) -> String {
    if geteuid() == 0 { return "/var/lib/checkoutd" }
    if let home = variable("XDG_STATE_HOME") { return home + "/checkoutd" }
    if let home = variable("HOME") { return home + "/.local/state/checkoutd" }
    throw Problem(message: "say where to keep the state with --state-directory, or --ephemeral")
  }

  private static func readAgain(
    _ settings: Invocation.Settings
  ) -> Result<CheckedOptions, OptionError> {
    guard settings.path != nil else {
      let place = Invocation.defaultPath
      return .failure(
        OptionError("there is no configuration file: none was named by --config, nor is \(place)"))
    }
    do throws(OptionError) {
      return .success(try settings.checked())
    } catch {
      return .failure(error)
    }
  }

  private static func listen(
    _ server: Server, _ passed: [ListenDescriptor], _ options: Options
  ) throws {
    for descriptor in passed {
      try server.listen(
        on: FileDescriptor(owning: descriptor.rawValue), path: nil,
        isForAdministrators: descriptor.name == "admin")
    }
    guard passed.isEmpty else { return }
    var paths = options.sockets
    if paths.isEmpty { paths = [try defaultSocket()] }
    for path in paths {
      let descriptor = try UnixSocket.listen(at: path, createsParent: options.sockets.isEmpty)
      try server.listen(on: descriptor, path: path)
    }
  }

  private static func defaultSocket() throws(Problem) -> String {
    if geteuid() == 0 { return "/run/checkoutd/checkoutd.sock" }
    guard let directory = variable("XDG_RUNTIME_DIR") else {
      throw Problem(message: "XDG_RUNTIME_DIR is not set: say where to listen with --socket")
    }
    return directory + "/checkoutd/checkoutd.sock"
  }
}
