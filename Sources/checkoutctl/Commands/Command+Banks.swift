import CheckoutClient
import ValueTree

extension Command {
  static let banks = Command(
    "banks", "CHECKOUT", count: 1...1, options: [.retry, .json],
    summary: "list the banks that a shopper can pay with (iDEAL)",
    details: """
      Makes the component that collects the bank, or finds the one that is there, and has it load the
      banks if it has not yet. Banks that cannot be chosen now are marked. With --json it is an array.

      Which bank a shopper chooses is collected data, and no argument:
        printf '{"componentId":"%s","data":{"bankId":"%s"}}' "$COMPONENT" "$BANK" |
          checkoutctl call component.updateCollectedData -
      """
  ) { invocation throws(Failure) in
    let banks = try Link(invocation).banks(of: invocation.checkout, invocation.console)
    try invocation.console.print(.array(banks)) { paint in
      Table(
        ["ID", "NAME", ""],
        banks.map { bank in
          let isDisabled = bank["isDisabled"]?.bool == true
          let look = isDisabled ? Paint.Look.faint : .plain
          return [
            .init(bank["id"], look), .init(bank["name"], look),
            .init(mark: isDisabled ? "disabled" : ""),
          ]
        }
      ).text(paint)
    }
  }
}

extension Link {
  private static let method: Value = "ADYEN_IDEAL"

  /// The banks of a checkout's component, which is made and started if need be.
  func banks(of checkout: Reference, _ console: Console) throws(Failure) -> [Value] {
    let provided = try ask(
      "componentWithRedirectManager.provideBanksComponent",
      ["checkoutId": checkout.value, "paymentMethodType": Self.method])
    guard let id = provided["componentId"], let step = provided["state"]?["step"]?["name"]?.string
    else { throw .client(.protocolViolation("a component without id or step")) }
    console.tellProgress("loading the banks")
    defer { console.tellProgress("") }
    switch step {
    case "notInitialized":
      let started = try call("component.start", ["componentId": id])
      return started["step"]?["banks"]?.array ?? []
    case "loading": return try loadedBanks(of: id, checkout)
    default: return provided["state"]?["banks"]?.array ?? []
    }
  }

  /// The banks that somebody else has asked for, once they are there.
  private func loadedBanks(of component: Value, _ checkout: Reference) throws(Failure) -> [Value] {
    var state: Value = .null
    let hasCome = try follow(checkout, after: 0) { told throws(Failure) in
      guard case .event(let event) = told, event.params["componentId"] == component else {
        return false
      }
      state = try ask("component.get", ["componentId": component])
      return state["step"]?["name"]?.string != "loading"
    }
    guard hasCome else { throw .neverCame("its banks") }
    return state["banks"]?.array ?? []
  }
}
