import JSONRPC
import ValueTree

extension Examples {
  static let subscribe = [
    ExampleRow(
      "One checkout, from its first event", params: aboutCheckout + [.init("after", 0)],
      result: ["subscriptionId": "s1", "from": 1, "to": 1, "ended": false]),
    ExampleRow(
      "All checkouts, from now on",
      result: ["subscriptionId": "s1", "snapshots": [readyInShort]]),
  ]

  static let unsubscribe = [
    ExampleRow("No more of them", params: [.init("subscriptionId", "s1")], result: nothing)
  ]

  static let read = [
    ExampleRow(
      "What has happened so far", params: aboutCheckout + [.init("after", 0)],
      result: [
        "events": [
          [
            "method": "checkout.didLoadAvailablePaymentMethods",
            "params": [
              "checkoutId": checkoutID, "seq": 1, "time": "2026-11-30T09:00:00.500Z",
              "availablePaymentMethods": availablePaymentMethods,
              "unavailablePaymentMethods": [],
            ],
          ]
        ],
        "next": 1, "ended": false,
      ])
  ]
}
