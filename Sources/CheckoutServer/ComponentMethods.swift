import Checkout
import CheckoutProtocol
import JSON
import JSONRPC
import Systemd
import ValueTree

/// What the methods of the managers and of components do.
struct ComponentMethods {
  private let checkouts: Checkouts
  private let hub: EventHub
  private let turn: Turn

  init(_ checkouts: Checkouts, _ hub: EventHub, _ turn: Turn) {
    self.checkouts = checkouts
    self.hub = hub
    self.turn = turn
  }

  var handlers: [String: Handler] {
    [
      "componentWithRedirectManager.provideBanksComponent": provide(.componentWithRedirect),
      "componentWithRedirectManager.provide": provide(.componentWithRedirect),
      "achManager.provide": provide(.ach),

      "component.start": start,
      "component.updateCollectedData": { session, parameters throws(RPCError) in
        try run(.update(parameters[1]?.value ?? .null), session, parameters)
      },
      "component.submit": submit,
      "component.get": get,
      "component.reportRedirect": { session, parameters throws(RPCError) in
        let isDismissed = parameters[1]?.equals("dismissed") == true
        return try run(.reportRedirect(dismissed: isDismissed), session, parameters)
      },
      "component.reportBankAccount": { session, parameters throws(RPCError) in
        try run(.reportBankAccount(try BankAccountReport(parameters)), session, parameters)
      },
      "component.acceptMandate": { session, parameters throws(RPCError) in
        try run(.decideMandate(isAccepted: true), session, parameters)
      },
      "component.declineMandate": { session, parameters throws(RPCError) in
        try run(.decideMandate(isAccepted: false), session, parameters)
      },
    ]
  }

  private func provide(_ manager: Manager) -> Handler {
    { session, parameters throws(RPCError) in
      let (live, _) = try checkouts.find(parameters.checkout, for: session, atLeast: .drive)
      let type = parameters[1]?.string ?? ""
      return try checkouts.answer(
        .provide(manager: manager, paymentMethodType: type), on: live, by: session, hub)
    }
  }

  private func start(_ session: Session, _ parameters: Parameters) throws(RPCError) -> Reply {
    let (live, index, _) = try checkouts.find(
      parameters.component, for: session, atLeast: .drive)
    try hub.checkWaiting(session)
    return try checkouts.answer(.component(index, .start), on: live, by: session, hub)
  }

  private func submit(_ session: Session, _ parameters: Parameters) throws(RPCError) -> Reply {
    let (live, index, _) = try checkouts.find(
      parameters.component, for: session, atLeast: .drive)
    let reply = try checkouts.answer(.component(index, .submit), on: live, by: session, hub)
    turn.tell(
      LogEntry(
        .info, "component submitted", id: MessageID.componentSubmitted,
        fields: [
          ("CHECKOUT_ID", live.idText), ("COMPONENT_ID", live.componentText(index)),
          ("CLIENT_UID", String(session.user.id)),
        ]))
    return reply
  }

  private func get(_ session: Session, _ parameters: Parameters) throws(RPCError) -> Reply {
    let (live, index, access) = try checkouts.find(parameters.component, for: session)
    let snapshot = live.checkout.componentSnapshot(index)
    return .value(access == .observe ? Redaction.redact(snapshot) : snapshot)
  }

  private func run(
    _ command: ComponentCommand, _ session: Session, _ parameters: Parameters
  ) throws(RPCError) -> Reply {
    let (live, index, _) = try checkouts.find(
      parameters.component, for: session, atLeast: .drive)
    return try checkouts.answer(.component(index, command), on: live, by: session, hub)
  }
}

extension Checkouts {
  /// Gives a checkout a command; the answer is the result now, or comes later.
  func answer(
    _ command: Command, on live: LiveCheckout, by session: Session, _ hub: EventHub
  ) throws(RPCError) -> Reply {
    switch try perform(command, on: live, by: session) {
    case .value(let value): .value(value)
    case .later(let awaited):
      .later { call in hub.wait(call, on: live, for: .operation(awaited), session) }
    }
  }
}
