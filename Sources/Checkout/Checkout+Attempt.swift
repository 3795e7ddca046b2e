import ValueTree

extension Checkout {
  /// Goes to the next stage of the attempt.
  mutating func enter(_ stage: Stage, _ turn: inout Turn) {
    phase = .paying(stage)
    attempt?.since = turn.moment.now
  }

  /// The component that was submitted, with its place: every payment under way has one.
  private var submitted: (index: Int, component: any PaymentComponent)? {
    attempt.map { ($0.component, components[$0.component].component) }
  }

  private var submittedType: Value.Member {
    .init("paymentMethodType", Value(attempt.map { components[$0.component].paymentMethodType }))
  }

  // MARK: From data to token

  /// The session is as it must be: tells of the submission and asks whether to go on.
  mutating func beginPayment(_ turn: inout Turn) {
    guard let (index, submitted) = submitted else { return }
    if let step = submitted.stepAfterSubmission { publishStep(step, of: index, &turn) }
    do throws(CheckoutError) {
      try submitted.checkSession(context(of: index))
    } catch {
      var error = error
      error.diagnosticsID = turn.moment.uuid()
      return end(.failed, error, &turn)
    }
    guard settings.decidesOnPaymentCreation else {
      publish(Event(.willCreatePayment, [submittedType]), &turn)
      return tokenize(&turn)
    }
    let decision = ask(
      .willCreatePayment, [submittedType], within: spans.creationDecision, &turn)
    enter(.decidingOnCreation(decision), &turn)
  }

  private mutating func tokenize(_ turn: inout Turn) {
    guard let (index, submitted) = submitted else { return }
    clearExpiry(&turn)
    publish(Event(.didStartTokenization, [submittedType]), &turn)
    enter(.tokenizing, &turn)
    perform(
      .tokenize(instrument: submitted.instrument(context(of: index))), at: pciURL, for: .tokenize,
      &turn)
  }

  mutating func finishTokenization(_ instrument: PaymentInstrument, _ turn: inout Turn) {
    var instrument = instrument
    if let index = attempt?.component {
      instrument.data = components[index].component.withoutSecrets(instrument.data)
      components[index].component.forgetSecrets()
    }
    guard let paymentMethodToken = instrument.token else {
      return end(
        .failed,
        upstreamError(
          .failedToDecode, nil, detail: "The tokenization's answer holds no token", &turn), &turn)
    }
    guard settings.paymentHandling == .auto else {
      let decision = ask(
        .didTokenizePaymentMethod,
        [
          submittedType, .init("paymentMethodTokenData", instrument.data),
          .init("paymentIdempotencyKey", .string(derivedKey(1, turn.moment))),
        ],
        within: spans.decision, &turn)
      return enter(.decidingAfterTokenization(decision), &turn)
    }
    publish(Event(.didTokenizePaymentMethod, [submittedType]), &turn)
    create(paymentMethodToken, &turn)
  }

  // MARK: Decisions

  /// Asks the client, and sets the deadline.
  private mutating func ask(
    _ kind: EventKind, _ members: [Value.Member], within span: Milliseconds, _ turn: inout Turn
  ) -> OpenDecision {
    let span = settings.decisionTimeout ?? span
    decisionCount += 1
    let decision = OpenDecision(
      id: "d\(decisionCount)", deadline: turn.moment.now.adding(span), event: kind, members: members
    )
    publish(
      Event(
        kind,
        members + [
          .init("decisionId", .string(decision.id)),
          .init("deadline", .string(turn.moment.text(of: decision.deadline))),
        ]), &turn)
    turn.effects.append(.setTimer(.decision, after: span))
    return decision
  }

  mutating func askAfterResume(_ resumeToken: String, _ turn: inout Turn) {
    let decision = ask(
      .didResumeWith, [.init("resumeToken", .string(resumeToken))], within: spans.decision, &turn)
    attempt?.isCancelling = false
    enter(.decidingAfterResume(decision), &turn)
  }

