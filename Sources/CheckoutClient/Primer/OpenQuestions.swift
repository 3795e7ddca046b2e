/// What a checkout waited for when it was taken up, so that nobody is asked what was answered since.
struct OpenQuestions: Sendable {
  private let seq: Int64
  private var decisions: Set<String> = []
  private var awaitsRedirect = false
  private var awaitsBankAccount = false
  private var awaitsMandate = false

  init(_ snapshot: CheckoutSnapshot) {
    seq = snapshot.seq
    for awaited in snapshot.awaiting {
      switch awaited {
      case .decision(let decision, _): decisions.insert(decision.id)
      case .redirect: awaitsRedirect = true
      case .bankAccount: awaitsBankAccount = true
      case .mandate: awaitsMandate = true
      case .other: break
      }
    }
  }

  /// Whether an event asked for something that nobody waits for any more.
  func isOver(_ event: CheckoutEvent) -> Bool {
    guard event.seq <= seq else { return false }
    switch event.kind {
    case .willCreatePayment(_, let decision?), .didTokenizePaymentMethod(_, let decision?),
      .didResumeWith(_, let decision?):
      return !decisions.contains(decision.id)
    case .didReceiveStep(WebRedirectStep.loaded): return !awaitsRedirect
    case .didReceiveAdditionalInfo(is ACHBankAccountCollectorAdditionalInfo):
      return !awaitsBankAccount
    case .didReceiveAdditionalInfo(is ACHMandateAdditionalInfo): return !awaitsMandate
    default: return false
    }
  }
}
