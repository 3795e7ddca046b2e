import CheckoutProtocol
import JSONRPC

/// A method with what it does.
typealias Handler = MethodTable<Session>.Entry

extension MethodTable<Session> {
  /// Makes the table of the protocol's methods.
  init(
    _ system: SystemMethods, _ checkout: CheckoutMethods, _ component: ComponentMethods,
    _ events: EventMethods
  ) {
    self.init(
      Methods.all,
      system.handlers + checkout.handlers + component.handlers + events.handlers
    ) { session in session.output.beginCall() }
  }
}

extension Caller {
  /// Refuses what is for administrators.
  func requireAdministrator() throws(RPCError) {
    guard isAdministrator else { throw RPCError(.permissionDenied) }
  }
}
