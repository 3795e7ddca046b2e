import Checkout
import CheckoutProtocol
import JSON
import JSONRPC
import LinuxSystem
import ValueTree

/// What each method does; the rows are `Methods`'.
enum Handlers {
  typealias Handler = MethodTable<Connection>.Handler

  /// Joins rows and handlers.
  static func table() -> MethodTable<Connection> {
    let handlers = system.merging(checkout.merging(component) { a, _ in a }) { a, _ in a }
      .merging(events) { a, _ in a }
    return MethodTable(
      Methods.all.map { row in
        guard let handler = handlers[row.name.description] else {
          preconditionFailure("\(row.name) has no handler")
        }
        return (row, handler)
      })
  }

  /// The checkout that a call names, if the caller may do that much with it; to anyone else there is
  /// no such checkout.
  static func find(
    _ parameters: Parameters, for connection: Connection, atLeast needed: Access = .observe
  ) throws(RPCError) -> (live: LiveCheckout, access: Access) {
    guard let view = parameters[0] else { throw RPCError(CheckoutError(.unknownCheckout)) }
    return try find(CheckoutReference(view), for: connection, atLeast: needed)
  }

  static func find(
    _ reference: CheckoutReference, for connection: Connection, atLeast needed: Access = .observe
  ) throws(RPCError) -> (live: LiveCheckout, access: Access) {
    let checkouts = connection.server.checkouts
    let found: LiveCheckout? =
      switch reference {
      case .id(let id): id.flatMap { checkouts[$0] }
      case .startKey(let key):
        checkouts.checkout(startedBy: connection.caller.userID, key: key)
      }
    guard let live = found, let access = connection.caller.access(to: live) else {
      throw RPCError(CheckoutError(.unknownCheckout))
    }
    guard access >= needed else { throw RPCError(.permissionDenied) }
    if live.isTouched { connection.repliesDepend() }
    return (live, access)
  }

  /// The component that a call names, likewise.
  static func findComponent(
    _ parameters: Parameters, for connection: Connection, atLeast needed: Access = .observe
  ) throws(RPCError) -> (live: LiveCheckout, index: Int, access: Access) {
    let bytes = parameters[0]
    guard let id = unsafe bytes?.withUTF8({ unsafe ComponentID(utf8: $0) }) ?? nil,
      let live = connection.server.checkouts[id.checkout],
      let access = connection.caller.access(to: live),
      live.hasComponent(id.index)
    else { throw RPCError(CheckoutError(.unknownComponent)) }
    guard access >= needed else { throw RPCError(.permissionDenied) }
    if live.isTouched { connection.repliesDepend() }
    return (live, id.index, access)
  }

  /// Gives a command to a checkout; the answer is the result now, or comes later.
  ///
  /// - Parameters:
  ///   - command: What is asked.
  ///   - live: Of which checkout.
  ///   - connection: Where it came from.
  ///   - waits: Whether the call counts among those that wait.
  /// - Returns: The result, or that the answer comes later.
  /// - Throws: The error to be answered with.
  static func run(
    _ command: Command, on live: LiveCheckout, from connection: Connection,
    waits: Bool = false
  ) throws(RPCError) -> Reply {
    if waits { try checkWaiting(connection) }
    let server = connection.server
    try server.requireStore()
    let reply = server.perform(command, on: live)
    connection.repliesDepend()
    switch reply {
    case .success(.value(let value)): return .value(value)
    case .success(.later(let awaited)):
      return .later { server.wait($0, on: live, from: connection, for: .operation(awaited)) }
    case .failure(let error): throw RPCError(error)
    }
  }

  /// Refuses a call that would wait when too many do: a cancellation must always get through.
  static func checkWaiting(_ connection: Connection) throws(RPCError) {
    if connection.server.drain != nil { throw RPCError(.shuttingDown) }
    let limit = connection.server.limits.waiting
    guard connection.waitingCount < limit else {
      throw .quotaExceeded("waiting", limit, used: connection.waitingCount)
    }
  }

  static func administrator(_ connection: Connection) throws(RPCError) {
    guard connection.caller.isAdministrator else { throw RPCError(.permissionDenied) }
  }

  /// Runs a reader of parameters, whose errors are a checkout's.
  static func read<T>(_ body: () throws(CheckoutError) -> T) throws(RPCError) -> T {
    do throws(CheckoutError) {
      return try body()
    } catch {
      throw RPCError(error)
    }
  }
}
