import ValueTree

extension Checkout {
  /// Shows the page, and polls until the shopper is done.
  mutating func showPage(_ url: String, _ statusURL: String, _ turn: inout Turn) {
    guard let index = attempt?.component else { return }
    enterPolling(.page(url: url), statusURL, &turn)
    publishStep(
      ["name": "webRedirect", "state": "loaded", "url": .string(url)], of: index, &turn)
    poll(&turn)
  }

  /// Shows the code, and polls until it is paid.
  mutating func showCode(_ statusURL: String, _ turn: inout Turn) {
    guard let index = attempt?.component else { return }
    enterPolling(.code, statusURL, &turn)
    publishInfo(codeInfo(turn.moment.wallOffset), &turn)
    publishStep(["name": "awaitingCode"], of: index, &turn)
    poll(&turn)
  }

  /// Polls until the shopper has confirmed, in an app of the bank's.
  mutating func awaitConfirmation(_ statusURL: String, _ turn: inout Turn) {
    guard let index = attempt?.component else { return }
    enterPolling(.confirmation, statusURL, &turn)
    publishStep(["name": "awaitingConfirmation"], of: index, &turn)
    poll(&turn)
  }

  /// Tells the voucher, with which the checkout is over: it is paid in hours or days.
  mutating func tellVoucher(_ turn: inout Turn) {
    if let info = voucherInfo { publishInfo(info, &turn) }
    end(.pending, nil, &turn)
  }

  /// The payment was made, and what it asks for cannot be shown: its status is asked for once.
  mutating func hearLastWord(_ statusURL: String?, _ reason: String, _ turn: inout Turn) {
    guard let statusURL else {
      return end(.unknown, upstreamError(.invalidValue, nil, detail: reason, &turn), &turn)
    }
    enter(
      .polling(.nothing(reason: reason), statusURL: statusURL, deadline: turn.moment.now), &turn)
    poll(&turn)
  }

  private mutating func enterPolling(_ shown: Shown, _ statusURL: String, _ turn: inout Turn) {
    let deadline = min(token.expiresAt, turn.moment.now.adding(spans.poll))
    enter(.polling(shown, statusURL: statusURL, deadline: deadline), &turn)
  }

  private mutating func publishInfo(_ info: Value, _ turn: inout Turn) {
    publish(
      Event(.didReceiveAdditionalInfo, component: attempt?.component, [.init("info", info)]),
      &turn)
  }

  /// The code, and until when it can be paid; the short form has no image.
  func codeInfo(_ wallOffset: Milliseconds, isShort: Bool = false) -> Value {
    var members = [Value.Member("kind", "qrCode")]
    switch token.code {
    case .image(let image) where !isShort: members.append(.init("image", .string(image)))
    case .imageURL(let url) where !isShort: members.append(.init("imageUrl", .string(url)))
    default: break
    }
    let text = Timestamp(token.expiresAt.adding(wallOffset)).text
    return .object(members + [.init("expiresAt", .string(text))])
  }

  /// The voucher that the payment has come to, if it is one.
  var voucherInfo: Value? {
    let session = configuration?.clientSession
    return token.voucher?.info(amount: session?.amount, currencyCode: session?.currencyCode)
  }

  /// Asks for the status, unless that is under way.
  mutating func poll(_ turn: inout Turn) {
    guard case .paying(.polling(_, let statusURL, _)) = phase,
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
    guard case .paying(.polling(let shown, _, let deadline)) = phase else { return }
    if attempt?.isCancelling == true {
      return end(.unknown, upstreamError(.paymentCancelled, failure, &turn), &turn)
    }
    let left = deadline.since(turn.moment.now)
    guard left > 0 else {
      guard sentAt >= deadline else { return poll(&turn) }
      if case .nothing(let reason) = shown {
        return askOrEnd(upstreamError(.invalidValue, failure, detail: reason, &turn), &turn)
      }
      return askOrEnd(upstreamError(.statusPollTimeout, failure, &turn), &turn)
    }
    turn.effects.append(.setTimer(.poll, after: min(delay, left)))
  }

  /// The client tells what became of the page: for information, the status poll decides.
  mutating func reportRedirect(
    _ index: Int, _ dismissed: Bool, _ turn: inout Turn
  ) throws(CheckoutError) -> CommandReply {
    guard attempt?.component == index, case .paying(.polling(.page, _, _)) = phase else {
      throw CheckoutError(.notAwaited)
    }
    if dismissed {
      publishStep(["name": "webRedirect", "state": "dismissed"], of: index, &turn)
    }
    return .done
  }
}

extension ClientToken.Voucher {
  /// The wire form; `nil` without a reference, which is what can be paid with.
  func info(amount: Int64?, currencyCode: String?) -> Value? {
    guard let reference else { return nil }
    var members: [Value.Member] = [
      .init("kind", "voucher"), .init("reference", .string(reference)),
    ]
    if let entity { members.append(.init("entity", .string(entity))) }
    if let expiresAt { members.append(.init("expiresAt", .string(expiresAt))) }
    return .object(
      members + [
        .init("amount", Value(amount)), .init("currencyCode", Value(currencyCode)),
      ])
  }
}
