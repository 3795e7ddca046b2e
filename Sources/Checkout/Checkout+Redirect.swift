import ValueTree

extension Checkout {
  /// Shows the page, and polls until the shopper is done.
  mutating func redirect(to url: String, _ statusURL: String, _ turn: inout Turn) {
    guard let index = attempt?.component else { return }
    let deadline = min(token.expiresAt, turn.moment.now.adding(spans.poll))
    enter(.redirecting(url: url, statusURL: statusURL, deadline: deadline), &turn)
    publishStep(
      ["name": "webRedirect", "state": "loaded", "url": .string(url)], of: index, &turn)
    poll(&turn)
  }

  /// Asks for the status, unless that is under way.
  mutating func poll(_ turn: inout Turn) {
    guard case .paying(.redirecting(_, let statusURL, _)) = phase,
      !operations.contains(where: { $0.purpose == .poll })
    else { return }
    perform(.poll, at: statusURL, for: .poll, &turn)
  }

  mutating func finishPoll(_ status: RedirectStatus, sentAt: WallTime, _ turn: inout Turn) {
    switch status {
    case .pending: pollAgain(after: 1000, nil, sentAt: sentAt, &turn)
    case .complete(let resumeToken):
      if settings.paymentHandling == .manual {
        askAfterResume(resumeToken, &turn)
      } else {
        resume(resumeToken, &turn)
      }
    case .unknown: askOrEnd(upstreamError(.statusPollFailed, nil, &turn), &turn)
    }
  }

  mutating func failPoll(_ failure: OperationFailure, sentAt: WallTime, _ turn: inout Turn) {
    guard failure.isLasting || failure.kind == .notAllowed else {
      return pollAgain(
        after: max(3000, failure.retryAfter ?? 0), failure, sentAt: sentAt, &turn)
    }
    askOrEnd(upstreamError(.statusPollFailed, failure, &turn), &turn)
  }

  /// Waits for the next poll.
  ///
  /// The last one is sent on the deadline, or after it if one was out when it passed. A cancellation
  /// made the one just answered the last.
  private mutating func pollAgain(
    after delay: Milliseconds, _ failure: OperationFailure?, sentAt: WallTime, _ turn: inout Turn
  ) {
    guard case .paying(.redirecting(_, _, let deadline)) = phase else { return }
    if attempt?.isCancelling == true {
      return end(.unknown, upstreamError(.paymentCancelled, failure, &turn), &turn)
    }
    let left = deadline.since(turn.moment.now)
    guard left > 0 else {
      guard sentAt >= deadline else { return poll(&turn) }
      return askOrEnd(upstreamError(.statusPollTimeout, failure, &turn), &turn)
    }
    turn.effects.append(.setTimer(.poll, after: min(delay, left)))
  }

  /// The client tells what became of the page: for information, the status poll decides.
  mutating func reportRedirect(
    _ index: Int, _ dismissed: Bool, _ turn: inout Turn
  ) throws(CheckoutError) -> CommandReply {
    guard attempt?.component == index, case .paying(.redirecting) = phase else {
      throw CheckoutError(.notAwaited)
    }
    if dismissed {
      publishStep(["name": "webRedirect", "state": "dismissed"], of: index, &turn)
    }
    return .done
  }
}
