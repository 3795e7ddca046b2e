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
  /// The rows are the reference's (primer-behaviour.md b, "Verdict"), with these differences. A
  /// required action in a resume's answer is followed, not ignored. A failure that still names a
  /// payment which is pending or made is an unknown outcome: nobody may be told to pay again. So is
  /// a word that nobody here knows, and a checkout that is called complete with a failed payment.
  init(_ response: PaymentResponse, after call: Call, isBankDebit: Bool = false) {
    let meaning = response.status?.meaning
    let isMade = response.status?.isMade(byBankDebit: isBankDebit) ?? false
    let isComplete = response.checkoutOutcome == .complete
    let isNamed = response.id != nil || isComplete
    if meaning == .failed {
      self = .failed(isComplete ? .unknown : .failed)
    } else if meaning == .unknown || response.checkoutOutcome == .failure || !isNamed {
      self = .failed(.unknown)
    } else if response.requiredAction != nil {
      self = .actionRequired
    } else if isMade || (isComplete && meaning == nil) {
      self = .completed(.success)
    } else if call == .create || isComplete || meaning == .settling
      || response.showsSuccessOnPending
    {
      self = .completed(.pending)
    } else {
      self = .failed(.unknown)
    }
  }
}
