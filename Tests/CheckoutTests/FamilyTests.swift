import Checkout
import Testing
import ValueTree

/// Payment methods beside those of the seed pages: what each collects, shows and ends with.
@Suite struct FamilyTests {
  static let methods = [
    PaymentMethod(
      id: "cfg-ideal", type: "ADYEN_IDEAL", name: "iDEAL", implementationType: "WEB_REDIRECT"),
    PaymentMethod(id: "cfg-pp", type: "OMISE_PROMPTPAY", implementationType: "NATIVE_SDK"),
    PaymentMethod(id: "cfg-mb", type: "ADYEN_MULTIBANCO", implementationType: "NATIVE_SDK"),
    PaymentMethod(id: "cfg-blik", type: "ADYEN_BLIK", implementationType: "NATIVE_SDK"),
    PaymentMethod(id: "cfg-mbway", type: "ADYEN_MBWAY", implementationType: "NATIVE_SDK"),
    PaymentMethod(id: "cfg-ovo", type: "XENDIT_OVO"),
    PaymentMethod(
      id: "cfg-bd", type: "ADYEN_VIPPS", implementationType: "WEB_REDIRECT", isBackendDriven: true),
    PaymentMethod(id: "cfg-bd2", type: "PAY_X", implementationType: "BACKEND_DRIVEN"),
    PaymentMethod(id: "cfg-ip", type: "IPAY88_CARD", implementationType: "IPAY88_SDK"),
    PaymentMethod(id: "cfg-card", type: "PAYMENT_CARD", implementationType: "NATIVE_SDK"),
    PaymentMethod(id: "cfg-kl", type: "KLARNA", implementationType: "NATIVE_SDK"),
    PaymentMethod(id: "cfg-dot", type: "ADYEN_DOTPAY", name: "DotPay"),
    PaymentMethod(id: "cfg-new", type: "X", implementationType: "HOLOGRAM"),
  ]

  static let configuration = Configuration(paymentMethods: methods, clientSession: Sample.session)

  static let codeToken = RequiredActionTests.redirect {
    $0.redirectURL = nil
    $0.code = .image("aW1hZ2U=")
  }
  static let voucherToken = RequiredActionTests.redirect {
    ($0.redirectURL, $0.statusURL) = (nil, nil)
    $0.intent = "PAYMENT_METHOD_VOUCHER"
    $0.voucher = .init(
      reference: "501 123 456", entity: "11249", expiresAt: "2050-01-01T01:01:01")
  }
  static let confirmationToken = RequiredActionTests.redirect { $0.redirectURL = nil }

  /// A checkout with a started component for that type.
  static func started(
    _ manager: Manager, _ type: String, settings: Settings = Sample.settings,
    _ configuration: Configuration = configuration
  ) -> Bench {
    var bench = Bench(settings)
    bench.start(configuration)
    bench.call(.provide(manager: manager, paymentMethodType: type))
    bench.call(.start)
    return bench
  }

  /// The same, whose payment is being created.
  static func creating(
    _ manager: Manager, _ type: String, _ data: Value? = nil, settings: Settings = Sample.settings
  ) -> Bench {
    var bench = started(manager, type, settings: settings)
    if let data { bench.call(.update(data)) }
    bench.call(.submit)
    bench.answer("tokenize", .instrument(Sample.instrument))
    return bench
  }

  // MARK: What is offered

