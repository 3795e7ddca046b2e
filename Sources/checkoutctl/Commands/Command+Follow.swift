import ValueTree

extension Command {
  static let follow = Command(
    "follow", "[CHECKOUT]", count: 0...1, options: [.since, .wait, .shared, .all, .retry, .json],
    summary: "print events as they happen",
    details: """
      With CHECKOUT these are the events of that one, from the first to the last; without, those of
      all your checkouts from now on, until the command is interrupted.

      The events of a checkout come in their order, none is left out and none comes twice, also when
      the daemon crashes or is restarted, or drops events since they are read too slowly: then they
      are read again. What the daemon does not have any more is told of as events.lost, and the exit
      status is 5 in the end.

      What shoppers typed and secrets are left out, unless --json is given.

      Example:
        checkoutctl follow --json --since 4 key:till-1
      """
  ) { invocation throws(Failure) in
    let (given, console) = (invocation.given, invocation.console)
    let awaited = try Awaited(given)
    guard awaited != .awaiting else {
      throw .usage("--wait: follow ends with the name of an event, or terminal")
    }
    let since = try given.number(.since, in: 0...Int64.max, unit: "a number")
    let link = try Link(invocation)
    let follow = Follow(console, awaited, namesCheckout: invocation.operands.isEmpty)
    if !invocation.operands.isEmpty {
      guard Command.reach(given).isEmpty else {
        throw .usage("--shared and --all go with follow without a checkout")
      }
      try follow.run(link, invocation.checkout, since: since ?? 0)
    } else {
      guard since == nil else { throw .usage("--since goes with follow CHECKOUT") }
      try follow.run(link, reach: Command.reach(given))
    }
  }

  static let wait = Command(
    "wait", "CHECKOUT", count: 1...1, options: [.wait, .since, .retry, .json],
    summary: "wait until a checkout has ended, or has come to something else",
    details: """
      Without --wait, or with --wait terminal, it waits for the end; with --wait awaiting until the
      shopper, or somebody who decides, is waited for. Then it tells how the checkout is, as show does.

      With the name of an event it waits for that and prints it, as follow does. An event counts also
      if it has come already, unless it came before the one that --since names.

      Example:
        checkoutctl wait key:till-1 --wait awaiting --timeout 60000
      """
  ) { invocation throws(Failure) in
    let (given, console) = (invocation.given, invocation.console)
    let awaited = try Awaited(given) ?? .terminal
    let since = try given.number(.since, in: 0...Int64.max, unit: "a number")
    let link = try Link(invocation)
    let result = try link.wait(
      for: awaited, on: invocation.checkout, since: since ?? 0, console)
    try console.print(result) { paint in
      if case .event = awaited { return EventLine.text(result, namesCheckout: false, paint) }
      return CheckoutTable.details(result, paint)
    }
  }
}
