import ValueTree

/// Lines and answers that several tests need.
enum Script {
  static let checkout = "co_00000000000000aa"
  static let banks = "cm_00000000000000aa_0"
  static let ach = "cm_00000000000000aa_1"

  /// An event of the checkout, as a line.
  static func event(_ seq: Int, _ name: String = "checkout.x", _ members: String = "") -> String {
    let more = members.isEmpty ? "" : ",\(members)"
    return #"{"jsonrpc":"2.0","method":"\#(name)","params":{"checkoutId":"\#(checkout)","#
      + #""seq":\#(seq),"time":"2026-01-01T00:00:00.000Z"\#(more)}}"#
  }

  /// An event of a component, as a line.
  static func event(_ seq: Int, of component: String, _ name: String, _ members: String) -> String {
    event(seq, name, #""componentId":"\#(component)",\#(members)"#)
  }

  /// The event that ends the checkout.
  static func end(_ seq: Int) -> String {
    event(
      seq, "checkout.didCompleteCheckout",
      #""payment":{"id":"pay_1","orderId":"o-1","status":"SUCCESS"},"outcome":"success""#)
  }

  static func snapshot(_ state: String = "ready", seq: Int = 1, awaiting: String = "") -> String {
    #"{"checkoutId":"\#(checkout)","state":"\#(state)","seq":\#(seq),"availablePaymentMethods":["#
      + #"{"type":"ADYEN_IDEAL","name":"iDEAL","manager":"componentWithRedirectManager"},"#
      + #"{"type":"STRIPE_ACH","name":"ACH","manager":"achManager"}],"components":["#
      + #"{"componentId":"\#(banks)","paymentMethodType":"ADYEN_IDEAL"},"#
      + #"{"componentId":"\#(ach)","paymentMethodType":"STRIPE_ACH"}],"#
      + #""awaiting":[\#(awaiting)]}"#
  }

  static let hello = #"{"protocol":1,"epoch":"e1"}"#

  static func subscribed(after: Int64, to: Int64, ended: Bool = false) -> String {
    #"{"subscriptionId":"s1","from":\#(after + 1),"to":\#(to),"ended":\#(ended)}"#
  }

  static let loaded = event(
    1, "checkout.didLoadAvailablePaymentMethods",
    #""availablePaymentMethods":[{"type":"ADYEN_IDEAL","name":"iDEAL","#
      + #""manager":"componentWithRedirectManager"}]"#)

  /// Answers as a daemon does that has one checkout, of which one event has happened.
  static func answer(_ request: ScriptedDaemon.Request) -> [ScriptedDaemon.Action] {
    switch request.method {
    case "system.hello": return [request.result(hello)]
    case "checkout.start", "checkout.get": return [request.result(snapshot())]
    case "events.subscribe":
      let after = request.params["after"]?.integer ?? 0
      return [request.result(subscribed(after: after, to: 1))] + (after < 1 ? [.say(loaded)] : [])
    case "componentWithRedirectManager.provide":
      guard request.params["paymentMethodType"] == "ADYEN_IDEAL" else {
        return [request.error(1002, "unsupported-payment-method-type")]
      }
      return [request.result(#"{"componentId":"\#(banks)","component":"BanksComponent"}"#)]
    case "achManager.provide":
      return [request.result(#"{"componentId":"\#(ach)","component":"X"}"#)]
    case "component.get": return [request.result(#"{"componentId":"\#(banks)"}"#)]
    default: return [request.result("{}")]
    }
  }
}
