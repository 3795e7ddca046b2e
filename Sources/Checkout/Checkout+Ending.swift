import ValueTree

extension Checkout {
  // MARK: Cancellation

  /// Cancels at once while no payment request is out; otherwise the answer under way decides.
  mutating func cancel(
    _ reason: String?, _ turn: inout Turn
  ) throws(CheckoutError) -> CommandReply {
    let cancelled = upstreamError(.paymentCancelled, nil, detail: reason, &turn)
    switch phase {
    case .ended, .archived: throw CheckoutError(.checkoutEnded)
    case .starting, .ready: end(.cancelled, cancelled, &turn)
    case .paying(let stage):
      switch stage {
      case .patching, .decidingOnCreation, .tokenizing: end(.cancelled, cancelled, &turn)
      case .decidingAfterTokenization, .validatingToken, .decidingAfterResume:
        // The client's backend has the token, and may have created the payment.
        end(.unknown, cancelled, &turn)
      case .collecting, .mandating:
        end(unlessBackends(.cancelled), cancelled, &turn)
      case .creating where operations.contains { $0.purpose == .create && $0.isUnsent }:
        end(.cancelled, cancelled, &turn)
      case .creating, .resuming, .completing, .asking: attempt?.isCancelling = true
      case .polling:
        attempt?.isCancelling = true
        turn.effects.append(.clearTimer(.poll))
        poll(&turn)
      case .unselecting: break
      }
    }
    return .value(["state": .string(state.rawValue)])
  }

  // MARK: The end

  /// Ends the checkout: one terminal event, after the payment method has been taken back where a
  /// failure leaves a surcharge on the session.
  ///
  /// A payment that upstream has called made is never told as failed or cancelled; nor is, in a state
  /// that has gone back in time, what only this daemon thinks has failed or was cancelled. Upstream's
  /// word about one payment is enough there only if it must be the session's: where clients may choose
  /// keys, what was forgotten may have made another.
  mutating func end(
    _ outcome: Outcome, _ error: CheckoutError?, onWordOfUpstream: Bool = false,
    _ turn: inout Turn
  ) {
    var outcome = isPaymentMade && !outcome.isCompletion ? .unknown : outcome
    var error = error
    let isProven = onWordOfUpstream && !settings.decidesOnPaymentCreation
    if isRestored, !isProven, !outcome.holdsSession {
      outcome = .unknown
      error = upstreamError(.stateRestored, nil, &turn)
    }
    let leavesSurcharge =
      hasSelectedPaymentMethod && configuration?.clientSession.surcharges.isEmpty == false
    let unselects =
      leavesSurcharge && attempt != nil && (outcome == .failed || outcome == .cancelled)
    abandon(where: { !(unselects && $0.changesSession && !$0.isWaiting) }, &turn)
    clearExpiry(&turn)
    turn.effects.append(.clearTimer(.decision))
    turn.effects.append(.clearTimer(.poll))
    settleWhatIsUnderWay(&turn)
    let ending = Ending(outcome: outcome, error: error, at: turn.moment.now)
    guard unselects else { return conclude(ending, &turn) }
    for place in operations.indices { operations[place].purpose = .superseded }
    enter(.unselecting(ending), &turn)
    publishSession(.willUpdateClientSession, &turn)
    perform(.performActions([.unselectPaymentMethod]), at: pciURL, for: .unselect, &turn)
  }

  /// The ending holds whether or not the payment method could be taken back.
  mutating func finishUnselection(_ session: ClientSession?, _ turn: inout Turn) {
    guard case .paying(.unselecting(let ending)) = phase else { return }
    if let session {
      replaceSession(session)
      publishSession(.didUpdateClientSession, &turn)
    }
    conclude(ending, &turn)
  }

  private mutating func conclude(_ ending: Ending, _ turn: inout Turn) {
    let outcome = ending.outcome
    if let index = attempt?.component, components[index].tellsOfPage {
      let state: Value = outcome.isCompletion ? "success" : "failure"
      publishStep(["name": "webRedirect", "state": state], of: index, &turn)
    }
    for index in components.indices { components[index].component.forgetSecrets() }
    phase = .ended(ending)
    var members: [Value.Member] = []
    if let error = ending.error { members.append(.init("error", error.value)) }
    if let payment = paymentValue { members.append(.init("payment", payment)) }
    if let payment = secondPaymentValue { members.append(.init("secondPayment", payment)) }
    if let info = additionalInfo { members.append(.init("additionalInfo", info)) }
    members.append(.init("outcome", .string(outcome.rawValue)))
    publish(Event(outcome.isCompletion ? .didCompleteCheckout : .didFail, members), &turn)
    turn.effects.append(.ended(outcome))
  }

  /// Refuses what somebody may wait for: nothing will come of it any more.
  private mutating func settleWhatIsUnderWay(_ turn: inout Turn) {
    for index in components.indices where components[index].isStarting {
      components[index].isStarting = false
      turn.settle(.componentStart(index), .failure(CheckoutError(.checkoutEnded)))
    }
    if case .paying(.validatingToken) = phase {
      turn.settle(.tokenValidation, .failure(CheckoutError(.notAwaited)))
    }
  }
}
