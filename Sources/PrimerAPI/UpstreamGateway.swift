package import Checkout
package import LinuxSystem

/// Names a request given to a gateway.
package struct PendingRequest: Hashable, Sendable {
  /// The gateway's own number for it.
  package let number: UInt64

  /// Makes a name.
  package init(number: UInt64) { self.number = number }
}

/// What performs the core's operations: ``PrimerGateway``, or what a test puts in its place.
package protocol UpstreamGateway: AnyObject {
  /// How long requests to come may take.
  var timeouts: Timeouts { get set }
  /// What is under way and what has come of the rest.
  var status: GatewayStatus { get }
  /// Called when the egress cannot be connected to, with the reason, and when it can be again; only
  /// when that has changed.
  var onEgressChanged: ((Errno?) -> Void)? { get set }
  /// Called when entries of a bank list make no sense and are left out: how many, and the
  /// ``Operation/sessionID`` of whom the list was for.
  var onBanksLeftOut: ((Int, String) -> Void)? { get set }

  /// Performs an operation, at once or when it is its turn.
  ///
  /// - Parameters:
  ///   - operation: What to do; its URL is checked again here.
  ///   - uid: Whose checkout it is for. Those who wait take turns.
  ///   - completion: Called once, later, from the loop; not called after ``cancel(_:)``.
  /// - Returns: What to cancel the request with.
  @discardableResult
  func perform(
    _ operation: Operation, for uid: UInt32,
    completion: @escaping (Result<Answer, OperationFailure>) -> Void
  ) -> PendingRequest

  /// Ends a request, wherever it is; one that has been completed or cancelled is left alone.
  func cancel(_ request: PendingRequest)

  /// Cancels all requests and closes all connections; nothing may be performed after it.
  func shutdown()
}
