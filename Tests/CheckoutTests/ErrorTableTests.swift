import Checkout
import Testing
import ValueTree

@Suite struct ErrorTableTests {
  @Test func `every error says something of its own`() {
    #expect(Set(ErrorID.allCases.map(\.summary)).count == ErrorID.allCases.count)
    #expect(Set(ErrorID.allCases.map(\.rawValue)).count == ErrorID.allCases.count)
  }

  @Test func `an error's id and code stay what they are`() {
    let frozen: [(code: Int?, ids: [String])] = [
      (
        1001, ["unknown-checkout", "unknown-component", "unknown-subscription", "unknown-decision"]
      ),
      (1002, ["unsupported-payment-method-type", "unsupported-payment-method-for-manager"]),
      (
        1003,
        [
          "already-started", "not-started", "already-submitted", "checkout-ended", "not-awaited",
          "session-in-use", "key-reused", "idempotency-key-reused", "generic-error",
        ]
      ),
      (1004, ["invalid-collected-data"]),
      (1005, ["invalid-client-token", "upstream-not-allowed", "invalid-value"]),
      (
        1006,
        [
          "server-error", "unauthorized", "failed-to-decode", "invalid-response",
          "network-failed-after-retries", "banks-fetch-failed", "failed-to-create-session",
          "misconfigured-payment-methods",
        ]
      ),
      (
        nil,
        [
          "payment-failed", "payment-cancelled", "merchant-error", "decision-timeout",
          "outcome-unknown", "status-poll-timeout", "status-poll-failed",
          "unsupported-required-action", "failed-to-resume-payment", "checkout-expired",
          "state-restored", "collector-failed", "otp-lost", "banks-not-loaded", "invalid-bank-id",
          "bank-disabled", "invalid-customer-firstname", "invalid-customer-lastname",
          "invalid-customer-email", "invalid-otp-code", "invalid-phone-number",
        ]
      ),
    ]
    #expect(frozen.flatMap(\.ids) == ErrorID.allCases.map(\.rawValue))
    for (code, ids) in frozen {
      for id in ids { #expect(ErrorID(rawValue: id)?.code?.rawValue == code, "\(id)") }
    }
  }

  @Test func `only what is wrong with other input than the shopper's details says so`() {
    let others = ErrorID.allCases.filter { $0.inputElementType != "USER_DETAILS" }
    #expect(
      others.map { [$0.rawValue, $0.inputElementType] } == [
        ["banks-not-loaded", "BANKS"], ["invalid-bank-id", "BANK"], ["bank-disabled", "BANK"],
        ["invalid-otp-code", "OTP"], ["invalid-phone-number", "PHONE_NUMBER"],
      ])
  }

  @Test func `S36 and S37: an error names its parameter, upstream's words and the fields`() {
    let error = CheckoutError(
      .invalidCollectedData, detail: "text", diagnosticsID: "diag-0", path: "/data",
      upstream: Sample.refusal(429, retryAfter: 5000),
      validationErrors: [FieldError(field: "bankId", id: .invalidBankID)],
      checkout: CheckoutID(1))
    #expect(
      error.value == [
        "errorId": "invalid-collected-data", "description": "text", "diagnosticsId": "diag-0",
        "path": "/data", "checkoutId": "co_0000000000000001", "httpStatus": 429,
        "retryAfterMs": 5000, "serverErrorId": "Refused", "serverDescription": "No",
        "serverDiagnosticsId": "diag-1", "serverValidationErrors": ["v"],
        "validationErrors": [
          [
            "field": "bankId", "errorId": "invalid-bank-id",
            "description": "The bank is not in the list",
          ]
        ],
      ])
  }
}
