import Checkout
import ValueTree

/// Invented tokens, configurations and answers.
enum Sample {
  /// Half past nine on the first morning of 2026, UTC.
  static let now: WallTime = 1_767_259_800_000

  static let token = ClientToken(
    encoded: "h.first.s", accessToken: "access-1", expiresAt: now + 2 * hour,
    configurationURL: "https://api.example.com/configuration",
    coreURL: "https://core.example.com", pciURL: "https://pci.example.com")

  static let redirectToken = ClientToken(
    encoded: "h.redirect.s", accessToken: "access-2", expiresAt: now + hour,
    intent: "ADYEN_IDEAL_REDIRECTION", pciURL: "https://pci.example.com",
    redirectURL: "https://bank.example.com/page", statusURL: "https://api.example.com/status")

  static let achToken = ClientToken(
    encoded: "h.ach.s", accessToken: "access-3", expiresAt: now + hour, intent: "STRIPE_ACH_TOKEN",
    pciURL: "https://pci.example.com", stripeClientSecret: "secret-1",
    sdkCompleteURL: "https://api.example.com/complete")

  static let codeToken = ClientToken(
    encoded: "", accessToken: "access-4", expiresAt: now + hour, pciURL: "https://pci.example.com",
    statusURL: "https://api.example.com/status", code: .image("aW1hZ2U="))

  static let confirmationToken = ClientToken(
    encoded: "", accessToken: "access-5", expiresAt: now + hour, pciURL: "https://pci.example.com",
    statusURL: "https://api.example.com/status")

  /// In place of a digest: the name itself, on one line.
  static let digest: @Sendable (String) -> String = {
    $0.split(separator: "\n").joined(separator: "|")
  }

  static let second: Milliseconds = 1000
  static let minute: Milliseconds = 60 * second
  static let hour: Milliseconds = 60 * minute

  static let customer = Customer(
    id: "c-1", firstName: "Ada", lastName: "Byron", emailAddress: "ada@example.com")

  static let session = ClientSession(
    id: "cs-1", orderID: "o-1", currencyCode: "EUR", totalOrderAmount: 1299,
    lineItems: [LineItem(id: "i-1", description: "Mug", amount: 1299, quantity: 1)],
    customer: customer)

  static let configuration = Configuration(
    paymentMethods: [
      PaymentMethod(
        id: "cfg-ideal", type: "ADYEN_IDEAL", name: "iDEAL", implementationType: "NATIVE_SDK"),
      PaymentMethod(
        id: "cfg-ach", type: "STRIPE_ACH", name: "ACH", implementationType: "NATIVE_SDK"),
    ],
    clientSession: session)

  /// Methods beside those of the seed pages.
  static let families = Configuration(
    paymentMethods: [
      PaymentMethod(id: "cfg-code", type: "OMISE_PROMPTPAY", implementationType: "NATIVE_SDK"),
      PaymentMethod(id: "cfg-phone", type: "ADYEN_MBWAY", implementationType: "NATIVE_SDK"),
    ],
    clientSession: session)

  /// The configuration with a surcharge on iDEAL.
  static var surcharged: Configuration {
    var configuration = configuration
    configuration.clientSession.surcharges = ["ADYEN_IDEAL": 50]
    return configuration
  }

  /// The configuration with another customer.
  static func configuration(of customer: Customer) -> Configuration {
    var configuration = configuration
    configuration.clientSession.customer = customer
    return configuration
  }

  static let banks = [
    IssuingBank(id: "0", name: "Bank_0", iconURL: "https://icons.example.com/0.png"),
    IssuingBank(id: "1", name: "Bank_1"),
    IssuingBank(id: "2", name: "Bank filtered"),
    IssuingBank(id: "3", name: "Closed bank", isDisabled: true),
  ]

  static let settings = Settings(
    urlScheme: "kiosk://checkout", stripePublishableKey: "key-1", merchantName: "Example Shop")

  static let manualSettings = Settings(
    paymentHandling: .manual, urlScheme: "kiosk://checkout", stripePublishableKey: "key-1")

  static let decidingSettings = Settings(
    urlScheme: "kiosk://checkout", stripePublishableKey: "key-1", decidesOnPaymentCreation: true)

  static let instrument = PaymentInstrument(token: "tok-1", data: ["token": "tok-1"])

  static func payment(
    _ status: PaymentResponse.Status?, id: String? = "pay-1",
    _ outcome: PaymentResponse.CheckoutOutcome = .determineFromPaymentStatus,
    shows: Bool = false, action: ClientToken? = nil
  ) -> Answer {
    .payment(
      PaymentResponse(
        id: id, orderID: "o-1", status: status, checkoutOutcome: outcome,
        showsSuccessOnPending: shows,
        requiredAction: action.map {
          RequiredAction(name: "USE_PRIMER_SDK", clientToken: .success($0))
        }))
  }

  /// A 4xx with Primer's own error body: refused for certain.
  static func refusal(_ status: Int = 400, retryAfter: Milliseconds? = nil) -> OperationFailure {
    OperationFailure(
      .status, httpStatus: status, retryAfter: retryAfter,
      serverError: ServerError(
        id: "Refused", description: "No", diagnosticsID: "diag-1", validationErrors: ["v"]))
  }

  /// An answer with a status and nothing of Primer's in it.
  static func status(_ status: Int, retryAfter: Milliseconds? = nil) -> OperationFailure {
    OperationFailure(.status, httpStatus: status, retryAfter: retryAfter)
  }

  /// Upstream says that the idempotency key has been used.
  static func keyUsed(_ paymentStatus: String?) -> OperationFailure {
    OperationFailure(
      .status, httpStatus: 409, serverError: ServerError(id: "IdempotencyKeyAlreadyExists"),
      payment: Payment(id: "pay-1", status: paymentStatus), isKeyAlreadyUsed: true)
  }

  static func failure(_ kind: OperationFailure.Kind) -> OperationFailure { OperationFailure(kind) }
}

extension Moment {
  /// A moment whose digests can be read.
  init(now: WallTime, entropy: UInt64) {
    self.init(now: now, entropy: entropy, digest: Sample.digest)
  }
}
