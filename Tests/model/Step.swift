import Checkout

/// What a checkout did with one input, as far as others have to do with it.
struct Step {
  /// A request that is sent, or given up, and has to do with money.
  struct Request {
    var kind: Flight.Kind
    var key: Int
    var token: Int
    var isQuestion: Bool
    /// How long ago it was sent.
    var age: Milliseconds

    init(_ flight: Flight, at now: WallTime) {
      kind = flight.kind
      key = flight.key
      token = flight.token
      isQuestion = flight.isQuestion
      age = now - flight.sentAt
    }
  }

  /// The number of what it became; 0 if it is gone.
  var next: UInt32 = 0
  /// How far the clock went.
  var elapsed: Milliseconds = 0
  /// What was sent.
  var sent: [Request] = []
  /// What was given up.
  var abandoned: [Request] = []
  /// What it came to, if it ended, and the number of the payment's key.
  var outcome: Outcome?
  var payment: Int?
  /// Whether it took the answer to a creation that was sent for the first time.
  var answersFirstSending = false
  /// The payment whose page was shown.
  var shownPayment: Int?
  /// Whether the client's backend was given what it may make a payment with.
  var asksBackend = false
  /// Whether upstream was found to treat keys as it should not.
  var isAlarming = false
  /// Whether its commit is flushed.
  var isFlushed = false
  /// Whether nothing came of it.
  var isNothing = false
  /// What is wrong with it.
  var violation: String?
}
