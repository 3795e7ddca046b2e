import Checkout
import CheckoutProtocol

/// What a client wants to hear of one checkout.
final class Subscription {
  /// `s1`, `s2` and so on for each client.
  let id: String
  unowned let session: Session
  let live: LiveCheckout
  let filter: EventFilter
  /// The turn in which it began.
  let turn: UInt64
  /// Whether what an observer may not see is left out.
  private(set) var isRedacted: Bool
  /// The number of the last stored event that was sent, while such are being sent.
  ///
  /// Events that happen meanwhile are in the store, and are sent in their turn.
  private(set) var replayedTo: Int64?
  /// Whether it has begun and not ended: of one that has not the session may be gone.
  private var isActive = false

  init(
    id: String, session: Session, live: LiveCheckout, filter: EventFilter, isRedacted: Bool,
    after: Int64?, turn: UInt64
  ) {
    self.id = id
    self.session = session
    self.live = live
    self.filter = filter
    self.isRedacted = isRedacted
    self.turn = turn
    replayedTo = after
  }

  var isReplaying: Bool { isActive && replayedTo != nil }

  /// Takes note that it has begun, or ended.
  func setActive(_ isActive: Bool) { self.isActive = isActive }

  /// Sets the number of the last stored event that was sent; nil when all were.
  func setReplayed(to seq: Int64?) { replayedTo = seq }

  /// Sets whether what an observer may not see is left out.
  func setRedacted(_ isRedacted: Bool) { self.isRedacted = isRedacted }
}

/// What a client wants to hear of many checkouts.
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

  /// `s1`, `s2` and so on for each client.
  let id: String
  unowned let session: Session
  let filter: EventFilter
  let reach: Reach
  /// The turn in which it began.
  let turn: UInt64
  /// Whether the snapshots with which it begins are being made: events come after them.
  private(set) var isListing = false

  init(id: String, session: Session, filter: EventFilter, reach: Reach, turn: UInt64) {
    self.id = id
    self.session = session
    self.filter = filter
    self.reach = reach
    self.turn = turn
  }

  /// Whether it is sent events of that kind now.
  func wants(_ bit: UInt32) -> Bool { !isListing && filter.contains(bit) }

  func setListing(_ isListing: Bool) { self.isListing = isListing }

  /// What its caller may see of a checkout, if the subscription reaches it.
  func access(to live: LiveCheckout) -> Access? {
    switch reach {
    case .own: live.owner == session.caller.userID ? .own : nil
    case .shared:
      live.owner == session.caller.userID ? .own : session.caller.sharedAccess(to: live)
    case .all: .own
    }
  }
}