  @Test func `how upstream serves a method decides, and what is not served says why`() {
    var bench = Bench()
    bench.start(Self.configuration)
    let snapshot = bench.checkout.snapshot
    func list(_ name: String, _ member: String) -> [[String?]]? {
      snapshot[name]?.array?.map { [$0["type"]?.string, $0[member]?.string] }
    }
    #expect(
      list("availablePaymentMethods", "manager") == [
        ["ADYEN_IDEAL", "nativeUIManager"], ["OMISE_PROMPTPAY", "nativeUIManager"],
        ["ADYEN_MULTIBANCO", "nativeUIManager"], ["ADYEN_BLIK", "rawDataManager"],
        ["ADYEN_MBWAY", "rawDataManager"], ["XENDIT_OVO", "rawDataManager"],
      ])
    #expect(
      list("unavailablePaymentMethods", "reason") == [
        ["ADYEN_VIPPS", "backend-driven"], ["PAY_X", "backend-driven"],
        ["IPAY88_CARD", "needs-vendor-sdk"], ["PAYMENT_CARD", "card-data"],
        ["KLARNA", "needs-vendor-sdk"], ["ADYEN_DOTPAY", "no-component"],
        ["X", "unknown-implementation"],
      ])
    #expect(
      bench.events.first?.members.map(\.name) == [
        "availablePaymentMethods", "unavailablePaymentMethods",
      ])
  }

  @Test func `the banks component of an iDEAL that is a page is refused, naming the manager`() {
    var bench = Bench()
    bench.start(Self.configuration)
    for _ in 0..<2 {
      bench.call(
        .provide(manager: .componentWithRedirect, paymentMethodType: "ADYEN_IDEAL"))
      #expect(bench.lastRefusal?.id == .unsupportedPaymentMethodForManager)
      #expect(bench.lastRefusal?.value["manager"] == "nativeUIManager")
      // The manager is compared before what is provided already.
      bench.call(.provide(manager: .nativeUI, paymentMethodType: "ADYEN_IDEAL"))
      #expect(bench.lastReply?["component"] == "WebRedirectComponent")
    }
    bench.call(.provide(manager: .nativeUI, paymentMethodType: "PAYMENT_CARD"))
    #expect(bench.lastRefusal?.value["reason"] == "card-data")
  }

  @Test
  func `displays that are too much for an event are left out of it, and stay in the snapshot`() {
    var configuration = Self.configuration
    for place in configuration.paymentMethods.indices {
      configuration.paymentMethods[place].display = [
        "name": .string(String(repeating: "n", count: 50_000))
      ]
    }
    var bench = Bench()
    bench.start(configuration)
    #expect(bench.events.first?["displayTrimmed"] == true)
    #expect(bench.events.first?["availablePaymentMethods"]?.array?.first?["display"] == nil)
    #expect(
      bench.checkout.snapshot["availablePaymentMethods"]?.array?.first?["display"]?["name"] != nil)
  }

  // MARK: Pages

  @Test func `a page is paid without a bank`() throws {
    var bench = Self.started(.nativeUI, "ADYEN_IDEAL")
    #expect(bench.lines.suffix(2) == ["step ready", "= step ready"])
    #expect(
      bench.call(.submit) == [
        "step webRedirect loading", "willCreatePayment ADYEN_IDEAL",
        "didStartTokenization ADYEN_IDEAL", "> tokenize", "= {}",
      ])
    #expect(
      bench.sent.last?.request
        == .tokenize(instrument: [
          "paymentMethodConfigId": "cfg-ideal", "paymentMethodType": "ADYEN_IDEAL",
          "sessionInfo": [
            "locale": "en-US", "platform": "WEB", "redirectionUrl": "kiosk://checkout",
          ], "type": "OFF_SESSION_PAYMENT",
        ]))
    bench.answer("tokenize", .instrument(Sample.instrument))
    #expect(
      bench.answer("create", Sample.payment(.pending, action: Sample.redirectToken)) == [
        "step webRedirect loaded", "> poll",
      ])
    #expect(bench.checkout.state == .awaitingRedirect)
    try bench.restart()
    bench.answer("poll", .redirectStatus(.complete(resumeToken: "res-1")))
    #expect(
      bench.answer("resume", Sample.payment(.success)) == [
        "step webRedirect success", "didCompleteCheckout success pay-1 SUCCESS", "# ended success",
      ])
  }

  @Test func `a surcharge is selected before the payment, for any family`() {
    var configuration = Self.configuration
    configuration.clientSession.surcharges = ["ADYEN_BLIK": 50]
    var bench = Self.started(.rawData, "ADYEN_BLIK", configuration)
    bench.call(.update(["otp": "123456"]))
    #expect(
      bench.call(.submit) == ["willUpdateClientSession", "> actions SELECT:ADYEN_BLIK", "= {}"])
    #expect(
      bench.checkout.snapshot["availablePaymentMethods"]?.array?[3]["surcharge"] == 50)
  }

  // MARK: Codes

  @Test func `a code is told, shown again after a restart, and polled`() throws {
    var bench = Self.creating(.nativeUI, "OMISE_PROMPTPAY")
    #expect(
      bench.answer("create", Sample.payment(.pending, action: Self.codeToken)) == [
        "didReceiveAdditionalInfo qrCode", "step awaitingCode", "> poll",
      ])
    let info: Value = [
      "kind": "qrCode", "image": "aW1hZ2U=",
      "expiresAt": .string(Timestamp(Self.codeToken.expiresAt).text),
    ]
    #expect(bench.events.suffix(2).first?["info"] == info)
    #expect(bench.checkout.state == .awaitingCode)
    try bench.restart()
    #expect(bench.checkout.awaiting.first?["kind"] == "code")
    #expect(bench.checkout.awaiting.first?["info"] == info)
    let short = bench.checkout.shortSnapshot["awaiting"]?.array?.first
    #expect(short?["kind"] == "code" && short?["info"]?["image"] == nil)
    bench.answer("poll", .redirectStatus(.complete(resumeToken: "res-1")))
    #expect(
      bench.answer("resume", Sample.payment(.success)) == [
        "didCompleteCheckout success pay-1 SUCCESS", "# ended success",
      ])
  }

  @Test func `what cannot be shown is polled once, and the outcome is unknown`() {
    var unusable = Self.codeToken
    unusable.code = .unusable
    var voucher = Self.voucherToken
    voucher.voucher?.reference = nil
    voucher.statusURL = "https://api.example.com/status"
    for token in [unusable, voucher] {
      var bench = Self.creating(.nativeUI, "OMISE_PROMPTPAY")
      #expect(bench.answer("create", Sample.payment(.pending, action: token)) == ["> poll"])
      #expect(bench.checkout.state == .processing)
      #expect(
        bench.answer("poll", .redirectStatus(.pending)) == [
          "didFail unknown invalid-value pay-1 PENDING", "# ended unknown",
        ])
    }
    voucher.statusURL = nil
    var bench = Self.creating(.nativeUI, "ADYEN_MULTIBANCO")
    #expect(
      bench.answer("create", Sample.payment(.pending, action: voucher)) == [
        "didFail unknown invalid-value pay-1 PENDING", "# ended unknown",
      ])
  }

  // MARK: Vouchers

  @Test(arguments: [Sample.settings, Sample.manualSettings])
  func `a voucher is told, ends the checkout as pending, and stays in its record`(
    settings: Settings
  ) throws {
    var bench = Self.creating(.nativeUI, "ADYEN_MULTIBANCO", settings: settings)
    if settings.paymentHandling == .manual {
      bench.call(.decide(id: "d1", .continueWithNewClientToken(Self.voucherToken)))
      #expect(bench.answer("validate", .acknowledged).last == "= {}")
    } else {
      bench.answer("create", Sample.payment(.pending, action: Self.voucherToken))
    }
    let info: Value = [
      "kind": "voucher", "reference": "501 123 456", "entity": "11249",
      "expiresAt": "2050-01-01T01:01:01", "amount": 1299, "currencyCode": "EUR",
    ]
    let told = bench.events.suffix(2)
    #expect(told.map(\.kind) == [.didReceiveAdditionalInfo, .didCompleteCheckout])
    #expect(told.first?["info"] == info)
    #expect(told.last?["additionalInfo"] == info)
    #expect(bench.checkout.outcome == .pending)
    #expect(bench.checkout.snapshot["additionalInfo"] == info)
    let record = try OutcomeRecord(#require(bench.checkout.outcomeRecord).stored)
    let archived = Checkout(id: CheckoutID(1), owner: 0, record: record)
    #expect(archived.snapshot["additionalInfo"] == info)
  }

  // MARK: One field

  @Test(arguments: [
    ("123456", true), ("12345", false), ("1234567", false), (" 123456", false), ("123456\n", false),
    ("١٢٣٤٥٦", false), ("１２３４５６", false), ("12 456", false), ("", false),
  ])
  func `a code is six ASCII digits`(text: String, isValid: Bool) {
    #expect(Validation.isOneTimeCode(text) == isValid)
  }

  @Test(arguments: [
    ("+447890123456", "+447890123456"), ("+129876543210", "+129876543210"), ("+12987654", nil),
    ("+12987654301010101", nil), ("+351 912-345.678", "+351912345678"),
    ("+1 (298) 765-4321", "+12987654321"), ("351912345678", nil), ("++351912345678", nil),
    ("", nil),
    ("+351٩12345678", nil),
  ])
  func `a phone number is a plus and 9 to 14 digits`(text: String, read: String?) {
    #expect(Validation.phoneNumber(text) == read)
  }

  @Test(arguments: [
    ("+62812345678", true), ("+6281234567890", true), ("62812345678", true),
    ("+62812345678901", false), ("+6281234567", false), ("+5281234567890", false),
  ])
  func `a number of OVO is an Indonesian mobile one`(text: String, isValid: Bool) {
    #expect((Validation.phoneNumber(text, isIndonesian: true) == text) == isValid)
  }

  @Test func `a secret is told to nobody and written nowhere`() throws {
    var bench = Self.started(.rawData, "ADYEN_BLIK")
    bench.call(.update(["otp": "493817"]))
    #expect(bench.lastReply == ["status": "valid", "data": ["otp": true]])
    #expect(bench.checkout.componentSnapshot(0)["data"] == ["otp": true])
    bench.call(.submit)
    #expect(
      bench.sent.last?.request
        == .tokenize(instrument: [
          "paymentMethodConfigId": "cfg-blik", "paymentMethodType": "ADYEN_BLIK",
          "sessionInfo": [
            "blikCode": "493817", "locale": "en-US", "platform": "WEB",
            "redirectionUrl": "kiosk://checkout",
          ], "type": "OFF_SESSION_PAYMENT",
        ]))
    // Once it has been used nobody holds it any more, no more than after a restart.
    var used = bench
    used.answer("tokenize", .instrument(Sample.instrument))
    #expect(used.checkout.componentSnapshot(0)["data"] == [:])
    var cancelled = bench
    cancelled.call(.cancel(reason: nil))
    #expect(cancelled.checkout.componentSnapshot(0)["data"] == [:])
    let stored = StoredCheckout(bench.checkout)
    for text in ["\(stored)", "\(bench.events)", "\(bench.checkout.snapshot)"] {
      #expect(!text.contains("493817"))
    }
  }

  @Test func `the shopper confirms elsewhere, and the status is polled`() throws {
    var bench = Self.creating(.rawData, "ADYEN_BLIK", ["otp": "123456"])
    #expect(
      bench.answer("create", Sample.payment(.pending, action: Self.confirmationToken)) == [
        "step awaitingConfirmation", "> poll",
      ])
    #expect(bench.checkout.state == .awaitingConfirmation)
    try bench.restart()
    #expect(bench.checkout.awaiting.first?["kind"] == "confirmation")
    bench.answer("poll", .redirectStatus(.complete(resumeToken: "res-1")))
    bench.answer("resume", Sample.payment(.success))
    #expect(bench.checkout.outcome == .success)
  }

  /// The bank has asked the shopper already.
  @Test func `what is confirmed elsewhere is not called off by a cancel before it was told`() {
    var bench = Self.creating(.rawData, "ADYEN_BLIK", ["otp": "123456"])
    bench.call(.cancel(reason: nil))
    #expect(
      bench.answer("create", Sample.payment(.pending, action: Self.confirmationToken)) == [
        "step awaitingConfirmation", "> poll",
      ])
    #expect(
      bench.answer("poll", .redirectStatus(.pending)) == [
        "didFail unknown payment-cancelled pay-1 PENDING", "# ended unknown",
      ])
  }

  @Test(arguments: [Sample.settings, Sample.decidingSettings])
  func `a secret that a restart has lost gives the attempt back`(settings: Settings) throws {
    var bench = Self.started(.rawData, "ADYEN_BLIK", settings: settings)
    bench.call(.update(["otp": "123456"]))
    bench.call(.submit)
    let lines = try bench.restart()
    #expect(lines.first == "error otp-lost")
    #expect(!lines.contains { $0.hasPrefix(">") })
    #expect(bench.checkout.state == .ready)
    #expect(bench.checkout.componentSnapshot(0)["missing"] == ["otp"])
    #expect(bench.checkout.componentSnapshot(0)["data"] == [:])
    #expect(bench.timers[.expiry] != nil)
    bench.call(.submit)
    #expect(bench.lastRefusal?.id == .invalidCollectedData)
    bench.call(.update(["otp": "654321"]))
    bench.call(.submit)
    #expect(bench.lastReply == [:])
  }

  /// The token's data is told to the client and stored, which the secret never is.
  @Test func `a secret that upstream says again is not passed on`() throws {
    var settings = Sample.settings
    settings.paymentHandling = .manual
    var bench = Self.started(.rawData, "ADYEN_BLIK", settings: settings)
    bench.call(.update(["otp": "123456"]))
    bench.call(.submit)
    let data: Value = [
      "token": "tok-123456", "paymentInstrumentData": ["blikCode": "654321", "other": "123456"],
      "numbers": [123_456, 1], "texts": ["123456", "x"],
    ]
    bench.answer("tokenize", .instrument(PaymentInstrument(token: "tok-123456", data: data)))
    let told: Value = [
      "token": "tok-123456", "paymentInstrumentData": [:], "numbers": [1], "texts": ["x"],
    ]
    #expect(bench.events.last?["paymentMethodTokenData"] == told)
    try bench.restart()
    #expect(bench.checkout.awaiting.first?["paymentMethodTokenData"] == told)
  }

  @Test func `a phone number that upstream knows is filled in`() {
    var configuration = Self.configuration
    configuration.clientSession.customer.mobileNumber = "+351 912 345 678"
    var bench = Self.started(.rawData, "ADYEN_MBWAY", configuration)
    #expect(
      bench.lastReply?["step"] == [
        "name": "retrievedUserDetails", "details": ["phoneNumber": "+351912345678"],
      ])
    #expect(bench.checkout.componentSnapshot(0)["submittable"] == true)
    bench.call(.update(["phoneNumber": "+351 910 000 000"]))
    #expect(
      bench.lastReply == ["status": "valid", "data": ["phoneNumber": "+351910000000"]])
    configuration.clientSession.customer.mobileNumber = "0912 345"
    bench = Self.started(.rawData, "ADYEN_MBWAY", configuration)
    #expect(bench.lastReply?["step"] == ["name": "ready"])
  }

  // MARK: What earlier versions stored

  @Test func `a checkout of an earlier version keeps what it was offered`() throws {
    var configuration = Self.configuration
    configuration.paymentMethods[0].implementationType = "NATIVE_SDK"
    var bench = Bench()
    bench.start(configuration)
    bench.provideBanks()
    var stored = StoredCheckout(bench.checkout)
    // As version 3 wrote it: four members of a method, no name of a component.
    stored.fixed = stored.fixed.editing(5) { configuration in
      configuration.editing(2) { methods in
        .array((methods.array ?? []).map { .array(Array(($0.array ?? []).prefix(4))) })
          .editing(0) { $0.replacing(3, by: "WEB_REDIRECT") }
      }
    }
    stored.hot = stored.hot.editing(8) { slots in
      .array((slots.array ?? []).map { .array(Array(($0.array ?? []).prefix(5))) })
    }
    let checkout = try stored.checkout(like: bench.checkout)
    let snapshot = checkout.snapshot
    #expect(
      snapshot["availablePaymentMethods"]?.array?.map { $0["type"] } == ["ADYEN_IDEAL"])
    #expect(
      snapshot["unavailablePaymentMethods"]?.array?.map { $0["reason"]?.string } == [
        "started-before-upgrade", "started-before-upgrade", "started-before-upgrade",
        "started-before-upgrade", "started-before-upgrade", "no-component", "backend-driven",
        "needs-vendor-sdk", "card-data", "needs-vendor-sdk", "no-component", "no-component",
      ])
    #expect(snapshot["components"]?.array?.first?["component"] == "BanksComponent")
    // What is written again reads the same again.
    let again = try StoredCheckout(checkout).checkout(like: checkout)
    #expect(again.snapshot == snapshot)
  }
}

extension Value {
  /// The same list with one element changed.
  fileprivate func editing(_ place: Int, _ edit: (Value) -> Value) -> Value {
    guard let element = array?[place] else { return self }
    return replacing(place, by: edit(element))
  }
}
