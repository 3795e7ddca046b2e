internal import CCurl
package import Checkout
internal import Glibc
package import LinuxSystem
package import Systemd

/// Names a request given to a gateway.
package struct PendingRequest: Hashable, Sendable {
  fileprivate let number: UInt64
}

/// Performs the core's operations over HTTPS, on the event loop.
///
/// It neither repeats anything nor judges what an answer means for a payment: the core does both.
/// It belongs to the loop's thread. Before the first request, signals must be blocked (libcurl looks
/// names up in threads of its own) and `SIGPIPE` ignored.
package final class PrimerGateway {
  private enum Stage {
    case queued
    case underWay(CurlTransfer)
    case finished(Result<Answer, OperationFailure>)
  }

  private struct Request {
    let operation: Operation
    let completion: (Result<Answer, OperationFailure>) -> Void
    var stage = Stage.queued
  }

  private let loop: EventLoop
  private let options: GatewayOptions
  /// How long requests to come may take.
  package var timeouts: Timeouts
  /// Called when the egress cannot be connected to, with the reason, and when it can be again; only
  /// when that has changed.
  package var onEgressChanged: ((Errno?) -> Void)?
  private var isEgressUnreachable = false
  private let reader: AnswerReader
  private var delivery: Timer?
  private var multi: CurlMulti?
  private var lastNumber: UInt64 = 0
  private var requests: [UInt64: Request] = [:]
  private var queue: [UInt64] = []
  private var underWay: [CurlTransfer.Key: UInt64] = [:]
  private var finished: [UInt64] = []
  private var spares: [CurlTransfer] = []
  private var tally = GatewayStatus()

  /// Makes a gateway; libcurl is loaded by the first request.
  ///
  /// - Parameters:
  ///   - loop: Where it lives.
  ///   - options: What it is told once.
  /// - Throws: ``Errno``: no memory, or no descriptor left.
  package init(on loop: EventLoop, options: GatewayOptions) throws(Errno) {
    self.loop = loop
    self.options = options
    timeouts = options.timeouts
    reader = AnswerReader(
      policy: options.policy, maximumBodyByteCount: options.maximumBodyByteCount)
    delivery = try loop.addTimer { [weak self] in self?.deliver() }
  }

  deinit { shutdown() }

  /// Loads libcurl, unless that has happened: `--check` does it, so that a missing library is found
  /// before the first payment.
  ///
  /// - Throws: ``LibraryProblem`` if libcurl is missing, too old or built without what is needed.
  package static func load() throws(LibraryProblem) { try CurlLibrary.load() }

  /// What is under way and what has come of the rest.
  package var status: GatewayStatus {
    var status = tally
    status.underWay = underWay.count
    status.queued = queue.count
    return status
  }

  /// Performs an operation, at once or when there is room.
  ///
  /// - Parameters:
  ///   - operation: What to do; its URL is checked again here.
  ///   - completion: Called once, later, from the loop; not called after ``cancel(_:)``.
  /// - Returns: What to cancel the request with.
  @discardableResult
  package func perform(
    _ operation: Operation, completion: @escaping (Result<Answer, OperationFailure>) -> Void
  ) -> PendingRequest {
    lastNumber += 1
    requests[lastNumber] = Request(operation: operation, completion: completion)
    queue.append(lastNumber)
    let request = PendingRequest(number: lastNumber)
    startQueued()
    return request
  }

  /// Ends a request, wherever it is; one that has been completed or cancelled is left alone.
  ///
  /// - Parameter request: What ``perform(_:completion:)`` returned.
  package func cancel(_ request: PendingRequest) {
    guard let entry = requests.removeValue(forKey: request.number) else { return }
    switch entry.stage {
    case .queued: queue.removeAll { $0 == request.number }
    case .finished: break  // its number is passed over when its turn comes
    case .underWay(let transfer):
      underWay[transfer.key] = nil
      multi?.remove(transfer)
      recycle(transfer)
      startQueued()
    }
  }

  /// Cancels all requests and closes all connections; nothing may be performed after it.
  package func shutdown() {
    for entry in requests.values {
      if case .underWay(let transfer) = entry.stage { multi?.remove(transfer) }
    }
    requests = [:]
    queue = []
    underWay = [:]
    finished = []
    spares = []
    multi = nil
    delivery?.cancel()
    delivery = nil
  }

  // MARK: - The way of a request

  private func startQueued() {
    while underWay.count < options.maximumUnderWay, !queue.isEmpty {
      let number = queue.removeFirst()
      guard let operation = requests[number]?.operation else { continue }
      do throws(OperationFailure) {
        let transfer = try start(operation)
        requests[number]?.stage = .underWay(transfer)
        underWay[transfer.key] = number
      } catch {
        finish(number, .failure(error))
        delivery?.arm(atBootMicroseconds: 0)
      }
    }
  }

  private func start(_ operation: Operation) throws(OperationFailure) -> CurlTransfer {
    let url = try parsed(operation.url)
    guard let request = HTTPRequest(operation, client: options.client) else {
      throw OperationFailure(.notAllowed)
    }
    guard let multi = loadedMulti(), let transfer = spares.popLast() ?? CurlTransfer(options) else {
      throw OperationFailure(.notSent)
    }
    let timeout = timeouts.limit(for: operation.request)
    guard transfer.prepare(request, to: url, timeout: timeout, options), multi.add(transfer) else {
      recycle(transfer)
      throw OperationFailure(.notSent)
    }
    return transfer
  }

  private func parsed(_ url: String) throws(OperationFailure) -> CurlURL {
    do throws(URLRefusal) {
      return try options.policy.parsed(url)
    } catch {
      throw OperationFailure(error == .libraryMissing ? .notSent : .notAllowed)
    }
  }

  private func loadedMulti() -> CurlMulti? {
    if let multi { return multi }
    guard let made = try? CurlMulti(on: loop) else { return nil }
    made.onFinished = { [weak self] key, code in self?.transferFinished(key, code) }
    made.onSettled = { [weak self] in
      self?.startQueued()
      self?.deliver()
    }
    multi = made
    return made
  }

  private func transferFinished(_ key: CurlTransfer.Key, _ code: CURLcode) {
    guard let number = underWay.removeValue(forKey: key), let entry = requests[number],
      case .underWay(let transfer) = entry.stage
    else { return }
    let outcome = transfer.outcome(code)
    recycle(transfer)
    noteEgress(outcome)
    let now = Clock.wallMilliseconds()
    finish(
      number,
      outcome.response.flatMap { reader.read($0, to: entry.operation.request, now: now) })
  }

  /// Keeps track of whether the egress is there: a request that was begun got through it.
  private func noteEgress(_ outcome: TransferOutcome) {
    if let code = outcome.egressError {
      guard !isEgressUnreachable else { return }
      isEgressUnreachable = true
      onEgressChanged?(Errno(code: code, call: "connect"))
    } else if isEgressUnreachable, outcome.hasBegun {
      isEgressUnreachable = false
      onEgressChanged?(nil)
    }
  }

  private func finish(_ number: UInt64, _ result: Result<Answer, OperationFailure>) {
    requests[number]?.stage = .finished(result)
    finished.append(number)
    tally.count(result, at: Clock.wallMilliseconds())
  }

  /// Hands results over in the order in which they came.
  ///
  /// A completion may call in again: perform, or cancel what has not been handed over.
  private func deliver() {
    while !finished.isEmpty {
      let number = finished.removeFirst()
      guard let entry = requests.removeValue(forKey: number),
        case .finished(let result) = entry.stage
      else { continue }
      entry.completion(result)
    }
  }

  /// Keeps a few handles for later requests, with the TLS sessions that they hold.
  private func recycle(_ transfer: CurlTransfer) {
    transfer.reset()
    if spares.count < 8 { spares.append(transfer) }
  }
}
