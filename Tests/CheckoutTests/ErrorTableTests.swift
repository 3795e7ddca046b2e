import Checkout
import Testing
import ValueTree

@Suite struct ErrorTableTests {
  @Test func `every error says something of its own`() {
    #expect(Set(ErrorID.allCases.map(\.summary)).count == ErrorID.allCases.count)
    #expect(Set(ErrorID.allCases.map(\.rawValue)).count == ErrorID.allCases.count)
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
