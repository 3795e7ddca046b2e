@testable import CheckoutClient
import Dispatch
import Testing

/// Every delegate at once: keeps a line for each call, and insists on the main queue.
final class Recorder: Sendable {
  private let lines = Guarded<[String]>([])
  private let decision: PrimerPaymentCreationDecision
  private let resumption: PrimerHeadlessUniversalCheckoutResumeDecision?

  init(
    decision: PrimerPaymentCreationDecision = .continuePaymentCreation(),
    resumption: PrimerHeadlessUniversalCheckoutResumeDecision? = nil
  ) {
    self.decision = decision
    self.resumption = resumption
  }

  var log: [String] { lines.withLock { $0 } }

  func note(_ line: String) {
    dispatchPrecondition(condition: .onQueue(.main))
    lines.withLock { $0.append(line) }
  }

  /// Waits for a line that begins like this.
  @discardableResult
  func hears(_ beginning: String) async throws -> String {
    for _ in 0..<4000 {
      if let line = log.first(where: { $0.hasPrefix(beginning) }) { return line }
      try await Task.sleep(for: .milliseconds(5))
    }
    Issue.record("\(beginning) did not come: \(log)")
    return ""
  }
}

extension Recorder: PrimerHeadlessErrorableDelegate, PrimerHeadlessValidatableDelegate,
  PrimerHeadlessSteppableDelegate
{
  func didReceiveError(error: PrimerError) { note("error \(error.errorId)") }

  func didUpdate(
    validationStatus: PrimerValidationStatus, for data: (any PrimerCollectableData)?
  ) {
    switch validationStatus {
    case .validating: note("judging")
    case .valid: note("valid")
    case .invalid(let errors): note("invalid \(errors.map(\.errorId).joined())")
    case .error(let error): note("unjudged \(error.errorId)")
    }
  }

  func didReceiveStep(step: any PrimerHeadlessStep) {
    switch step {
    case BanksStep.loading: note("loading")
    case BanksStep.banksRetrieved(let banks): note("banks \(banks.map(\.name).joined())")
    case WebRedirectStep.loaded(let url): note("page \(url)")
    case ACHUserDetailsStep.retrievedUserDetails(let details): note("details \(details.lastName)")
    default: note("step \(step)")
    }
  }
}

extension Recorder: PrimerHeadlessUniversalCheckoutDelegate,
  PrimerHeadlessUniversalCheckoutUIDelegate
{
  func primerHeadlessUniversalCheckoutDidLoadAvailablePaymentMethods(
    _ paymentMethods: [PrimerHeadlessUniversalCheckout.PaymentMethod]
  ) {
    note("methods \(paymentMethods.map(\.paymentMethodType).joined())")
  }

  func primerHeadlessUniversalCheckoutDidCompleteCheckoutWithData(_ data: PrimerCheckoutData) {
    note("completed \(data.payment?.id ?? "") \(data.checkoutOutcome ?? "")")
  }

  func primerHeadlessUniversalCheckoutDidFail(
    withError err: any Error, checkoutData: PrimerCheckoutData?
  ) {
    note("failed \((err as? PrimerError)?.errorId ?? "") \(checkoutData?.checkoutOutcome ?? "")")
  }

  func primerHeadlessUniversalCheckoutDidReceiveAdditionalInfo(
    _ additionalInfo: (any PrimerCheckoutAdditionalInfo)?
  ) {
    switch additionalInfo {
    case let info as ACHBankAccountCollectorAdditionalInfo: note("collector \(info.clientSecret)")
    case is ACHMandateAdditionalInfo: note("mandate")
    default: note("info")
    }
  }

  func primerHeadlessUniversalCheckoutWillCreatePaymentWithData(
    _ data: PrimerCheckoutPaymentMethodData,
    decisionHandler: @escaping (PrimerPaymentCreationDecision) -> Void
  ) {
    note("will create \(data.paymentMethodType.type)")
    decisionHandler(decision)
  }

  func primerHeadlessUniversalCheckoutDidTokenizePaymentMethod(
    _ paymentMethodTokenData: PrimerPaymentMethodTokenData,
    decisionHandler: @escaping (PrimerHeadlessUniversalCheckoutResumeDecision) -> Void
  ) {
    note("tokenized \(paymentMethodTokenData.token ?? "")")
    if let resumption { decisionHandler(resumption) }
  }

  func primerHeadlessUniversalCheckoutDidStartTokenization(for paymentMethodType: String) {
    note("tokenizing \(paymentMethodType)")
  }

  func primerHeadlessUniversalCheckoutDidResumeWith(
    _ resumeToken: String,
    decisionHandler: @escaping (PrimerHeadlessUniversalCheckoutResumeDecision) -> Void
  ) {
    note("resume \(resumeToken)")
    decisionHandler(.complete())
  }

  func primerHeadlessUniversalCheckoutWillUpdateClientSession() { note("will update") }

  func primerHeadlessUniversalCheckoutDidUpdateClientSession(
    _ clientSession: PrimerClientSession
  ) {
    note("updated \(clientSession.orderId ?? "")")
  }

  func primerHeadlessUniversalCheckoutUIDidStartPreparation(for paymentMethodType: String) {
    note("preparing \(paymentMethodType)")
  }

  func primerHeadlessUniversalCheckoutUIDidDismissPaymentMethod() { note("dismissed") }

  func primerHeadlessUniversalCheckoutUIDidShowPaymentMethod(for paymentMethodType: String) {
    note("shown \(paymentMethodType)")
  }
}
