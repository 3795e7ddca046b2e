import Glibc
import Testing

/// The sandbox of Primer's API, and a daemon that may call it; both end with this object.
final class RealDaemon {
  let socketPath: String
  private let directory: String
  private let sandbox: ChildProcess
  private let port: String
  private var daemon: ChildProcess?

  /// Where the daemon is: named by the environment, else beside the tests.
  private static let program = Files.variable("CHECKOUTD") ?? Files.buildDirectory + "/checkoutd"

  private static let sandboxProgram = Files.root + "/client/sandbox/primer-sandbox"

  /// Whether both programs are there.
  static let isThere = Files.exists(program) && Files.exists(sandboxProgram)

  init() async throws {
    directory = try Files.makeDirectory()
    socketPath = "\(directory)/socket"
    let portFile = "\(directory)/port"
    _ = unsafe mkdir("\(directory)/state", 0o700)
    sandbox = try ChildProcess(["python3", Self.sandboxProgram, "--port-file", portFile])
    try await Self.waits(for: sandbox) { Files.text(portFile)?.isEmpty == false }
    port = Files.text(portFile)?.filter(\.isNumber) ?? ""
    try await start()
  }

  deinit {
    daemon?.kill()
    sandbox.kill()
    Files.remove(directory)
  }

  /// Starts the daemon, with the state that it had.
  func start() async throws {
    let daemon = try ChildProcess([
      Self.program, "--socket", socketPath, "--state-directory", "\(directory)/state",
      "--upstream-allow", "http://127.0.0.1:\(port)",
    ])
    self.daemon = daemon
    let path = socketPath
    try await Self.waits(for: daemon) { Files.exists(path) }
  }

  /// Ends the daemon without a warning.
  func crash() {
    daemon?.kill()
    _ = unsafe unlink(socketPath)
  }

  /// Opens a client session whose bank approves by itself, and gives its client token.
  func clientToken() throws -> String {
    let program = """
      import json, urllib.request
      body = json.dumps({"outcome": "approve", "pendingPolls": 0}).encode()
      headers = {"Content-Type": "application/json"}
      asked = urllib.request.Request("http://127.0.0.1:\(port)/sandbox/client-sessions", body, headers)
      with urllib.request.urlopen(asked) as answer:
          print(json.load(answer)["clientToken"])
      """
    let result = try ChildProcess.run(["python3", "-c", program])
    try #require(result.status == 0, "\(result.output)")
    return String(result.output.prefix { !$0.isNewline })
  }

  private static func waits(for program: ChildProcess, _ isSo: () -> Bool) async throws {
    for _ in 0..<2000 {
      if isSo() { return }
      try await Task.sleep(for: .milliseconds(5))
    }
    Issue.record("a program did not start: \(program.output)")
  }
}
