import Checkout
import Testing
import ValueTree

@testable import CheckoutServer

/// What clients and upstream do with one checkout, turn by turn.
struct Scenario: CustomTestStringConvertible, Sendable {
  /// One turn.
  enum Step: Sendable {
    /// A client makes calls, each on a line of its own or all in a batch.
    case say(Int, isBatch: Bool, [Call])
    /// Upstream answers the oldest request, as it does when all is well or with a failure.
    case answer(OperationFailure?)
    /// Nothing but time.
    case pass(milliseconds: UInt64)
  }

  /// One call.
  struct Call: Sendable {
    let method: String
    let params: @Sendable (Notes) -> Value

    init(_ method: String, _ params: @escaping @Sendable (Notes) -> Value) {
      self.method = method
      self.params = params
    }
  }

  /// What was read in replies, for later calls.
  struct Notes: Sendable {
    var checkoutID: Value = "co_0000000000000000"
    var componentID: Value = "cm_0000000000000000_0"
    var decisionID: Value = "d1"
  }

  let name: String
  /// The users whose clients there are.
  let users: [UInt32]
  let steps: [Step]

  var testDescription: String { name }

  // MARK: Steps

  static func call(
    _ client: Int = 0, _ method: String,
    _ params: @escaping @Sendable (Notes) -> Value = { _ in [:] }
  ) -> Step { .say(client, isBatch: false, [Call(method, params)]) }

  static func checkout(
    _ client: Int = 0, _ method: String, _ members: [Value.Member] = []
  ) -> Step {
    call(client, method) { .object([.init("checkoutId", $0.checkoutID)] + members) }
  }

  static func component(
    _ method: String, _ members: [Value.Member] = []
  ) -> Step {
    call(0, method) { .object([.init("componentId", $0.componentID)] + members) }
  }

  static func start(token: Int = 0, _ members: [Value.Member] = []) -> Step {
    call(0, "checkout.start") { _ in
      .object([.init("clientToken", .string(SampleUpstream.tokens[token]))] + members)
    }
  }

  /// From the start to a bank that is chosen.
  static func chosen(_ members: [Value.Member] = []) -> [Step] {
    [
      start(members), .answer(nil),
      checkout(
        0, "componentWithRedirectManager.provideBanksComponent",
        [.init("paymentMethodType", "ADYEN_IDEAL")]),
      component("component.start"), .answer(nil),
      component("component.updateCollectedData", [.init("data", ["bankId": "0"])]),
    ]
  }

  // MARK: Scenarios

