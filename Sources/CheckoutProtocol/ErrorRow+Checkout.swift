package import Checkout
package import JSONRPC
import ValueTree

extension ErrorRow {
  /// The row of a checkout's own error.
  ///
  /// - Parameter id: One with a code; what only events carry has no row.
  package init(_ id: ErrorID) {
    let code = id.code ?? RPCError.Code.internalError.rawValue
    self.init(
      code: RPCError.Code(rawValue: code), errorId: id.rawValue,
      message: Self.message(ofCode: code), when: id.summary + ".")
  }

  /// The rows of several errors.
  static func rows(_ ids: ErrorID...) -> [ErrorRow] { ids.map { ErrorRow($0) } }

  private static func message(ofCode code: Int) -> String {
    switch code {
    case 1001: "Unknown"
    case 1002: "Unsupported payment method type"
    case 1003: "Not possible in this state"
    case 1004: "Invalid collected data"
    case 1005: "Unusable client token or settings"
    case 1006: "Upstream failed"
    default: ErrorRow.internalError.message
    }
  }
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
