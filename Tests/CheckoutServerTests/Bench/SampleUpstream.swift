import Checkout
import JSON
import ValueTree

/// Answers of an upstream that takes every payment.
enum SampleUpstream {
  /// Client tokens, each of a session of its own.
  static let tokens = (1...3).map(token)

  /// The client token of that number.
  static func token(_ number: Int) -> String {
    let payload: Value = [
      "accessToken": .string("access-\(number)"), "exp": 4_102_444_800,
      "configurationUrl": "https://api.primer.io/configuration",
      "coreUrl": "https://core.primer.io", "pciUrl": "https://pci.primer.io",
    ]
    return "h.\(base64(payload.jsonBytes)).s"
  }

  private static func base64(_ bytes: [UInt8]) -> String {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
    var text = ""
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let group = bytes[start..<min(start + 3, bytes.count)]
      let bits = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
      for place in 0...group.count { text.append(alphabet[bits >> (18 - 6 * place) & 63]) }
    }
    return text
  }

  static let configuration = Configuration(
    paymentMethods: [
      PaymentMethod(
        id: "cfg-ideal", type: "ADYEN_IDEAL", name: "iDEAL", implementationType: "NATIVE_SDK")
    ],
    clientSession: ClientSession(
      id: "cs-1", orderID: "o-1", currencyCode: "EUR", totalOrderAmount: 1299,
      customer: Customer(id: "c-1", firstName: "Ada", lastName: "Byron")))

  /// What it answers.
  static func answer(_ request: Operation.Request) -> Result<Answer, OperationFailure> {
    switch request {
    case .fetchConfiguration, .performActions: .success(.configuration(configuration))
    case .fetchBanks: .success(.banks([IssuingBank(id: "0", name: "Bank_0")]))
    case .tokenize: .success(.instrument(PaymentInstrument(token: "tok-1")))
    case .createPayment:
      .success(
        .payment(
          PaymentResponse(
            id: "pay-1", orderID: "o-1", status: .pending,
            requiredAction: RequiredAction(
              name: "USE_PRIMER_SDK", clientToken: .success(redirectToken)))))
    case .poll: .success(.redirectStatus(.complete(resumeToken: "res-1")))
    case .resume:
      .success(.payment(PaymentResponse(id: "pay-1", orderID: "o-1", status: .success)))
    case .complete, .validateClientToken: .success(.acknowledged)
    }
  }

  private static let redirectToken = ClientToken(
    encoded: "h.redirect.s", accessToken: "access-9", expiresAt: 4_102_444_800_000,
    intent: "ADYEN_IDEAL_REDIRECTION", pciURL: "https://pci.primer.io",
    redirectURL: "https://bank.example.com/page", statusURL: "https://api.primer.io/status")
}

extension SampleUpstream {
  /// The token of an action that redirects, as a backend passes it on.
  static let encodedRedirectToken =
    "h.eyJhY2Nlc3NUb2tlbiI6ImFjY2Vzcy05IiwiZXhwIjo0MTAyNDQ0ODAwLCJpbnRlbnQiOiJBRFlFTl9JREVBTF9SRURJUkVDVElPTiIsInBjaVVybCI6Imh0dHBzOi8vcGNpLnByaW1lci5pbyIsInJlZGlyZWN0VXJsIjoiaHR0cHM6Ly9iYW5rLmV4YW1wbGUuY29tL3BhZ2UiLCJzdGF0dXNVcmwiOiJodHRwczovL2FwaS5wcmltZXIuaW8vc3RhdHVzIn0.s"

  /// A refusal for certain.
  static let refusal = OperationFailure(
    .status, httpStatus: 403, serverError: ServerError(id: "Refused", description: "No"))

  private static let collectorToken = ClientToken(
    encoded: "h.ach.s", accessToken: "access-8", expiresAt: 4_102_444_800_000,
    intent: "STRIPE_ACH_TOKEN", pciURL: "https://pci.primer.io", stripeClientSecret: "secret-1",
    sdkCompleteURL: "https://api.primer.io/complete")

  private static let confirmationToken = ClientToken(
    encoded: "h.blik.s", accessToken: "access-7", expiresAt: 4_102_444_800_000,
    intent: "PAYMENT_METHOD_BLIK", statusURL: "https://api.primer.io/status")

  /// What it answers about a session with a payment method of each manager.
  static func answer(
    _ request: Operation.Request, isSurcharged: Bool
  ) -> Result<Answer, OperationFailure> {
    switch request {
    case .fetchConfiguration, .performActions:
      var all = configuration
      all.paymentMethods += [
        PaymentMethod(
          id: "cfg-ach", type: "STRIPE_ACH", name: "ACH", implementationType: "NATIVE_SDK"),
        PaymentMethod(
          id: "cfg-twint", type: "ADYEN_TWINT", name: "TWINT", implementationType: "WEB_REDIRECT"),
        PaymentMethod(
          id: "cfg-blik", type: "ADYEN_BLIK", name: "BLIK", implementationType: "NATIVE_SDK"),
      ]
      all.clientSession.lineItems = [
        LineItem(id: "i-1", description: "Mug", amount: 1299, quantity: 1)
      ]
      all.clientSession.customer.emailAddress = "ada@example.com"
      if isSurcharged { all.clientSession.surcharges = ["ADYEN_IDEAL": 50] }
      return .success(.configuration(all))
    case .tokenize(let instrument):
      let text = instrument.jsonText
      let token = text.contains("STRIPE") ? "tok-ach" : text.contains("BLIK") ? "tok-blik" : "tok-1"
      return .success(.instrument(PaymentInstrument(token: token)))
    case .createPayment("tok-ach", _): return .success(.payment(asking(for: collectorToken)))
    case .createPayment("tok-blik", _): return .success(.payment(asking(for: confirmationToken)))
    default: return answer(request)
    }
  }

  private static func asking(for token: ClientToken) -> PaymentResponse {
    PaymentResponse(
      id: "pay-1", orderID: "o-1", status: .pending,
      requiredAction: RequiredAction(name: "USE_PRIMER_SDK", clientToken: .success(token)))
  }
}
