import Checkout
import Testing
import ValueTree

@testable import PrimerAPI

@Suite struct HTTPRequestTests {
  struct Case: CustomTestStringConvertible, Sendable {
    let request: Operation.Request
    let base: String
    let url: String
    let body: String?
    let extraHeaders: [String]
    var isFresh = false
    var testDescription: String { url }
  }

  private static let json = "Content-Type: application/json"
  private static let version = "X-Api-Version: 2.4"

  static let cases: [Case] = [
    Case(
      request: .fetchConfiguration, base: "https://api.primer.io/config",
      url: "https://api.primer.io/config?withDisplayMetadata=true", body: nil,
      extraHeaders: [version]),
    Case(
      request: .fetchConfiguration, base: "https://api.primer.io/config?a=b",
      url: "https://api.primer.io/config?a=b&withDisplayMetadata=true", body: nil,
      extraHeaders: [version]),
    Case(
      request: .performActions([.selectPaymentMethod(type: "STRIPE_ACH")]),
      base: "https://pci.primer.io", url: "https://pci.primer.io/client-session/actions",
      body: #"{"actions":[{"type":"SELECT_PAYMENT_METHOD","#
        + #""params":{"paymentMethodType":"STRIPE_ACH"}}]}"#,
      extraHeaders: [json, version]),
    Case(
      request: .performActions([
        .setFirstName("Ada"), .setLastName("O’Brien"), .setEmailAddress("ada@ex.test"),
        .unselectPaymentMethod,
      ]),
      base: "https://pci.primer.io/base/",
      url: "https://pci.primer.io/base/client-session/actions",
      body: #"{"actions":[{"type":"SET_CUSTOMER_FIRST_NAME","params":{"firstName":"Ada"}},"#
        + #"{"type":"SET_CUSTOMER_LAST_NAME","params":{"lastName":"O’Brien"}},"#
        + #"{"type":"SET_EMAIL_ADDRESS","params":{"emailAddress":"ada@ex.test"}},"#
        + #"{"type":"UNSELECT_PAYMENT_METHOD"}]}"#,
      extraHeaders: [json, version]),
    Case(
      request: .fetchBanks(configurationID: "cfg-ideal"), base: "https://core.primer.io",
      url: "https://core.primer.io/adyen/checkout",
      body: #"{"paymentMethodConfigId":"cfg-ideal","command":"FETCH_BANK_ISSUERS","#
        + #""parameters":{"paymentMethod":"ideal"}}"#,
      extraHeaders: [json]),
    Case(
      request: .tokenize(instrument: [
        "type": "OFF_SESSION_PAYMENT", "sessionInfo": ["issuer": "1121", "platform": "X"],
      ]),
      base: "https://pci.primer.io", url: "https://pci.primer.io/payment-instruments",
      body: #"{"paymentInstrument":{"type":"OFF_SESSION_PAYMENT","#
        + #""sessionInfo":{"issuer":"1121","platform":"WEB"}}}"#,
      extraHeaders: [json, version]),
    Case(
      request: .tokenize(instrument: ["sessionInfo": ["locale": "en-US"]]),
      base: "https://pci.primer.io", url: "https://pci.primer.io/payment-instruments",
      body: #"{"paymentInstrument":{"sessionInfo":{"locale":"en-US","platform":"WEB"}}}"#,
      extraHeaders: [json, version]),
    Case(
      request: .createPayment(paymentMethodToken: "tok_1", idempotencyKey: "key-1"),
      base: "https://pci.primer.io/base?q=1", url: "https://pci.primer.io/base/payments?q=1",
      body: #"{"paymentMethodToken":"tok_1"}"#,
      extraHeaders: [json, version, "X-Idempotency-Key: key-1"], isFresh: true),
    Case(
      request: .poll, base: "https://api.primer.io/status/1?x=%2F",
      url: "https://api.primer.io/status/1?x=%2F", body: nil, extraHeaders: []),
    Case(
      request: .resume(paymentID: "pay/1 ?#%", resumeToken: "res_1"),
      base: "https://pci.primer.io",
      url: "https://pci.primer.io/payments/pay%2f1%20%3f%23%25/resume",
      body: #"{"resumeToken":"res_1"}"#, extraHeaders: [json, version], isFresh: true),
    Case(
      request: .resume(paymentID: "..", resumeToken: "r"), base: "https://pci.primer.io/a",
      url: "https://pci.primer.io/a/payments/%2e%2e/resume", body: #"{"resumeToken":"r"}"#,
      extraHeaders: [json, version], isFresh: true),
    Case(
      request: .complete(mandateAcceptedAt: 1_767_259_800_123),
      base: "https://api.primer.io/complete/1", url: "https://api.primer.io/complete/1",
      body: #"{"mandateSignatureTimestamp":"2026-01-01T09:30:00.123+0000"}"#,
      extraHeaders: [json], isFresh: true),
    Case(
      request: .validateClientToken(encoded: "h.p.s"), base: "https://pci.primer.io",
      url: "https://pci.primer.io/client-token/validate", body: #"{"clientToken":"h.p.s"}"#,
      extraHeaders: [json, version]),
  ]

  @Test(arguments: cases)
  func `each call has its URL, headers and body`(expected: Case) throws {
    let client = SDKClient(version: "1.2.3")
    let request = try #require(
      HTTPRequest(operation(expected.request, expected.base), client: client))
    var url = try CurlURL(parsing: expected.base)
    let isTaken = request.complete(&url)
    let text = url.text
    #expect(isTaken && text == expected.url)
    #expect(request.body.map { String(decoding: $0, as: UTF8.self) } == expected.body)
    #expect(request.needsFreshConnection == expected.isFresh)
    let common = [
      "Primer-SDK-Version: 1.2.3", "Primer-SDK-Client: CHECKOUTD", "X-Request-ID: request-1",
      "Primer-SDK-Checkout-Session-ID: session-1", "Primer-Client-Token: at-1",
    ]
    #expect(request.headers.map(\.line) == common + expected.extraHeaders)
  }

  @Test func `an account may need another client and platform`() throws {
    let client = SDKClient(version: "2.51.1", name: "IOS_NATIVE", platform: "IOS")
    let request = try #require(
      HTTPRequest(
        operation(.tokenize(instrument: ["sessionInfo": [:]]), "https://pci.primer.io"),
        client: client))
    #expect(request.headers.map(\.line).contains("Primer-SDK-Client: IOS_NATIVE"))
    #expect(
      request.body.map { String(decoding: $0, as: UTF8.self) }
        == #"{"paymentInstrument":{"sessionInfo":{"platform":"IOS"}}}"#)
  }

  @Test(arguments: ["", "a\r\nX-Evil: 1", "a\nb", "a b", "é", "a\u{0}", "a\u{7F}"])
  func `a value that could add a header makes no request`(key: String) {
    let create = Operation.Request.createPayment(paymentMethodToken: "t", idempotencyKey: key)
    let client = SDKClient(version: "1")
    #expect(HTTPRequest(operation(create, "https://pci.primer.io"), client: client) == nil)
    #expect(!isHeaderSafe(key))
  }
}
