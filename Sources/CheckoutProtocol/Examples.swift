import JSONRPC
import ValueTree

/// Calls with their results, for the documentation.
///
/// A test makes each of them to a running daemon. What differs from run to run (ids, times, addresses, who is calling) is made up, and so is
/// everyone in them. Ids of one shape stand for the same thing within an example.
enum Examples {
  static let checkoutID: Value = "co_10f5b7491cd4cd34"
  static let componentID: Value = "cm_10f5b7491cd4cd34_0"
  private static let createdAt: Value = "2026-11-30T09:00:00.000Z"
  private static let expiresAt: Value = "2026-12-01T09:00:00.000Z"

  static let aboutCheckout: [Value.Member] = [.init("checkoutId", checkoutID)]
  static let aboutComponent: [Value.Member] = [.init("componentId", componentID)]
  static let nothing: Value = .object([])

  static let availablePaymentMethods: Value = [
    [
      "type": "ADYEN_IDEAL", "name": "iDEAL", "manager": "componentWithRedirectManager",
      "implementationType": "NATIVE_SDK",
    ]
  ]

  static let banks: Value = [
    [
      "id": "9001", "name": "Ambachtsbank", "iconUrlStr": "https://icons.example.com/9001.png",
      "isDisabled": false,
    ],
    ["id": "9003", "name": "Crédit Zilverduin", "isDisabled": false],
  ]

  /// The first members of every snapshot.
  private static func begin(
    _ state: String, key: [Value.Member] = [], seq: Int64
  ) -> [Value.Member] {
    [.init("checkoutId", checkoutID)] + key + [
      .init("state", .string(state)), .init("seq", .integer(seq)), .init("owner", ["uid": 1000]),
      .init("createdAt", createdAt),
    ]
  }

  private static func clientSession(_ more: [Value.Member] = []) -> Value.Member {
    let session: [Value.Member] = [
      .init("orderId", "order-1001"), .init("currencyCode", "EUR"), .init("totalAmount", 799),
    ]
    return .init("clientSession", .object(session + more))
  }

  private static let whole: [Value.Member] = [
    .init("paymentHandling", "auto"), .init("paymentProtection", "session"),
    .init("availablePaymentMethods", availablePaymentMethods),
    .init("unavailablePaymentMethods", []),
    clientSession([
      .init("fees", []),
      .init("lineItems", [["itemId": "mug", "description": "Mug", "amount": 799, "quantity": 1]]),
      .init(
        "customer",
        [
          "customerId": "customer-7", "firstName": "Mila", "lastName": "Verhoeven",
          "emailAddress": "mila.verhoeven@example.com",
        ]),
      .init("countryCode", "NL"),
    ]),
  ]

  /// A checkout that is ready, with nothing provided.
  static let ready: Value = .object(
    begin("ready", key: [.init("startKey", "till-1")], seq: 1) + [.init("expiresAt", expiresAt)]
      + whole
      + [.init("components", []), .init("awaiting", [])])

  /// The same in short.
  static let readyInShort: Value = .object(
    begin("ready", seq: 1)
      + [
        .init("expiresAt", expiresAt), .init("paymentHandling", "auto"),
        .init("paymentProtection", "session"), clientSession(),
      ]
      + [.init("components", []), .init("awaiting", [])])

  /// A checkout whose shopper has to go to the bank's page.
  static let redirected: Value = .object(
    begin("awaitingRedirect", seq: 10) + whole + [
      .init(
        "components",
        [
          component(
            ["name": "webRedirect", "state": "loaded", "url": page], bank: "9001",
            isSubmittable: false)
        ]),
      .init(
        "awaiting",
        [
          [
            "kind": "redirect", "since": "2026-11-30T09:00:40.000Z",
            "deadline": "2026-11-30T09:30:40.000Z", "url": page,
          ]
        ]),
      .init("payment", payment("PENDING")),
    ])

  /// A checkout that was paid.
  static let paid: Value = .object(
    begin("completed", seq: 12) + whole + [
      .init(
        "components",
        [
          component(
            ["name": "webRedirect", "state": "success"], bank: "9001", isSubmittable: false)
        ]
      ),
      .init("awaiting", []), .init("payment", payment("SUCCESS")), .init("outcome", "success"),
    ])

  /// A banks component whose bank is chosen.
  static let chosen = component(["name": "banksRetrieved"], bank: "9001", isSubmittable: true)

  private static let page: Value = "https://bank.example.com/pay_6948f907d9f997b6"

  private static func payment(_ status: String) -> Value {
    ["id": "pay_6948f907d9f997b6", "orderId": "order-1001", "status": .string(status)]
  }

  static let bankField = field("bankId", "choice", "Bank")

  static func field(
    _ name: Value, _ kind: Value, _ label: Value, isSecret: Bool = false
  ) -> Value {
    [
      "name": name, "kind": kind, "label": label, "isSecret": .bool(isSecret), "required": true,
    ]
  }

  private static func component(_ step: Value, bank: Value, isSubmittable: Bool) -> Value {
    [
      "componentId": componentID, "component": "BanksComponent",
      "paymentMethodType": "ADYEN_IDEAL", "fields": [bankField], "step": step, "banks": banks,
      "validation": ["bankId": ["status": "valid"]], "data": ["bankId": bank],
      "submittable": .bool(isSubmittable), "missing": [],
    ]
  }
}
