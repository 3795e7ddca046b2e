// What may be sent again, when, and for how long (README.md, "What is sent again").

extension Checkout {
  /// Until when an operation that has never left this machine is tried; `nil` if its tries are
  /// counted instead.
  ///
  /// An attempt is for a shopper who waits; what a payment hangs on that the shopper has approved is
  /// worth trying for as long as upstream may accept it.
  func end(of purpose: PendingOperation.Purpose) -> WallTime? {
    switch purpose {
    case .tokenize, .create: attemptEnd
    case .resume, .complete: token.expiresAt
    case .configuration, .start, .patch, .poll, .validateToken, .unselect, .question, .superseded:
      nil
    }
  }

  /// When the attempt's span, or its token, is over.
  private var attemptEnd: WallTime? {
    attempt.map { min($0.startedAt.adding(spans.attempt), token.expiresAt) }
  }

  /// Whether an operation that may move money for the first time comes too late: the shopper has
  /// left.
  ///
  /// The last try is sent at the very end, and a timer may be a moment late.
  func isPastSpan(_ pending: PendingOperation, _ moment: Moment) -> Bool {
    switch pending.purpose {
    case .tokenize, .create: attemptEnd.map { moment.now > $0.adding(1000) } ?? false
    default: false
    }
  }

  /// Ends an attempt that was held up for longer than its span; nothing is sent any more.
  mutating func giveUp(_ place: Int, _ turn: inout Turn) {
    let pending = operations.remove(at: place)
    if pending.purpose == .tokenize {
      end(.failed, upstreamError(.checkoutExpired, nil, &turn), &turn)
    } else if pending.mayHaveBeenDone {
      end(.unknown, upstreamError(.outcomeUnknown, nil, &turn), &turn)
    } else {
      end(.failed, upstreamError(.networkFailedAfterRetries, nil, &turn), &turn)
    }
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
  /// What never left this machine uses up no try.
  mutating func delayBeforeRepeat(
    after failure: OperationFailure, until end: WallTime?, _ spans: Spans,
    _ moment: inout Moment
  ) -> Milliseconds? {
    switch purpose {
    case .poll, .unselect, .superseded: return nil
    case .configuration, .start, .patch, .validateToken:
      return failure.mayPass && sentCount <= 8 ? backOff(failure, &moment) : nil
    case .question: return failure.neverLeft && sentCount <= 8 ? backOff(failure, &moment) : nil
    case .tokenize:
      guard failure.mayPass || failure.kind == .untrusted else { return nil }
      return waiting(backOff(failure, &moment), until: end, moment)
    case .create: return delayBeforeCreating(after: failure, until: end, spans, &moment)
    case .resume, .complete:
      if failure.neverLeft { return waiting(backOff(failure, &moment), until: end, moment) }
      guard !failure.isRefusal || failure.mayPass else { return nil }
      let delays: [Milliseconds] = [1000, 5000, 15_000, 30_000, 60_000]
      guard delays.indices.contains(uncertainRepeats) else { return nil }
      uncertainRepeats += 1
      return delays[uncertainRepeats - 1]
    }
  }

  private mutating func delayBeforeCreating(
    after failure: OperationFailure, until end: WallTime?, _ spans: Spans,
    _ moment: inout Moment
  ) -> Milliseconds? {
    if failure.isKeyAlreadyUsed, failure.payment?.id != nil { return nil }
    if failure.neverLeft {
      guard failure.kind != .notAllowed else { return nil }
      return waiting(backOff(failure, &moment), until: end, moment)
    }
    if failure.isRefusal { return nil }
    var delay: Milliseconds = 1000
    if failure.mayStillBeAtWork || failure.speaksOfKey || failure.isKeyAlreadyUsed {
      // The key is settled upstream only once the first sending's own time-out has passed.
      let elapsed = failure.elapsed ?? moment.now.since(sentAt)
      delay = max(delay, spans.paymentCreation.since(max(0, elapsed)))
    }
    if !failure.mayStillBeAtWork {
      // An answer that makes no sense has nothing to wait out; a second one will not be better.
      guard uncertainRepeats == 0 else { return nil }
      uncertainRepeats += 1
    }
    // No answer can come any more of what is over: to wait for the end would tell nothing.
    guard let end, moment.now.adding(delay) <= end else { return nil }
    return delay
  }

  /// The same delay, or what is left until the end, so that the last try is at the end.
  private func waiting(
    _ delay: Milliseconds, until end: WallTime?, _ moment: Moment
  ) -> Milliseconds? {
    guard let end, end > moment.now else { return nil }
    return min(delay, end.since(moment.now))
  }

  /// 0.1 s doubling to 30 s, or what upstream asks for up to a minute, with up to 0.1 s of jitter.
  private func backOff(_ failure: OperationFailure, _ moment: inout Moment) -> Milliseconds {
    let jitter = Milliseconds(moment.bits() % 100)
    let count = min(max(0, sentCount - 1 - uncertainRepeats), 9)
    let delay: Milliseconds = min(100 << Milliseconds(count), 30_000)
    return max(min(failure.retryAfter ?? 0, 60_000), delay) + jitter
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
    // A refusal because of the key did nothing, whatever another request with the key has done.
    case .status: !isRefusal && !isKeyAlreadyUsed && !speaksOfKey
    }
  }
}
