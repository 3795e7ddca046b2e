/// What a payment waits for when upstream asks for an action.
///
/// It is chosen from the replacement token alone, whatever component began.
package enum ActionPlan: Sendable, Equatable {
  /// Show a page, poll for its status, resume the payment.
  case showPage(url: String, statusURL: String)
  /// Show a code, poll for its status, resume the payment.
  case showCode(statusURL: String)
  /// Wait until the shopper has confirmed elsewhere: poll for its status, resume the payment.
  case awaitConfirmation(statusURL: String)
  /// Collect a bank account, have the mandate accepted, complete the payment.
  case collectBankAccount(clientSecret: String, completeURL: String)
  /// Tell the voucher: the shopper pays with it later.
  case tellVoucher(reference: String)
  /// What was to be shown cannot be: there may be a last word to hear.
  case nothingToShow(statusURL: String?, reason: String)

  /// Whether the shopper can go on without having been shown anything.
  var needsNothingShown: Bool {
    if case .awaitConfirmation = self { return true }
    return false
  }

  /// Chooses the plan for a token.
  ///
  /// - Throws: `unsupported-required-action` for what is none of these, and for card payments.
  package init(for token: ClientToken) throws(CheckoutError) {
    switch token.intent {
    case "3DS_AUTHENTICATION", "PROCESSOR_3DS":
      throw CheckoutError(.unsupportedRequiredAction)
    default: break
    }
    if let voucher = token.voucher {
      if let reference = voucher.reference {
        self = .tellVoucher(reference: reference)
      } else {
        self = .nothingToShow(statusURL: token.statusURL, reason: "The voucher has no reference")
      }
    } else if let statusURL = token.statusURL {
      if let url = token.redirectURL {
        self = .showPage(url: url, statusURL: statusURL)
      } else if case .unusable = token.code {
        self = .nothingToShow(
          statusURL: statusURL, reason: "The code is no image that can be shown")
      } else if token.code != nil {
        self = .showCode(statusURL: statusURL)
      } else {
        self = .awaitConfirmation(statusURL: statusURL)
      }
    } else if let secret = token.stripeClientSecret, let url = token.sdkCompleteURL {
      self = .collectBankAccount(clientSecret: secret, completeURL: url)
    } else {
      throw CheckoutError(.unsupportedRequiredAction)
    }
  }
}
