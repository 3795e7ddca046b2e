internal import CCurl
internal import Checkout

/// What libcurl made of a request.
struct TransferOutcome {
  /// How a transfer ended.
  enum Ending: Sendable, CaseIterable {
    /// A whole answer came.
    case complete
    /// The time-out passed.
    case timedOut
    /// The body passed the limit.
    case tooLong
    /// What came is not HTTP, so that nothing says whether it was whole.
    case notHTTP
    /// The server could not show that it is who it should be.
    case untrusted
    /// Anything else: no name, no connection, no TLS, or a connection that broke.
    case broken
  }

  /// How it ended.
  var ending: Ending
  /// The HTTP status; 0 if no header came.
  var status = 0
  /// What came of the body.
  var body: [UInt8] = []
  /// `Retry-After`, a date already turned into a span; 0 if there was none.
  var retryAfterSeconds: Int64 = 0
  /// How long ago the first byte of the request left this machine; `nil` if none can have.
  var elapsed: Milliseconds?
  /// Whether an address was refused and none was tried.
  var isAddressRefused = false
  /// Why the egress could not be connected to, as an error number.
  var egressError: Int32?

  /// A whole answer, or why there is none.
  ///
  /// What happened before libcurl began to send is certain to have had no effect; what happened
  /// after never is, whatever libcurl calls it.
  var response: Result<HTTPResponse, OperationFailure> {
    guard elapsed != nil else {
      if isAddressRefused { return .failure(OperationFailure(.notAllowed)) }
      return .failure(OperationFailure(ending == .untrusted ? .untrusted : .notSent))
    }
    switch ending {
    case .complete:
      return .success(HTTPResponse(status: status, body: body, retryAfter: retryAfter))
    case .timedOut: return .failure(OperationFailure(.timedOut))
    case .tooLong:
      let kind: OperationFailure.Kind = 200...299 ~= status ? .undecodable : .status
      return .failure(OperationFailure(kind, httpStatus: status, retryAfter: retryAfter))
    case .notHTTP, .broken, .untrusted: return .failure(OperationFailure(.interrupted))
    }
  }

  /// Whether the status alone is an answer: a completion needs no body, be it cut or too long.
  func accepts(_ request: Operation.Request) -> Bool {
    guard case .complete = request else { return false }
    return elapsed != nil && 200...299 ~= status
  }

  /// At most an hour, whatever the server says.
  private var retryAfter: Milliseconds? {
    retryAfterSeconds > 0 ? min(retryAfterSeconds, 3600) * 1000 : nil
  }
}

extension TransferOutcome.Ending {
  /// Reads libcurl's verdict.
  ///
  /// - Parameters:
  ///   - code: The verdict.
  ///   - isBodyTooLong: Whether the write function refused the body for its length.
  init(_ code: CURLcode, isBodyTooLong: Bool) {
    self =
      switch code {
      case CURLE_OK: .complete
      case CURLE_OPERATION_TIMEDOUT: .timedOut
      case CURLE_FILESIZE_EXCEEDED: .tooLong
      case CURLE_WRITE_ERROR where isBodyTooLong: .tooLong
      case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE: .untrusted
      case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY: .notHTTP
      default: .broken
      }
  }
}
