package import Checkout
package import JSONRPC
import ValueTree

extension ErrorRow {
  /// The row of a checkout's own error.
  ///
  /// - Parameter id: One with a code; what only events carry has no row.
  package init(_ id: ErrorID) {
    let code = id.code.map { RPCError.Code(rawValue: $0.rawValue) }
    self.init(
      code: code ?? .internalError, errorId: id.rawValue,
      message: id.code?.message ?? ErrorRow.internalError.message, when: id.summary + ".")
  }

  /// The rows of several errors.
  static func rows(_ ids: ErrorID...) -> [ErrorRow] { ids.map { ErrorRow($0) } }
}

extension RPCError {
  /// The reply for an error of a checkout.
  package init(_ error: CheckoutError) {
    let row = ErrorRow(error.id)
    var error = error
    // Like the paths of the schema's own errors: from the message's root.
    error.path = error.path.map { "/params" + $0 }
    self.init(code: row.code, message: row.message, data: error.value)
  }
}
