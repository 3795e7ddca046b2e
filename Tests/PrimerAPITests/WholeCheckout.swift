import Checkout
import JSON
import Upstream
import ValueTree

@testable import PrimerAPI

/// An answer as it goes over the wire.
struct WireAnswer {
  let call: String
  var status: Int
  var body: [UInt8]

  init(_ call: String, _ status: Int, _ body: Value) {
    self.call = call
    self.status = status
    self.body = body.jsonBytes
  }

  /// Whether there is a payment, or may be, when it comes.
  var isAboutPayment: Bool { !["configuration", "actions", "banks", "tokenize"].contains(call) }
}

/// How upstream and the shopper see a payment through when nobody disturbs them.
enum Way: String, CaseIterable {
  /// The shopper approves at the bank.
  case ideal
  /// The payment is made, or refused, as it is created.
  case idealAtOnce, idealDeclined
  /// The creation's answer is lost: only what is said of the used key tells of the payment.
  case idealAtOnceLost
  /// The resumption's answer is lost: a question tells what became of the payment.
  case idealResumptionLost
  /// The shopper accepts a mandate.
  case ach

  var type: String { self == .ach ? "STRIPE_ACH" : "ADYEN_IDEAL" }
}

/// Upstream, which knows the truth about the money, and answers with bodies.
struct TrueUpstream {
  let way: Way
  /// The payments there are, each with its status, by the key that it was created with.
  private(set) var payments: [String: String] = [:]
  private var hasLost = false

  init(_ way: Way) { self.way = way }

  static let paymentID = "pay-1"

  /// Carries a request out; nothing comes back if its answer is lost.
  mutating func carryOut(_ request: Operation.Request) -> WireAnswer? {
    switch request {
    case .fetchConfiguration: return WireAnswer("configuration", 200, Self.configuration)
    case .performActions: return WireAnswer("actions", 200, Self.configuration)
    case .fetchBanks: return WireAnswer("banks", 200, Self.banks)
    case .tokenize:
      return WireAnswer(
        "tokenize", 200, ["token": "tok-1", "paymentInstrumentData": ["bankName": "Bank"]])
    case .createPayment(_, let key): return create(key)
    case .poll:
      return WireAnswer("poll", 200, ["status": "COMPLETE", "id": "res-1", "source": "WEBHOOK"])
    case .resume(let id, _): return resume(id)
    case .complete:
      return WireAnswer("complete", 200, ["success": true])
    case .validateClientToken: return WireAnswer("validate", 200, ["success": true])
    }
  }

  private mutating func create(_ key: String) -> WireAnswer? {
    if let status = payments[key] {
      return WireAnswer(
        "used key", 409,
        [
          "error": [
            "errorId": "IdempotencyKeyAlreadyExists", "description": "The key was used",
            "paymentId": .string(Self.paymentID), "paymentStatus": .string(status),
          ]
        ])
    }
    let status =
      switch way {
      case .idealAtOnce, .idealAtOnceLost: "SUCCESS"
      case .idealDeclined: "FAILED"
      case .ideal, .idealResumptionLost, .ach: "PENDING"
      }
    payments[key] = status
    if way == .idealAtOnceLost, !hasLost {
      hasLost = true
      return nil
    }
    var members = payment(status)
    if status == "PENDING" {
      members.append(
        .init(
          "requiredAction",
          [
            "clientToken": .string(way == .ach ? Self.mandate : Self.redirect),
            "name": "USE_PRIMER_SDK", "description": "Go on",
          ]))
    }
    return WireAnswer("create", 200, .object(members))
  }

  private mutating func resume(_ id: String) -> WireAnswer? {
    guard id == Self.paymentID, payments.values.contains("PENDING") else {
      return WireAnswer(
        "refused", 400, ["error": ["errorId": "ResumeFailed", "description": "Not now"]])
    }
    for key in payments.keys { payments[key] = "SUCCESS" }
    if way == .idealResumptionLost, !hasLost {
      hasLost = true
      return nil
    }
    return WireAnswer("resume", 200, .object(payment("SUCCESS")))
  }

