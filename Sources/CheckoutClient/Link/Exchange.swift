import JSON
import JSONRPC
import ValueTree

/// What the daemon is asked and what it says, over one connection after the other, without a socket.
///
/// Calls and followers outlive connections: what has no answer when one is lost is sent again over
/// the next, and events go on after the last that arrived. Times are microseconds.
struct Exchange {
  typealias News = PatientClient.News

  private struct Call {
    let method: String
    let params: Value?
    let repeats: Repeats
    /// Whether the answer may have been lost with a connection.
    var isRepeated = false

    func line(_ number: Int64) -> [UInt8] {
      let output = JSONOutput(capacity: 256)
      output.appendRequest(id: .integer(number), method: method, params: params)
      return unsafe output.withUnsafeBytes { unsafe Array($0) }
    }
  }

  private var calls: [Int64: Call] = [:]
  private(set) var followers: [String: any Follower] = [:]
  /// The calls of followers over the present connection.
  private var asked: [Int64: (follower: String, number: Int)] = [:]
  private var lastNumber: Int64 = 0
  private var unsent: [UInt8] = []
  private var news: [News] = []
  private var patience: Patience
  /// Whether anybody has ever answered.
  private var hasHeard: Bool
  private var isConnected = false
  /// Calls and followers that a daemon about to stop did not want, to be asked once more.
  private var held: Set<Int64> = []
  private var unopened: Set<String> = []
  private var retryAt: UInt64?

  init(patience: Int64, isKnown: Bool) {
    self.patience = Patience(milliseconds: patience)
    hasHeard = isKnown
  }

  // MARK: What is wanted

  /// Adds a call.
  ///
  /// - Returns: Its number.
  mutating func add(_ method: String, _ params: Value?, _ repeats: Repeats) -> Int64 {
    lastNumber += 1
    let call = Call(method: method, params: params, repeats: repeats)
    calls[lastNumber] = call
    if isConnected { unsent += call.line(lastNumber) }
    return lastNumber
  }

  /// Adds a follower, in place of the one of that name.
  mutating func add(_ follower: any Follower, as name: String) {
    followers[name] = follower
    if isConnected { open(name) }
  }

  /// Lets go of a follower.
  mutating func remove(_ name: String) { followers[name] = nil }

  // MARK: Connections

  /// Whether a connection is to be made now.
  func wantsConnection(at now: UInt64) -> Bool {
    !isConnected && hasWork && retryAt.map { $0 <= now } ?? true
  }

  private var hasWork: Bool { !calls.isEmpty || !followers.isEmpty }

  /// Whether the daemon has gone away, and is sought.
  var isSeeking: Bool { !isConnected && retryAt != nil }

  /// When to look again though there is nothing to read; nil for never.
  var nextRetry: UInt64? { retryAt }

  /// Begins a new connection: sends everything that has no answer, calls in the order they were made.
  mutating func connect() {
    isConnected = true
    retryAt = nil
    (held, unopened) = ([], [])
    for (number, call) in calls.sorted(by: { $0.key < $1.key }) { unsent += call.line(number) }
    for name in followers.keys.sorted() { open(name) }
  }

  /// Asks again what a daemon about to stop did not want, once its time has come.
  mutating func repeatHeld(at now: UInt64) {
    guard isConnected, let retryAt, retryAt <= now else { return }
    self.retryAt = nil
    for number in held.sorted() { unsent += calls[number]?.line(number) ?? [] }
    let names = unopened.sorted()
    (held, unopened) = ([], [])
    for name in names { open(name) }
  }

  /// Takes note that there is no connection any more, or none to be had.
  mutating func disconnect(_ reason: ClientError, at now: UInt64) {
    for (number, call) in calls {
      if call.repeats == .never {
        finish(number, .failure(reason))
      } else if isConnected, !held.contains(number) {
        calls[number]?.isRepeated = true
      }
    }
    isConnected = false
    (asked, unsent, retryAt) = ([:], [], nil)
    guard hasWork else { return }
    guard hasHeard, reason.isLoss, let pause = patience.nextPause(at: now) else {
      return giveUp(reason)
    }
    retryAt = now + pause
  }

