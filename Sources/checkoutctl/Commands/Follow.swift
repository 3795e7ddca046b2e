import CheckoutClient
import ValueTree

/// The printing of events, and the end of it.
struct Follow {
  let console: Console
  /// What ends it; nil for the end of the checkout, if there is one.
  private let awaited: Awaited?
  private let namesCheckout: Bool

  init(_ console: Console, _ awaited: Awaited?, namesCheckout: Bool) {
    self.console = console
    self.awaited = awaited
    self.namesCheckout = namesCheckout
  }

  /// Prints an event.
  ///
  /// - Returns: Whether it is what was waited for.
  func print(_ event: ClientEvent) throws(Failure) -> Bool {
    try console.print(event.value) {
      EventLine.text(event.value, namesCheckout: namesCheckout, $0)
    }
    return awaited?.isMet(by: event) ?? false
  }

  /// Prints the events of one checkout, to the last.
  ///
  /// They are read, not subscribed to: so none is dropped, however slowly the output is taken.
  func run(_ link: Link, _ checkout: Reference, since: Int64) throws(Failure) {
    var position = Position(seq: since)
    // A key may name another checkout later, if the daemon's state is reset.
    var reference = checkout.value
    while true {
      console.tellProgress("waiting for events of \(checkout.text.printable)")
      let page = try link.keepOn { connection throws(ClientError) in
        try connection.readEvents(
          of: reference, after: position.seq, until: link.deadline)
      }
      for event in page.events where position.admits(event) {
        try tellLoss(before: event, at: position)
        position.seq = event.seq ?? position.seq
        if let id = event.checkoutID { reference = .string(id) }
        if try print(event) { return }
      }
      if page.isEnded { break }
    }
    try tellLossAtEnd(link, reference, position)
    if let awaited, awaited != .terminal { throw .neverCame(awaited.text) }
  }

  /// Tells of the events between a position and the next event that there is.
  func tellLoss(before event: ClientEvent, at position: Position) throws(Failure) {
    guard let seq = event.seq, seq > position.seq + 1 else { return }
    try console.tellLoss(
      of: event.checkoutID ?? "", from: position.seq + 1, to: seq - 1)
  }

  /// Tells of the events after a position, which the daemon has wiped since the checkout ended.
  private func tellLossAtEnd(
    _ link: Link, _ reference: Value, _ position: Position
  ) throws(Failure) {
    let snapshot = try link.ask("checkout.get", ["checkoutId": reference])
    guard let seq = snapshot["seq"]?.integer, seq > position.seq else { return }
    try console.tellLoss(
      of: snapshot["checkoutId"]?.string ?? "", from: position.seq + 1, to: seq)
  }
}

/// How far the events of a checkout have been printed.
struct Position {
  /// The number of the last one.
  var seq: Int64

  /// Whether an event is one that has not been printed yet.
  func admits(_ event: ClientEvent) -> Bool { event.seq.map { $0 > seq } ?? true }
}

extension ClientEvent {
  /// Its number; nil if it is about the connection.
  var seq: Int64? { params["seq"]?.integer }

  /// Whose event it is; nil if it is about the connection.
  var checkoutID: String? { params["checkoutId"]?.string }
}
