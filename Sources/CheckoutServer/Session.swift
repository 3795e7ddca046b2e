import Checkout
import JSONRPC

/// What a handler knows of the client that calls: who it is, what it has asked to hear of, what waits
/// for it, and where answers go.
final class Session {
  /// Who it is.
  let caller: Caller
  /// What is held for that user.
  let user: User
  /// What the client is owed.
  let output: ConnectionOutput

  /// Whether the client has introduced itself, and so wants to hear of the daemon's own affairs.
  private(set) var saidHello = false
  /// What it calls itself.
  private(set) var clientName: String?
  /// The subscription to many checkouts.
  private(set) var wide: WideSubscription?
  private var narrow: [CheckoutID: Subscription] = [:]
  private var subscriptionNumber = 0
  private var waits: [Wait] = []

  init(_ caller: Caller, of user: User, to output: ConnectionOutput) {
    self.caller = caller
    self.user = user
    self.output = output
  }

  /// Takes note that the client has introduced itself.
  func greet(as name: String?) {
    saidHello = true
    clientName = name
  }

  /// Whether the client wants to hear of the daemon's own affairs.
  var wantsNews: Bool { saidHello || subscriptionCount > 0 }

  // MARK: Subscriptions

  /// How many there are.
  var subscriptionCount: Int { narrow.count + (wide == nil ? 0 : 1) }

  /// The subscriptions to one checkout each.
  var subscriptions: [Subscription] { Array(narrow.values) }

  /// How many ids were given.
  var subscriptionIDCount: Int { subscriptionNumber }

  /// Gives an id to a subscription: `s1`, `s2` and so on.
  func nextSubscriptionID() -> String {
    subscriptionNumber += 1
    return "s\(subscriptionNumber)"
  }

  /// Sets how many ids were given.
  func setSubscriptionIDCount(_ count: Int) { subscriptionNumber = count }

  /// The subscription to a checkout.
  func subscription(to checkout: CheckoutID) -> Subscription? {
    narrow.isEmpty ? nil : narrow[checkout]
  }

  /// The subscription to one checkout that has an id.
  func subscription(named id: String) -> Subscription? { narrow.values.first { $0.id == id } }

  func set(_ subscription: Subscription?, to checkout: CheckoutID) {
    narrow[checkout] = subscription
  }

  func set(_ subscription: WideSubscription?) { wide = subscription }

  // MARK: Waits

  /// How many calls wait.
  var waitingCount: Int { waits.count }

  /// The calls that wait.
  var waiting: [Wait] { waits }

  func add(_ wait: Wait) { waits.append(wait) }

  func remove(_ wait: Wait) { waits.removeAll { $0 === wait } }
}
