import JSONRPC
import ValueTree

/// What somebody who follows checkouts is told.
package enum Told: Sendable, Equatable {
  /// Something happened.
  case event(ClientEvent)
  /// Events of a checkout happened that cannot be had any more.
  case lost(checkoutID: String, seqs: ClosedRange<Int64>)
  /// The daemon knows nothing any more of what was before.
  case reset
}

/// A call that a follower wants made.
struct Ask: Sendable, Equatable {
  /// The follower's own number for it.
  let number: Int
  let method: String
  let params: Value
}

/// Follows checkouts over any number of connections, without a socket: replies and events in, calls
/// and what is to be told out.
protocol Follower {
  /// Whether nothing can come any more.
  var hasEnded: Bool { get }

  /// Begins anew, over a new connection or with a daemon that was about to stop.
  mutating func open()

  /// The calls that are to be made now, in this order.
  mutating func takeAsks() -> [Ask]

  /// What is to be told now.
  mutating func takeTold() -> [Told]

  /// Takes the answer to a call.
  ///
  /// - Throws: Why it does not go on; after ``ClientError/isLoss`` it does, once it is opened again.
  mutating func take(_ answer: Result<Value, RPCError>, to number: Int) throws(ClientError)

  /// Takes an event, of whatever checkout.
  mutating func hear(_ event: ClientEvent)
}

extension ClientEvent {
  /// Its number; nil if it has none.
  package var seq: Int64? { params["seq"]?.integer }

  /// Whose event it is; nil if it is about the connection.
  package var checkoutID: String? { params["checkoutId"]?.string }

  /// Whether no event follows this one.
  package var isTerminal: Bool {
    method == "checkout.didCompleteCheckout" || method == "checkout.didFail"
  }
}
