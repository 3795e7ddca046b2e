import Checkout
import CheckoutProtocol
import JSON
import JSONRPC
import Systemd
import ValueTree

extension Handlers {
  /// The handlers of the managers and of `component.*`.
  static var component: [String: Handler] {
    [
      "componentWithRedirectManager.provideBanksComponent": provide(.componentWithRedirect),
      "componentWithRedirectManager.provide": provide(.componentWithRedirect),
      "achManager.provide": provide(.ach),

      "component.start": { connection, call, parameters throws(RPCError) in
        try run(.start, parameters, &call, connection, waits: true)
      },
      "component.updateCollectedData": { connection, call, parameters throws(RPCError) in
        let data = parameters[1]?.value ?? .null
        return try run(.update(data), parameters, &call, connection)
      },
      "component.submit": { connection, call, parameters throws(RPCError) in
        try run(.submit, parameters, &call, connection)
      },
      "component.get": { connection, call, parameters throws(RPCError) in
        let (live, index, access) = try findComponent(parameters, for: connection)
        let snapshot = live.checkout.componentSnapshot(index)
        return access == .observe ? Redaction.redact(snapshot) : snapshot
      },
      "component.reportRedirect": { connection, call, parameters throws(RPCError) in
        let isDismissed = parameters[1]?.equals("dismissed") == true
        return try run(.reportRedirect(dismissed: isDismissed), parameters, &call, connection)
      },
      "component.reportBankAccount": { connection, call, parameters throws(RPCError) in
        let report = try BankAccountReport(parameters)
        return try run(.reportBankAccount(report), parameters, &call, connection)
      },
      "component.acceptMandate": { connection, call, parameters throws(RPCError) in
        try run(.decideMandate(isAccepted: true), parameters, &call, connection)
      },
      "component.declineMandate": { connection, call, parameters throws(RPCError) in
        try run(.decideMandate(isAccepted: false), parameters, &call, connection)
      },
    ]
  }

  private static func provide(_ manager: Manager) -> Handler {
    { connection, call, parameters throws(RPCError) in
      let (live, _) = try find(parameters, for: connection, atLeast: .drive)
      let type = parameters[1]?.string ?? ""
      return try Handlers.run(
        .provide(manager: manager, paymentMethodType: type), on: live, &call, from: connection)
    }
  }

  private static func run(
    _ command: ComponentCommand, _ parameters: Parameters, _ call: inout Call,
    _ connection: Connection, waits: Bool = false
  ) throws(RPCError) -> Value? {
    let (live, index, _) = try findComponent(parameters, for: connection, atLeast: .drive)
    let result = try Handlers.run(
      .component(index, command), on: live, &call, from: connection, waits: waits)
    if case .submit = command {
      connection.server.log.info(
        "component submitted", id: MessageID.componentSubmitted,
        fields: [
          ("CHECKOUT_ID", live.idText), ("COMPONENT_ID", live.componentText(index)),
          ("CLIENT_UID", String(connection.caller.userID)),
        ])
    }
    return result
  }
}
