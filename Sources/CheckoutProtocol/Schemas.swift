import Checkout
import JSONRPC

/// The shapes that several methods and events share.
enum Schemas {
  static let checkoutID = Schema.named("CheckoutId", Shapes.checkoutID.schema)
  static let componentID = Schema.named(
    "ComponentId", .string(byteCount: 1...64, pattern: "^cm_[0-9a-f]{16}_[0-9]+$"))
  static let timestamp = Schema.named(
    "Timestamp",
    .string(byteCount: 24...24, pattern: "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]{12}Z$"))
  static let userID = Shapes.userID.schema

  static func words<T: CaseIterable & RawRepresentable>(_ type: T.Type) -> Schema
  where T.RawValue == String {
    .enumeration(type.allCases.map(\.rawValue))
  }

  /// An object of which only the interesting members are described.
  static func open(_ members: [Schema.Member]) -> Schema {
    .object(members, allowsAdditional: true)
  }

  static let error = Schema.named(
    "Error",
    open([
      .init("errorId", .string, "What went wrong; clients switch on it."),
      .optional("description", .string, "For people to read."),
      .optional("recoverySuggestion", .string, "What to do about it."),
      .optional("diagnosticsId", .string, "To be found in the journal."),
      .optional("path", .string, "JSON pointer to the parameter."),
      .optional("manager", words(Manager.self), "Who has the payment method; or"),
      .optional("reason", words(Unavailability.self), "why nobody has."),
      .optional("expiresAt", timestamp, "When the client token expired, and"),
      .optional("time", timestamp, "what the daemon's clock says: a wrong one is the usual cause."),
      .optional("host", .string, "What is not on the allow list."),
      .optional("httpStatus", .integer, "What upstream answered with."),
      .optional("serverErrorId", .string, "Upstream's own errorId."),
      .optional("serverDescription", .string, "Upstream's own text."),
      .optional("serverDiagnosticsId", .string, "To quote to upstream."),
      .optional("serverValidationErrors", .array(.string), "Upstream's own findings."),
      .optional(
        "validationErrors",
        .array(
          open([
            .init("field", .string), .init("errorId", .string), .init("description", .string),
          ])), "What is wrong with the collected data."),
    ]))

  static let payment = Schema.named(
    "Payment",
    open([
      .optional("id", .oneOf([.string, .null])), .optional("orderId", .oneOf([.string, .null])),
      .optional("status", .oneOf([.string, .null])),
      .optional(
        "existing", .boolean,
        "It was made before this checkout's creation: the order is paid, this checkout took nothing."
      ),
    ]))

  static let state = Schema.named("State", words(CheckoutState.self))

  /// Something for a coloured, a light and a dark background.
  private static func variants(_ description: String) -> Schema {
    open([
      .optional("colored", .string, description), .optional("light", .string),
      .optional("dark", .string),
    ])
  }

  private static let display = open([
    .init("name", .string), .optional("text", .string),
    .optional("icons", variants("A https or data URL.")),
    .optional("backgroundColor", variants("#RRGGBB or #RRGGBBAA.")),
    .optional("textColor", variants("Likewise.")),
    .optional("borderColor", variants("Likewise.")),
    .optional("borderWidth", .number), .optional("cornerRadius", .number),
  ])

  static let availablePaymentMethods = Schema.array(
    .named(
      "PaymentMethod",
      open([
        .init("type", .string, "As in ADYEN_IDEAL."), .optional("name", .string),
        .init("manager", words(Manager.self)), .optional("implementationType", .string),
        .optional("display", display, "How its button looks."),
        .optional("surcharge", .integer, "What it costs extra, in minor units."),
      ])))

  static let unavailablePaymentMethods = Schema.array(
    .named(
      "UnavailablePaymentMethod",
      open([
        .init("type", .string), .optional("name", .string),
        .init("reason", words(Unavailability.self)),
      ])))

  static let bank = Schema.named(
    "IssuingBank",
    open([
      .init("id", .string), .init("name", .string), .optional("iconUrlStr", .string),
      .init("isDisabled", .boolean),
    ]))

  static let clientSession = Schema.named(
    "ClientSession",
    open([
      .optional("orderId", .any), .optional("currencyCode", .any),
      .optional("totalAmount", .any, "Minor units, as are all amounts."),
      .optional("countryCode", .string),
      .optional("fees", .array(open([])), "Each with type and amount."),
      .optional("shipping", open([]), "amount, methodId, methodName."),
      .optional("taxes", .integer), .optional("lineItems", .array(open([]))),
      .optional("customer", open([])),
    ]))

  static let userDetails = Schema.named(
    "UserDetails",
    open([
      .optional("firstName", .oneOf([.string, .null])),
      .optional("lastName", .oneOf([.string, .null])),
      .optional("emailAddress", .oneOf([.string, .null])), .optional("phoneNumber", .string),
    ]))

