import CheckoutClient
import JSONRPC
import LinuxSystem
import ValueTree

/// Calls, one at a time, and the events of one checkout, over a connection that comes back by itself.
///
/// Nothing here waits. When the daemon is away, as while it is restarted, it is sought again; the
/// call that has no answer is made once more, and events go on after the last that arrived.
final class DaemonSession {
  /// What has come from the daemon.
  enum News {
    /// The answer to the call.
    case answer(Result<Value, RPCError>)
    /// Something happened to the checkout.
    case event(ClientEvent)
  }

  private struct Call {
    let method: String
    let params: Value
    /// The errors that say, when it is made once more, that it took effect before.
    let settledBy: [String]
    /// Nil while it is not under way.
    var id: RequestID?
    var isRepeated = false
  }

  private let path: String
  private var connection: ClientConnection?
  private var call: Call?
  private var checkout: (id: String, seq: Int64)?
  private var subscription: RequestID?
  /// Since when nothing has come from a daemon that was lost, and when to seek it, or to make the
  /// call, once more.
  private var lostAt: UInt64?
  private var retryAt: UInt64?

  /// How long a daemon that was there may be away.
  private let patienceMicroseconds: UInt64
  private static let pauseMicroseconds: UInt64 = 200_000

  /// Connects.
  init(path: String, patienceMilliseconds: Int64) throws(ClientError) {
    self.path = path
    patienceMicroseconds = UInt64(patienceMilliseconds) * 1000
    connection = try ClientConnection(path: path)
  }

  /// The socket to wait for; negative while there is none.
  var descriptor: Int32 { connection?.descriptor ?? -1 }

  /// In how many milliseconds to ask for news though there is nothing to read; −1 for never.
  var pollTimeout: Int32 {
    guard let retryAt else { return -1 }
    let now = Clock.monotonicMicroseconds()
    return retryAt > now ? Int32((retryAt - now + 999) / 1000) : 0
  }

  /// Makes a call, the only one until it is answered.
  func begin(_ method: String, _ params: Value, settledBy: [String]) throws(ClientError) {
    call = Call(method: method, params: params, settledBy: settledBy)
    try recovering { connection throws(ClientError) in try self.send(over: connection) }
  }

  /// Asks for the events of a checkout after one of them.
  func follow(_ checkoutID: String, after seq: Int64) throws(ClientError) {
    checkout = (checkoutID, seq)
    try recovering { connection throws(ClientError) in try self.subscribe(over: connection) }
  }

  /// Takes the next news; nil if there is none now.
  func news() throws(ClientError) -> News? {
    if let retryAt, retryAt <= Clock.monotonicMicroseconds() { try retry() }
    while connection != nil {
      var message: ClientMessage?
      try recovering { connection throws(ClientError) in
        message = try connection.arrivedMessage()
      }
      guard let message else { return nil }
      if let news = try take(message) { return news }
    }
    return nil
  }

  private func take(_ message: ClientMessage) throws(ClientError) -> News? {
    switch message {
    case .reply(let id, let result): return try take(result, of: id)
    case .event(let event): return try take(event).map(News.event)
    case .refusal(let error): throw .remote(error)
    }
  }

  private func take(
    _ result: Result<Value, RPCError>, of id: RequestID
  ) throws(ClientError) -> News? {
    lostAt = nil
    if id == subscription {
      subscription = nil
      if case .failure(let error) = result { throw .remote(error) }
      return nil
    }
    guard let answered = call, answered.id == id else { return nil }
    guard case .failure(let error) = result else {
      call = nil
      return .answer(result)
    }
    if error.code == .shuttingDown {
      call?.id = nil
      retryAt = Clock.monotonicMicroseconds() + Self.pauseMicroseconds
      return nil
    }
    call = nil
    let isSettled = answered.isRepeated && answered.settledBy.contains(error.errorId ?? "")
    return .answer(isSettled ? .success(.object([])) : result)
  }

  /// Whether an event is the next: what was sent before a loss comes again.
  private func take(_ event: ClientEvent) throws(ClientError) -> ClientEvent? {
    guard let checkout, event.params["checkoutId"]?.string == checkout.id else { return nil }
    if event.method == "events.lost" {
      try follow(checkout.id, after: checkout.seq)
      return nil
    }
    guard let seq = event.params["seq"]?.integer, seq > checkout.seq else { return nil }
    self.checkout?.seq = seq
    lostAt = nil
    return event
  }

  // MARK: Loss

  /// Does something with the connection, if there is one; losing it is no error yet.
  private func recovering(
    _ body: (ClientConnection) throws(ClientError) -> Void
  ) throws(ClientError) {
    guard let connection else { return }
    do throws(ClientError) {
      try body(connection)
    } catch {
      guard error.isLoss else { throw error }
      self.connection = nil
      subscription = nil
      if call?.id != nil { call?.isRepeated = true }
      call?.id = nil
      try seekLater(insteadOf: error)
    }
  }

  private func seekLater(insteadOf error: ClientError) throws(ClientError) {
    let now = Clock.monotonicMicroseconds()
    let since = lostAt ?? now
    guard now - since < patienceMicroseconds else { throw error }
    lostAt = since
    retryAt = now + Self.pauseMicroseconds
  }

  /// Seeks the daemon once more, or makes a call again that it did not want while it was stopping.
  private func retry() throws(ClientError) {
    retryAt = nil
    if connection == nil {
      do throws(ClientError) {
        connection = try ClientConnection(path: path)
      } catch {
        return try seekLater(insteadOf: error)
      }
      try recovering { connection throws(ClientError) in try self.subscribe(over: connection) }
    }
    try recovering { connection throws(ClientError) in try self.send(over: connection) }
  }

  private func send(over connection: ClientConnection) throws(ClientError) {
    guard let waiting = call, waiting.id == nil else { return }
    call?.id = try connection.send(waiting.method, waiting.params)
  }

  private func subscribe(over connection: ClientConnection) throws(ClientError) {
    guard let checkout else { return }
    subscription = try connection.send(
      "events.subscribe", ["checkoutId": .string(checkout.id), "after": .integer(checkout.seq)])
  }
}
