package import ValueTree

/// The `error` of a reply.
@usableFromInline
package struct RPCError: Error, Equatable, Sendable {
  /// A code of JSON-RPC, of this server, or of the application.
  ///
  /// −32768…−32000 belong to JSON-RPC, and of them −32099…−32000 to servers; the application uses
  /// others.
  package struct Code: RawRepresentable, Hashable, Sendable {
    /// The number on the wire.
    package let rawValue: Int

    /// Takes any number: a peer may know codes that we do not.
    package init(rawValue: Int) { self.rawValue = rawValue }
  }

  /// The code.
  package var code: Code
  /// One short sentence that belongs to the code and never varies with input.
  package var message: String
  /// More about this error; what we make ourselves always has `errorId`.
  package var data: Value?

  /// Makes an error as a peer sent it.
  package init(code: Code, message: String, data: Value?) {
    self.code = code
    self.message = message
    self.data = data
  }

  /// Makes an error from its row.
  ///
  /// - Parameters:
  ///   - row: Code, message and `errorId`.
  ///   - details: The members of `data` that follow `errorId`. They repeat no value a client sent.
  package init(_ row: ErrorRow, _ details: [Value.Member] = []) {
    code = row.code
    message = row.message
    data = .object([Value.Member("errorId", .string(row.errorId))] + details)
  }

  /// Makes an error about one parameter.
  ///
  /// - Parameters:
  ///   - path: JSON pointer to the parameter, such as `/params/high`.
  ///   - description: What is wrong with it; names only, never the value.
  /// - Returns: An error with ``Code/invalidParams``.
  package static func invalidParams(path: String, description: String) -> RPCError {
    RPCError(
      .invalidParams,
      [Value.Member("path", .string(path)), Value.Member("description", .string(description))])
  }

  /// The `errorId` in the data, if there is one.
  package var errorId: String? { data?["errorId"]?.string }
}

extension RPCError.Code {
  /// Not JSON.
  package static let parseError = Self(rawValue: -32700)
  /// JSON, but not a request.
  package static let invalidRequest = Self(rawValue: -32600)
  /// No such method.
  package static let methodNotFound = Self(rawValue: -32601)
  /// Parameters that do not fit the method.
  package static let invalidParams = Self(rawValue: -32602)
  /// A fault of ours.
  package static let internalError = Self(rawValue: -32603)
  /// A line beyond the limit.
  package static let lineTooLarge = Self(rawValue: -32001)
  /// The caller may not do that.
  package static let permissionDenied = Self(rawValue: -32002)
  /// A batch beyond the limit.
  package static let batchTooLarge = Self(rawValue: -32003)
  /// A quota is full.
  package static let quotaExceeded = Self(rawValue: -32004)
  /// The server is stopping.
  package static let shuttingDown = Self(rawValue: -32005)
  /// What the call changed could not be stored.
  package static let storeFailed = Self(rawValue: -32006)
  /// The last line of a connection.
  package static let closing = Self(rawValue: -32007)

  /// Whether this is one of the specification's five or lies in the range it leaves to servers.
  package var isGeneric: Bool {
    (-32099 ... -32000).contains(rawValue) || (-32603 ... -32600).contains(rawValue)
      || rawValue == -32700
  }

  /// Whether the specification reserves this code without giving it a meaning.
  package var isReserved: Bool { (-32768 ... -32000).contains(rawValue) && !isGeneric }
}
