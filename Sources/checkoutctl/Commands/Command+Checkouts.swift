import ValueTree

extension Command {
  static let list = Command(
    "list", options: [.state, .shared, .all, .json], summary: "list your checkouts",
    details: """
      The oldest comes first. With --json it is an array of short snapshots.
      """
  ) { invocation throws(Failure) in
    let given = invocation.given
    var params: [Value.Member] = []
    if let states = given[.state] {
      params.append(
        .init("states", .array(states.split(separator: ",").map { .string(String($0)) })))
    }
    params += Command.reach(given)
    let all = try Link(invocation).pages(of: "checkouts", "checkout.list", params)
    try invocation.console.print(.array(all)) { CheckoutTable.list(all, $0) }
  }

  static let show = Command(
    "show", "CHECKOUT", count: 1...1, options: [.json], summary: "tell how a checkout is",
    details: """
      With --json it is the snapshot, with everything that you may see. Without, what shoppers typed
      and secrets are left out. Amounts are in the currency's smallest unit.

      Example:
        checkoutctl show key:till-1
      """
  ) { invocation throws(Failure) in
    let snapshot = try Link(invocation).call(
      "checkout.get", ["checkoutId": invocation.checkout.value])
    try invocation.console.print(snapshot) { CheckoutTable.details(snapshot, $0) }
  }

  static let cancel = Command(
    "cancel", "CHECKOUT", count: 1...1, options: [.reason, .wait, .retry, .json],
    summary: "cancel a checkout, as far as that is still possible",
    details: """
      Prints the state that it is in then: failed, or cancelling while the answer to a request that
      is under way decides what becomes of the payment. With --wait it ends only when that has come.

      Example:
        checkoutctl cancel key:till-1 --reason 'the shopper has left' --wait terminal
      """
  ) { invocation throws(Failure) in
    let awaited = try Awaited(invocation.given)
    let link = try Link(invocation)
    let checkout = invocation.checkout
    var params: [Value.Member] = [.init("checkoutId", checkout.value)]
    if let reason = invocation.given[.reason] { params.append(.init("reason", .string(reason))) }
    let result = try link.call("checkout.cancel", .object(params))
    try invocation.console.print(result) { _ in result["state"]?.string ?? "" }
    if let awaited { _ = try link.wait(for: awaited, on: checkout, invocation.console) }
  }

  /// Whose checkouts are meant.
  static func reach(_ given: GivenOptions) -> [Value.Member] {
    (given.has(.shared) ? [.init("shared", true)] : [])
      + (given.has(.all) ? [.init("all", true)] : [])
  }
}
