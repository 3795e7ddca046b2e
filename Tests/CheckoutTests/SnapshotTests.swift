import Checkout
import Testing
import ValueTree

@Suite struct SnapshotTests {
  static let states: [(Stop, CheckoutState)] = [
    (.starting, .starting), (.ready, .ready), (.startingComponent, .ready),
    (.startingACH, .ready), (.chosen, .ready), (.patching, .submitted),
    (.deciding, .awaitingDecision), (.tokenizing, .submitted), (.creating, .processing),
    (.creatingUnsent, .processing), (.creatingUncertain, .processing),
    (.polling, .awaitingRedirect), (.betweenPolls, .awaitingRedirect), (.resuming, .processing),
    (.resumingAgain, .processing), (.unselecting, .processing),
    (.decidingAfterTokenization, .awaitingDecision), (.validating, .awaitingDecision),
    (.decidingAfterResume, .awaitingDecision), (.validatingAfterResume, .awaitingDecision),
    (.collecting, .awaitingBankAccount), (.mandating, .awaitingMandate),
    (.completing, .processing), (.ended, .completed),
  ]

  @Test func `the table has every stop`() {
    #expect(Set(Self.states.map(\.0)) == Set(Stop.allCases))
  }

  @Test(arguments: states)
  func `each place has its state`(stop: Stop, state: CheckoutState) {
    let bench = Bench(at: stop)
    #expect(bench.checkout.state == state)
    #expect(bench.checkout.snapshot["state"]?.string == state.rawValue)
    #expect(bench.checkout.snapshot["seq"]?.integer == Int64(bench.events.count))
  }

