import CheckoutClient
import Glibc
import LinuxSystem
import ValueTree

/// A connection to the daemon that is made when it is needed and, for what may be asked twice, made
/// again when it is lost.
final class Link {
  private let socket: String
  /// When to give up.
  let deadline: Deadline
  private let console: Console
  private let patience: Patience
  private var connection: ClientConnection?
  private var hasConnected = false

  /// Takes from the command line how to connect.
  ///
  /// - Throws: What is wrong with `--retry`.
  init(_ invocation: Invocation) throws(Failure) {
    socket = invocation.socket
    deadline = invocation.deadline
    console = invocation.console
    let span = try invocation.given.number(
      .retry, in: 0...Deadline.maximumMilliseconds, unit: "milliseconds")
    patience = Patience(milliseconds: span ?? 60_000)
  }

  /// Makes a call, once.
  func call(_ method: String, _ params: Value? = nil) throws(Failure) -> Value {
    do throws(ClientError) {
      return try connect().call(method, params, until: deadline)
    } catch { throw .client(error) }
  }

  /// Makes a call that may be made twice, until it is answered.
  func ask(_ method: String, _ params: Value? = nil) throws(Failure) -> Value {
    try keepOn { connection throws(ClientError) in
      try connection.call(method, params, until: deadline)
    }
  }

  /// Does something that may be done twice, with one connection after the other, until it is done.
  func keepOn<Result>(
    _ body: (ClientConnection) throws(ClientError) -> Result
  ) throws(Failure) -> Result {
    while true {
      do throws(ClientError) {
        let result = try body(try connect())
        patience.restore()
        return result
      } catch {
        guard hasConnected, error.isLoss else { throw .client(error) }
        connection = nil
        guard let pause = patience.nextPause() else { throw .client(error) }
        console.tellProgress("checkoutd has gone away; trying to reach it again")
        try sleep(pause)
      }
    }
  }

  private func connect() throws(ClientError) -> ClientConnection {
    if let connection { return connection }
    let made = try ClientConnection(path: socket)
    made.watchedOutput = ProcessStreams.output
    connection = made
    hasConnected = true
    return made
  }

  /// Lets time pass, as far as the deadline and the reader of the output allow.
  private func sleep(_ milliseconds: Int32) throws(Failure) {
    let left = deadline.pollTimeout
    var entry = pollfd(fd: ProcessStreams.output, events: 0, revents: 0)
    let isShort = left >= 0 && left < milliseconds
    if unsafe poll(&entry, 1, isShort ? left : milliseconds) > 0 { throw .client(.outputClosed) }
    if isShort { throw .client(.timedOut) }
  }
}

/// How long, and how often, to try to reach a daemon that has gone away.
private final class Patience {
  private let span: UInt64
  private var lostAt: UInt64?
  private var pause = first

  private static let first: Int32 = 20
  private static let longest: Int32 = 1000

  init(milliseconds: Int64) { span = UInt64(milliseconds) * 1000 }

  /// The daemon has answered.
  func restore() {
    lostAt = nil
    pause = Self.first
  }

  /// How long to wait before the next attempt, in milliseconds; nil to give up.
  func nextPause() -> Int32? {
    let now = Clock.monotonicMicroseconds()
    let start = lostAt ?? now
    lostAt = start
    guard now - start < span else { return nil }
    defer { pause = min(2 * pause, Self.longest) }
    return pause
  }
}

extension ClientError {
  /// Whether another connection may do better: the daemon has gone, or was about to.
  var isLoss: Bool {
    switch self {
    case .closed: true
    case .cannotConnect(.failed(let error, _)):
      [ENOENT, ECONNREFUSED, ECONNRESET].contains(error.code)
    case .remote: ["shutting-down", "closing"].contains(errorID)
    default: false
    }
  }

  /// What the daemon calls the error that it answered with.
  var errorID: String? {
    guard case .remote(let error) = self else { return nil }
    return error.value["data"]?["errorId"]?.string
  }
}
