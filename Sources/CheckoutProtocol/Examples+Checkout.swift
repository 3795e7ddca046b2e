import JSONRPC
import ValueTree

extension Examples {
  static let start = [
    ExampleRow(
      "A checkout under a key of the caller's own",
      params: [
        .init("clientToken", "eyJhbGciOiJIUzI1NiJ9.eyJleHAiOjE3OTYxMTU2MDB9.c2lnbmF0dXJl"),
        .init("settings", ["locale": "nl-NL"]), .init("startKey", "till-1"),
      ], result: ready)
  ]

  static let get = [
    ExampleRow("A checkout that was paid", params: aboutCheckout, result: paid)
  ]

  static let wait = [
    ExampleRow(
      "The shopper has to go to the bank's page",
      params: aboutCheckout + [.init("for", ["awaiting"]), .init("waitMs", 60_000)],
      result: ["snapshot": redirected, "matched": "awaiting"])
  ]

  static let list = [
    ExampleRow(
      "The checkouts that can be paid", params: [.init("states", ["ready"])],
      result: ["checkouts": [readyInShort]])
  ]

  static let cancel = [
    ExampleRow(
      "Before the payment was created",
      params: aboutCheckout + [.init("reason", "The shopper has left")],
      result: ["state": "failed"])
  ]

  static let decide = [
    ExampleRow(
      "The payment may be created",
      params: aboutCheckout + [.init("decisionId", "d1"), .init("decision", "continue")],
      result: nothing)
  ]

  static let share = [
    ExampleRow(
      "A group may look on",
      params: aboutCheckout + [.init("role", "observe"), .init("gid", 1000)], result: nothing)
  ]

  static let unshare = [
    ExampleRow(
      "No longer", params: aboutCheckout + [.init("gid", 1000)], result: nothing)
  ]
}
