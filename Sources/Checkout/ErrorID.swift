import ValueTree

/// What went wrong, as clients switch on it; the raw value is the `errorId` on the wire.
///
/// This is the one table of the checkout's own errors: each has one row. Errors of JSON-RPC and of the connection are
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

  /// What there is to say about an error, whenever it happens.
  private struct Row {
    let code: Code?
    let summary: String
    let recovery: String?
    let input: String

    init(
      _ code: Code?, _ summary: String, _ recovery: String? = nil, input: String = "USER_DETAILS"
    ) {
      self.code = code
      self.summary = summary
      self.recovery = recovery
      self.input = input
    }
  }

  private var row: Row {
    switch self {
    case .unknownCheckout: Row(.unknown, "There is no such checkout")
    case .unknownComponent: Row(.unknown, "There is no such component")
    case .unknownSubscription: Row(.unknown, "There is no such subscription")
    case .unknownDecision: Row(.unknown, "No such decision was ever asked for")
    case .unsupportedPaymentMethodType:
      Row(
        .unsupportedMethod, "This checkout does not offer that payment method here",
        "Choose one of the checkout's availablePaymentMethods and its manager")
    case .unsupportedPaymentMethodForManager:
      Row(
        .unsupportedMethod, "Another manager has that payment method, or none has",
        "Ask the manager that is named, or offer another method")
    case .alreadyStarted: Row(.notInThisState, "The component has been started already")
    case .notStarted:
      Row(
        .notInThisState, "The component has not been started, or its start has not finished")
    case .alreadySubmitted: Row(.notInThisState, "A payment attempt is under way in this checkout")
    case .checkoutEnded: Row(.notInThisState, "The checkout has ended")
    case .notAwaited: Row(.notInThisState, "Nothing waits for this now")
    case .sessionInUse: Row(.notInThisState, "Another checkout holds this client session")
    case .keyReused: Row(.notInThisState, "The start key belongs to a start with other parameters")
    case .idempotencyKeyReused:
      Row(
        .notInThisState, "The payment's idempotency key belongs to another payment",
        "Look the key's payment up, and choose a key of this order alone, or none")
    case .genericError:
      Row(
        .notInThisState, "The checkout is not ready for this",
        "Wait for checkout.didLoadAvailablePaymentMethods")
    case .invalidCollectedData: Row(.invalidData, "The collected data is incomplete or invalid")
    case .invalidClientToken:
      Row(
        .unusable, "The client token cannot be used",
        "Ask your backend for a new client token and start again")
    case .upstreamNotAllowed:
      Row(
        .unusable, "A URL is not on the allow list",
        "Add the host with --upstream-allow if it is to be trusted")
    case .invalidValue: Row(.unusable, "A value is missing or unusable")
    case .serverError: Row(.upstream, "Upstream refused the request or failed")
    case .unauthorized: Row(.upstream, "Upstream does not accept the client token")
    case .failedToDecode: Row(.upstream, "Upstream's answer made no sense")
    case .invalidResponse: Row(.upstream, "Upstream answered with something that is no answer")
    case .networkFailedAfterRetries: Row(.upstream, "Upstream could not be reached")
    case .banksFetchFailed:
      Row(
        .upstream, "The list of banks could not be fetched",
        "Call component.start again")
    case .failedToCreateSession:
      Row(
        .upstream, "The client session could not be changed",
        "Try the call again")
    case .misconfiguredPaymentMethods:
      Row(
        .upstream, "The client session offers no payment method known here",
        "Check the payment methods of the client session in the dashboard")
    case .paymentFailed: Row(nil, "The payment failed")
    case .paymentCancelled: Row(nil, "The payment was cancelled")
    case .merchantError: Row(nil, "The checkout was aborted by a decision")
    case .decisionTimeout: Row(nil, "No decision came in time")
    case .outcomeUnknown:
      Row(
        nil, "Whether the payment was made cannot be known",
        "Look the payment up before starting another")
    case .statusPollTimeout:
      Row(
        nil, "The redirect was not finished in time",
        "Look the payment up before starting another")
    case .statusPollFailed:
      Row(
        nil, "The redirect's status could not be learnt",
        "Look the payment up before starting another")
    case .unsupportedRequiredAction:
      Row(
        nil, "The payment asks for something not supported here",
        "Look the payment up before starting another")
    case .failedToResumePayment: Row(nil, "The payment could not be resumed")
    case .checkoutExpired: Row(nil, "The checkout expired")
    case .stateRestored:
      Row(
        nil, "The state was restored, and what happened after the copy is not known",
        "Look the payment up before starting another")
    case .collectorFailed: Row(nil, "The bank account could not be collected")
    case .otpLost:
      Row(
        nil, "The code was kept in memory alone, and the daemon has been restarted",
        "Ask the shopper for a new code and submit again")
    case .banksNotLoaded:
      Row(
        nil, "The list of banks is not loaded",
        "Start the component and wait for banksRetrieved",
        input: "BANKS")
    case .invalidBankID: Row(nil, "The bank is not in the list", input: "BANK")
    case .bankDisabled: Row(nil, "The bank is not available at present", input: "BANK")
    case .invalidFirstName: Row(nil, "The first name is missing or not a name")
    case .invalidLastName: Row(nil, "The last name is missing or not a name")
    case .invalidEmailAddress: Row(nil, "The e-mail address is missing or malformed")
    case .invalidOTPCode: Row(nil, "The code is missing or is not six digits", input: "OTP")
    case .invalidPhoneNumber:
      Row(
        nil, "The phone number is missing or malformed",
        input: "PHONE_NUMBER")
    }
  }
}

extension ErrorID {
  /// The JSON-RPC error codes of replies; the raw value is the number on the wire.
  package enum Code: Int, CaseIterable, Sendable {
    case unknown = 1001
    case unsupportedMethod = 1002
    case notInThisState = 1003
    case invalidData = 1004
    case unusable = 1005
    case upstream = 1006

    /// The message of every reply with this code.
    package var message: String {
      switch self {
      case .unknown: "Unknown"
      case .unsupportedMethod: "Unsupported payment method type"
      case .notInThisState: "Not possible in this state"
      case .invalidData: "Invalid collected data"
      case .unusable: "Unusable client token or settings"
      case .upstream: "Upstream failed"
      }
    }
  }

  /// The code of a reply with this error; `nil` for what only events carry.
  package var code: Code? { row.code }

  /// What happened, for people to read; the same for every occurrence.
  package var summary: String { row.summary }

  /// What to do about it, where there is something to do.
  package var recoverySuggestion: String? { row.recovery }

  /// The kind of input that it is about, in the words of the seed's `inputElementType`, where a field
  /// has it.
  package var inputElementType: String { row.input }

  /// How every error begins on the wire: `errorId` and `description`.
  ///
  /// - Parameters:
  ///   - foreignID: A collector's own id, which stands in this one's place.
  ///   - detail: What went wrong here, if there is more to say than ``summary``.
  /// - Returns: The members.
  func members(foreignID: String? = nil, detail: String? = nil) -> [Value.Member] {
    [
      Value.Member("errorId", .string(foreignID ?? rawValue)),
      Value.Member("description", .string(detail ?? summary)),
    ]
  }
}
