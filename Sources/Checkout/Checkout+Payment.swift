import ValueTree

extension Checkout {
  // MARK: Answers

  /// Takes an answer about the payment, whatever it was to.
  mutating func take(
    _ response: PaymentResponse, after call: Verdict.Call, _ turn: inout Turn
  ) {
    note(
      Payment(id: response.id, orderID: response.orderID, status: response.status?.rawValue))
    switch Verdict(response, after: call, isBankDebit: isBankDebit) {
    case .completed(let outcome): end(outcome, nil, &turn)
    case .failed(let outcome):
      let isUnderstood = response.status?.meaning != .unknown
      let id: ErrorID = call == .create ? .paymentFailed : .failedToResumePayment
      let error = upstreamError(isUnderstood ? id : .outcomeUnknown, nil, &turn)
      end(outcome, error, onWordOfUpstream: true, &turn)
    case .actionRequired:
      guard let action = response.requiredAction else { return }
      follow(action.clientToken.map { $0.steady(by: turn.moment) }, &turn)
    }
  }

  /// Adds what is newly known of the payment.
  ///
  /// - Parameters:
  ///   - payment: What was said.
  ///   - mustMatch: Whether it counts only if it names the payment that is known already, or if none
  ///     is.
  mutating func note(_ payment: Payment?, mustMatch: Bool = false) {
    guard let payment else { return }
    let known = attempt?.payment
    if mustMatch, let id = known?.id, payment.id != id { return }
    attempt?.payment = Payment(
      id: payment.id ?? known?.id, orderID: payment.orderID ?? known?.orderID,
      status: payment.status ?? known?.status,
      isExisting: payment.isExisting || known?.isExisting == true)
  }

  /// Whether the attempt's money comes from a bank account, days later.
  var isBankDebit: Bool {
    guard let index = attempt?.component else { return false }
    return components[index].row.isBankDebit
  }

  /// Whether upstream has called the payment made.
  var isPaymentMade: Bool {
    guard let word = attempt?.payment?.status else { return false }
    return PaymentResponse.Status(rawValue: word).isMade(byBankDebit: isBankDebit)
  }

  // MARK: Required actions

  /// Follows a required action with its replacement token.
  ///
  /// What was cancelled meanwhile ends here: nobody has seen the page, the code or the mandate, so
  /// nobody can pay, unless the payment was approved once before. What is confirmed elsewhere needs
  /// nothing of ours: there one poll says how far it has come.
  mutating func follow(
    _ replacement: Result<ClientToken, ClientTokenProblem>, _ turn: inout Turn
  ) {
    let plan: ActionPlan
    do throws(CheckoutError) {
      switch replacement {
      case .failure(let problem): throw CheckoutError(problem)
      case .success(let token):
        plan = try ActionPlan(for: token)
        self.token = token
      }
    } catch {
      var error = error
      error.diagnosticsID = turn.moment.uuid()
      // It is stored.
      error.facts = []
      return end(.unknown, error, &turn)
    }
    if attempt?.isCancelling == true, !plan.needsNothingShown {
      var outcome = Outcome.cancelled
      if case .paying(.resuming) = phase { outcome = .unknown }
      return end(outcome, upstreamError(.paymentCancelled, nil, &turn), &turn)
    }
    switch plan {
    case .showPage(let url, let statusURL): showPage(url, statusURL, &turn)
    case .showCode(let statusURL): showCode(statusURL, &turn)
    case .awaitConfirmation(let statusURL): awaitConfirmation(statusURL, &turn)
    case .tellVoucher: tellVoucher(&turn)
    case .nothingToShow(let statusURL, let reason): hearLastWord(statusURL, reason, &turn)
    case .collectBankAccount(let secret, let completeURL):
      collectBankAccount(secret, completeURL, &turn)
    }
  }

  // MARK: Resumption

  mutating func resume(_ resumeToken: String, _ turn: inout Turn) {
    guard let paymentID = attempt?.payment?.id else {
      return end(.unknown, upstreamError(.outcomeUnknown, nil, &turn), &turn)
    }
    enter(.resuming, &turn)
    perform(
      .resume(paymentID: paymentID, resumeToken: resumeToken), at: pciURL, for: .resume, &turn)
  }

  mutating func failResumption(_ failure: OperationFailure, _ turn: inout Turn) {
    fail(failure, .failedToResumePayment, &turn)
  }

  /// Ends with `failed` only if upstream says that this payment failed, with `unknown` otherwise: the
  /// payment exists, and the shopper has approved it.
  private mutating func fail(_ failure: OperationFailure, _ id: ErrorID, _ turn: inout Turn) {
    if let payment = failure.payment, payment.meaning == .failed, payment.id != nil,
      payment.id == attempt?.payment?.id
    {
      return end(.failed, upstreamError(id, failure, &turn), onWordOfUpstream: true, &turn)
    }
    askOrEnd(upstreamError(.outcomeUnknown, failure, &turn), &turn)
  }

  // MARK: Bank account and mandate

