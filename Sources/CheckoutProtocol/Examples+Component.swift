import JSONRPC
import ValueTree

extension Examples {
  static let provideBanks = [
    ExampleRow(
      "The shopper is going to choose a bank",
      params: aboutCheckout + [.init("paymentMethodType", "ADYEN_IDEAL")],
      result: provided(
        "BanksComponent", for: "ADYEN_IDEAL", fields: [bankField], missing: ["bankId"]))
  ]

  static let provideNativeUI = [
    ExampleRow(
      "The shopper is going to be shown a page",
      params: aboutCheckout + [.init("paymentMethodType", "ADYEN_TWINT")],
      result: provided("WebRedirectComponent", for: "ADYEN_TWINT", fields: [], missing: []))
  ]

  static let provideRawData = [
    ExampleRow(
      "The shopper is going to type a code",
      params: aboutCheckout + [.init("paymentMethodType", "ADYEN_BLIK")],
      result: provided(
        "OTPComponent", for: "ADYEN_BLIK",
        fields: [field("otp", "digits", "Code", isSecret: true)], missing: ["otp"]))
  ]

  static let provideACH = [
    ExampleRow(
      "The shopper is going to give name and address",
      params: aboutCheckout + [.init("paymentMethodType", "STRIPE_ACH")],
      result: provided(
        "StripeAchUserDetailsComponent", for: "STRIPE_ACH",
        fields: [
          field("firstName", "text", "First name"), field("lastName", "text", "Last name"),
          field("emailAddress", "email", "E-mail address"),
        ],
        missing: ["firstName", "lastName", "emailAddress"]))
  ]

  static let startComponent = [
    ExampleRow(
      "The banks to choose from", params: aboutComponent,
      result: ["step": ["name": "banksRetrieved", "banks": banks]]),
    ExampleRow(
      "What is known of the customer", params: aboutComponent,
      result: [
        "step": [
          "name": "retrievedUserDetails",
          "details": [
            "firstName": "Mila", "lastName": "Verhoeven",
            "emailAddress": "mila.verhoeven@example.com",
          ],
        ]
      ]),
  ]

  static let updateCollectedData = [
    ExampleRow(
      "A bank is chosen", params: aboutComponent + [.init("data", ["bankId": "9001"])],
      result: ["status": "valid"]),
    ExampleRow(
      "Banks are looked for",
      params: aboutComponent + [.init("data", ["bankFilterText": "credit"])],
      result: [
        "status": "valid",
        "banks": [["id": "9003", "name": "Crédit Zilverduin", "isDisabled": false]],
      ]),
  ]

  static let submit = [
    ExampleRow("The chosen bank is submitted", params: aboutComponent, result: nothing)
  ]

  static let getComponent = [
    ExampleRow("A bank is chosen", params: aboutComponent, result: chosen)
  ]

  static let reportRedirect = [
    ExampleRow(
      "The bank's page is open", params: aboutComponent + [.init("outcome", "presented")],
      result: nothing)
  ]

  static let reportBankAccount = [
    ExampleRow(
      "Stripe's collector has an account",
      params: aboutComponent + [.init("outcome", "succeeded"), .init("paymentId", "pi_example")],
      result: nothing)
  ]

  static let acceptMandate = [
    ExampleRow("The shopper has accepted", params: aboutComponent, result: nothing)
  ]

  static let declineMandate = [
    ExampleRow("The shopper has declined", params: aboutComponent, result: nothing)
  ]

  private static func provided(
    _ component: Value, for type: Value, fields: Value, missing: Value
  ) -> Value {
    [
      "componentId": componentID, "component": component,
      "state": [
        "componentId": componentID, "component": component, "paymentMethodType": type,
        "fields": fields, "step": ["name": "notInitialized"], "validation": [:], "data": [:],
        "submittable": false, "missing": missing,
      ],
    ]
  }
}
