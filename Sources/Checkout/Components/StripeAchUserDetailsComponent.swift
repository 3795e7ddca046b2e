package import ValueTree

/// ACH through Stripe: the shopper's name and e-mail address, then a bank account and a mandate.
package struct StripeAchUserDetailsComponent: PaymentComponent {
  /// `StripeAchUserDetailsComponent` for `STRIPE_ACH`.
  static let row = ComponentRow(
    "StripeAchUserDetailsComponent", StripeAchUserDetailsComponent.self, manager: .ach,
    paymentMethodTypes: [paymentMethodType],
    fields: [
      FieldRow(
        "firstName", .text, label: "First name", maximumByteCount: 4096, error: .invalidFirstName,
        accepted: { text, _ in Validation.isName(text) ? text : nil }),
      FieldRow(
        "lastName", .text, label: "Last name", maximumByteCount: 4096, error: .invalidLastName,
        accepted: { text, _ in
          Validation.isName(text) || Validation.standsForNoName(text) ? text : nil
        }),
      FieldRow(
        "emailAddress", .email, label: "E-mail address", maximumByteCount: 4096,
        error: .invalidEmailAddress,
        accepted: { text, _ in
          let address = Validation.trimmed(text)
          return Validation.isEmailAddress(address) ? address : nil
        }),
    ],
    isBankDebit: true)

  private static let paymentMethodType = "STRIPE_ACH"

  /// The fields, in the order of the row.
  private enum Field: Int, CaseIterable {
    case firstName, lastName, emailAddress

    var row: FieldRow { StripeAchUserDetailsComponent.row.fields[rawValue] }

    func action(_ text: String) -> ClientSessionAction {
      switch self {
      case .firstName: .setFirstName(text)
      case .lastName: .setLastName(text)
      case .emailAddress: .setEmailAddress(text)
      }
    }

    func value(in customer: Customer) -> String? {
      switch self {
      case .firstName: customer.firstName
      case .lastName: customer.lastName
      case .emailAddress: customer.emailAddress
      }
    }
  }

  /// One field: what was accepted (invalid input clears it) and what was said about the last input.
  private struct Entry {
    var accepted: String?
    var status: FieldStatus?
  }

  /// The customer as upstream has it; `nil` until the start has finished.
  private var customer: Customer?
  private var entries = [Entry](repeating: Entry(), count: Field.allCases.count)

  /// Makes a component without details.
  package init(_ row: ComponentRow, for paymentMethodType: String) {}

  /// The collector needs Stripe's key and a URL to return to.
  package static func check(_ settings: Settings) throws(CheckoutError) {
    guard settings.stripePublishableKey?.isEmpty == false else {
      throw CheckoutError(.invalidValue, path: "/settings/stripe/publishableKey")
    }
    guard let scheme = settings.urlScheme, Validation.hasScheme(scheme) else {
      throw CheckoutError(.invalidValue, path: "/settings/urlScheme")
    }
  }

  /// Whether the customer's details have been retrieved.
  package var isStarted: Bool { customer != nil }

  /// Selects the method upstream, once the session has what ACH needs.
  ///
  /// The reference goes on after a failed check.
  package mutating func start(_ context: ComponentContext, events: inout [Event])
    throws(CheckoutError) -> StartRequest
  {
    try checkSession(context)
    return .actions([.selectPaymentMethod(type: context.paymentMethodType)])
  }

  /// Takes the customer's details from the session and judges each, as if the shopper had typed it;
  /// what the shopper has typed before stays, valid or not.
  package mutating func finishStart(
    _ answer: Answer?, _ context: ComponentContext, moment: inout Moment, events: inout [Event]
  ) {
    let customer = context.configuration.clientSession.customer
    self.customer = customer
    for (place, field) in Field.allCases.enumerated() where entries[place].status == nil {
      let text = field.value(in: customer) ?? ""
      take(text, as: field, [field.row.name: .string(text)], &moment, &events)
    }
    events.append(
      Event(
        .didReceiveStep,
        [.init("step", ["name": "retrievedUserDetails", "details": Self.details(customer)])]))
  }

  /// Takes `{"firstName":s}`, `{"lastName":s}` or `{"emailAddress":s}`.
  ///
  /// An invalid value clears the one accepted before; the reference would submit the old one.
  package mutating func update(_ data: Value, moment: inout Moment, events: inout [Event])
    throws(CheckoutError) -> Value
  {
    guard let members = data.object, members.count == 1, let member = members.first,
      let text = member.value.string
    else {
      throw CheckoutError(.invalidValue, path: "/data")
    }
    guard let field = Field.allCases.first(where: { $0.row.name == member.name }) else {
      throw CheckoutError(
        .invalidValue, detail: "The fields are firstName, lastName and emailAddress",
        path: "/data")
    }
    return take(text, as: field, data, &moment, &events).value
  }

  @discardableResult
  private mutating func take(
    _ text: String, as field: Field, _ data: Value, _ moment: inout Moment,
    _ events: inout [Event]
  ) -> FieldStatus {
    let row = field.row
    let accepted = row.accepted(text, Self.paymentMethodType)
    let status = FieldStatus(
      of: data,
      error: accepted == nil ? FieldError(field: row.name, id: row.error) : nil,
      moment: &moment, events: &events)
    entries[field.rawValue] = Entry(accepted: accepted, status: status)
    return status
  }

  /// All three fields must have been accepted.
  package var missing: [FieldError] {
    zip(Self.row.fields, entries).filter { $0.1.accepted == nil }.map {
      FieldError(field: $0.0.name, id: $0.0.error)
    }
  }

  /// Sets what differs from the session, and never an empty value: the reference wipes a customer's
  /// name that its rules refuse.
  package func actionsBeforePayment(_ context: ComponentContext) -> [ClientSessionAction] {
    zip(Field.allCases, entries).compactMap { field, entry in
      guard let text = entry.accepted,
        customer.flatMap({ field.value(in: $0) })?.utf8.elementsEqual(text.utf8) != true
      else { return nil }
      return field.action(text)
    }
  }

  /// Takes the customer as upstream has it now, so that nothing is sent twice.
  package mutating func sessionDidChange(_ session: ClientSession) {
    if customer != nil { customer = session.customer }
  }

  /// The details have been collected.
  package var stepAfterSubmission: Value? { ["name": "didCollectUserDetails"] }

  /// An amount, a currency, and line items that each have an amount.
  package func checkSession(_ context: ComponentContext) throws(CheckoutError) {
    func require(_ isPresent: Bool, _ key: String) throws(CheckoutError) {
      guard !isPresent else { return }
      throw CheckoutError(.invalidValue, detail: "\(key) is missing from the client session")
    }
    let session = context.configuration.clientSession
    try require(
      context.configurationID != nil, "configuration.id")
    try require(session.amount != nil, "amount")
    try require(session.currencyCode != nil, "currency")
    try require(!session.lineItems.isEmpty, "lineItems")
    try require(session.lineItems.allSatisfy { $0.amount != nil }, "settings.orderItems")
  }

  /// An account to be collected by Stripe.
  package func instrument(_ context: ComponentContext) -> Value {
    [
      "paymentMethodConfigId": Value(context.configurationID),
      "paymentMethodType": .string(context.paymentMethodType),
      "authenticationProvider": "STRIPE", "type": "AUTOMATED_CLEARING_HOUSE",
      "sessionInfo": ["locale": .string(context.settings.locale), "platform": "WEB"],
    ]
  }

  /// `details` once retrieved, `validation`, `data`.
  package var snapshot: [Value.Member] {
    var members: [Value.Member] = []
    if let customer { members.append(.init("details", Self.details(customer))) }
    var validation: [Value.Member] = []
    var data: [Value.Member] = []
    for (field, entry) in zip(Self.row.fields, entries) {
      if let status = entry.status {
        validation.append(.init(field.name, .object(status.members)))
      }
      if let text = entry.accepted { data.append(.init(field.name, .string(text))) }
    }
    return members + [.init("validation", .object(validation)), .init("data", .object(data))]
  }

  private static func details(_ customer: Customer) -> Value {
    .object(
      Field.allCases.map { .init($0.row.name, .string($0.value(in: customer) ?? "")) })
  }
}

extension StripeAchUserDetailsComponent {
  /// What was accepted and said: `[[accepted, errors]…]`, in the order of the fields.
  package func write(to row: CompactWriter) {
    row.beginArray(count: entries.count)
    for entry in entries {
      row.beginArray(count: 2)
      row.append(entry.accepted)
      if let status = entry.status { row.append(status.errors) } else { row.appendNull() }
    }
  }

  /// The customer, once retrieved.
  package var storedPart: Value? { customer?.stored }

  /// Takes up the customer and what was typed.
  package init(
    _ row: ComponentRow, for paymentMethodType: String, stored: Value, part: Value?
  ) throws(StoredStateError) {
    var reader = try StoredReader(stored)
    for place in entries.indices {
      var pair = try reader.reader()
      entries[place].accepted = try pair.optionalText()
      switch try pair.value() {
      case .null: break
      case .array(let errors): entries[place].status = FieldStatus(errors: errors)
      default: throw StoredStateError()
      }
      try pair.end()
    }
    try reader.end()
    if let part { customer = try Customer(part) }
  }
}
