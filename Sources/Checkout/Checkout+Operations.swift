extension Checkout {
  /// Sends a request upstream.
  ///
  /// Changes of the client session go out one at a time: each answer replaces the session, and the
  /// last one must be the latest.
  mutating func perform(
    _ request: Operation.Request, at url: String, with token: ClientToken? = nil,
    for purpose: PendingOperation.Purpose, _ turn: inout Turn
  ) {
    operationCount += 1
    let accessToken = (token ?? self.token).accessToken
    let operation = Operation(
      id: operationCount, request: request, url: url, accessToken: accessToken,
      sessionID: sessionID, requestID: Self.requestID(&turn.moment))
    var pending = PendingOperation(operation: operation, purpose: purpose, sentAt: turn.moment.now)
    if case .performActions = request, operations.contains(where: { $0.changesSession }) {
      pending.isWaiting = true
    } else {
      pending.sentCount = 1
      turn.effects.append(.perform(operation))
    }
    operations.append(pending)
  }

  /// Takes the end of an operation.
  ///
  /// One that nobody awaits any more means nothing.
  mutating func finish(
    _ id: OperationID, _ result: Result<Answer, OperationFailure>, _ turn: inout Turn
  ) {
    guard let place = operations.firstIndex(where: { $0.operation.id == id }),
      !operations[place].isWaiting
    else { return }
    if case .failure(let failure) = result {
      note(failure.payment)
      if failure.mayHaveBeenDone { operations[place].mayHaveBeenDone = true }
      // What was cancelled before it could leave must not leave later.
      let isCalledOff =
        attempt?.isCancelling == true && operations[place].purpose == .create
        && !operations[place].mayHaveBeenDone
      if !isCalledOff,
        let delay = operations[place].delayBeforeRepeat(after: failure, spans, &turn.moment)
      {
        operations[place].isWaiting = true
        operations[place].repeatsAt = turn.moment.now + delay
        turn.effects.append(.setTimer(.repeat(id), after: delay))
        return
      }
    }
    let pending = operations.remove(at: place)
    if pending.changesSession { sendNextSessionChange(&turn) }
    switch result {
    case .success(let answer): take(answer, of: pending, &turn)
    case .failure(let failure): take(failure, of: pending, &turn)
    }
  }

  /// Sends an operation again.
  mutating func repeatOperation(_ id: OperationID, _ turn: inout Turn) {
    guard let place = operations.firstIndex(where: { $0.operation.id == id }),
      operations[place].isWaiting, operations[place].sentCount > 0
    else { return }
    send(place, &turn)
  }

  private mutating func sendNextSessionChange(_ turn: inout Turn) {
    let place = operations.firstIndex { $0.changesSession && $0.isWaiting && $0.sentCount == 0 }
    if let place { send(place, &turn) }
  }

  private mutating func send(_ place: Int, _ turn: inout Turn) {
    operations[place].isWaiting = false
    operations[place].repeatsAt = nil
    operations[place].sentCount += 1
    operations[place].sentAt = turn.moment.now
    turn.effects.append(.perform(operations[place].operation))
  }

  /// Forgets every such operation.
  mutating func abandon(
    where matches: (PendingOperation) -> Bool, _ turn: inout Turn
  ) {
    for pending in operations where matches(pending) {
      if pending.isWaiting {
        turn.effects.append(.clearTimer(.repeat(pending.operation.id)))
      } else {
        turn.effects.append(.abandon(pending.operation.id))
      }
    }
    operations.removeAll(where: matches)
  }

  private mutating func take(_ answer: Answer, of pending: PendingOperation, _ turn: inout Turn) {
    switch (pending.purpose, answer) {
    case (.configuration, .configuration(let configuration)):
      finishStart(configuration, &turn)
    case (.start(let index), _): finishStart(of: index, answer, &turn)
    case (.patch, .configuration(let configuration)):
      finishPatch(configuration.clientSession, &turn)
    case (.tokenize, .instrument(let instrument)): finishTokenization(instrument, &turn)
    case (.create, .payment(let response)): take(response, after: .create, &turn)
    case (.poll, .redirectStatus(let status)): finishPoll(status, sentAt: pending.sentAt, &turn)
    case (.resume, .payment(let response)): take(response, after: .resume, &turn)
    case (.complete, .acknowledged): finishCompletion(&turn)
    case (.validateToken, .acknowledged): finishValidation(&turn)
    case (.unselect, .configuration(let configuration)):
      finishUnselection(configuration.clientSession, &turn)
    case (.superseded, .configuration(let configuration)):
      replaceSession(configuration.clientSession)
    default:
      preconditionFailure("an operation was answered with another operation's answer")
    }
  }

  private mutating func take(
    _ failure: OperationFailure, of pending: PendingOperation, _ turn: inout Turn
  ) {
    switch pending.purpose {
    case .configuration:
      refuseStart(upstreamError(failure.errorID, failure, &turn), &turn)
    case .start(let index): failStart(of: index, failure, &turn)
    case .patch: failPatch(failure, &turn)
    case .tokenize: end(.failed, upstreamError(failure.errorID, failure, &turn), &turn)
    case .create: failCreation(failure, pending, &turn)
    case .poll: failPoll(failure, sentAt: pending.sentAt, &turn)
    case .resume: failResumption(failure, pending, &turn)
    case .complete: failCompletion(failure, pending, &turn)
    case .validateToken: failValidation(failure, &turn)
    case .unselect: finishUnselection(nil, &turn)
    case .superseded: break
    }
  }

  /// An error that carries what upstream said.
  func upstreamError(
    _ id: ErrorID, _ failure: OperationFailure?, detail: String? = nil, _ turn: inout Turn
  ) -> CheckoutError {
    let detail =
      failure?.kind == .untrusted
      ? "Upstream's certificate is not trusted" : detail ?? failure?.detail
    return CheckoutError(
      id, detail: detail, diagnosticsID: turn.moment.uuid(), upstream: failure)
  }

  /// Thirty-two letters and digits.
  private static func requestID(_ moment: inout Moment) -> String {
    String(moment.uuid().filter { $0 != "-" })
  }
}

