package import JSONRPC

/// The methods of protocol version 1, one row each.
///
/// Dispatch, `rpc.discover`, the documentation and
/// the contract tests come from these rows.
package enum Methods {
  /// Every method, in the order of the documentation.
  package static let all: [MethodRow] =
    system + checkout + managers + component + events

  /// Where the daemon listens unless it is told otherwise.
  package static let servers: [ServerRow] = [
    ServerRow(
      "system", "unix:///run/checkoutd/checkoutd.sock",
      "The system's daemon, unless its configuration says otherwise.")
  ]

  static let checkoutID = ParameterRow(
    "checkoutId", Schemas.checkoutReference, "The checkout's id, or {\"startKey\"}.")
  static let componentID = ParameterRow(
    "componentId", Schemas.componentID, "As provided.")
  /// What may go wrong with everything that changes a checkout.
  static let commandErrors: [ErrorRow] = [.permissionDenied, .storeFailed]
  static let nothing = ResultRow("nothing", .object([]))
}