  /// Fails everything that waits: the daemon has been away too long, or is none.
  private mutating func giveUp(_ reason: ClientError) {
    for number in calls.keys.sorted() { finish(number, .failure(reason)) }
    for name in followers.keys.sorted() { end(name, reason) }
    patience.renew()
  }

  // MARK: Lines

  /// What is to be sent now.
  mutating func takeOutput() -> [UInt8] {
    defer { unsent = [] }
    return unsent
  }

  /// What has come since this was last asked.
  mutating func takeNews() -> [News] {
    defer { news = [] }
    return news
  }

  /// Takes a message.
  ///
  /// - Returns: Why the connection is of no use, if the message says so.
  mutating func take(_ message: ClientMessage, at now: UInt64) -> ClientError? {
    hasHeard = true
    switch message {
    case .refusal(let error): return .refused(error)
    case .event(let event):
      for name in followers.keys.sorted() {
        followers[name]?.hear(event)
        settle(name)
      }
      return nil
    case .reply(.integer(let number), let answer):
      if let asking = asked.removeValue(forKey: number) {
        take(answer, to: asking.number, of: asking.follower, at: now)
      } else if let call = calls[number] {
        take(answer, to: call, number, at: now)
      } else {
        return .protocolViolation("a reply to a call that was not made")
      }
      return nil
    case .reply: return .protocolViolation("a reply to a call that was not made")
    }
  }

  private mutating func take(
    _ answer: Result<Value, RPCError>, to call: Call, _ number: Int64, at now: UInt64
  ) {
    switch answer {
    case .success(let value):
      patience.renew()
      finish(number, .success(value))
    case .failure(let error) where error.code == .shuttingDown && call.repeats != .never:
      guard wait(at: now) else { return finish(number, .failure(.remote(error))) }
      held.insert(number)
    case .failure(let error):
      patience.renew()
      let isSettled = call.isRepeated && call.repeats.settles(error)
      finish(number, isSettled ? .success(.object([])) : .failure(.remote(error)))
    }
  }

  private mutating func take(
    _ answer: Result<Value, RPCError>, to number: Int, of name: String, at now: UInt64
  ) {
    do throws(ClientError) {
      try followers[name]?.take(answer, to: number)
      patience.renew()
      settle(name)
    } catch {
      guard error.isLoss, wait(at: now) else { return end(name, error) }
      unopened.insert(name)
    }
  }

  /// Sees to it that what the daemon does not want now is asked again.
  ///
  /// - Returns: Whether there is patience left.
  private mutating func wait(at now: UInt64) -> Bool {
    guard retryAt == nil else { return true }
    guard let pause = patience.nextPause(at: now) else { return false }
    retryAt = now + pause
    return true
  }

  private mutating func finish(_ number: Int64, _ result: Result<Value, ClientError>) {
    calls[number] = nil
    held.remove(number)
    news.append(.answer(number, result))
  }

  // MARK: Followers

  private mutating func open(_ name: String) {
    followers[name]?.open()
    settle(name)
  }

  /// Takes what a follower has to tell, and what it needs.
  private mutating func settle(_ name: String) {
    guard let told = followers[name]?.takeTold() else { return }
    if !told.isEmpty { patience.renew() }
    news += told.map { .told(name, $0) }
    for wanted in followers[name]?.takeAsks() ?? [] {
      lastNumber += 1
      asked[lastNumber] = (name, wanted.number)
      unsent += Call(method: wanted.method, params: wanted.params, repeats: .never).line(lastNumber)
    }
    if followers[name]?.hasEnded == true { end(name, nil) }
  }

  private mutating func end(_ name: String, _ reason: ClientError?) {
    followers[name] = nil
    unopened.remove(name)
    news.append(.ended(name, reason))
  }
}

/// Whether a call is made again when its answer was lost with a connection.
package enum Repeats: Sendable, Equatable {
  /// It may take effect twice.
  case never
  /// It takes effect once: these errors say, of a call made once more, that it had before.
  case settled(by: [String])

  /// To make it twice changes nothing.
  package static let always = Repeats.settled(by: [])

  /// Whether an error says that the call had taken effect.
  func settles(_ error: RPCError) -> Bool {
    guard case .settled(let ids) = self, let id = error.errorId else { return false }
    return ids.contains(id)
  }
}
