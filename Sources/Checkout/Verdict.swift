/// What an answer about a payment means for the checkout.
enum Verdict: Sendable, Equatable {
  /// What the answer was to.
  enum Call: Sendable { case create, resume }

  /// The payment is made, or will settle by itself.
  case completed(Outcome)
  /// Something must be done first.
  case actionRequired
  /// The payment failed: for certain (`failed`), or as far as can be known (`unknown`).
  case failed(Outcome)

  /// Judges an answer; the first row that matches counts.
  ///
  /// The rows are the reference's (primer-behaviour.md b, "Verdict"), with two differences. A
  /// required action in a resume's answer is followed, not ignored. A failure that still names a
  /// payment which is pending or made is an unknown outcome: nobody may be told to pay again.
  init(_ response: PaymentResponse, after call: Call) {
    let isMade = response.checkoutOutcome == .complete || response.status == .success
    let failure = Verdict.failed(response.status == .failed ? .failed : .unknown)
    switch response.checkoutOutcome {
    case .complete: break
    case .failure:
      self = failure
      return
    case .determineFromPaymentStatus:
      guard response.id != nil, response.status != .failed else {
        self = failure
        return
      }
    }
    if response.requiredAction != nil {
      self = .actionRequired
    } else if isMade {
      self = .completed(.success)
    } else if call == .create || response.showsSuccessOnPending {
      self = .completed(.pending)
    } else {
      self = failure
    }
  }
}
