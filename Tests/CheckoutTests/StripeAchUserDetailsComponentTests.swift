import Checkout
import Testing
import ValueTree

/// One row of the ACH component's state table.
///
/// A0 is new, A1 started, A2 submitted. `difference` says why a row departs from the reference.
struct AchRow: Sendable, CustomTestStringConvertible {
  enum State: String { case a0, starting, a1, a2, a2Patching }
  enum Act {
    case start, first(String), last(String), email(String), submit
    case session(Customer), failure
  }

  let state: State
  let customer: Customer
  let acts: [Act]
  let lines: [String]
  let difference: String?

  init(
    _ state: State, _ acts: [Act], _ lines: [String], of customer: Customer = Sample.customer,
    difference: String? = nil
  ) {
    self.state = state
    self.customer = customer
    self.acts = acts
    self.lines = lines
    self.difference = difference
  }

  var testDescription: String { "\(state) \(acts)" }
}

@Suite struct StripeAchUserDetailsComponentTests {
  static let paying = [
    "step didCollectUserDetails", "willCreatePayment STRIPE_ACH", "didStartTokenization STRIPE_ACH",
    "> tokenize",
  ]
  static let judgedValid = [
    "validating firstName", "valid firstName", "validating lastName", "valid lastName",
    "validating emailAddress", "valid emailAddress",
  ]
  static let judgedInvalid = [
    "validating firstName", "invalid firstName invalid-customer-firstname", "validating lastName",
    "invalid lastName invalid-customer-lastname", "validating emailAddress",
    "invalid emailAddress invalid-customer-email",
  ]
  static let retrieved = "step retrievedUserDetails Ada Byron ada@example.com"
  static let wrongName = Customer(firstName: "Ada", lastName: "B_3", emailAddress: "a@example.com")
  static let augusta = Customer(
    firstName: "Augusta", lastName: "Byron", emailAddress: "ada@example.com")

