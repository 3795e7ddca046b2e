package import ValueTree

/// What happened to a checkout, or to the connection.
package struct ClientEvent: Sendable, Equatable {
  /// The event's name, as in `component.didReceiveStep`.
  package let method: String

  /// Its members, an object.
  package let params: Value

  /// Both in one object, as `events.read` gives them.
  package var value: Value { ["method": .string(method), "params": params] }
}

/// Some of a checkout's events, in their order.
package struct EventPage: Sendable, Equatable {
  /// The events.
  package let events: [ClientEvent]

  /// What to read after, to go on.
  package let next: Int64

  /// Whether no more can come.
  package let isEnded: Bool

  /// Reads the result of `events.read`; nil if it is none.
  init?(_ result: Value) {
    guard let list = result["events"]?.array, let next = result["next"]?.integer,
      let isEnded = result["ended"]?.bool
    else { return nil }
    events = list.compactMap { event in
      guard let method = event["method"]?.string, let params = event["params"] else { return nil }
      return ClientEvent(method: method, params: params)
    }
    guard events.count == list.count else { return nil }
    self.next = next
    self.isEnded = isEnded
  }
}

extension ClientConnection {
  /// The longest time that the daemon waits for an event, in milliseconds.
  private static let longestWait: Value = 300_000

  /// Reads the events of a checkout; while there is none, waits for the next, but not for ever.
  ///
  /// - Parameters:
  ///   - checkout: Its id, or an object with its start key.
  ///   - number: The event to begin after; 0 for the first.
  ///   - waits: Whether to wait for an event if there is none.
  ///   - deadline: When to give up.
  /// - Returns: The next events, perhaps none.
  /// - Throws: ``ClientError``.
  package func readEvents(
    of checkout: Value, after number: Int64, waits: Bool = true, until deadline: Deadline = .never
  ) throws(ClientError) -> EventPage {
    let result = try call(
      "events.read",
      [
        "checkoutId": checkout, "after": .integer(number), "limit": 1000,
        "waitMs": waits ? Self.longestWait : 0,
      ], until: deadline)
    guard let page = EventPage(result) else { throw .protocolViolation("no page of events") }
    return page
  }
}
