import ValueTree

/// The events of one checkout over one connection after another: which of those that arrive are
/// the next, and when to ask for them again.
struct Feed {
  /// What to do about an event.
  enum Verdict: Equatable {
    /// It is the next.
    case deliver
    /// It is known, or will come again.
    case ignore
    /// Some before it are missing: subscribe again, after ``Feed/lastSeq``.
    case resubscribe
  }

  /// What those who follow are told.
  enum Item: Sendable {
    case event(ClientEvent)
    /// No more come: the last has been, or there is none any more.
    case end(CheckoutClientError?)
  }

  let checkoutID: String
  /// Gets everything, in order.
  let sink: @Sendable (Item) -> Void
  /// The number of the last event that was delivered.
  private(set) var lastSeq: Int64
  /// Up to here the daemon sends what it has kept: what it leaves out is gone for good.
  private var replayEnd: Int64 = 0
  /// The call that asks the daemon for events, until it is answered.
  private var subscription: Int64?
  private var isSubscribing = true

  init(of checkoutID: String, after seq: Int64, sink: @escaping @Sendable (Item) -> Void) {
    self.checkoutID = checkoutID
    self.sink = sink
    lastSeq = seq
  }

  /// The parameters of the subscription.
  var params: Value { ["checkoutId": .string(checkoutID), "after": .integer(lastSeq)] }

  /// Takes note of the call that subscribes.
  mutating func willSubscribe(_ number: Int64) {
    subscription = number
    isSubscribing = true
  }

  /// Takes the answer to a subscription; only that to the latest counts.
  mutating func didSubscribe(_ number: Int64, _ result: Value) {
    guard subscription == number else { return }
    isSubscribing = false
    replayEnd = result["to"]?.integer ?? 0
  }

  /// Judges an event by its number.
  mutating func take(_ seq: Int64) -> Verdict {
    guard seq > lastSeq else { return .ignore }
    guard seq == lastSeq + 1 || (!isSubscribing && seq <= replayEnd) else {
      return isSubscribing ? .ignore : .resubscribe
    }
    lastSeq = seq
    return .deliver
  }

  /// Judges a notice that events were dropped.
  func lose(upTo seq: Int64) -> Verdict {
    seq > lastSeq && !isSubscribing ? .resubscribe : .ignore
  }
}

extension ClientEvent {
  /// Whether no event follows this one.
  var isTerminal: Bool {
    method == "checkout.didCompleteCheckout" || method == "checkout.didFail"
  }
}
