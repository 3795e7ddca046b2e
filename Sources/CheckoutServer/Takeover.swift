import Checkout
import Systemd

/// Goes on with the clients that the last run of the daemon has left.
struct Takeover {
  private let entrance: Entrance
  private let checkouts: Checkouts
  private let hub: EventHub
  private let journal: Journal

  init(_ entrance: Entrance, _ checkouts: Checkouts, _ hub: EventHub, _ journal: Journal) {
    self.entrance = entrance
    self.checkouts = checkouts
    self.hub = hub
    self.journal = journal
  }

  /// Takes the clients in.
  ///
  /// To be done when the checkouts are there and before anything happens to them, so that nobody
  /// misses an event.
  func run(_ handover: inout Handover) {
    var count = 0
    handover.takeAll { descriptor, state in
      guard let session = entrance.resume(descriptor, state) else { return }
      count += 1
      if state.wantsNews { session.output.notify("system.resumed", []) }
      for narrow in state.subscriptions { resume(narrow, of: session) }
      guard let wide = state.wide, wide.reach != .all || session.caller.isAdministrator else {
        return
      }
      hub.resume(
        WideSubscription(
          id: wide.id, session: session, filter: wide.filter, reach: wide.reach, turn: 0))
    }
    guard count > 0 else { return }
    journal.notice("going on with \(count) connections", id: MessageID.resumed)
  }

  /// Goes on with a subscription after the last event that was sent.
  private func resume(_ narrow: ConnectionState.Narrow, of session: Session) {
    guard let live = checkouts.checkout(narrow.checkout),
      let access = session.caller.access(to: live)
    else { return }
    hub.resume(
      Subscription(
        id: narrow.id, session: session, live: live, filter: narrow.filter,
        isRedacted: access == .observe, after: narrow.after, turn: 0))
  }
}
