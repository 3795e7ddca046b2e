import CheckoutClient
import CheckoutProtocol
import JSONRPC
import ValueTree

/// What is waited for.
enum Awaited: Equatable {
  /// The end of the checkout.
  case terminal
  /// That the checkout waits for someone.
  case awaiting
  /// An event of this name.
  case event(String)

  private static let terminalEvents = ["checkout.didCompleteCheckout", "checkout.didFail"]

  /// Reads `--wait`; nil if it is not given.
  init?(_ given: GivenOptions) throws(Failure) {
    switch given[.wait] {
    case nil: return nil
    case "terminal"?: self = .terminal
    case "awaiting"?: self = .awaiting
    case let name?:
      guard Methods.notifications.contains(where: { "\($0.name)" == name }) else {
        throw .usage("--wait: expected terminal, awaiting or the name of an event")
      }
      self = .event(name)
    }
  }

  /// Whether this event is what was waited for.
  func isMet(by event: ClientEvent) -> Bool {
    switch self {
    case .terminal: Self.terminalEvents.contains(event.method)
    case .awaiting: false
    case .event(let name): event.method == name
    }
  }

  /// What it is called, for people.
  var text: String {
    switch self {
    case .terminal: "its end"
    case .awaiting: "waiting for anyone"
    case .event(let name): name
    }
  }
}

extension Link {
  /// The longest time that the daemon waits, in milliseconds.
  private static let longestWait: Value = 300_000

  /// Waits until a checkout has come to something.
  ///
  /// - Parameters:
  ///   - awaited: What. An event counts also if it has come already.
  ///   - checkout: Which checkout.
  ///   - number: The event to begin after.
  ///   - console: Where to tell that it is waited for.
  /// - Returns: The event, or the snapshot of the checkout.
  /// - Throws: ``Failure/neverCame(_:)`` if the checkout has ended without it.
  func wait(
    for awaited: Awaited, on checkout: Reference, since number: Int64 = 0, _ console: Console
  ) throws(Failure) -> Value {
    defer { console.tellProgress("") }
    console.tellProgress("waiting for \(awaited.text)")
    switch awaited {
    case .terminal: return try waitForState(["terminal"], on: checkout)
    case .awaiting: return try waitForState(["awaiting", "terminal"], on: checkout)
    case .event(let name): return try waitForEvent(name, on: checkout, since: number)
    }
  }

  private func waitForState(
    _ wanted: [Value], on checkout: Reference
  ) throws(Failure) -> Value {
    while true {
      let result = try ask(
        "checkout.wait",
        ["checkoutId": checkout.value, "for": .array(wanted), "waitMs": Self.longestWait])
      guard let matched = result["matched"]?.string, let snapshot = result["snapshot"] else {
        continue
      }
      guard .string(matched) == wanted.first else { throw .neverCame(Awaited.awaiting.text) }
      return snapshot
    }
  }

  private func waitForEvent(
    _ name: String, on checkout: Reference, since number: Int64
  ) throws(Failure) -> Value {
    var found: Value?
    let hasCome = try follow(checkout, after: number) { told throws(Failure) in
      guard case .event(let event) = told, event.method == name else { return false }
      found = event.value
      return true
    }
    guard hasCome, let found else { throw .neverCame(name) }
    return found
  }
}
