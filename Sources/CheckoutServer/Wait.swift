import Checkout
import CheckoutProtocol
import JSONRPC
import ValueTree

/// A call that waits until something happens to a checkout.
final class Wait {
  /// What is waited for.
  enum Condition {
    /// `checkout.start`: what comes of the start.
    case start
    /// What comes of an operation that a command has begun.
    case operation(Awaited)
    /// `checkout.wait`: the end, something awaited, or one of these events.
    case state(isTerminal: Bool, isAwaiting: Bool, names: [String])
    /// `events.read`: an event after that number.
    case event(after: Int64, filter: EventFilter, limit: Int)
  }

  let number: UInt64
  private var call: PendingCall?
  unowned let connection: Connection
  let live: LiveCheckout
  let condition: Condition
  /// Whether an event that is waited for has happened.
  var isFulfilled = false
  /// What an operation that is waited for came to.
  var result: Result<Value, CheckoutError>?
  /// The first event of the names waited for that has happened.
  var matched: String?

  /// Forgets the events of a turn that was taken back.
  func forgetTurn() {
    isFulfilled = false
    result = nil
    matched = nil
  }

  init(
    number: UInt64, call: consuming PendingCall, connection: Connection, live: LiveCheckout,
    condition: Condition
  ) {
    self.number = number
    self.call = consume call
    self.connection = connection
    self.live = live
    self.condition = condition
  }

  /// Takes the call out, to answer it: there is one until then.
  func takeCall() -> PendingCall? { call.take() }
}
