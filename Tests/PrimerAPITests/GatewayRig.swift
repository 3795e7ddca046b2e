import Checkout
import Glibc
import LinuxSystem
import Systemd
import Testing
import Upstream

@testable import PrimerAPI

/// A gateway, a server for it to call, and the loop they both live on.
final class GatewayRig {
  let loop: EventLoop
  let server: TestServer
  let gateway: PrimerGateway
  /// What has been completed, in order, by the name that the test gave it.
  private(set) var results: [(name: String, result: Result<Answer, OperationFailure>)] = []
  /// How long before each failure the request had begun.
  private(set) var elapsed: [Milliseconds?] = []
  private let guardian: Systemd.Timer
  private let isOverdue: Flag

  /// Remembers that the loop was ended by the clock.
  private final class Flag { var isSet = false }

  /// The base URL of the server.
  var url: String { "http://127.0.0.1:\(server.port)" }

  /// Makes all three; the gateway may call that host alone, on the server's port if none is given.
  init(
    host: String = "127.0.0.1", port: UInt16? = nil,
    configure: (inout GatewayOptions, UInt16) -> Void = { _, _ in }
  ) throws {
    _ = signal(SIGPIPE, SIG_IGN)
    let loop = try EventLoop()
    let flag = Flag()
    self.loop = loop
    isOverdue = flag
    server = try TestServer(on: loop)
    var options = GatewayOptions(
      policy: try UpstreamPolicy(entries: ["\(host):\(port ?? server.port)"]),
      client: SDKClient(version: "1"))
    configure(&options, server.port)
    gateway = try PrimerGateway(on: loop, options: options)
    guardian = try loop.addTimer { [unowned loop] in
      flag.isSet = true
      loop.exit(1)
    }
    guardian.arm(atBootMicroseconds: Clock.bootMicroseconds() + 20_000_000)
  }

  /// Performs an operation and keeps its result, without how long ago it began.
  @discardableResult
  func perform(
    _ name: String, _ request: Operation.Request = .poll, at url: String? = nil,
    for uid: UInt32 = 1000,
    then next: @escaping (Result<Answer, OperationFailure>) -> Void = { _ in }
  ) -> PendingRequest {
    gateway.perform(operation(request, url ?? self.url), for: uid) { [unowned self] result in
      if case .failure(let failure) = result { elapsed.append(failure.elapsed) }
      let result = result.mapError { failure in
        var failure = failure
        failure.elapsed = nil
        return failure
      }
      results.append((name, result))
      next(result)
    }
  }

  /// Ends the loop when that many operations have been completed.
  func run(untilCompleted count: Int) throws {
    loop.endOfTurn = { [unowned self] in
      if results.count >= count { loop.exit(0) }
    }
    _ = try loop.run()
    #expect(!isOverdue.isSet, "took 20 seconds")
    // They hold what holds this.
    loop.endOfTurn = nil
    server.onRequest = nil
    server.onRawBytes = nil
  }

  /// Performs one operation and gives its result.
  func result(
    of request: Operation.Request = .poll, at url: String? = nil
  ) throws -> Result<Answer, OperationFailure>? {
    perform("", request, at: url)
    try run(untilCompleted: 1)
    return results.first?.result
  }
}

/// An answer to a poll.
let pending = #"{"status":"PENDING","id":"r","source":"s"}"#

/// What that answer means.
let isPending = Result<Answer, OperationFailure>.success(.redirectStatus(.pending))