  private mutating func collectBankAccount(
    _ secret: String, _ completeURL: String, _ turn: inout Turn
  ) {
    enter(.collecting(clientSecret: secret, completeURL: completeURL), &turn)
    publish(
      Event(
        .didReceiveAdditionalInfo, component: attempt?.component,
        [.init("info", collectorInfo(secret))]), &turn)
    expire(at: min(token.expiresAt, turn.moment.now.adding(spans.checkout)), &turn)
  }

  /// What the collector needs; the short form has none of the shopper's data.
  func collectorInfo(_ secret: String, isShort: Bool = false) -> Value {
    let customer = configuration?.clientSession.customer
    let names = [customer?.firstName, customer?.lastName].compactMap(\.self).filter {
      !Validation.standsForNoName($0)
    }
    var members: [Value.Member] = [
      .init("kind", "bankAccountCollector"),
      .init("publishableKey", Value(settings.stripePublishableKey)),
      .init("clientSecret", .string(secret)), .init("returnUrl", Value(settings.urlScheme)),
    ]
    if !isShort {
      members.append(.init("fullName", .string(names.joined(separator: " "))))
      members.append(.init("emailAddress", .string(customer?.emailAddress ?? "")))
    }
    return .object(members)
  }

  var mandateInfo: Value {
    var members = [Value.Member("kind", "mandate")]
    if let text = settings.mandateText { members.append(.init("text", .string(text))) }
    if let name = settings.merchantName { members.append(.init("merchantName", .string(name))) }
    return .object(members)
  }

  mutating func take(
    _ report: BankAccountReport, _ index: Int, _ turn: inout Turn
  ) throws(CheckoutError) -> CommandReply {
    guard attempt?.component == index, case .paying(.collecting(_, let completeURL)) = phase else {
      throw CheckoutError(.notAwaited)
    }
    switch report {
    case .succeeded, .pendingVerification:
      enter(.mandating(completeURL: completeURL), &turn)
      publish(
        Event(.didReceiveAdditionalInfo, component: index, [.init("info", mandateInfo)]), &turn)
    case .failed(let errorID, let description):
      let error = CheckoutError(
        .collectorFailed, detail: description, diagnosticsID: turn.moment.uuid(),
        foreignID: errorID)
      end(unlessBackends(.failed), error, &turn)
    case .cancelled:
      end(unlessBackends(.cancelled), upstreamError(.paymentCancelled, nil, &turn), &turn)
    }
    return .done
  }

  /// What an ending of the daemon's own payment comes to; what becomes of the payment that the client's
  /// backend has made is the backend's to say.
  func unlessBackends(_ outcome: Outcome) -> Outcome {
    settings.paymentHandling == .auto ? outcome : .unknown
  }

  mutating func decideMandate(
    _ index: Int, _ isAccepted: Bool, _ turn: inout Turn
  ) throws(CheckoutError) -> CommandReply {
    guard attempt?.component == index, case .paying(.mandating(let completeURL)) = phase else {
      throw CheckoutError(.notAwaited)
    }
    guard isAccepted else {
      end(
        unlessBackends(.cancelled), upstreamError(.paymentCancelled, nil, &turn), &turn)
      return .done
    }
    clearExpiry(&turn)
    enter(.completing, &turn)
    perform(
      .complete(mandateAcceptedAt: turn.moment.wall), at: completeURL, for: .complete, &turn)
    return .done
  }

  /// The mandate is with Stripe; the payment settles later.
  mutating func finishCompletion(_ turn: inout Turn) {
    guard settings.paymentHandling == .auto else { return end(.handledByClient, nil, &turn) }
    end(isPaymentMade ? .success : .pending, nil, &turn)
  }

  mutating func failCompletion(_ failure: OperationFailure, _ turn: inout Turn) {
    fail(failure, failure.errorID, &turn)
  }
}

extension CheckoutError {
  /// The error for a token that cannot be used.
  package init(_ problem: ClientTokenProblem, path: String? = nil) {
    switch problem {
    case .undecodable:
      self.init(.invalidClientToken, detail: "The client token cannot be decoded", path: path)
    case .missing(let field):
      self.init(.invalidClientToken, detail: "The client token lacks \(field)", path: path)
    case .withoutExpiry:
      self.init(.invalidClientToken, detail: "The client token names no expiry", path: path)
    case .expired(let end, let now):
      let (end, now) = (Timestamp(end).text, Timestamp(now).text)
      self.init(
        .invalidClientToken,
        detail: "The client token expired at \(end); the clock here says \(now)", path: path,
        facts: [.init("expiresAt", .string(end)), .init("time", .string(now))])
    case .notAllowed(let field, let host, let why):
      self.init(
        .upstreamNotAllowed, detail: "The client token's \(field) cannot be used: \(why)",
        path: path, facts: host.map { [.init("host", .string($0))] } ?? [])
    case .unchecked:
      self.init(
        .networkFailedAfterRetries,
        detail: "The client token's URLs cannot be checked: libcurl cannot be loaded")
    }
  }
}