  static let all = [
    Scenario(
      name: "a payment that two users watch", users: [1000, 1001],
      steps: [
        call(0, "system.hello"), call(0, "events.subscribe"),
        call(1, "events.subscribe") { _ in ["shared": true] },
      ] + chosen([.init("startKey", "k")]) + [
        checkout(0, "checkout.share", [.init("uid", 1001), .init("role", "observe")]),
        checkout(1, "events.subscribe", [.init("after", 0)]),
        checkout(1, "checkout.wait", [.init("for", ["terminal"]), .init("waitMs", 300_000)]),
        component("component.submit"), .answer(nil), .answer(nil), .answer(nil), .answer(nil),
        checkout(1, "events.read", [.init("after", 2)]),
      ]),
    Scenario(
      name: "shares that come and go", users: [1000, 1001, 1002],
      steps: chosen() + [
        checkout(0, "checkout.share", [.init("uid", 1001), .init("role", "drive")]),
        checkout(1, "events.subscribe"),
        checkout(0, "checkout.share", [.init("uid", 1001), .init("role", "observe")]),
        checkout(1, "checkout.wait", [.init("for", ["terminal"]), .init("waitMs", 300_000)]),
        checkout(0, "checkout.unshare", [.init("uid", 1001)]),
        checkout(0, "checkout.share", [.init("gid", 1002), .init("role", "drive")]),
        checkout(2, "checkout.get"),
        checkout(0, "checkout.cancel"),
      ]),
    Scenario(
      name: "a start that upstream refuses, and one more with the same token", users: [1000],
      steps: [
        start([.init("startKey", "k")]),
        .answer(OperationFailure(.status, httpStatus: 403)),
        start([.init("startKey", "k")]), start([.init("startKey", "k")]), .answer(nil),
        checkout(0, "checkout.cancel"),
      ]),
    Scenario(
      name: "a start that is cancelled, and one that may repeat it", users: [1000],
      steps: [
        start(), checkout(0, "checkout.list"), checkout(0, "checkout.cancel"),
        start([.init("allowRepeat", true)]), .answer(nil), checkout(0, "checkout.cancel"),
      ]),
    Scenario(
      name: "a session that another checkout holds", users: [1000],
      steps: [
        start(), .answer(nil), start(token: 1), .answer(nil), checkout(0, "checkout.cancel"),
      ]),
    Scenario(
      name: "banks that cannot be had at first", users: [1000],
      steps: [
        start(), .answer(nil),
        checkout(
          0, "componentWithRedirectManager.provideBanksComponent",
          [.init("paymentMethodType", "ADYEN_IDEAL")]),
        component("component.start"),
        .answer(OperationFailure(.status, httpStatus: 404)),
        component("component.start"), .answer(nil), checkout(0, "checkout.cancel"),
      ]),
    Scenario(
      name: "a batch that begins, chooses and submits", users: [1000],
      steps: chosen() + [
        .say(
          0, isBatch: true,
          [
            Call("system.ping") { _ in [:] },
            Call("component.updateCollectedData") {
              ["componentId": $0.componentID, "data": ["bankFilterText": "b"]]
            },
            Call("events.subscribe") { ["checkoutId": $0.checkoutID] },
            Call("component.submit") { ["componentId": $0.componentID] },
          ]),
        .answer(nil), .answer(nil), .answer(nil), .answer(nil),
      ]),
    Scenario(
      name: "a decision before the payment and one that comes too late", users: [1000],
      steps: chosen([.init("decisions", ["willCreatePayment"])]) + [
        component("component.submit"),
        call(0, "checkout.decide") {
          [
            "checkoutId": $0.checkoutID, "decisionId": $0.decisionID, "decision": "continue",
          ]
        },
        .answer(nil), .answer(nil), checkout(0, "checkout.cancel"), .answer(nil),
        .answer(nil),
      ]),
    Scenario(
      name: "a decision that nobody takes", users: [1000],
      steps: chosen([.init("decisions", ["willCreatePayment"])]) + [
        component("component.submit"), .pass(milliseconds: 61_000),
      ]),
    Scenario(
      name: "subscriptions that replace each other", users: [1000],
      steps: chosen() + [
        .say(
          0, isBatch: false,
          [
            Call("component.updateCollectedData") {
              ["componentId": $0.componentID, "data": ["bankFilterText": "b"]]
            },
            Call("events.subscribe") { ["checkoutId": $0.checkoutID] },
            Call("events.subscribe") { ["checkoutId": $0.checkoutID, "after": 1] },
            Call("events.unsubscribe") { _ in ["subscriptionId": "s2"] },
            Call("events.subscribe") { _ in [:] },
          ]),
        checkout(0, "checkout.cancel"),
      ]),
    Scenario(
      name: "a page for a method without a form", users: [1000],
      steps: [
        start(), .answer(nil),
        checkout(0, "nativeUIManager.provide", [.init("paymentMethodType", "ADYEN_TWINT")]),
        component("component.start"), component("component.submit"), .answer(nil), .answer(nil),
        component("component.reportRedirect", [.init("outcome", "presented")]), .answer(nil),
        .answer(nil),
      ]),
    Scenario(
      name: "a code that the shopper confirms elsewhere", users: [1000],
      steps: [
        start(), .answer(nil),
        checkout(0, "rawDataManager.provide", [.init("paymentMethodType", "ADYEN_BLIK")]),
        component("component.start"),
        component("component.updateCollectedData", [.init("data", ["otp": "123456"])]),
        component("component.submit"), .answer(nil), .answer(nil), .answer(nil), .answer(nil),
      ]),
    Scenario(
      name: "a mandate that is accepted", users: [1000],
      steps: collecting + [
        component(
          "component.reportBankAccount",
          [.init("outcome", "succeeded"), .init("paymentId", "pi_1")]),
        component("component.acceptMandate"), .answer(nil),
      ]),
    Scenario(
      name: "a mandate that is declined", users: [1000],
      steps: collecting + [
        component(
          "component.reportBankAccount",
          [.init("outcome", "succeeded"), .init("paymentId", "pi_1")]),
        component("component.declineMandate"),
      ]),
    Scenario(
      name: "a page that is shown, and a question that makes a second payment", users: [1000, 0],
      steps: [start(), .answer(nil)] + [
        checkout(
          0, "componentWithRedirectManager.provide", [.init("paymentMethodType", "ADYEN_IDEAL")]),
        component("component.start"), .answer(nil),
        component("component.updateCollectedData", [.init("data", ["bankId": "0"])]),
        component("component.submit"), .answer(nil), .answer(nil),
        component("component.reportRedirect", [.init("outcome", "dismissed")]),
        .answer(nil), .answer(SampleUpstream.refusal), .answer(nil),
        call(1, "system.allowQuestions"),
      ]),
  ]

  /// From the start of a bank debit to where the bank account is collected.
  private static let collecting: [Step] =
    [
      start([
        .init(
          "settings",
          [
            "urlScheme": "kiosk://checkout",
            "stripe": ["publishableKey": "key-1", "merchantName": "Example Shop"],
          ])
      ]), .answer(nil),
      checkout(0, "achManager.provide", [.init("paymentMethodType", "STRIPE_ACH")]),
      component("component.start"), .answer(nil), component("component.submit"), .answer(nil),
      .answer(nil),
    ]
}
