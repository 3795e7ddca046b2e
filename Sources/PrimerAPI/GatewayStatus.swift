package import Checkout

/// What a gateway is doing and what has come of its requests, without a word of their content.
package struct GatewayStatus: Sendable, Equatable {
  /// Requests that libcurl is working on.
  package var underWay = 0
  /// Requests that wait for one of those to end.
  package var queued = 0
  /// How many were answered as hoped.
  package var succeeded: UInt64 = 0
  /// How many were not.
  package var failed: UInt64 = 0
  /// When one was last answered as hoped.
  package var lastSuccessAt: WallTime?
  /// When one last was not.
  package var lastFailureAt: WallTime?
  /// What became of that one.
  package var lastFailureKind: OperationFailure.Kind?
  /// The HTTP status of that one, where it had one.
  package var lastFailureHTTPStatus: Int?

  /// Makes the status of a gateway that has done nothing.
  package init() {}

  mutating func count(_ result: Result<Answer, OperationFailure>, at now: WallTime) {
    switch result {
    case .success:
      succeeded += 1
      lastSuccessAt = now
    case .failure(let failure):
      failed += 1
      lastFailureAt = now
      lastFailureKind = failure.kind
      lastFailureHTTPStatus = failure.httpStatus
    }
  }
}