  static let rows = [
    AchRow(
      .a0, [.start, .session(Sample.customer)],
      ["> actions SELECT:STRIPE_ACH"] + judgedValid + [retrieved, "= " + retrieved],
      difference: "the details wait for the answer to SELECT"),
    AchRow(
      .a0, [.start, .session(Customer())],
      ["> actions SELECT:STRIPE_ACH"] + judgedInvalid
        + ["step retrievedUserDetails   ", "= step retrievedUserDetails   "], of: Customer(),
      difference: "the details wait for the answer to SELECT"),
    AchRow(
      .a0, [.start, .failure, .start],
      [
        "> actions SELECT:STRIPE_ACH", "error failed-to-create-session",
        "! failed-to-create-session", "> actions SELECT:STRIPE_ACH",
      ], difference: "a failed SELECT fails the start, which may be tried again"),
    AchRow(
      .a1, [.first("Augusta")], ["validating firstName", "valid firstName", "= valid"]),
    AchRow(
      .a1, [.email("test-invalid")],
      [
        "validating emailAddress", "invalid emailAddress invalid-customer-email",
        "= invalid invalid-customer-email",
      ]),
    AchRow(
      .a1, [.last("3"), .submit],
      [
        "validating lastName", "invalid lastName invalid-customer-lastname",
        "= invalid invalid-customer-lastname",
        "! invalid-collected-data lastName:invalid-customer-lastname",
      ], difference: "the reference submits the value accepted before"),
    AchRow(.a0, [.first("Ada")], ["validating firstName", "valid firstName", "= valid"]),
    AchRow(
      .a0, [.first("Augusta"), .start, .session(Sample.customer), .submit],
      [
        "validating firstName", "valid firstName", "= valid", "> actions SELECT:STRIPE_ACH",
        "validating lastName", "valid lastName", "validating emailAddress", "valid emailAddress",
        retrieved, "= " + retrieved, "> actions first:Augusta", "= {}",
      ], difference: "the session's value does not overwrite what was typed"),
    AchRow(
      .a0, [.first("3"), .start, .session(Sample.customer), .submit],
      [
        "validating firstName", "invalid firstName invalid-customer-firstname",
        "= invalid invalid-customer-firstname", "> actions SELECT:STRIPE_ACH",
        "validating lastName", "valid lastName", "validating emailAddress", "valid emailAddress",
        retrieved, "= " + retrieved,
        "! invalid-collected-data firstName:invalid-customer-firstname",
      ], difference: "nor does it stand in for something invalid that was typed"),
    AchRow(
      .a0, [.submit], ["! not-started"],
      difference: "the reference tokenizes without name and e-mail address"),
    AchRow(
      .starting, [.submit], ["! not-started"],
      difference: "in the reference both changes of the session race"),
    AchRow(.starting, [.start], ["! already-started"], difference: "the seed page: once only"),
    AchRow(.a1, [.submit], paying + ["= {}"]),
    AchRow(
      .a1, [.first("Augusta"), .submit, .session(augusta)],
      [
        "validating firstName", "valid firstName", "= valid", "> actions first:Augusta", "= {}",
      ] + paying),
    AchRow(
      .a1,
      [
        .first("Augusta"), .last("King"), .email("k@example.com"), .submit, .failure, .submit,
      ],
      [
        "validating firstName", "valid firstName", "= valid", "validating lastName",
        "valid lastName", "= valid", "validating emailAddress", "valid emailAddress", "= valid",
        "> actions first:Augusta last:King email:k@example.com", "= {}",
        "error failed-to-create-session",
        "> actions first:Augusta last:King email:k@example.com", "= {}",
      ]),
    AchRow(
      .a1, [.first("Augusta"), .first("Ada"), .submit],
      [
        "validating firstName", "valid firstName", "= valid", "validating firstName",
        "valid firstName", "= valid",
      ] + paying + ["= {}"]),
    AchRow(
      .a1, [.submit], ["! invalid-collected-data lastName:invalid-customer-lastname"],
      of: wrongName,
      difference: "the reference sets the name to nothing, upstream as well"),
    AchRow(
      .a1, [.submit],
      [
        "! invalid-collected-data firstName:invalid-customer-firstname"
          + " lastName:invalid-customer-lastname emailAddress:invalid-customer-email"
      ], of: Customer(), difference: "the reference has no such gate"),
    AchRow(.a1, [.start], ["! already-started"], difference: "the seed page: once only"),
    AchRow(
      .a2, [.submit], ["! already-submitted"], difference: "the reference pays a second time"),
    AchRow(
      .a2Patching, [.submit], ["! already-submitted"],
      difference: "the reference sends the change and pays a second time"),
    AchRow(
      .a2Patching, [.first("Ada")], ["! already-submitted"],
      difference: "a component that has been submitted takes no more data"),
    AchRow(.a2, [.start], ["! already-started"], difference: "the seed page: once only"),
    AchRow(
      .a2, [.first("Ada")], ["! already-submitted"],
      difference: "a component that has been submitted takes no more data"),
  ]

  @Test(arguments: rows)
  func `the ACH component follows its state table`(row: AchRow) {
    var bench = Self.bench(in: row.state, of: row.customer)
    let lines = row.acts.flatMap { Self.perform($0, on: &bench) }
    #expect(lines == row.lines, "\(row.difference ?? "as the reference")")
  }

  private static func bench(in state: AchRow.State, of customer: Customer) -> Bench {
    let configuration = Sample.configuration(of: customer)
    var bench = Bench()
    bench.start(configuration)
    bench.provideACH()
    if state == .a0 { return bench }
    bench.call(.start)
    if state == .starting { return bench }
    bench.answer("actions", .configuration(configuration))
    if state == .a2Patching { bench.update("firstName", "Augusta") }
    if state != .a1 { bench.call(.submit) }
    return bench
  }

  private static func perform(_ act: AchRow.Act, on bench: inout Bench) -> [String] {
    switch act {
    case .start: bench.call(.start)
    case .first(let text): bench.update("firstName", text)
    case .last(let text): bench.update("lastName", text)
    case .email(let text): bench.update("emailAddress", text)
    case .submit: bench.call(.submit)
    case .session(let customer):
      bench.answer("actions", .configuration(Sample.configuration(of: customer)))
    case .failure: bench.fail("actions", Sample.refusal())
    }
  }

