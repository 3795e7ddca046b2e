/// What went wrong, as clients switch on it; the raw value is the `errorId` on the wire.
///
/// This is the one table of the checkout's own errors. Errors of JSON-RPC and of the connection are
/// `RPCError`'s.
package enum ErrorID: String, CaseIterable, Sendable {
  case unknownCheckout = "unknown-checkout"
  case unknownComponent = "unknown-component"
  case unknownSubscription = "unknown-subscription"
  case unknownDecision = "unknown-decision"

  case unsupportedPaymentMethodType = "unsupported-payment-method-type"
  case unsupportedPaymentMethodForManager = "unsupported-payment-method-for-manager"

  case alreadyStarted = "already-started"
  case notStarted = "not-started"
  case alreadySubmitted = "already-submitted"
  case checkoutEnded = "checkout-ended"
  case notAwaited = "not-awaited"
  case sessionInUse = "session-in-use"
  case keyReused = "key-reused"
  case idempotencyKeyReused = "idempotency-key-reused"
  case genericError = "generic-error"

  case invalidCollectedData = "invalid-collected-data"

  case invalidClientToken = "invalid-client-token"
  case upstreamNotAllowed = "upstream-not-allowed"
  case invalidValue = "invalid-value"

  case serverError = "server-error"
  case unauthorized = "unauthorized"
  case failedToDecode = "failed-to-decode"
  case invalidResponse = "invalid-response"
  case networkFailedAfterRetries = "network-failed-after-retries"
  case banksFetchFailed = "banks-fetch-failed"
  case failedToCreateSession = "failed-to-create-session"
  case misconfiguredPaymentMethods = "misconfigured-payment-methods"

  case paymentFailed = "payment-failed"
  case paymentCancelled = "payment-cancelled"
  case merchantError = "merchant-error"
  case decisionTimeout = "decision-timeout"
  case outcomeUnknown = "outcome-unknown"
  case statusPollTimeout = "status-poll-timeout"
  case statusPollFailed = "status-poll-failed"
  case unsupportedRequiredAction = "unsupported-required-action"
  case failedToResumePayment = "failed-to-resume-payment"
  case checkoutExpired = "checkout-expired"
  case stateRestored = "state-restored"
  case collectorFailed = "collector-failed"
  case otpLost = "otp-lost"

  case banksNotLoaded = "banks-not-loaded"
  case invalidBankID = "invalid-bank-id"
  case bankDisabled = "bank-disabled"
  case invalidFirstName = "invalid-customer-firstname"
  case invalidLastName = "invalid-customer-lastname"
  case invalidEmailAddress = "invalid-customer-email"
  case invalidOTPCode = "invalid-otp-code"
  case invalidPhoneNumber = "invalid-phone-number"

  /// The JSON-RPC error code of a reply with this error; `nil` for what only events carry.
  package var code: Int? {
    switch self {
    case .unknownCheckout, .unknownComponent, .unknownSubscription, .unknownDecision: 1001
    case .unsupportedPaymentMethodType, .unsupportedPaymentMethodForManager: 1002
    case .alreadyStarted, .notStarted, .alreadySubmitted, .checkoutEnded, .notAwaited,
      .sessionInUse, .keyReused, .idempotencyKeyReused, .genericError:
      1003
    case .invalidCollectedData: 1004
    case .invalidClientToken, .upstreamNotAllowed, .invalidValue: 1005
    case .serverError, .unauthorized, .failedToDecode, .invalidResponse,
      .networkFailedAfterRetries, .banksFetchFailed, .failedToCreateSession,
      .misconfiguredPaymentMethods:
      1006
    default: nil
    }
  }

  /// What happened, for people to read; the same for every occurrence.
  package var summary: String {
    switch self {
    case .unknownCheckout: "There is no such checkout"
    case .unknownComponent: "There is no such component"
    case .unknownSubscription: "There is no such subscription"
    case .unknownDecision: "No such decision was ever asked for"
    case .unsupportedPaymentMethodType: "This checkout does not offer that payment method here"
    case .unsupportedPaymentMethodForManager: "Another manager has that payment method, or none has"
    case .alreadyStarted: "The component has been started already"
    case .notStarted: "The component has not been started, or its start has not finished"
    case .alreadySubmitted: "A payment attempt is under way in this checkout"
    case .checkoutEnded: "The checkout has ended"
    case .notAwaited: "Nothing waits for this now"
    case .sessionInUse: "Another checkout holds this client session"
    case .keyReused: "The start key belongs to a start with other parameters"
    case .idempotencyKeyReused: "The payment's idempotency key belongs to another payment"
    case .genericError: "The checkout is not ready for this"
    case .invalidCollectedData: "The collected data is incomplete or invalid"
    case .invalidClientToken: "The client token cannot be used"
    case .upstreamNotAllowed: "A URL is not on the allow list"
    case .invalidValue: "A value is missing or unusable"
    case .serverError: "Upstream refused the request or failed"
    case .unauthorized: "Upstream does not accept the client token"
    case .failedToDecode: "Upstream's answer made no sense"
    case .invalidResponse: "Upstream answered with something that is no answer"
    case .networkFailedAfterRetries: "Upstream could not be reached"
    case .banksFetchFailed: "The list of banks could not be fetched"
    case .failedToCreateSession: "The client session could not be changed"
    case .misconfiguredPaymentMethods: "The client session offers no payment method known here"
    case .paymentFailed: "The payment failed"
    case .paymentCancelled: "The payment was cancelled"
    case .merchantError: "The checkout was aborted by a decision"
    case .decisionTimeout: "No decision came in time"
    case .outcomeUnknown: "Whether the payment was made cannot be known"
    case .statusPollTimeout: "The redirect was not finished in time"
    case .statusPollFailed: "The redirect's status could not be learnt"
    case .unsupportedRequiredAction: "The payment asks for something not supported here"
    case .failedToResumePayment: "The payment could not be resumed"
    case .checkoutExpired: "The checkout expired"
    case .stateRestored: "The state was restored, and what happened after the copy is not known"
    case .collectorFailed: "The bank account could not be collected"
    case .otpLost: "The code was kept in memory alone, and the daemon has been restarted"
    case .banksNotLoaded: "The list of banks is not loaded"
    case .invalidBankID: "The bank is not in the list"
    case .bankDisabled: "The bank is not available at present"
    case .invalidFirstName: "The first name is missing or not a name"
    case .invalidLastName: "The last name is missing or not a name"
    case .invalidEmailAddress: "The e-mail address is missing or malformed"
    case .invalidOTPCode: "The code is missing or is not six digits"
    case .invalidPhoneNumber: "The phone number is missing or malformed"
    }
  }

  /// What to do about it, where there is something to do.
  package var recoverySuggestion: String? {
    switch self {
    case .invalidClientToken: "Ask your backend for a new client token and start again"
    case .upstreamNotAllowed: "Add the host with --upstream-allow if it is to be trusted"
    case .misconfiguredPaymentMethods:
      "Check the payment methods of the client session in the dashboard"
    case .banksFetchFailed: "Call component.start again"
    case .failedToCreateSession: "Try the call again"
    case .unsupportedPaymentMethodType:
      "Choose one of the checkout's availablePaymentMethods and its manager"
    case .outcomeUnknown, .statusPollTimeout, .statusPollFailed, .unsupportedRequiredAction,
      .stateRestored:
      "Look the payment up before starting another"
    case .idempotencyKeyReused:
      "Look the key's payment up, and choose a key of this order alone, or none"
    case .banksNotLoaded: "Start the component and wait for banksRetrieved"
    case .otpLost: "Ask the shopper for a new code and submit again"
    case .unsupportedPaymentMethodForManager:
      "Ask the manager that is named, or offer another method"
    case .genericError: "Wait for checkout.didLoadAvailablePaymentMethods"
    default: nil
    }
  }
}
