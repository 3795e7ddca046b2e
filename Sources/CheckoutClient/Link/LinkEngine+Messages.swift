import JSONRPC
import ValueTree

extension LinkEngine.State {
  /// Adds a call, and sends it if there is a connection.
  mutating func add(_ call: PendingCall) {
    lastNumber += 1
    calls[lastNumber] = call
    if isConnected { unsent += call.line(lastNumber) }
  }

  /// Asks for the events of a feed, after the last that came.
  mutating func subscribe(_ checkoutID: String) {
    feeds[checkoutID]?.willSubscribe(lastNumber + 1)
    guard let feed = feeds[checkoutID] else { return }
    add(
      PendingCall(
        method: "events.subscribe", params: feed.params, purpose: .feed(checkoutID),
        settledBy: []))
    add(
      PendingCall(
        method: "checkout.get", params: ["checkoutId": .string(checkoutID)],
        purpose: .probe(checkoutID), settledBy: []))
  }

  /// Removes a feed that no event follows for, if the checkout is as the daemon says.
  mutating func removeFeed(_ checkoutID: String, ifEnded snapshot: Value) -> Feed? {
    guard let feed = feeds[checkoutID], let seq = snapshot["seq"]?.integer,
      let state = snapshot["state"]?.string
    else { return nil }
    let isEnded = state == "completed" || state == "failed"
    guard state == "archived" || (isEnded && seq <= feed.lastSeq) else { return nil }
    feeds[checkoutID] = nil
    return feed
  }

  /// Sends everything that has no answer over a new connection, calls in the order they were made.
  mutating func connect() {
    isConnected = true
    let waiting = calls.sorted { $0.key < $1.key }
    for (number, call) in waiting {
      switch call.purpose {
      case .call: unsent += call.line(number)
      case .feed, .probe: calls[number] = nil
      }
    }
    for checkoutID in feeds.keys.sorted() { subscribe(checkoutID) }
  }

  /// Takes note that the connection is lost.
  mutating func disconnect() {
    isConnected = false
    for number in calls.keys where !held.contains(number) { calls[number]?.isRepeated = true }
    held = []
    unsent = []
  }

  /// Makes the calls again that a stopping daemon did not want; it may be another by now.
  mutating func repeatHeld() {
    for number in held.sorted() { unsent += calls[number]?.line(number) ?? [] }
    held = []
  }
}

extension LinkEngine {
  /// Takes a message.
  ///
  /// - Returns: Why the connection is of no use, if the message says so.
  func handle(_ message: ClientMessage) -> ClientError? {
    switch message {
    case .refusal(let error):
      state.withLock { $0.refusal = error }
      return nil
    case .reply(let id, let answer):
      guard case .integer(let number) = id else {
        return .protocolViolation("a reply to a call that was not made")
      }
      return handle(answer, to: number)
    case .event(let event):
      handle(event)
      return nil
    }
  }

  private func handle(_ answer: Result<Value, RPCError>, to number: Int64) -> ClientError? {
    let step = state.withLock { state -> (@Sendable () -> Void)?? in
      state.hasHeard = true
      state.hasAnsweredLately = true
      guard let call = state.calls[number] else { return .none }
      if case .failure(let error) = answer, error.code == .shuttingDown {
        state.held.insert(number)
        return .some(nil)
      }
      state.calls[number] = nil
      switch call.purpose {
      case .call(let completion):
        let result = call.result(answer)
        return { completion(result) }
      case .probe(let checkoutID):
        guard case .success(let snapshot) = answer,
          let feed = state.removeFeed(checkoutID, ifEnded: snapshot)
        else { return .some(nil) }
        return { feed.sink(.end(nil)) }
      case .feed(let checkoutID):
        guard let feed = state.feeds[checkoutID] else { return .some(nil) }
        switch answer {
        case .success(let result):
          state.feeds[checkoutID]?.didSubscribe(number, result)
          return .some(nil)
        case .failure(let error):
          state.feeds[checkoutID] = nil
          return { feed.sink(.end(CheckoutClientError(error))) }
        }
      }
    }
    guard let step else { return .protocolViolation("a reply to a call that was not made") }
    step?()
    return nil
  }

  private func handle(_ event: ClientEvent) {
    guard let checkoutID = event.params["checkoutId"]?.string else { return }
    let sink = state.withLock { state -> (@Sendable (Feed.Item) -> Void)? in
      guard let feed = state.feeds[checkoutID] else { return nil }
      let verdict: Feed.Verdict
      if event.method == "events.lost" {
        verdict = feed.lose(upTo: event.params["to"]?.integer ?? .max)
      } else if let seq = event.params["seq"]?.integer {
        verdict = state.feeds[checkoutID]?.take(seq) ?? .ignore
      } else {
        verdict = .ignore
      }
      switch verdict {
      case .ignore: return nil
      case .resubscribe:
        state.subscribe(checkoutID)
        return nil
      case .deliver:
        if event.isTerminal { state.feeds[checkoutID] = nil }
        return feed.sink
      }
    }
    sink?(.event(event))
    if event.isTerminal { sink?(.end(nil)) }
  }

  /// Whether an answer has come since this was last asked.
  func hasAnswered() -> Bool {
    state.withLock { state in
      defer { state.hasAnsweredLately = false }
      return state.hasAnsweredLately
    }
  }

  /// Fails everything that waits, for the daemon has been away too long.
  func giveUp(_ reason: CheckoutClientError) {
    let (calls, feeds) = state.withLock { state in
      defer { (state.calls, state.feeds) = ([:], [:]) }
      return (state.calls.sorted { $0.key < $1.key }, state.feeds.values)
    }
    for (_, call) in calls {
      if case .call(let completion) = call.purpose { completion(.failure(reason)) }
    }
    for feed in feeds { feed.sink(.end(reason)) }
  }
}