  mutating func decide(
    _ id: String, _ decision: Decision, _ turn: inout Turn
  ) throws(CheckoutError) -> CommandReply {
    guard isKnown(decision: id) else {
      throw CheckoutError(.unknownDecision, path: "/decisionId")
    }
    guard case .paying(let stage) = phase, let open = stage.openDecision, open.id == id else {
      throw CheckoutError(.notAwaited, path: "/decisionId")
    }
    switch (stage, decision) {
    case (.decidingOnCreation, .continue(let key)):
      guard key?.utf8.starts(with: PaymentKey.prefix.utf8) != true else {
        throw CheckoutError(.idempotencyKeyReused, path: "/paymentIdempotencyKey")
      }
      attempt?.key = key
      attempt?.isKeyChosen = key != nil
      attempt?.startedAt = turn.moment.now
      turn.effects.append(.clearTimer(.decision))
      tokenize(&turn)
    case (.decidingAfterTokenization, .continueWithNewClientToken(let token)),
      (.decidingAfterResume, .continueWithNewClientToken(let token)):
      return try validate(token.steady(by: turn.moment), open, &turn)
    case (.decidingAfterTokenization, .complete(let payment)),
      (.decidingAfterResume, .complete(let payment)):
      guard payment?.meaning != .failed else {
        throw CheckoutError(
          .invalidValue, detail: "A payment that failed is no completion: use abort",
          path: "/payment/status")
      }
      note(payment)
      turn.effects.append(.clearTimer(.decision))
      end(.handledByClient, nil, &turn)
    case (_, .abort(let message, let payment)):
      note(payment)
      turn.effects.append(.clearTimer(.decision))
      // The shopper has approved a payment that only the backend knows.
      let isOpen = open.event == .didResumeWith && payment?.meaning != .failed
      end(
        isOpen ? .unknown : .failed,
        upstreamError(.merchantError, nil, detail: message, &turn), &turn)
    default:
      throw CheckoutError(
        .invalidValue, detail: "That is no decision for \(open.event.rawValue)",
        path: "/decision")
    }
    return .done
  }

  private func isKnown(decision id: String) -> Bool {
    guard id.first == "d", let number = Int(id.dropFirst()), "d\(number)" == id else {
      return false
    }
    return (1...max(1, decisionCount)).contains(number) && decisionCount > 0
  }

  mutating func decisionTimedOut(_ turn: inout Turn) {
    guard case .paying(let stage) = phase else { return }
    let error = upstreamError(.decisionTimeout, nil, &turn)
    switch stage {
    case .decidingOnCreation: end(.failed, error, &turn)
    case .decidingAfterTokenization, .decidingAfterResume, .validatingToken:
      end(.unknown, error, &turn)
    default: break
    }
  }

  // MARK: Manual handling: a new token

  private mutating func validate(
    _ token: ClientToken, _ decision: OpenDecision, _ turn: inout Turn
  ) throws(CheckoutError) -> CommandReply {
    guard let url = token.pciURL ?? configuration?.pciURL else {
      throw CheckoutError(
        .invalidClientToken, detail: "The token lacks pciUrl", path: "/clientToken")
    }
    do throws(CheckoutError) {
      _ = try ActionPlan(for: token)
    } catch {
      throw CheckoutError(
        .invalidClientToken, detail: error.detail ?? error.id.summary, path: "/clientToken")
    }
    phase = .paying(.validatingToken(token, decision: decision))
    perform(
      .validateClientToken(encoded: token.encoded), at: url, with: token, for: .validateToken,
      &turn)
    return .later(.tokenValidation)
  }

  mutating func finishValidation(_ turn: inout Turn) {
    guard case .paying(.validatingToken(let token, let decision)) = phase else { return }
    turn.effects.append(.clearTimer(.decision))
    turn.settle(.tokenValidation, .success(.object([])))
    // Answered, whatever follows in this turn.
    reopen(decision)
    follow(.success(token), &turn)
  }

  /// Nothing is validated any more.
  private mutating func reopen(_ decision: OpenDecision) {
    phase = .paying(
      decision.event == .didResumeWith
        ? .decidingAfterResume(decision) : .decidingAfterTokenization(decision))
  }

  /// A bad token leaves the decision open, until its deadline.
  mutating func failValidation(_ failure: OperationFailure, _ turn: inout Turn) {
    guard case .paying(.validatingToken(_, let decision)) = phase else { return }
    reopen(decision)
    let id: ErrorID = failure.isLasting ? .invalidClientToken : failure.errorID
    var error = upstreamError(id, failure, &turn)
    error.path = "/clientToken"
    turn.settle(.tokenValidation, .failure(error))
  }
}