  static let step = Schema.named(
    "Step",
    open([
      .init(
        "name", .string,
        "notInitialized, loading, ready, banksRetrieved, retrievedUserDetails, "
          + "didCollectUserDetails, webRedirect, awaitingCode or awaitingConfirmation."),
      .optional("banks", .array(bank), "Of banksRetrieved."),
      .optional("details", userDetails, "Of retrievedUserDetails."),
      .optional(
        "state", .enumeration(["loading", "loaded", "dismissed", "success", "failure"]),
        "Of webRedirect."),
      .optional("url", .string, "Of webRedirect, when loaded: the page to show to the shopper."),
    ]))

  static let validationError = Schema.named(
    "ValidationError",
    open([
      .init("errorId", .string), .init("description", .string),
      .optional("diagnosticsId", .string), .optional("inputElementType", .string),
    ]))

  static let additionalInfo = Schema.named(
    "AdditionalInfo",
    open([
      .init("kind", .enumeration(["bankAccountCollector", "mandate", "qrCode", "voucher"])),
      .optional("image", .string, "Of a code: base64 of a PNG, JPEG, GIF or WebP file; or"),
      .optional("imageUrl", .string, "where one is, which the daemon never fetches."),
      .optional("reference", .string, "Of a voucher: what the shopper pays with."),
      .optional("entity", .string, "Of a voucher: who is paid."),
      .optional("expiresAt", .string, "Of a code a time; of a voucher as upstream wrote it."),
      .optional("amount", .oneOf([.integer, .null]), "Of a voucher, in minor units."),
      .optional("currencyCode", .oneOf([.string, .null]), "Of a voucher."),
      .optional("publishableKey", .string, "For the collector: Stripe's key."),
      .optional("clientSecret", .string, "For the collector: the intent's secret."),
      .optional("returnUrl", .string, "For the collector: where it returns to."),
      .optional("fullName", .string, "For the collector: the account's owner."),
      .optional("emailAddress", .string, "For the collector: the owner's."),
      .optional("text", .string, "The mandate to be shown, if settings have one; or"),
      .optional("merchantName", .string, "whom the mandate is for."),
    ]))

  static let component = Schema.named(
    "Component",
    open([
      .init("componentId", componentID), .init("component", .string),
      .init("paymentMethodType", .string),
      .init(
        "fields",
        .array(
          .named(
            "Field",
            open([
              .init("name", .string), .init("kind", words(FieldRow.Kind.self)),
              .init("label", .string), .init("isSecret", .boolean), .init("required", .boolean),
            ]))), "What it collects: a form needs no more."),
      .init("step", step),
      .optional("banks", .array(bank)), .optional("details", userDetails),
      .optional("validation", open([]), "By field: status, errors."),
      .optional("data", open([]), "What was accepted."), .init("submittable", .boolean),
      .init("missing", .array(.string)),
    ]))

  static let snapshot = Schema.named(
    "Snapshot",
    open([
      .init("checkoutId", checkoutID),
      .optional("startKey", .string, "For the owner and administrators."), .init("state", state),
      .init("seq", .integer, "The number of the latest event."),
      .init("owner", open([.init("uid", userID)])), .init("createdAt", timestamp),
      .optional("expiresAt", timestamp),
      .init("paymentHandling", words(Settings.PaymentHandling.self)),
      .optional(
        "paymentProtection", words(PaymentProtection.self),
        "session: another token of the client session is recognised; token: this one alone."),
      .optional("availablePaymentMethods", availablePaymentMethods),
      .optional("unavailablePaymentMethods", unavailablePaymentMethods),
      .optional("clientSession", clientSession),
      .init("components", .array(component), "As component.get tells of each."),
      .init(
        "awaiting",
        .array(
          open([
            .init(
              "kind",
              .enumeration([
                "decision", "redirect", "bankAccount", "mandate", "code", "confirmation",
              ])),
            .init("since", timestamp), .optional("deadline", timestamp),
            .optional("decisionId", .string),
            .optional("url", .string, "Of a redirect: the page to show to the shopper."),
            .optional("info", additionalInfo, "Of a bank account, a mandate or a code."),
          ])), "What a client must do for the checkout to go on."),
      .optional("payment", payment), .optional("secondPayment", payment),
      .optional("outcome", words(Outcome.self)),
      .optional("error", error), .optional("additionalInfo", additionalInfo, "A voucher's."),
      .optional("redacted", .boolean),
      .optional(
        "repeats", open([.init("outcome", words(Outcome.self)), .optional("payment", payment)]),
        "Of a start with allowRepeat: what it overrides."),
    ]))
}
