// A question: the creation's stored request, sent again with its key. It is asked only where upstream
// has answered that key before and named a payment, so it creates nothing; upstream answers that the
// key was used, and by which payment in which status.

extension Checkout {
  /// Ends with an unknown outcome, unless a question may settle it.
  mutating func askOrEnd(_ error: CheckoutError, _ turn: inout Turn) {
    guard mayAsk(turn.moment) else { return end(.unknown, error, &turn) }
    turn.effects.append(.clearTimer(.poll))
    enter(.asking(Ending(outcome: .unknown, error: error, at: turn.moment.now)), &turn)
    ask(&turn)
  }

  /// Asks for an ended checkout whose client session is wanted again.
  mutating func askForSession(_ turn: inout Turn) {
    if operations.contains(where: { $0.purpose == .question }) { return }
    guard case .ended(let ending) = phase, ending.outcome == .unknown, mayAsk(turn.moment) else {
      turn.effects.append(.questionSettled(isFree: !holdsSession))
      return
    }
    ask(&turn)
  }

  /// Whether a question may free the client session of this ended checkout, or is under way.
  package func isWorthAsking(_ asksQuestions: Bool) -> Bool {
    guard case .ended(let ending) = phase, ending.outcome == .unknown else { return false }
    return operations.contains { $0.purpose == .question } || (asksQuestions && hasQuestion)
  }

  /// Once for each checkout, and only where the answer can be compared with what is known.
  private func mayAsk(_ moment: Moment) -> Bool {
    moment.asksQuestions && hasQuestion
  }

  private var hasQuestion: Bool {
    creation != nil && attempt?.hasAsked == false && attempt?.payment?.id != nil
  }

  private mutating func ask(_ turn: inout Turn) {
    guard let creation else { return }
    attempt?.hasAsked = true
    operationCount += 1
    let question = Operation(
      id: operationCount, request: creation.request, url: creation.url,
      accessToken: creation.accessToken, sessionID: creation.sessionID,
      requestID: creation.requestID)
    operations.append(
      PendingOperation(
        operation: question, purpose: .question, sentCount: 1, sentAt: turn.moment.now))
    turn.effects.append(.perform(question))
  }

  /// The question was answered like a creation: there is a second payment.
  mutating func takeSecondPayment(_ payment: Payment?, _ turn: inout Turn) {
    attempt?.secondPayment = payment ?? Payment()
    turn.effects.append(.secondPayment)
    concludeQuestion(&turn)
  }

  mutating func failQuestion(_ failure: OperationFailure, _ turn: inout Turn) {
    if failure.kind == .undecodable, 200..<300 ~= failure.httpStatus ?? 0 {
      return takeSecondPayment(failure.payment, &turn)
    }
    guard failure.isKeyAlreadyUsed, failure.payment?.id == attempt?.payment?.id else {
      return concludeQuestion(&turn)
    }
    note(failure.payment)
    guard case .paying(.asking) = phase else { return concludeQuestion(&turn) }
    switch failure.payment?.meaning {
    case .made: end(.success, nil, &turn)
    case .settling: end(isBankDebit ? .pending : .success, nil, &turn)
    case .failed:
      end(
        .failed, upstreamError(.paymentFailed, failure, &turn), onWordOfUpstream: true, &turn)
    case .pending, .unknown, nil: concludeQuestion(&turn)
    }
  }

  /// Ends as without the question; an ended checkout says whether its session is free.
  private mutating func concludeQuestion(_ turn: inout Turn) {
    if case .paying(.asking(let ending)) = phase {
      return end(ending.outcome, ending.error, &turn)
    }
    guard case .ended(var ending) = phase else { return }
    ending.isPaymentFailed = attempt?.payment?.meaning == .failed
    phase = .ended(ending)
    turn.effects.append(.questionSettled(isFree: !holdsSession))
  }

  /// Whether nobody else may have the client session: the checkout goes on, or money has moved or may
  /// move.
  package var holdsSession: Bool {
    switch phase {
    case .ended(let ending): ending.outcome.holdsSession && !ending.isPaymentFailed
    case .archived(let record): record.holdsSession
    default: true
    }
  }
}
