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

      "component.start": { connection, parameters throws(RPCError) in
        try run(.start, parameters, connection, waits: true)
      },
      "component.updateCollectedData": { connection, parameters throws(RPCError) in
        let data = parameters[1]?.value ?? .null
        return try run(.update(data), parameters, connection)
      },
      "component.submit": { connection, parameters throws(RPCError) in
        try run(.submit, parameters, connection)
      },
      "component.get": { connection, parameters throws(RPCError) in
        let (live, index, access) = try findComponent(parameters, for: connection)
        let snapshot = live.checkout.componentSnapshot(index)
        return .value(access == .observe ? Redaction.redact(snapshot) : snapshot)
      },
      "component.reportRedirect": { connection, parameters throws(RPCError) in
        let isDismissed = parameters[1]?.equals("dismissed") == true
        return try run(.reportRedirect(dismissed: isDismissed), parameters, connection)
      },
      "component.reportBankAccount": { connection, parameters throws(RPCError) in
        let report = try BankAccountReport(parameters)
        return try run(.reportBankAccount(report), parameters, connection)
      },
      "component.acceptMandate": { connection, parameters throws(RPCError) in
        try run(.decideMandate(isAccepted: true), parameters, connection)
      },
      "component.declineMandate": { connection, parameters throws(RPCError) in
        try run(.decideMandate(isAccepted: false), parameters, connection)
      },
    ]
  }

  private static func provide(_ manager: Manager) -> Handler {
    { connection, parameters throws(RPCError) in
      let (live, _) = try find(parameters, for: connection, atLeast: .drive)
      let type = parameters[1]?.string ?? ""
      return try Handlers.run(
        .provide(manager: manager, paymentMethodType: type), on: live, from: connection)
    }
  }

  private static func run(
    _ command: ComponentCommand, _ parameters: Parameters, _ connection: Connection,
    waits: Bool = false
  ) throws(RPCError) -> Reply {
    let (live, index, _) = try findComponent(parameters, for: connection, atLeast: .drive)
    if case .submit = command, connection.server.drain != nil { throw RPCError(.shuttingDown) }
    let result = try Handlers.run(
      .component(index, command), on: live, from: connection, waits: waits)
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
