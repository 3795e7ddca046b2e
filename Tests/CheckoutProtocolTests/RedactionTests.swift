import CheckoutProtocol
import Testing
import ValueTree

@Suite struct RedactionTests {
  /// What must not be shown to someone who may only observe.
  static let hidden = [
    "clientSecret", "resumeToken", "paymentMethodTokenData", "url", "data", "details", "fullName",
    "emailAddress", "firstName", "lastName", "customer", "returnUrl", "publishableKey",
  ]

  @Test(arguments: hidden)
  func `a hidden member goes wherever it stands, whatever it holds`(name: String) {
    let secret = Value.Member(name, ["bankId": "9001"])
    let value: Value = .object([
      secret, .init("kept", 1),
      .init("deeper", .object([.init("kept", true), secret])),
      .init("list", [.object([secret]), .object([secret, .init("kept", "x")])]),
    ])
    #expect(
      Redaction.redact(value)
        == .object([
          .init("kept", 1), .init("deeper", ["kept": true]),
          .init("list", [.object([]), ["kept": "x"]]), .init("redacted", true),
        ]))
  }

  @Test func `nothing else goes, and the order stays`() {
    let value: Value = [
      "checkoutId": "co_0123456789abcdef", "seq": 7, "time": "2026-08-31T12:00:00.000Z",
      "URL": "x", "urls": ["https://example.com"], "Data": .null, "customerId": 1,
      "first": .number(1.5),
      "payment": ["id": "pay_1", "orderId": "order-1", "status": "PENDING"],
      "awaiting": [["kind": "redirect", "since": "2026-08-31T12:00:00.000Z"]],
      "banks": [["id": "9001", "name": "Ambachtsbank", "iconUrlStr": "https://example.com/i"]],
    ]
    guard case .object(let members) = value else { return }
    #expect(Redaction.redact(value) == .object(members + [.init("redacted", true)]))
  }

  @Test func `a text that names a hidden member is only a text`() {
    #expect(
      Redaction.redact(["missing": ["firstName", "url"]])
        == ["missing": ["firstName", "url"], "redacted": true])
  }
}
