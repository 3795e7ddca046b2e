import CheckoutClient
import ValueTree

/// The printing of events, and the end of it.
struct Follow {
  private let console: Console
  /// What ends it; nil for the end of the checkout, if there is one.
  private let awaited: Awaited?
  private let namesCheckout: Bool

  init(_ console: Console, _ awaited: Awaited?, namesCheckout: Bool) {
    self.console = console
    self.awaited = awaited
    self.namesCheckout = namesCheckout
  }

  /// Prints what there is to tell.
  ///
  /// - Returns: Whether it is what was waited for.
  func print(_ told: Told) throws(Failure) -> Bool {
    switch told {
    case .event(let event):
      try console.print(event.value) {
        EventLine.text(event.value, namesCheckout: namesCheckout, $0)
      }
      return awaited?.isMet(by: event) ?? false
    case .lost(let checkoutID, let seqs):
      try console.tellLoss(of: checkoutID, from: seqs.lowerBound, to: seqs.upperBound)
    case .reset: console.tellReset()
    }
    return false
  }

  /// Prints the events of one checkout, to the last.
  func run(_ link: Link, _ checkout: Reference, since seq: Int64) throws(Failure) {
    console.tellProgress("waiting for events of \(checkout.text.printable)")
    let hasCome = try link.follow(checkout, after: seq, print)
    if !hasCome, let awaited, awaited != .terminal { throw .neverCame(awaited.text) }
  }

  /// Prints the events of many checkouts from now on, until the one comes that is waited for.
  func run(_ link: Link, reach: [Value.Member]) throws(Failure) {
    console.tellProgress("waiting for events")
    try link.followAll(reach, print)
  }
}
