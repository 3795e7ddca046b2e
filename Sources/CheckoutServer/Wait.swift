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

  /// What has happened of what is waited for.
  enum Progress {
    case nothing
    /// One of the events, by its name.
    case event(String)
    /// What an operation, or the start, came to.
    case result(Result<Value, CheckoutError>)
  }

  let number: UInt64
  unowned let session: Session
  let live: LiveCheckout
  let condition: Condition
  private(set) var progress = Progress.nothing
  private let call: KeptCall

  init(
    number: UInt64, call: consuming PendingCall, session: Session, live: LiveCheckout,
    condition: Condition
  ) {
    self.number = number
    self.call = KeptCall(call)
    self.session = session
    self.live = live
    self.condition = condition
  }

  /// Takes the call out, to answer it: there is one until then.
  func takeCall() -> PendingCall? { call.take() }

  func setProgress(_ progress: Progress) { self.progress = progress }

  /// Whether an event is the first that is waited for.
  func isMet(by kind: EventKind) -> Bool {
    guard case .nothing = progress else { return false }
    switch condition {
    case .event(_, let filter, _): return filter.contains(kind)
    case .state(_, _, let names): return names.contains(kind.rawValue)
    case .start, .operation: return false
    }
  }

  /// Whether there is nothing left to wait for.
  var isOver: Bool {
    switch (condition, progress) {
    case (_, .result), (.event, .event), (.state, .event): true
    case (.start, _): !live.checkout.isStarting
    case (.operation, _): false
    case (.state, _): match != nil || live.checkout.isEnded
    case (.event, _): live.checkout.isEnded
    }
  }

  /// What of a state that is waited for the checkout is in, or the event that was.
  var match: String? {
    guard case .state(let isTerminal, let isAwaiting, _) = condition else { return nil }
    if case .event(let name) = progress { return name }
    if isTerminal && live.checkout.isEnded { return "terminal" }
    if isAwaiting && live.checkout.isAwaiting { return "awaiting" }
    return nil
  }
}
