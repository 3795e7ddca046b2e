internal import CCurl
package import Checkout
internal import Glibc
package import LinuxSystem
package import Systemd

/// Performs the core's operations over HTTPS, on the event loop.
///
/// It neither repeats anything nor judges what an answer means for a payment: the core does both.
/// It belongs to the loop's thread. Before the first request, signals must be blocked (libcurl looks
/// names up in threads of its own) and `SIGPIPE` ignored.
package final class PrimerGateway: UpstreamGateway {
  private struct Request {
    let operation: Operation
    let uid: UInt32
    let completion: (Result<Answer, OperationFailure>) -> Void
    /// What carries it, once it is its turn.
    var transfer: CurlTransfer?
    var kind: RequestClass { RequestClass(operation.request) }
  }

  /// What has come of a request and is to be handed over.
  private struct Finished {
    let number: UInt64
    let completion: (Result<Answer, OperationFailure>) -> Void
    let result: Result<Answer, OperationFailure>
  }

  private let loop: EventLoop
  private let options: GatewayOptions
  /// How long requests to come may take.
  package var timeouts: Timeouts
  /// Called when the egress cannot be connected to, with the reason, and when it can be again; only
  /// when that has changed.
  package var onEgressChanged: ((Errno?) -> Void)?
  /// Called when entries of a bank list are left out: how many, and for which session.
  package var onBanksLeftOut: ((Int, String) -> Void)?
  private var isEgressUnreachable = false
  private let reader: AnswerReader
  private var delivery: Timer?
  private var deadline: Timer?
  private var multi: CurlMulti?
  private var lastNumber: UInt64 = 0
  /// What waits for its turn or is under way.
  private var requests: [UInt64: Request] = [:]
  private var queue: RequestQueue
  private var underWay: [CurlTransfer.Key: UInt64] = [:]
  private var finished: [Finished] = []
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
      policy: options.policy, maximumBodyByteCount: options.maximumBodyByteCount,
      maximumLineByteCount: options.maximumLineByteCount)
    queue = RequestQueue(options.slots)
    delivery = try loop.addTimer { [weak self] in self?.deliver() }
    deadline = try loop.addTimer { [weak self] in self?.endOverdue() }
  }

  deinit { shutdown() }

  /// Makes sure that the system has what calls upstream need, so that a library or certificates that
  /// are missing are found before the first payment.
  ///
  /// - Parameters:
  ///   - certificates: The file that was named in place of the system's.
  ///   - isThorough: Whether to load libcurl, and to read all of the system's certificates. A start
  ///     only sees to it that both are there: a daemon that has not called out yet stays small.
  /// - Throws: ``SystemProblem``.
  package static func checkSystem(
    certificates: String?, isThorough: Bool = false
  ) throws(SystemProblem) {
    if isThorough || !CurlLibrary.isFound { try CurlLibrary.load() }
    // One that was named has been read with the options.
    guard certificates == nil else { return }
    let file = GatewayOptions.systemCertificates
    guard let problem = CertificateFile.problem(file, isThorough: isThorough) else { return }
    throw SystemProblem(
      description: "the system's certificates: \(problem):"
        + " install ca-certificates, or name others with --ca-file")
  }

  /// What is under way and what has come of the rest.
  package var status: GatewayStatus {
    var status = tally
    status.underWay = underWay.count
    status.queued = queue.waitingCount
    return status
  }

  /// Performs an operation, at once or when it is its turn.
  @discardableResult
  package func perform(
    _ operation: Operation, for uid: UInt32,
    completion: @escaping (Result<Answer, OperationFailure>) -> Void
  ) -> PendingRequest {
    lastNumber += 1
    let request = Request(operation: operation, uid: uid, completion: completion)
    requests[lastNumber] = request
    queue.append(lastNumber, request.kind, of: uid)
    let name = PendingRequest(number: lastNumber)
    startQueued()
    return name
  }

  /// Ends a request, wherever it is; one that has been completed or cancelled is left alone.
  package func cancel(_ request: PendingRequest) {
    guard let entry = requests.removeValue(forKey: request.number) else {
      return finished.removeAll { $0.number == request.number }
    }
    guard let transfer = entry.transfer else {
      return queue.remove(request.number, entry.kind, of: entry.uid)
    }
    underWay[transfer.key] = nil
    multi?.remove(transfer)
    recycle(transfer)
    queue.release(entry.kind, of: entry.uid)
    startQueued()
  }

  /// Cancels all requests and closes all connections; nothing may be performed after it.
  package func shutdown() {
    for entry in requests.values {
      if let transfer = entry.transfer { multi?.remove(transfer) }
    }
    requests = [:]
    queue = RequestQueue(options.slots)
    underWay = [:]
    finished = []
    spares = []
    multi = nil
    delivery?.cancel()
    delivery = nil
    deadline?.cancel()
    deadline = nil
  }

  // MARK: - The way of a request

  private func startQueued() {
    while let number = queue.next() {
      guard let entry = requests[number] else { continue }
      do throws(OperationFailure) {
        let transfer = try start(entry.operation)
        requests[number]?.transfer = transfer
        underWay[transfer.key] = number
      } catch {
        queue.release(entry.kind, of: entry.uid)
        requests[number] = nil
        finish(number, entry, .failure(error))
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
    let limit = timeouts.limit(for: operation.request)
    transfer.onBegin = { [weak self] in self?.armDeadline() }
    guard transfer.prepare(request, to: url, limit: limit, options), multi.add(transfer) else {
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
    guard let number = underWay.removeValue(forKey: key),
      let entry = requests.removeValue(forKey: number), let transfer = entry.transfer
    else { return }
    let outcome = transfer.outcome(code)
    recycle(transfer)
    queue.release(entry.kind, of: entry.uid)
    noteEgress(outcome)
    finish(number, entry, result(of: outcome, to: entry.operation))
  }

  private func result(
    of outcome: TransferOutcome, to operation: Operation
  ) -> Result<Answer, OperationFailure> {
    let result: Result<Answer, OperationFailure>
    switch outcome.response {
    case .success(let response):
      result = reader.read(response, to: operation.request, now: Clock.wallMilliseconds()) {
        onBanksLeftOut?($0, operation.sessionID)
      }
    case .failure where outcome.accepts(operation.request): result = .success(.acknowledged)
    case .failure(var failure):
      if 200...299 ~= outcome.status {
        failure.payment = reader.payment(namedIn: outcome.body, to: operation.request)
      }
      result = .failure(failure)
    }
    return result.mapError { failure in
      var failure = failure
      failure.elapsed = outcome.elapsed
      return failure
    }
  }

  // MARK: Time-outs

  /// Sets the timer for the request that must end first.
  private func armDeadline() {
    let first = underWay.values.compactMap { requests[$0]?.transfer?.deadline }.min()
    guard let first else { return }
    deadline?.arm(atBootMicroseconds: first)
  }

  private func endOverdue() {
    let now = Clock.bootMicroseconds()
    for number in underWay.values.sorted() {
      guard let transfer = requests[number]?.transfer, let deadline = transfer.deadline,
        deadline <= now
      else { continue }
      multi?.remove(transfer)
      transferFinished(transfer.key, CURLE_OPERATION_TIMEDOUT)
    }
    armDeadline()
    startQueued()
    deliver()
  }

  /// Keeps track of whether the egress is there: a request that was begun got through it.
  private func noteEgress(_ outcome: TransferOutcome) {
    if let code = outcome.egressError {
      guard !isEgressUnreachable else { return }
      isEgressUnreachable = true
      onEgressChanged?(Errno(code: code, call: "connect"))
    } else if isEgressUnreachable, outcome.elapsed != nil {
      isEgressUnreachable = false
      onEgressChanged?(nil)
    }
  }

  private func finish(
    _ number: UInt64, _ request: Request, _ result: Result<Answer, OperationFailure>
  ) {
    finished.append(Finished(number: number, completion: request.completion, result: result))
    tally.count(result, at: Clock.wallMilliseconds())
  }

  /// Hands results over in the order in which they came.
  ///
  /// A completion may call in again: perform, or cancel what has not been handed over.
  private func deliver() {
    while !finished.isEmpty {
      let next = finished.removeFirst()
      next.completion(next.result)
    }
  }

  /// Keeps a few handles for later requests, with the TLS sessions that they hold.
  private func recycle(_ transfer: CurlTransfer) {
    transfer.reset()
    if spares.count < 8 { spares.append(transfer) }
  }
}