  private func payment(_ status: String) -> [Value.Member] {
    [
      .init("id", .string(Self.paymentID)), .init("orderId", "o-1"),
      .init("status", .string(status)), .init("amount", 1299),
      .init("checkoutOutcome", "DETERMINE_FROM_PAYMENT_STATUS"),
    ]
  }

  // MARK: Bodies

  private static let redirect = token(
    """
    {"accessToken":"at-2","exp":4102444800,"intent":"ADYEN_IDEAL_REDIRECTION",\
    "redirectUrl":"https://bank.example.com/page","statusUrl":"https://api.primer.io/status"}
    """)

  private static let mandate = token(
    """
    {"accessToken":"at-3","exp":4102444800,"intent":"STRIPE_ACH_TOKEN",\
    "stripeClientSecret":"secret-1","sdkCompleteUrl":"https://api.primer.io/complete"}
    """)

  private static func method(_ type: Value) -> Value {
    ["id": "cfg-1", "type": type, "name": "Method", "implementationType": "NATIVE_SDK"]
  }

  private static let configuration: Value = [
    "coreUrl": "https://core.primer.io", "pciUrl": "https://pci.primer.io", "env": "SANDBOX",
    "clientSession": [
      "clientSessionId": "cs-1",
      "order": [
        "orderId": "o-1", "totalOrderAmount": 1299, "currencyCode": "EUR", "countryCode": "NL",
        "lineItems": [["itemId": "i-1", "quantity": 1, "amount": 1299, "name": "Mug"]],
      ],
      "customer": [
        "customerId": "c-1", "firstName": "Ada", "lastName": "Byron",
        "emailAddress": "ada@example.com",
      ],
      "paymentMethod": ["options": [["type": "PAYMENT_CARD", "surcharge": 50]]],
    ],
    "paymentMethods": [method("ADYEN_IDEAL"), method("STRIPE_ACH")],
  ]

  private static let banks: Value = [
    "result": [
      [
        "id": "0", "name": "Bank", "iconUrl": "https://icons.example.com/0.png",
        "disabled": false,
      ],
      ["id": "1", "name": "Other bank", "disabled": false],
    ]
  ]
}

/// A checkout with its client and its upstream, from the start to the end, one input after the other.
struct WholeCheckout {
  /// What is put in the place of answers: of the one with this number, and of the same call's later ones
  /// if that is wanted.
  struct Change {
    let place: Int
    let isForGood: Bool
    let body: [UInt8]
  }

  private(set) var checkout: Checkout
  private(set) var upstream: TrueUpstream
  private(set) var events: [Event] = []
  /// Every answer that upstream gave, as it was meant.
  private(set) var answers: [WireAnswer] = []
  /// Whether the start was refused.
  private(set) var isRemoved = false
  private(set) var ending: Outcome?

  private let change: Change?
  private let reader: AnswerReader
  private var now: WallTime = 1_767_259_800_000
  private var entropy: UInt64 = 1
  private var underWay: [Operation] = []
  private var timers: [TimerID: WallTime] = [:]
  private var refusalCount = 0

  init(_ way: Way, _ change: Change? = nil) throws {
    self.change = change
    upstream = TrueUpstream(way)
    reader = AnswerReader(policy: try UpstreamPolicy(), maximumBodyByteCount: 1 << 20)
    let token = ClientToken(
      encoded: "h.t.s", accessToken: "access-1", expiresAt: now + 3_600_000,
      configurationURL: "https://api.primer.io/configuration", coreURL: "https://core.primer.io",
      pciURL: "https://pci.primer.io")
    let settings = Settings(
      urlScheme: "kiosk://checkout", stripePublishableKey: "key-1", merchantName: "Example Shop")
    // So that it is over after few inputs.
    var spans = Spans()
    spans.poll = 60_000
    checkout = Checkout(
      id: CheckoutID(7), owner: 1000, token: token, settings: settings, spans: spans,
      repetition: nil, moment: Moment(now: now, entropy: 1, digest: { $0 }))
    carryOut(checkout.begin(at: moment()))
    for _ in 0..<300 where !isOver { step() }
  }