  /// What the session must have, and the error's detail when it has not.
  static let gaps: [(String, @Sendable (inout Configuration) -> Void)] = [
    ("configuration.id", { $0.paymentMethods[1].id = nil }),
    ("amount", { $0.clientSession.totalOrderAmount = nil }),
    ("currency", { $0.clientSession.currencyCode = nil }),
    ("lineItems", { $0.clientSession.lineItems = [] }),
    ("settings.orderItems", { $0.clientSession.lineItems[0].amount = nil }),
  ]

  @Test(arguments: gaps.map(\.0))
  func `S42 to S47: a session with a gap fails the start, and names it`(key: String) {
    for (name, dig) in Self.gaps where name == key {
      var configuration = Sample.configuration
      dig(&configuration)
      var bench = Bench()
      bench.start(configuration)
      bench.provideACH()
      #expect(bench.call(.start) == ["error invalid-value", "! invalid-value"])
      #expect(bench.lastRefusal?.detail == "\(key) is missing from the client session")
    }
  }

  @Test func `a gap that appears with the answer to SELECT ends the attempt`() {
    var configuration = Sample.configuration
    configuration.clientSession.lineItems = []
    var bench = Bench(at: .ready)
    bench.startACH(configuration)
    #expect(
      bench.call(.submit) == [
        "step didCollectUserDetails", "didFail failed invalid-value", "# ended failed", "= {}",
      ])
  }

  @Test func `an e-mail address is judged and sent without the white space around it`() {
    var bench = Bench(at: .ready)
    bench.startACH()
    #expect(bench.update("emailAddress", " k@example.com\n").last == "= valid")
    let data = bench.checkout.snapshot["components"]?.array?.first?["data"]
    #expect(data?["emailAddress"] == "k@example.com")
    #expect(bench.call(.submit).contains("> actions email:k@example.com"))
  }

  @Test func `somebody with one name has a hyphen for the last name, and the first name alone`() {
    var bench = Bench(at: .ready)
    bench.startACH()
    #expect(bench.update("firstName", "-").last == "= invalid invalid-customer-firstname")
    bench.update("firstName", "Suharto")
    #expect(bench.update("lastName", "-").last == "= valid")
    #expect(bench.call(.submit).contains("> actions first:Suharto last:-"))
    bench.answer(
      "actions",
      .configuration(
        Sample.configuration(
          of: Customer(firstName: "Suharto", lastName: "-", emailAddress: "s@example.com"))))
    bench.answer("tokenize", .instrument(Sample.instrument))
    bench.answer("create", Sample.payment(.pending, action: Sample.achToken))
    #expect(bench.events.last?["info"]?["fullName"] == "Suharto")
  }

  @Test func `S32 and S33: the instrument names Stripe and the locale of the settings`() {
    var bench = Bench(
      Settings(locale: "en-GB", urlScheme: "kiosk://x", stripePublishableKey: "key-1"))
    bench.start()
    bench.startACH()
    bench.call(.submit)
    guard case .tokenize(let instrument)? = bench.sent.last?.request else {
      Issue.record("not tokenized")
      return
    }
    #expect(
      instrument == [
        "paymentMethodConfigId": "cfg-ach", "paymentMethodType": "STRIPE_ACH",
        "authenticationProvider": "STRIPE", "type": "AUTOMATED_CLEARING_HOUSE",
        "sessionInfo": ["locale": "en-GB", "platform": "WEB"],
      ])
  }

  @Test(
    arguments: [
      .null, [:], ["firstName": 1], ["bankId": "0"], ["firstName": "Ada", "lastName": "Byron"],
    ] as [Value])
  func `data that is no single field of the component is refused`(data: Value) {
    var bench = Bench(at: .ready)
    bench.startACH()
    #expect(bench.call(.update(data)) == ["! invalid-value /data"])
  }
}
