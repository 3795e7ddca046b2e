/// One kind of error: what a reply says, and when.
@usableFromInline
package struct ErrorRow: Equatable, Sendable {
  /// The code.
  package let code: RPCError.Code
  /// The `errorId` of the data: one code may have several.
  package let errorId: String
  /// The message, the same for all rows with this code.
  package let message: String
  /// When it happens, for the documentation.
  package let when: String

  /// Makes a row.
  package init(code: RPCError.Code, errorId: String, message: String, when: String) {
    self.code = code
    self.errorId = errorId
    self.message = message
    self.when = when
  }
}

extension ErrorRow {
  /// A line that is not JSON.
  package static let parseError = ErrorRow(
    code: .parseError, errorId: "parse-error", message: "Parse error",
    when: "The line is not one JSON text in UTF-8, is nested too deep, or holds a number beyond"
      + " 64-bit integers or a double.")

  /// JSON that is not a request.
  package static let invalidRequest = ErrorRow(
    code: .invalidRequest, errorId: "invalid-request", message: "Invalid Request",
    when: "The text is not a request object, or names a member twice outside `params`.")

  /// An unknown method.
  package static let methodNotFound = ErrorRow(
    code: .methodNotFound, errorId: "method-not-found", message: "Method not found",
    when: "There is no method of that name.")

  /// Parameters that do not fit.
  package static let invalidParams = ErrorRow(
    code: .invalidParams, errorId: "invalid-params", message: "Invalid params",
    when: "A parameter is missing, unknown, named twice or not what the method declares.")

  /// A fault of the server.
  package static let internalError = ErrorRow(
    code: .internalError, errorId: "internal-error", message: "Internal error",
    when: "The server is at fault, or the reply would be longer or deeper than a line may be.")

  /// A line beyond the limit.
  package static let lineTooLarge = ErrorRow(
    code: .lineTooLarge, errorId: "line-too-long", message: "Line too large",
    when: "The line is longer than `limits.line`. It is skipped.")

  /// The caller may not do that.
  package static let permissionDenied = ErrorRow(
    code: .permissionDenied, errorId: "permission-denied", message: "Permission denied",
    when: "The caller's role is too low for the call, or the caller's user id is not known here.")

  /// A batch beyond the limit.
  package static let batchTooLarge = ErrorRow(
    code: .batchTooLarge, errorId: "batch-too-large", message: "Batch too large",
    when: "The batch has more members than `limits.batch`. None was run.")

  /// A quota is full.
  package static let quotaExceeded = ErrorRow(
    code: .quotaExceeded, errorId: "quota-exceeded", message: "Quota exceeded",
    when: "A limit on connections, checkouts, waiting calls or stored events is reached.")

  /// The server is stopping.
  package static let shuttingDown = ErrorRow(
    code: .shuttingDown, errorId: "shutting-down", message: "Shutting down",
    when: "The server is draining before it stops.")

  /// What the call changed could not be stored.
  package static let storeFailed = ErrorRow(
    code: .storeFailed, errorId: "store-failed", message: "Store failed",
    when: "The change could not be committed and was taken back.")

  /// The last line of a connection.
  package static let closing = ErrorRow(
    code: .closing, errorId: "closing", message: "Closing connection",
    when: "Only as a connection's last line, with `id` null and the reason in `data.reason`.")

  /// All of the above, in the order of the documentation.
  package static let generic: [ErrorRow] = [
    parseError, invalidRequest, methodNotFound, invalidParams, internalError, lineTooLarge,
    permissionDenied, batchTooLarge, quotaExceeded, shuttingDown, storeFailed, closing,
  ]
}
