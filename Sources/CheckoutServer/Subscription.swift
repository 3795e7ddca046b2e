import Checkout
import CheckoutProtocol

/// What a connection wants to hear of one checkout.
final class Subscription {
  /// `s1`, `s2` and so on for each connection.
  let id: String
  unowned let connection: Connection
  let live: LiveCheckout
  let filter: EventFilter
  var isRedacted: Bool
  /// The number of the last stored event that was sent, while such are being sent.
  ///
  /// Events that happen meanwhile are in the store, and are sent in their turn.
  var replayedTo: Int64?
  var isReplaying: Bool { replayedTo != nil }

  init(
    id: String, connection: Connection, live: LiveCheckout, filter: EventFilter,
    isRedacted: Bool, after: Int64?
  ) {
    self.id = id
    self.connection = connection
    self.live = live
    self.filter = filter
    self.isRedacted = isRedacted
    replayedTo = after
  }
}

/// What a connection wants to hear of many checkouts.
final class WideSubscription {
  /// How wide it is.
  enum Reach: String {
    /// The caller's own.
    case own
    /// Also those shared with the caller.
    case shared
    /// Everyone's.
    case all
  }

  /// `s1`, `s2` and so on for each connection.
  let id: String
  unowned let connection: Connection
  let filter: EventFilter
  let reach: Reach

  init(id: String, connection: Connection, filter: EventFilter, reach: Reach) {
    self.id = id
    self.connection = connection
    self.filter = filter
    self.reach = reach
  }

  /// What its caller may see of a checkout, if the subscription reaches it.
  func access(to live: LiveCheckout) -> Access? {
    switch reach {
    case .own: live.owner == connection.caller.userID ? .own : nil
    case .shared:
      live.owner == connection.caller.userID
        ? .own : connection.caller.sharedAccess(to: live)
    case .all: .own
    }
  }
}
