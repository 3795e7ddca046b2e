import Checkout
import LinuxSystem
import PrimerAPI

/// An upstream that answers what it is told, when it is told.
final class ScriptedUpstream: UpstreamGateway {
  private struct Request {
    let number: UInt64
    let operation: Operation
    let user: UInt32
    let completion: (Result<Answer, OperationFailure>) -> Void
  }

  private var requests: [Request] = []
  private var lastNumber: UInt64 = 0
  /// Every operation that was sent.
  private(set) var sent: [Operation] = []
  /// Whether it was shut down.
  private(set) var isShutDown = false

  var timeouts = Timeouts()
  var onEgressChanged: ((Errno?) -> Void)?
  var onBanksLeftOut: ((Int, String) -> Void)?

  var status: GatewayStatus {
    var status = GatewayStatus()
    status.underWay = requests.count
    return status
  }

  /// What waits for an answer.
  var pending: [Operation] { requests.map(\.operation) }

  func perform(
    _ operation: Operation, for uid: UInt32,
    completion: @escaping (Result<Answer, OperationFailure>) -> Void
  ) -> PendingRequest {
    lastNumber += 1
    requests.append(
      Request(number: lastNumber, operation: operation, user: uid, completion: completion))
    sent.append(operation)
    return PendingRequest(number: lastNumber)
  }

  func cancel(_ request: PendingRequest) { requests.removeAll { $0.number == request.number } }

  func shutdown() {
    requests = []
    isShutDown = true
  }

  /// Answers the oldest request, or another one by its place.
  ///
  /// - Returns: Whether there was one.
  @discardableResult
  func answer(
    at place: Int = 0, _ result: (Operation.Request) -> Result<Answer, OperationFailure>
  ) -> Bool {
    guard requests.indices.contains(place) else { return false }
    let request = requests.remove(at: place)
    request.completion(result(request.operation.request))
    return true
  }
}