  @Test func `the snapshot of a checkout that starts`() {
    let bench = Bench(at: .starting)
    #expect(
      bench.checkout.snapshot == [
        "checkoutId": "co_0000000000c0ffee", "state": "starting", "seq": 0,
        "owner": ["uid": 1000], "createdAt": "2026-01-01T09:30:00.000Z",
        "expiresAt": "2026-01-01T11:30:00.000Z", "paymentHandling": "auto", "components": [],
        "awaiting": [],
      ])
  }

  @Test func `the snapshot of a checkout that is ready`() {
    let bench = Bench(at: .ready)
    #expect(
      bench.checkout.snapshot["availablePaymentMethods"] == [
        [
          "type": "ADYEN_IDEAL", "name": "iDEAL", "manager": "componentWithRedirectManager",
          "implementationType": "NATIVE_SDK",
        ],
        [
          "type": "STRIPE_ACH", "name": "ACH", "manager": "achManager",
          "implementationType": "NATIVE_SDK",
        ],
      ])
    #expect(
      bench.checkout.snapshot["clientSession"] == [
        "orderId": "o-1", "currencyCode": "EUR", "totalAmount": 1299, "fees": [],
        "lineItems": [
          ["itemId": "i-1", "description": "Mug", "amount": 1299, "quantity": 1]
        ],
        "customer": [
          "customerId": "c-1", "firstName": "Ada", "lastName": "Byron",
          "emailAddress": "ada@example.com",
        ],
      ])
  }

  // MARK: Components

  static let bankField: Value = [
    "name": "bankId", "kind": "choice", "label": "Bank", "isSecret": false, "required": true,
  ]

  @Test func `a new banks component`() {
    var bench = Bench(at: .ready)
    bench.provideBanks()
    #expect(
      bench.lastReply?["state"] == [
        "componentId": "cm_0000000000c0ffee_0", "component": "BanksComponent",
        "paymentMethodType": "ADYEN_IDEAL", "fields": [Self.bankField],
        "step": ["name": "notInitialized"],
        "validation": [:], "data": [:], "submittable": false, "missing": ["bankId"],
      ])
    bench.call(.start)
    #expect(bench.checkout.componentSnapshot(0)["step"] == ["name": "loading"])
  }

  @Test func `S1 and S3: a banks component with a list and a choice`() {
    var bench = Bench(at: .startingComponent)
    bench.answer("banks", .banks(Array(Sample.banks.prefix(2))))
    bench.choose("0")
    #expect(
      bench.checkout.componentSnapshot(0) == [
        "componentId": "cm_0000000000c0ffee_0", "component": "BanksComponent",
        "paymentMethodType": "ADYEN_IDEAL", "fields": [Self.bankField],
        "step": ["name": "banksRetrieved"],
        "banks": [
          [
            "id": "0", "name": "Bank_0", "iconUrlStr": "https://icons.example.com/0.png",
            "isDisabled": false,
          ],
          ["id": "1", "name": "Bank_1", "isDisabled": false],
        ],
        "validation": ["bankId": ["status": "valid"]], "data": ["bankId": "0"],
        "submittable": true, "missing": [],
      ])
    bench.choose("9")
    let snapshot = bench.checkout.componentSnapshot(0)
    #expect(snapshot["validation"]?["bankId"]?["status"] == "invalid")
    #expect(
      snapshot["validation"]?["bankId"]?["errors"]?.array?.first?["inputElementType"] == "BANK")
    #expect(snapshot["data"] == [:])
    #expect(snapshot["submittable"] == false)
    #expect(snapshot["missing"] == ["bankId"])
  }

  @Test func `S58 and S60: an ACH component`() {
    var bench = Bench()
    bench.start()
    let customer = Customer(firstName: "Ada", lastName: nil, emailAddress: "test-invalid")
    bench.startACH(Sample.configuration(of: customer))
    let snapshot = bench.checkout.componentSnapshot(0)
    #expect(snapshot["step"] == ["name": "retrievedUserDetails"])
    #expect(
      snapshot["details"] == ["firstName": "Ada", "lastName": "", "emailAddress": "test-invalid"])
    #expect(snapshot["data"] == ["firstName": "Ada"])
    #expect(snapshot["missing"] == ["lastName", "emailAddress"])
    #expect(
      snapshot["validation"]?["emailAddress"]?["errors"]?.array?.first?["errorId"]
        == "invalid-customer-email")
  }

  @Test func `a filter is only a view, in the snapshot too`() {
    var bench = Bench(at: .chosen)
    bench.update("bankFilterText", "filtered")
    #expect(bench.checkout.componentSnapshot(0)["banks"]?.array?.count == 4)
  }

  @Test(arguments: Stop.allCases.filter { $0 != .starting && $0 != .ready })
  func `what has been submitted or has ended is not submittable`(stop: Stop) {
    let bench = Bench(at: stop)
    #expect(bench.checkout.componentSnapshot(0)["submittable"] == .bool(stop == .chosen))
  }

  // MARK: What is awaited

  @Test(arguments: Stop.allCases)
  func `what is awaited is told with since and deadline`(stop: Stop) {
    let bench = Bench(at: stop)
    let kinds: [Stop: Value] = [
      .deciding: "decision", .decidingAfterTokenization: "decision",
      .decidingAfterResume: "decision", .polling: "redirect", .betweenPolls: "redirect",
      .collecting: "bankAccount", .mandating: "mandate",
    ]
    #expect(bench.checkout.awaiting.first?["kind"] == kinds[stop])
    #expect(bench.checkout.snapshot["awaiting"]?.array == bench.checkout.awaiting)
    for entry in bench.checkout.awaiting {
      #expect(entry["since"] == "2026-01-01T09:30:00.000Z")
      #expect(entry["deadline"]?.string?.utf8.count == 24)
    }
  }

  @Test func `a decision that is awaited repeats its event`() {
    let bench = Bench(at: .decidingAfterResume)
    #expect(
      bench.checkout.awaiting == [
        [
          "kind": "decision", "since": "2026-01-01T09:30:00.000Z",
          "deadline": "2026-01-01T09:40:00.000Z", "decisionId": "d2",
          "event": "checkout.didResumeWith", "resumeToken": "res-1",
        ]
      ])
  }

  @Test func `a page that is awaited names its address`() {
    let bench = Bench(at: .polling)
    #expect(bench.checkout.awaiting.first?["url"] == "https://bank.example.com/page")
    #expect(bench.checkout.awaiting.first?["deadline"] == "2026-01-01T10:00:00.000Z")
  }

  @Test func `the collector and the mandate repeat their event`() {
    for stop in [Stop.collecting, .mandating] {
      let bench = Bench(at: stop)
      #expect(bench.checkout.awaiting.first?["info"] == bench.events.last?["info"])
    }
  }

  // MARK: The end and the short form

  @Test func `the end has outcome, error and payment`() {
    var bench = Bench(at: .creating)
    bench.answer("create", Sample.payment(.failed))
    let snapshot = bench.checkout.snapshot
    #expect(snapshot["state"] == "failed")
    #expect(snapshot["outcome"] == "failed")
    #expect(snapshot["error"] == bench.events.last?["error"])
    #expect(snapshot["payment"] == ["id": "pay-1", "orderId": "o-1", "status": "FAILED"])
    #expect(bench.checkout.outcome == .failed)
    #expect(Bench(at: .ended).checkout.snapshot["error"] == nil)
  }

  @Test(arguments: Stop.allCases)
  func `the short form has no bank list, line item or collected data`(stop: Stop) {
    let bench = Bench(at: stop)
    let short = bench.checkout.shortSnapshot
    let names = Self.names(in: short)
    for name in ["banks", "details", "lineItems", "customer", "data", "validation", "fullName"] {
      #expect(!names.contains(name), "\(name)")
    }
    for name in ["emailAddress", "firstName", "lastName", "availablePaymentMethods"] {
      #expect(!names.contains(name), "\(name)")
    }
    for name in ["checkoutId", "state", "seq", "owner", "createdAt", "expiresAt", "payment"] {
      #expect(short[name] == bench.checkout.snapshot[name])
    }
    #expect(short["awaiting"]?.array?.count == bench.checkout.awaiting.count)
    #expect(short["components"]?.array?.count == bench.checkout.componentCount)
  }

  private static func names(in value: Value) -> Set<String> {
    switch value {
    case .object(let members):
      members.reduce(into: []) { $0.formUnion([$1.name] + names(in: $1.value)) }
    case .array(let elements): elements.reduce(into: []) { $0.formUnion(names(in: $1)) }
    default: []
    }
  }
}