extension PendingOperation {
  /// Whether its answer is a new client session.
  var changesSession: Bool {
    if case .performActions = operation.request { return true }
    return false
  }

  /// Whether it was never carried out, for certain, and is not on its way now.
  var isUnsent: Bool { isWaiting && !mayHaveBeenDone }

  /// How long to wait before sending it again, or `nil` if the failure is the end of it.
  ///
  /// - Source: design.md section 5, "What may be repeated".
  mutating func delayBeforeRepeat(
    after failure: OperationFailure, _ spans: Spans, _ moment: inout Moment
  ) -> Milliseconds? {
    switch purpose {
    case .poll, .unselect, .superseded: return nil
    case .configuration, .start, .patch, .tokenize, .validateToken:
      return failure.mayPass ? backOff(failure, &moment) : nil
    case .create:
      if failure.isKeyAlreadyUsed { return nil }
      if failure.kind == .notSent && !mayHaveBeenDone { return backOff(failure, &moment) }
      guard mayHaveBeenDone, !(failure.isRefusal), uncertainRepeats < 3 else { return nil }
      // The key is settled upstream only once the first sending's own time-out has passed.
      uncertainRepeats += 1
      return max(1000, sentAt + spans.paymentCreation - moment.now)
    case .resume, .complete:
      guard !failure.isRefusal || failure.mayPass, failure.kind != .notAllowed else { return nil }
      let delays: [Milliseconds] = [1000, 5000, 15_000, 30_000, 60_000]
      guard uncertainRepeats < delays.count else { return nil }
      uncertainRepeats += 1
      return delays[uncertainRepeats - 1]
    }
  }

  /// 0.1 s doubling to 12.8 s, or what upstream asks for up to a minute, with up to 0.1 s of jitter;
  /// eight times.
  private func backOff(_ failure: OperationFailure, _ moment: inout Moment) -> Milliseconds? {
    guard sentCount <= 8 else { return nil }
    let jitter = Milliseconds(moment.bits() % 100)
    return max(min(failure.retryAfter ?? 0, 60_000), 100 << Milliseconds(sentCount - 1)) + jitter
  }
}

extension OperationFailure {
  /// Whether the same request may well succeed a moment later.
  var mayPass: Bool {
    switch kind {
    case .notSent, .timedOut, .interrupted: true
    case .status:
      [408, 425, 429].contains(httpStatus ?? 0) || (500..<600).contains(httpStatus ?? 0)
    case .undecodable, .notAllowed, .untrusted: false
    }
  }

  /// Whether upstream would say the same again: a 4xx that does not pass.
  var isLasting: Bool {
    kind == .status && (400..<500).contains(httpStatus ?? 0) && !mayPass
  }

  /// Whether upstream refused for certain: a 4xx with Primer's own error body.
  ///
  /// Only on the first sending does that mean that nothing was done; 408 says that the server gave up on something.
  var isRefusal: Bool {
    kind == .status && (400..<500).contains(httpStatus ?? 0) && httpStatus != 408
      && serverError?.id != nil && !speaksOfKey && !isKeyAlreadyUsed
  }

  /// Whether the request may have been carried out all the same.
  var mayHaveBeenDone: Bool {
    switch kind {
    case .notSent, .notAllowed, .untrusted: false
    case .timedOut, .interrupted, .undecodable: true
    case .status: !isRefusal
    }
  }
}

extension Checkout {
  /// Whether a request is out whose answer decides about money.
  package var isPaying: Bool {
    operations.contains { pending in
      switch pending.purpose {
      case .create, .resume, .complete: !pending.isWaiting
      default: false
      }
    }
  }
}
