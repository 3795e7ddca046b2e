import Checkout
import CheckoutProtocol
import JSON
import JSONRPC

/// What a method does.
typealias Handler = MethodTable<Session>.Handler

/// The methods with what they do, each by its name.
struct MethodHandlers {
  private var handlers: [String: Handler] = [:]

  init(
    _ system: SystemMethods, _ checkout: CheckoutMethods, _ component: ComponentMethods,
    _ events: EventMethods
  ) {
    for group in [system.handlers, checkout.handlers, component.handlers, events.handlers] {
      handlers.merge(group) { first, _ in first }
    }
  }

  /// Joins rows and handlers; the rows are `Methods`'.
  var table: MethodTable<Session> {
    MethodTable(
      Methods.all.map { row in
        guard let handler = handlers[row.name.description] else {
          preconditionFailure("\(row.name) has no handler")
        }
        return (
          row,
          { session, parameters throws(RPCError) in
            session.output.beginCall()
            return try handler(session, parameters)
          }
        )
      })
  }
}

extension Caller {
  /// Refuses what is for administrators.
  func requireAdministrator() throws(RPCError) {
    guard isAdministrator else { throw RPCError(.permissionDenied) }
  }
}

extension Parameters {
  /// The checkout that a call names first.
  var checkout: CheckoutReference { self[0].map { CheckoutReference($0) } ?? .id(nil) }

  /// The component that a call names first.
  var component: ComponentID? {
    unsafe self[0]?.withUTF8 { unsafe ComponentID(utf8: $0) } ?? nil
  }
}

/// Runs a reader of parameters, whose errors are a checkout's.
func reading<T>(_ body: () throws(CheckoutError) -> T) throws(RPCError) -> T {
  do throws(CheckoutError) {
    return try body()
  } catch {
    throw RPCError(error)
  }
}
