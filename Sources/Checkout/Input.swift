package import ValueTree

/// What can happen to a checkout from outside.
///
/// What is large and rare stands apart, here and in what follows: a keystroke moves many of these.
package enum Input: Sendable {
  /// An operation that this checkout asked for has ended.
  ///
  /// Where upstream says that an idempotency key was used, `isSettledHere` says whether the payment it
  /// names is one whose checkout ended here as failed or cancelled.
  indirect case operationFinished(
    OperationID, Result<Answer, OperationFailure>, isSettledHere: Bool = false)
  /// A timer that this checkout set has run out.
  case timerFired(TimerID)
  /// The process that held the checkout has ended, and this one takes it up; an open decision stays
  /// open for at least so long.
  ///
  /// A restored state has gone back in time, or commits after it are missing: what has happened since
  /// is not known.
  case restarted(minimumDecisionSpan: Milliseconds, isRestored: Bool = false)
  /// The client session is wanted again: what became of the payment may be asked. It is answered with
  /// ``Effect/questionSettled(isFree:)``.
  case sessionIsWanted
  /// The checkout's client session turned out to be another checkout's. It stands in place of the
  /// configuration's answer; a checkout that has started holds its session.
  case sessionIsTaken(by: CheckoutID?)
}

/// What a client can ask of a checkout.
package enum Command: Sendable {
  /// `checkout.cancel`
  case cancel(reason: String?)
  /// `checkout.decide`
  indirect case decide(id: String, Decision)
  /// `checkout.share`
  case share(Share)
  /// `checkout.unshare`
  case unshare(Share.Subject)
  /// A manager's `provide…`
  case provide(manager: Manager, paymentMethodType: String)
  /// A call of `component.…`
  case component(Int, ComponentCommand)
}

/// What a client can ask of a component.
package enum ComponentCommand: Sendable {
  /// `component.start`
  case start
  /// `component.updateCollectedData`: one member names the field and holds the value.
  case update(Value)
  /// `component.submit`
  case submit
  /// `component.reportRedirect`
  case reportRedirect(dismissed: Bool)
  /// `component.reportBankAccount`
  case reportBankAccount(BankAccountReport)
  /// `component.acceptMandate` or `component.declineMandate`
  case decideMandate(isAccepted: Bool)
}

/// What came of the bank-account collector.
package enum BankAccountReport: Sendable, Equatable {
  /// The account was collected.
  case succeeded
  /// The account was given, and will be verified by small deposits, which takes days.
  case pendingVerification
  /// It could not be; the id and the text are the collector's own.
  case failed(errorID: String, description: String?)
  /// The shopper gave up.
  case cancelled
}

/// What a client decides when asked.
package enum Decision: Sendable, Equatable {
  /// Go on and create the payment.
  case `continue`(idempotencyKey: String?)
  /// Stop here; the client's backend may say what became of its payment.
  case abort(message: String?, payment: Payment? = nil)
  /// Go on with a token of the client's backend; its fields have been read and its URLs checked.
  case continueWithNewClientToken(ClientToken)
  /// The client's backend has done the rest.
  case complete(Payment?)
}

/// Who else may use a checkout.
package struct Share: Sendable, Equatable {
  /// A user or a group.
  package enum Subject: Sendable, Equatable {
    case user(UInt32)
    case group(UInt32)
  }

  /// How much may be done.
  package enum Role: String, Sendable, CaseIterable {
    /// Look on, without secrets and collected data.
    case observe
    /// Everything but sharing.
    case drive
  }

  /// A user or a group.
  package var subject: Subject
  /// How much may be done.
  package var role: Role

  /// Makes a share.
  package init(subject: Subject, role: Role) {
    self.subject = subject
    self.role = role
  }
}

/// What a command is answered.
package enum CommandReply: Sendable {
  /// This, now.
  case value(Value)
  /// What ``Effect/settled(_:_:)`` says of it, after a later input.
  case later(Awaited)

  /// An empty object: it was done, and there is nothing to tell.
  static let done = CommandReply.value(.object([]))
}

/// What an answer may wait for; of each, a checkout has one at most under way.
package enum Awaited: Hashable, Sendable {
  /// The start of a component.
  case componentStart(Int)
  /// The check of the token that a decision brought.
  case tokenValidation
}

/// What a checkout wants done, in this order.
package enum Effect: Sendable {
  /// Number the event and send it to the subscribers.
  case publish(Event)
  /// Answer whoever waits for that; it comes after the events of its input.
  indirect case settled(Awaited, Result<Value, CheckoutError>)
  /// Perform an operation upstream.
  indirect case perform(Operation)
  /// Forget an operation: its answer is no longer wanted.
  case abandon(OperationID)
  /// Send ``Input/timerFired(_:)`` after so long; setting a timer anew replaces it.
  case setTimer(TimerID, after: Milliseconds)
  /// Forget a timer.
  case clearTimer(TimerID)
  /// A question has made a second payment: upstream does not treat keys as it should.
  case secondPayment
  /// Nothing more can be learnt of the payment; the client session is free if it has failed.
  case questionSettled(isFree: Bool)
  /// The checkout has ended with that outcome: nothing can happen to it any more.
  case ended(Outcome)
  /// The start was refused, for that reason: the checkout never was.
  indirect case removed(CheckoutError)
}

/// The timers of a checkout.
package enum TimerID: Hashable, Sendable {
  /// Nobody submitted, or nobody went on with the bank account or the mandate.
  case expiry
  /// A decision was not taken.
  case decision
  /// The next status poll is due.
  case poll
  /// An operation is to be repeated.
  case `repeat`(OperationID)
}
