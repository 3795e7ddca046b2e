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
    _ id: OperationID, _ result: Result<Answer, OperationFailure>, isSettledHere: Bool,
    _ turn: inout Turn
  ) {
    guard let place = operations.firstIndex(where: { $0.operation.id == id }),
      !operations[place].isWaiting
    else { return }
    if case .failure(let failure) = result {
      // What a used key names may be another checkout's payment.
      if !failure.isKeyAlreadyUsed, operations[place].purpose != .question {
        note(failure.payment, mustMatch: true)
      }
      if failure.mayHaveBeenDone { operations[place].mayHaveBeenDone = true }
      let end = end(of: operations[place].purpose)
      // What was cancelled before it could leave must not leave later.
      let isCalledOff =
        attempt?.isCancelling == true && operations[place].purpose == .create
        && !operations[place].mayHaveBeenDone
      if !isCalledOff,
        let delay = operations[place].delayBeforeRepeat(
          after: failure, until: end, spans, &turn.moment)
      {
        operations[place].isWaiting = true
        operations[place].repeatsAt = turn.moment.now.adding(delay)
        turn.effects.append(.setTimer(.repeat(id), after: delay))
        return
      }
    }
    let pending = operations.remove(at: place)
    if pending.changesSession { sendNextSessionChange(&turn) }
    switch result {
    case .success(let answer): take(answer, of: pending, &turn)
    case .failure(let failure):
      take(failure, of: pending, isSettledHere: isSettledHere, &turn)
    }
  }

  /// Sends an operation again.
  mutating func repeatOperation(_ id: OperationID, _ turn: inout Turn) {
    guard let place = operations.firstIndex(where: { $0.operation.id == id }),
      operations[place].isWaiting, operations[place].sentCount > 0
    else { return }
    if isPastSpan(operations[place], turn.moment) { return giveUp(place, &turn) }
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
      finishPatch(configuration.clientSession, of: pending.operation.request, &turn)
    case (.tokenize, .instrument(let instrument)): finishTokenization(instrument, &turn)
    case (.create, .payment(let response)):
      if response.id != nil { creation = pending.operation }
      take(response, after: .create, &turn)
    case (.question, .payment(let response)):
      let word = response.status?.rawValue
      takeSecondPayment(
        Payment(id: response.id, orderID: response.orderID, status: word), &turn)
    case (.poll, .redirectStatus(let status)): finishPoll(status, sentAt: pending.sentAt, &turn)
    case (.resume, .payment(let response)): take(response, after: .resume, &turn)
    case (.complete, .acknowledged): finishCompletion(&turn)
    case (.validateToken, .acknowledged): finishValidation(&turn)
    case (.unselect, .configuration(let configuration)):
      finishUnselection(configuration.clientSession, &turn)
    case (.superseded, .configuration(let configuration)):
      replaceSession(configuration.clientSession)
    default:
      // Whoever performs an operation answers it with its own answer: this one says nothing.
      take(OperationFailure(.undecodable), of: pending, isSettledHere: false, &turn)
    }
  }

  private mutating func take(
    _ failure: OperationFailure, of pending: PendingOperation, isSettledHere: Bool,
    _ turn: inout Turn
  ) {
    switch pending.purpose {
    case .configuration:
      refuseStart(upstreamError(failure.errorID, failure, &turn), &turn)
    case .start(let index): failStart(of: index, failure, &turn)
    case .patch: failPatch(failure, &turn)
    case .tokenize: end(.failed, upstreamError(failure.errorID, failure, &turn), &turn)
    case .create: failCreation(failure, pending, isSettledHere: isSettledHere, &turn)
    case .question: failQuestion(failure, &turn)
    case .poll: failPoll(failure, sentAt: pending.sentAt, &turn)
    case .resume: failResumption(failure, &turn)
    case .complete: failCompletion(failure, &turn)
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
