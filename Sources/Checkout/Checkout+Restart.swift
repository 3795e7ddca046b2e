extension Checkout {
  /// Goes on after a restart: sets every timer again, and takes up what was under way.
  ///
  /// An operation that was on its way may or may not have arrived. One that may be repeated is sent
  /// again; the creation of a payment waits until its key is settled upstream, as after any other
  /// lost answer.
  ///
  /// - Parameters:
  ///   - moment: When.
  ///   - minimumDecisionSpan: How long an open decision stays open at least.
  ///   - isRestored: Whether the state has gone back in time, or commits after it are missing.
  /// - Returns: What is to be done.
  package mutating func resume(
    at moment: Moment, minimumDecisionSpan: Milliseconds, isRestored: Bool = false
  ) -> [Effect] {
    handle(
      .restarted(minimumDecisionSpan: minimumDecisionSpan, isRestored: isRestored), at: moment)
  }

  mutating func takeUp(
    _ minimumDecisionSpan: Milliseconds, isRestored isNewlyRestored: Bool, _ turn: inout Turn
  ) {
    if isEnded { return }
    if isNewlyRestored { isRestored = true }
    // What has become of it since is not known; to go on could create a payment once more.
    if isRestored, leadsToCreation { return end(.failed, nil, &turn) }
    // Nor whether it was cancelled since, and the session's next payment made: to go on could approve
    // this one as well.
    if isNewlyRestored, leadsToApproval { return end(.failed, nil, &turn) }
    doubtEnding(&turn)
    giveBackWithoutSecret(&turn)
    if let expiresAt { expire(at: expiresAt, &turn) }
    restoreDecision(minimumDecisionSpan, &turn)
    if let late = operations.firstIndex(where: { isPastSpan($0, turn.moment) }) {
      if !operations[late].isWaiting { operations[late].mayHaveBeenDone = true }
      return giveUp(late, &turn)
    }
    for place in operations.indices { takeUp(place, &turn) }
    if case .paying(.polling) = phase { poll(&turn) }
  }

  /// A secret that was only in memory is gone, and with it the attempt, as long as nothing has been
  /// created with it.
  private mutating func giveBackWithoutSecret(_ turn: inout Turn) {
    guard case .paying(let stage) = phase, let index = attempt?.component,
      !components[index].component.missing.isEmpty
    else { return }
    switch stage {
    case .patching, .decidingOnCreation, .tokenizing: break
    default: return
    }
    operations.removeAll { $0.purpose == .patch || $0.purpose == .tokenize }
    giveBack(upstreamError(.otpLost, nil, &turn), &turn)
    expiresAt = expiresAt ?? min(token.expiresAt, createdAt.adding(spans.checkout))
  }

  /// Whether ``resume(at:minimumDecisionSpan:)`` may change more than timers.
  package var hasWorkToResume: Bool {
    if case .paying = phase { return true }
    return !operations.isEmpty
  }

  /// An ending that had not been told when the copy was made is no better known than others.
  private mutating func doubtEnding(_ turn: inout Turn) {
    guard isRestored, case .paying(.unselecting(var ending)) = phase,
      !ending.outcome.holdsSession, attempt?.payment?.meaning != .failed
    else { return }
    ending.outcome = .unknown
    ending.error = upstreamError(.stateRestored, nil, &turn)
    phase = .paying(.unselecting(ending))
  }

  /// Whether the attempt comes to a creation by itself, or has come to it.
  package var leadsToCreation: Bool {
    guard case .paying(let stage) = phase else { return false }
    switch stage {
    case .patching, .decidingOnCreation, .tokenizing, .creating: return true
    default: return false
    }
  }

  /// Whether the shopper's next answers are what the payment waits for.
  private var leadsToApproval: Bool {
    guard case .paying(let stage) = phase else { return false }
    switch stage {
    case .collecting, .mandating: return true
    default: return false
    }
  }

  private mutating func restoreDecision(
    _ minimumSpan: Milliseconds, _ turn: inout Turn
  ) {
    guard case .paying(let stage) = phase else { return }
    var decision: OpenDecision
    switch stage {
    case .decidingOnCreation(let open), .decidingAfterTokenization(let open),
      .decidingAfterResume(let open), .validatingToken(_, let open):
      decision = open
    default: return
    }
    decision.deadline = max(decision.deadline, turn.moment.now.adding(minimumSpan))
    switch stage {
    case .decidingOnCreation: phase = .paying(.decidingOnCreation(decision))
    case .decidingAfterTokenization: phase = .paying(.decidingAfterTokenization(decision))
    case .decidingAfterResume: phase = .paying(.decidingAfterResume(decision))
    case .validatingToken(let token, _):
      phase = .paying(.validatingToken(token, decision: decision))
    default: break
    }
    turn.effects.append(.setTimer(.decision, after: decision.deadline.since(turn.moment.now)))
  }

  private mutating func takeUp(_ place: Int, _ turn: inout Turn) {
    let pending = operations[place]
    if pending.isWaiting {
      // One that waits for another change of the session goes out after that.
      guard let due = pending.repeatsAt else { return }
      turn.effects.append(
        .setTimer(.repeat(pending.operation.id), after: max(0, due.since(turn.moment.now))))
      return
    }
    switch pending.purpose {
    case .create:
      wait(
        place, max(1000, pending.sentAt.adding(spans.paymentCreation).since(turn.moment.now)), &turn
      )
    case .resume, .complete:
      operations[place].uncertainRepeats += 1
      wait(place, 1000, &turn)
    default:
      operations[place].sentAt = turn.moment.now
      turn.effects.append(.perform(pending.operation))
    }
  }

  /// Counts the sending whose answer is lost as one that may have been carried out.
  private mutating func wait(_ place: Int, _ delay: Milliseconds, _ turn: inout Turn) {
    operations[place].mayHaveBeenDone = true
    operations[place].isWaiting = true
    operations[place].repeatsAt = turn.moment.now.adding(delay)
    turn.effects.append(.setTimer(.repeat(operations[place].operation.id), after: delay))
  }
}
