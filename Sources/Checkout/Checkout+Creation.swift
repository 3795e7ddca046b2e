// How a payment is created, and what an answer about its key proves (README.md, "Keys").

extension Checkout {
  mutating func create(_ paymentMethodToken: String, _ turn: inout Turn) {
    if attempt?.key == nil {
      let key = derivedKey(1, turn.moment)
      attempt?.key = key
    }
    enter(.creating, &turn)
    performCreation(paymentMethodToken, &turn)
  }

  private mutating func performCreation(_ paymentMethodToken: String, _ turn: inout Turn) {
    guard let key = attempt?.key else { return }
    perform(
      .createPayment(paymentMethodToken: paymentMethodToken, idempotencyKey: key), at: pciURL,
      for: .create, &turn)
  }

  mutating func failCreation(
    _ failure: OperationFailure, _ pending: PendingOperation, isSettledHere: Bool,
    _ turn: inout Turn
  ) {
    if failure.isKeyAlreadyUsed, let payment = failure.payment, payment.id != nil {
      return take(payment, usedBy: pending, failure, isSettledHere: isSettledHere, &turn)
    }
    // A word about the key that names no payment says nothing of what the key was used for.
    let isCertain = !pending.mayHaveBeenDone && !failure.isKeyAlreadyUsed && !failure.speaksOfKey
    if isCertain, !failure.isRefusal, attempt?.isCancelling == true {
      return end(.cancelled, upstreamError(.paymentCancelled, failure, &turn), &turn)
    }
    let error = upstreamError(
      isCertain ? failure.errorID : .outcomeUnknown, failure, &turn)
    end(isCertain ? .failed : .unknown, error, &turn)
  }

  /// The key was used before: that payment exists, and its status is all there is to know.
  ///
  /// What a pending one needs stood in an answer that is lost.
  /// If nothing sent with the key before can have been this checkout's, the payment was there already.
  /// One that failed is no reason not to create this one, with the next key.
  private mutating func take(
    _ payment: Payment, usedBy pending: PendingOperation, _ failure: OperationFailure,
    isSettledHere: Bool, _ turn: inout Turn
  ) {
    guard let attempt else { return }
    let isFirst = !pending.mayHaveBeenDone
    var payment = payment
    if attempt.isKeyChosen {
      if isFirst {
        note(payment)
        return end(.unknown, upstreamError(.idempotencyKeyReused, failure, &turn), &turn)
      }
    } else if isSettledHere || (isFirst && payment.meaning == .failed) {
      return createWithNextKey(after: payment, pending, failure, &turn)
    } else {
      payment.isExisting = isFirst
    }
    note(payment)
    creation = pending.operation
    switch payment.meaning {
    case .made: end(.success, nil, &turn)
    case .settling: end(isBankDebit ? .pending : .success, nil, &turn)
    case .failed:
      end(
        .failed, upstreamError(.paymentFailed, failure, &turn), onWordOfUpstream: true, &turn)
    case .pending, .unknown, nil:
      end(.unknown, upstreamError(.outcomeUnknown, failure, &turn), &turn)
    }
  }

  /// Goes on with the next number.
  ///
  /// It is walked, never remembered: each creation begins with 1. So the numbers have no gaps
  /// upstream, whatever a restored state has forgotten.
  private mutating func createWithNextKey(
    after payment: Payment, _ pending: PendingOperation, _ failure: OperationFailure,
    _ turn: inout Turn
  ) {
    guard let number = attempt?.keyNumber, number < PaymentKey.lastNumber,
      case .createPayment(let token, _) = pending.operation.request
    else { return end(.unknown, upstreamError(.outcomeUnknown, failure, &turn), &turn) }
    if attempt?.isCancelling == true {
      return end(.cancelled, upstreamError(.paymentCancelled, nil, &turn), &turn)
    }
    if isPastSpan(pending, turn.moment) {
      return end(.failed, upstreamError(.checkoutExpired, nil, &turn), &turn)
    }
    let key = derivedKey(number + 1, turn.moment)
    attempt?.keyNumber = number + 1
    attempt?.key = key
    performCreation(token, &turn)
  }
}
