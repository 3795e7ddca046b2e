package import Checkout
internal import ValueTree

/// Invented tokens, configurations and answers.
package enum Sample {
  /// Half past nine on the first morning of 2026, UTC.
  package static let now: WallTime = 1_767_259_800_000

  private static let hour: Milliseconds = 3_600_000

  /// The token that a checkout is started with.
  package static let token = ClientToken(
    encoded: "h.first.s", accessToken: "access-1", expiresAt: now + 2 * hour,
    configurationURL: "https://api.primer.io/configuration",
    coreURL: "https://core.primer.io", pciURL: "https://pci.primer.io")

  /// The token of a required action that redirects.
  package static let redirectToken = ClientToken(
    encoded: "h.redirect.s", accessToken: "access-2", expiresAt: now + hour,
    intent: "ADYEN_IDEAL_REDIRECTION", pciURL: "https://pci.primer.io",
    redirectURL: "https://bank.example.com/page", statusURL: "https://api.primer.io/status")

  /// The token of a required action that asks for a bank account.
  package static let achToken = ClientToken(
    encoded: "h.ach.s", accessToken: "access-3", expiresAt: now + hour, intent: "STRIPE_ACH_TOKEN",
    pciURL: "https://pci.primer.io", stripeClientSecret: "secret-1",
    sdkCompleteURL: "https://api.primer.io/complete")

  /// A configuration for both payment methods, each with a surcharge or without.
  package static func configuration(isSurcharged: Bool) -> Configuration {
    Configuration(
      paymentMethods: [
        PaymentMethod(
          id: "cfg-ideal", type: "ADYEN_IDEAL", name: "iDEAL", implementationType: "NATIVE_SDK"),
        PaymentMethod(
          id: "cfg-ach", type: "STRIPE_ACH", name: "ACH", implementationType: "NATIVE_SDK"),
      ],
      clientSession: ClientSession(
        id: "cs-1", orderID: "o-1", currencyCode: "EUR", totalOrderAmount: 1299,
        lineItems: [LineItem(id: "i-1", description: "Mug", amount: 1299, quantity: 1)],
        customer: Customer(
          id: "c-1", firstName: "Ada", lastName: "Byron", emailAddress: "ada@example.com"),
        surcharges: isSurcharged ? ["ADYEN_IDEAL": 50, "STRIPE_ACH": 50] : [:]))
  }

  /// Banks, one of them closed.
  package static let banks = [
    IssuingBank(id: "0", name: "Bank_0", iconURL: "https://icons.example.com/0.png"),
    IssuingBank(id: "1", name: "Bank_1"),
    IssuingBank(id: "3", name: "Closed bank", isDisabled: true),
  ]

  /// Settings: automatic handling, manual handling, and with a decision before the payment.
  package static func settings(_ choice: Int) -> Settings {
    Settings(
      paymentHandling: choice == 1 ? .manual : .auto, urlScheme: "kiosk://checkout",
      stripePublishableKey: "key-1", merchantName: "Example Shop",
      decidesOnPaymentCreation: choice == 2)
  }

  /// An answer to a request, mostly a good one.
  package static func answer(
    to request: Operation.Request, _ input: inout FuzzInput
  ) -> Result<Answer, OperationFailure> {
    if input.chance(oneIn: 5) { return .failure(failure(&input)) }
    switch request {
    case .fetchConfiguration, .performActions:
      return .success(.configuration(configuration(isSurcharged: input.chance(oneIn: 3))))
    case .fetchBanks: return .success(.banks(input.chance(oneIn: 8) ? [] : banks))
    case .tokenize:
      let token: String? = input.chance(oneIn: 12) ? nil : "tok-1"
      return .success(.instrument(PaymentInstrument(token: token, data: ["token": "tok-1"])))
    case .createPayment, .resume:
      let action: ClientToken? = input.one(of: [redirectToken, achToken, nil])
      let response = PaymentResponse(
        id: input.chance(oneIn: 12) ? nil : "pay-1", orderID: "o-1",
        status: input.one(of: [
          .pending, .pending, .success, .failed, .init(rawValue: "SETTLING"),
          .init(rawValue: "REVERSED"), nil,
        ]),
        checkoutOutcome: input.one(of: [
          .determineFromPaymentStatus, .determineFromPaymentStatus, .complete, .failure,
        ]),
        showsSuccessOnPending: input.chance(oneIn: 3),
        requiredAction: action.map {
          RequiredAction(name: "USE_PRIMER_SDK", clientToken: .success($0))
        })
      return .success(.payment(response))
    case .poll:
      return .success(
        .redirectStatus(
          input.one(of: [.complete(resumeToken: "res-1"), .pending, .unknown("LATER")])))
    case .complete, .validateClientToken: return .success(.acknowledged)
    }
  }

  private static func failure(_ input: inout FuzzInput) -> OperationFailure {
    let kind: OperationFailure.Kind = input.one(of: [
      .notSent, .timedOut, .interrupted, .status, .undecodable, .notAllowed,
    ])
    guard kind == .status else { return OperationFailure(kind) }
    let isKeyUsed = input.chance(oneIn: 4)
    return OperationFailure(
      .status, httpStatus: input.one(of: [503, 429, 404, 409, 302, 0, -1]),
      retryAfter: input.chance(oneIn: 2) ? input.integer() : nil,
      serverError: input.chance(oneIn: 2) ? ServerError(id: "Refused") : nil,
      payment: isKeyUsed ? Payment(id: "pay-1", status: "SUCCESS") : nil,
      isKeyAlreadyUsed: isKeyUsed)
  }
}
