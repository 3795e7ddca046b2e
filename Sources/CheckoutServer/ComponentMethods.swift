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

  var handlers: [Handler] {
    [
      provide(Methods.provideBanks, .componentWithRedirect),
      provide(Methods.provideWithRedirect, .componentWithRedirect),
      provide(Methods.provideNativeUI, .nativeUI),
      provide(Methods.provideRawData, .rawData),
      provide(Methods.provideACH, .ach),

      Handler(Methods.startComponent, start),
      Handler(Methods.updateCollectedData) { session, call throws(RPCError) in
        try update(call, session)
      },
      Handler(Methods.submit, submit),
      Handler(Methods.getComponent, get),
      Handler(Methods.reportRedirect) { session, call throws(RPCError) in
        try run(
          .reportRedirect(dismissed: call.outcome == .dismissed), on: call.component, session)
      },
      Handler(Methods.reportBankAccount) { session, call throws(RPCError) in
        try run(.reportBankAccount(call.report), on: call.component, session)
      },
      Handler(Methods.acceptMandate) { session, component throws(RPCError) in
        try run(.decideMandate(isAccepted: true), on: component, session)
      },
      Handler(Methods.declineMandate) { session, component throws(RPCError) in
        try run(.decideMandate(isAccepted: false), on: component, session)
      },
    ]
  }

  private func provide(_ method: MethodKey<ProvideComponent>, _ manager: Manager) -> Handler {
    Handler(method) { session, call throws(RPCError) in
      let (live, _) = try checkouts.find(call.checkout, for: session, atLeast: .drive)
      return try checkouts.answer(
        .provide(manager: manager, paymentMethodType: call.paymentMethodType), on: live,
        by: session, hub)
    }
  }

  private func start(_ session: Session, _ component: ComponentID?) throws(RPCError) -> Reply {
    let (live, index, _) = try checkouts.find(component, for: session, atLeast: .drive)
    try hub.checkWaiting(session)
    return try checkouts.answer(.component(index, .start), on: live, by: session, hub)
  }

  private func submit(_ session: Session, _ component: ComponentID?) throws(RPCError) -> Reply {
    let (live, index, _) = try checkouts.find(component, for: session, atLeast: .drive)
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

  private func get(_ session: Session, _ component: ComponentID?) throws(RPCError) -> Reply {
    let (live, index, access) = try checkouts.find(component, for: session)
    let snapshot = live.checkout.componentSnapshot(index)
    return .value(access == .observe ? Redaction.redact(snapshot) : snapshot)
  }

  /// Data of another component's is a mistake in the call, and nothing is judged.
  private func update(
    _ call: UpdateCollectedData, _ session: Session
  ) throws(RPCError) -> Reply {
    let (live, index, _) = try checkouts.find(call.component, for: session, atLeast: .drive)
    if let name = call.data.object?.first?.name,
      let row = live.checkout.componentRow(index), !row.takes(name)
    {
      throw .invalidParams(path: "/params/data", description: row.fieldsText)
    }
    return try checkouts.answer(.component(index, .update(call.data)), on: live, by: session, hub)
  }

  private func run(
    _ command: ComponentCommand, on component: ComponentID?, _ session: Session
  ) throws(RPCError) -> Reply {
    let (live, index, _) = try checkouts.find(component, for: session, atLeast: .drive)
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
