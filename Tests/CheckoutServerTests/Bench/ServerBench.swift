import Checkout
import CheckoutProtocol
import JSON
import LinuxSystem
import Systemd
import Upstream
import ValueTree

@testable import CheckoutServer
@testable import CheckoutStore

/// A whole server on the bench: a store in memory, a scripted upstream, a clock and clients of the
/// test's own, and one turn at a time.
final class ServerBench {
  let clock = ManualClock()
  let backend = VolatileBackend()
  let upstream = ScriptedUpstream()
  let loop: EventLoop
  private(set) var server: Server
  private var callCount: Int64 = 0

  /// Makes a server; if its store is durable, what is not committed is taken back.
  init(
    isDurable: Bool = true, store: CheckoutStore? = nil, limits: Limits = Limits()
  ) throws {
    loop = try EventLoop()
    let made = isDurable ? CheckoutStore(backend: backend) : CheckoutStore()
    server = try Self.makeServer(loop, clock, store ?? made, upstream, limits)
    try server.recover()
  }

  private static func makeServer(
    _ loop: EventLoop, _ clock: ManualClock, _ store: CheckoutStore,
    _ upstream: ScriptedUpstream, _ limits: Limits
  ) throws -> Server {
    var options = Options()
    options.limits = limits
    options.logLevel = .emergency
    return try Server(
      loop: loop, clock: clock.source, log: Log(minimumLevel: .emergency),
      service: ServiceManager(), store: store, upstream: upstream,
      options: try CheckedOptions(options, memoryLimit: nil), bootID: 1, version: "1.2.3"
    ) { .failure(OptionError("there is no file")) }
  }

  /// Another process takes over what is kept.
  func restart() throws {
    server = try Self.makeServer(
      loop, clock, CheckoutStore(backend: backend), upstream, Limits())
    try server.recover()
  }

  /// Connects a client.
  func connect(
    as user: UInt32 = 1000, groups: [UInt32] = [], isAdministrator: Bool = false
  ) throws -> TestClient {
    let (client, other) = try TestClient.make()
    server.admit(
      FileDescriptor(owning: other),
      as: Caller(
        userID: user, groupID: groups.first ?? user, supplementaryGroupIDs: groups,
        isAdministrator: isAdministrator))
    return client
  }

  /// Runs a turn.
  func turn() { server.runTurn() }

  /// Lets time pass, and runs a turn.
  func pass(milliseconds: UInt64) {
    clock.pass(milliseconds: milliseconds)
    turn()
  }

  /// A call as a line.
  func line(_ method: String, _ params: Value = .object([])) -> (text: String, id: Int64) {
    callCount += 1
    let request: Value = [
      "jsonrpc": "2.0", "id": .integer(callCount), "method": .string(method), "params": params,
    ]
    return (request.jsonText + "\n", callCount)
  }

  /// Makes a call and reads what comes of it in the same turn.
  func call(
    _ client: TestClient, _ method: String, _ params: Value = .object([])
  ) throws -> CallOutcome {
    let (text, id) = line(method, params)
    client.send(text)
    turn()
    return CallOutcome(try client.readLines(), id)
  }

  /// Has a client start a checkout of the session of that number; what else there is to read is lost.
  @discardableResult
  func start(
    session number: Int, by client: TestClient, _ members: [Value.Member] = []
  ) throws -> CallOutcome {
    let token = Value.Member("clientToken", .string(SampleUpstream.token(number)))
    let (text, id) = line("checkout.start", .object([token] + members))
    client.send(text)
    turn()
    upstream.answer { _ in
      var configuration = SampleUpstream.configuration
      configuration.clientSession.id = "cs-\(number)"
      return .success(.configuration(configuration))
    }
    turn()
    return CallOutcome(try client.readLines(), id)
  }

  /// Has a client start that many checkouts, each of a session of its own.
  func start(_ count: Int, by client: TestClient) throws {
    for number in 0..<count { try start(session: number, by: client) }
  }

  /// Answers the oldest request, and runs a turn.
  @discardableResult
  func answer() -> Bool {
    let isAnswered = upstream.answer(SampleUpstream.answer)
    turn()
    return isAnswered
  }
}

/// What a client has read after a call.
struct CallOutcome {
  /// The lines without the reply.
  let others: [Value]
  let reply: Value?

  init(_ lines: [Value], _ id: Int64) {
    reply = lines.first { $0["id"]?.integer == id }
    others = lines.filter { $0["id"]?.integer != id }
  }

  var result: Value? { reply?["result"] }
  var code: Int64? { reply?["error"]?["code"]?.integer }
  var errorID: String? { reply?["error"]?["data"]?["errorId"]?.string }
}
