import CheckoutServer
import CheckoutStore
import Glibc
import LinuxSystem
import PrimerAPI
import Systemd

/// The daemon's life: from its options to its exit code.
enum Daemon {
  static let version = "0.1.0"

  /// Why the daemon cannot start.
  struct Problem: Error {
    let message: String
    /// 78 if the configuration is to blame, else 1.
    var code: Int32 = 1
  }

  /// Checks everything that can be checked without serving.
  static func check(_ options: Options) throws(Problem) -> UpstreamPolicy {
    try requireEphemeral(options)
    do throws(LibraryProblem) {
      try PrimerGateway.load()
    } catch {
      throw Problem(message: error.description, code: 78)
    }
    return try policy(options)
  }

  private static func requireEphemeral(_ options: Options) throws(Problem) {
    guard options.isEphemeral else {
      throw Problem(
        message: "this version keeps its state in memory only; say so with --ephemeral", code: 78)
    }
  }

  private static func policy(_ options: Options) throws(Problem) -> UpstreamPolicy {
    do throws(UpstreamEntryProblem) {
      return try UpstreamPolicy(entries: options.upstreamAllow)
    } catch {
      throw Problem(message: "--upstream-allow: \(error)", code: 78)
    }
  }

  /// Serves until told to stop.
  ///
  /// - Returns: The exit code.
  static func run(
    _ options: Options, _ configurationPath: String?, _ service: ServiceManager
  ) -> Int32 {
    let log = Log(minimumLevel: options.logLevel)
    do {
      return try serve(options, try policy(options), configurationPath, log, service)
    } catch {
      let message = (error as? Problem)?.message ?? "\(error)"
      log.error(message)
      service.notify(.status, status: message)
      return (error as? Problem)?.code ?? 1
    }
  }

  private static func serve(
    _ options: Options, _ policy: UpstreamPolicy, _ configurationPath: String?, _ log: Log,
    _ service: ServiceManager
  ) throws -> Int32 {
    try requireEphemeral(options)
    ProcessHardening.ignoreBrokenPipes()
    try ProcessHardening.forbidDumps()
    let wanted = options.limits.connections + 256
    let allowed = try ProcessHardening.raiseOpenFileLimit(to: wanted)
    if allowed < wanted {
      log.warning("only \(allowed) descriptors may be open, for \(wanted) wanted")
    }
    let loop = try EventLoop()
    let server = try makeServer(on: loop, options, policy, configurationPath, log, service)
    // Signals are blocked before the first thread: libcurl's resolvers must not take them.
    _ = try loop.addSignal(SIGTERM) { server.beginDrain(timeout: options.drainTimeout) }
    _ = try loop.addSignal(SIGINT) { server.beginDrain(timeout: options.drainTimeout) }
    _ = try loop.addSignal(SIGHUP) { server.reloadByItself() }
    try listen(server, options)
    _ = try Watchdog(on: loop, service)
    server.announceReady()
    return try loop.run()
  }

  private static func makeServer(
    on loop: EventLoop, _ options: Options, _ policy: UpstreamPolicy,
    _ configurationPath: String?, _ log: Log, _ service: ServiceManager
  ) throws(Errno) -> Server {
    var gateway = GatewayOptions(policy: policy, client: SDKClient(version: version))
    if let file = options.certificateFile { gateway.certificateFile = file }
    gateway.proxy = options.proxy
    gateway.timeouts = options.timeouts
    let store = CheckoutStore()
    store.eventLimits = options.limits.events
    return try Server(
      loop: loop, log: log, service: service, store: store,
      gateway: try PrimerGateway(on: loop, options: gateway), policy: policy,
      limits: options.limits, spans: options.spans, version: version,
      readOptions: { readAgain(configurationPath) })
  }

  private static func readAgain(_ path: String?) -> Result<Options, OptionError> {
    var options = Options()
    guard let path else {
      return .failure(OptionError("there is no configuration file: it was not named by --config"))
    }
    if let problem = Invocation.read(path, into: &options) {
      return .failure(OptionError(problem))
    }
    return .success(options)
  }

  private static func listen(_ server: Server, _ options: Options) throws {
    let passed = try ServiceManager.listenDescriptors()
    for descriptor in passed {
      try server.listen(on: FileDescriptor(owning: descriptor.rawValue), path: nil)
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
    guard let directory = unsafe getenv("XDG_RUNTIME_DIR") else {
      throw Problem(message: "XDG_RUNTIME_DIR is not set: say where to listen with --socket")
    }
    return unsafe String(cString: directory) + "/checkoutd/checkoutd.sock"
  }
}
