import Checkout

/// One family of payments in one way of handling: a row of what is explored.
struct Row: Sendable {
  /// How the row is called, as in `ideal-manual`.
  let name: String
  /// The payment method's type.
  let type: String
  /// Who provides its component.
  let manager: Manager
  /// What the client chooses, and how a test of the core writes that.
  let settings: Settings
  let settingsText: String
  /// What upstream says of the session, and how a test of the core writes that.
  let configuration: Configuration
  let configurationText: String
  /// What a shopper may enter: field and value.
  ///
  /// One value is right and one is not: another right one would be no other to the core.
  let entries: [(field: String, value: String)]
  /// The token of the action that the payment requires, and how a test of the core writes that.
  let actionToken: ClientToken
  let actionTokenText: String
  /// Whether the status is polled until the shopper has paid, and no bank account is given.
  let redirects: Bool
  /// What the component's start fetches, if it fetches something.
  var start: Start? = nil
  /// Whether the shopper is asked elsewhere as soon as the payment is made, whoever is shown what here.
  var isConfirmedElsewhere = false

  /// What a start may fetch.
  enum Start { case banks, actions }

  /// Whether the client's backend makes the payment.
  var isManual: Bool { settings.paymentHandling == .manual }

  /// Every row; a new family is one more for each way of handling.
  static let all = [
    ideal("ideal", Sample.settings, "Sample.settings"),
    ideal("ideal-asked", Sample.decidingSettings, "Sample.decidingSettings"),
    ideal(
      "ideal-surcharged", Sample.settings, "Sample.settings", Sample.surcharged,
      "Sample.surcharged"),
    ideal("ideal-manual", Sample.manualSettings, "Sample.manualSettings"),
    ach("ach", Sample.settings, "Sample.settings"),
    ach("ach-asked", Sample.decidingSettings, "Sample.decidingSettings"),
    ach("ach-manual", Sample.manualSettings, "Sample.manualSettings"),
    Row(
      name: "code", type: "OMISE_PROMPTPAY", manager: .nativeUI, settings: Sample.settings,
      settingsText: "Sample.settings", configuration: Sample.families,
      configurationText: "Sample.families", entries: [], actionToken: Sample.codeToken,
      actionTokenText: "Sample.codeToken", redirects: true),
    Row(
      name: "phone", type: "ADYEN_MBWAY", manager: .rawData, settings: Sample.settings,
      settingsText: "Sample.settings", configuration: Sample.families,
      configurationText: "Sample.families",
      entries: [("phoneNumber", "+351912345678"), ("phoneNumber", "1")],
      actionToken: Sample.confirmationToken, actionTokenText: "Sample.confirmationToken",
      redirects: true, isConfirmedElsewhere: true),
  ]

  private static func ideal(
    _ name: String, _ settings: Settings, _ settingsText: String,
    _ configuration: Configuration = Sample.configuration,
    _ configurationText: String = "Sample.configuration"
  ) -> Row {
    Row(
      name: name, type: "ADYEN_IDEAL", manager: .componentWithRedirect, settings: settings,
      settingsText: settingsText, configuration: configuration,
      configurationText: configurationText,
      entries: [("bankId", "0"), ("bankId", "3")],
      actionToken: Sample.redirectToken, actionTokenText: "Sample.redirectToken", redirects: true,
      start: .banks)
  }

  private static func ach(_ name: String, _ settings: Settings, _ settingsText: String) -> Row {
    Row(
      name: name, type: "STRIPE_ACH", manager: .ach, settings: settings,
      settingsText: settingsText, configuration: Sample.configuration,
      configurationText: "Sample.configuration",
      entries: [("firstName", "Grace"), ("lastName", ""), ("lastName", "Byron")],
      actionToken: Sample.achToken, actionTokenText: "Sample.achToken", redirects: false,
      start: .actions)
  }
}
