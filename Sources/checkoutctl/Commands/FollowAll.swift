import CheckoutClient
import ValueTree

/// The printing of the events of all checkouts, from now on, over as many connections as it takes.
///
/// Events come by a subscription. What it does not bring, since events were dropped or there was no
/// connection, is read from the daemon's store: for each checkout is known how far its events have
/// been printed, and a gap is filled before anything after it is printed.
final class FollowAll {
  private let follow: Follow
  private let reach: [Value.Member]
  private var epoch: String?
  /// The connection with the subscription.
  private var subscribed: ClientConnection?
  /// The checkouts that are known, and the last event of each that was printed or is too old.
  private var positions: [String: Position] = [:]
  /// What has to be read before the next event is waited for: checkouts, and up to where.
  private var gaps: [(checkout: String, last: Int64)] = []
  private var isReset = false

  /// How many events are read at once: few enough to be held, many enough to catch up.
  private static let pageSize: Value = 1000

  init(_ follow: Follow, reach: [Value.Member]) {
    self.follow = follow
    self.reach = reach
  }

  /// Prints events until the one comes that is waited for.
  func run(_ link: Link) throws(Failure) {
    let earlier = try link.pages(of: "checkouts", "checkout.list", reach)
    for checkout in earlier { note(checkout) { id, seq in positions[id] = Position(seq: seq) } }
    while true {
      follow.console.tellProgress("waiting for events")
      let step = try link.keepOn { connection throws(ClientError) in
        try next(connection, until: link.deadline)
      }
      if isReset { follow.console.tellReset() }
      isReset = false
      if try take(step) { return }
    }
  }

  /// What one step has brought.
  private enum Step {
    /// Nothing but the knowledge of gaps.
    case nothing
    /// The next event.
    case event(ClientEvent)
    /// Events that fill the first gap, or begin to.
    case filling([ClientEvent], isComplete: Bool)
  }

  /// Makes one step; it can be made again with another connection if this one is lost.
  private func next(
    _ connection: ClientConnection, until deadline: Deadline
  ) throws(ClientError) -> Step {
    guard connection === subscribed else {
      try subscribe(connection, until: deadline)
      return .nothing
    }
    guard let gap = gaps.first else {
      return .event(try connection.nextEvent(until: deadline))
    }
    do throws(ClientError) {
      let page = try connection.readEvents(
        of: .string(gap.checkout), after: position(of: gap.checkout).seq, waits: false,
        until: deadline)
      let isComplete = page.events.isEmpty || page.next >= gap.last
      return .filling(page.events, isComplete: isComplete)
    } catch {
      // It may have been forgotten meanwhile.
      guard error.errorID == "unknown-checkout" else { throw error }
      return .filling([], isComplete: true)
    }
  }

  /// Prints what a step has brought.
  ///
  /// - Returns: Whether what was waited for has come.
  private func take(_ step: Step) throws(Failure) -> Bool {
    switch step {
    case .nothing: return false
    case .event(let event):
      guard let id = event.checkoutID else { return try follow.print(event) }
      let position = position(of: id)
      if event.method == "events.lost" {
        noteGap(id, event.params["to"]?.integer ?? 0)
      } else if let seq = event.seq, seq > position.seq + 1 {
        noteGap(id, seq)
      } else if position.admits(event) {
        positions[id] = Position(seq: event.seq ?? position.seq)
        return try follow.print(event)
      }
      return false
    case .filling(let events, let isComplete):
      let gap = gaps[0]
      if isComplete { gaps.removeFirst() }
      for event in events {
        let position = position(of: gap.checkout)
        try follow.tellLoss(before: event, at: position)
        positions[gap.checkout] = Position(seq: event.seq ?? position.seq)
        if try follow.print(event) { return true }
      }
      let seq = position(of: gap.checkout).seq
      if isComplete, seq < gap.last {
        try follow.console.tellLoss(of: gap.checkout, from: seq + 1, to: gap.last)
        positions[gap.checkout] = Position(seq: gap.last)
      }
      return false
    }
  }

  /// Subscribes, and notes what has happened since the last event that was printed.
  private func subscribe(
    _ connection: ClientConnection, until deadline: Deadline
  ) throws(ClientError) {
    let hello = try connection.call(
      "system.hello", ["client": "checkoutctl follow"], until: deadline)
    let result = try connection.call("events.subscribe", .object(reach), until: deadline)
    var snapshots = result["snapshots"]?.array ?? []
    if result["more"]?.bool == true {
      snapshots = try connection.pages(of: "checkouts", "checkout.list", reach, until: deadline)
    }
    let current = hello["epoch"]?.string
    if let epoch, current != epoch {
      positions = [:]
      isReset = true
    }
    epoch = current
    gaps = []
    for snapshot in snapshots { note(snapshot, noteGap) }
    subscribed = connection
  }

  /// Has the events up to one read, unless they have been.
  private func noteGap(_ checkout: String, _ last: Int64) {
    if last > position(of: checkout).seq { gaps.append((checkout, last)) }
  }

  private func note(_ snapshot: Value, _ body: (String, Int64) -> Void) {
    if let id = snapshot["checkoutId"]?.string, let seq = snapshot["seq"]?.integer { body(id, seq) }
  }

  /// A checkout that is not known is new: none of its events has been printed.
  private func position(of checkout: String) -> Position { positions[checkout] ?? Position(seq: 0) }
}