  /// Whether it has come to its end.
  var isOver: Bool { isRemoved || ending != nil }

  /// The event that tells of the end.
  var end: Event? { events.last { $0.isTerminal } }

  /// What has become of it, in a line.
  var summary: String {
    let payment = Value.object(end?.members ?? [])["payment"]
    let words = [ending?.rawValue, payment?["id"]?.string, payment?["status"]?.string]
    return isRemoved ? "removed" : words.map { $0 ?? "-" }.joined(separator: " ")
  }

  private mutating func moment() -> Moment {
    entropy += 1
    return Moment(now: now, entropy: entropy, digest: { $0 })
  }

  private mutating func step() {
    if !underWay.isEmpty {
      answer(underWay.removeFirst())
    } else if !act(), let next = timers.min(by: { $0.value < $1.value }) {
      timers[next.key] = nil
      now = max(now, next.value)
      carryOut(checkout.handle(.timerFired(next.key), at: moment()))
    }
  }

  private mutating func answer(_ operation: Operation) {
    // It is not at once that an answer comes.
    now += 20
    var result = Result<Answer, OperationFailure>.failure(OperationFailure(.timedOut))
    if var answer = upstream.carryOut(operation.request) {
      let place = answers.count
      answers.append(answer)
      if let change, place == change.place { answer.body = change.body }
      if let change, change.isForGood, place > change.place,
        answers[change.place].call == answer.call
      {
        answer.body = change.body
      }
      result = reader.read(
        HTTPResponse(status: answer.status, body: answer.body), to: operation.request, now: now)
    } else {
      now += 60_000
    }
    carryOut(
      checkout.handle(.operationFinished(operation.id, result), at: moment()))
  }

  private mutating func carryOut(_ effects: [Effect]) {
    for effect in effects {
      switch effect {
      case .publish(let event):
        events.append(event)
        if event.kind == .didReceiveError { refusalCount += 1 }
      case .perform(let operation): underWay.append(operation)
      case .abandon(let id): underWay.removeAll { $0.id == id }
      case .setTimer(let timer, let span): timers[timer] = now + span
      case .clearTimer(let timer): timers[timer] = nil
      case .ended(let outcome): ending = outcome
      case .removed: isRemoved = true
      case .settled, .secondPayment, .questionSettled: break
      }
    }
  }

  // MARK: The client

  /// Does what the snapshot asks for.
  ///
  /// - Returns: Whether there was anything to do.
  private mutating func act() -> Bool {
    let snapshot = checkout.snapshot(wallOffset: 0)
    switch snapshot["awaiting"]?.array?.first?["kind"]?.string {
    case "bankAccount":
      return call(.component(0, .reportBankAccount(.succeeded)))
    case "mandate": return call(.component(0, .decideMandate(isAccepted: true)))
    default: break
    }
    guard snapshot["state"] == "ready" else { return false }
    // Who is refused again and again goes away.
    guard refusalCount < 3 else { return call(.cancel(reason: nil)) }
    guard let component = snapshot["components"]?.array?.first else {
      let manager: Manager =
        upstream.way == .ach ? .ach : .componentWithRedirect
      return call(.provide(manager: manager, paymentMethodType: upstream.way.type))
    }
    if component["step"]?["name"] == "notInitialized" { return call(.component(0, .start)) }
    if component["submittable"] == true { return call(.component(0, .submit)) }
    refusalCount += 1
    for field in (component["missing"]?.array ?? []).compactMap(\.string) {
      let values = [
        "bankId": "1", "firstName": "Ada", "lastName": "Byron",
        "emailAddress": "ada@example.com",
      ]
      guard let value = values[field] else { continue }
      _ = call(.component(0, .update(.object([.init(field, .string(value))]))))
    }
    return true
  }

  private mutating func call(_ command: Command) -> Bool {
    let (reply, effects) = checkout.perform(command, at: moment())
    carryOut(effects)
    if case .failure = reply { refusalCount += 1 }
    return true
  }
}
