import Checkout
package import JSONRPC

/// The methods of protocol version 1.
///
/// Dispatch, the parameters that handlers are given, `rpc.discover`, the documentation and the
/// contract tests come from these.
package enum Methods {
  /// Every method, in the order of the documentation.
  package static let keys: [any AnyMethodKey] =
    system + checkout + managers + component + events

  /// The rows of every method, in the same order.
  package static let all: [MethodRow] = keys.map(\.row)

  /// Where the daemon listens unless it is told otherwise.
  package static let servers: [ServerRow] = [
    ServerRow(
      "system", "unix:///run/checkoutd/checkoutd.sock",
      "The system's daemon, unless its configuration says otherwise.")
  ]

  static let checkoutID = Parameter<CheckoutReference>(
    "checkoutId", Shapes.checkout, "The checkout's id, or {\"startKey\"}.")
  static let isShared = Parameter<Bool>.optional(
    "shared", .boolean, else: false, "Also those shared with you.")
  static let isAll = Parameter<Bool>.optional(
    "all", .boolean, else: false, "Everyone's; for administrators.")
  static let cursor = Parameter<UInt64>.optional(
    "cursor", Shapes.cursor, else: 0, "Where the page before ended.")
  static let limit = Parameter<Int>.optional(
    "limit", Shapes.count, else: 100, "At most so many; 100 if not given.")
  static let componentID = Parameter<ComponentID?>(
    "componentId", Shapes.component, "As provided.")
  /// What may go wrong with everything that changes a checkout.
  static let commandErrors: [ErrorRow] = [.permissionDenied, .storeFailed]
  static let nothing = ResultRow("nothing", .object([]))
}
