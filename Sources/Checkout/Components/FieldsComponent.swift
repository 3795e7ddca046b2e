package import ValueTree

/// A component that only collects fields, or none: what it is stands in its row.
///
/// A secret is held in memory alone. Nothing that is told or stored has it; after a restart it is
/// missing again.
package struct FieldsComponent: PaymentComponent {
  private struct Entry: Sendable {
    var accepted: String?
    var status: FieldStatus?
  }

  private let row: ComponentRow
  private let paymentMethodType: String
  /// Whether the start has finished; it fetches nothing.
  package private(set) var isStarted = false
  private var entries: [Entry]
  /// Whether a field was filled in from what upstream knows of the customer.
  private var isPrefilled = false

  /// Makes a component without data.
  package init(_ row: ComponentRow, for paymentMethodType: String) {
    self.row = row
    self.paymentMethodType = paymentMethodType
    entries = row.fields.map { _ in Entry() }
  }

  /// Nothing has to be fetched.
  package mutating func start(_ context: ComponentContext, events: inout [Event]) -> StartRequest {
    .nothing
  }

  /// Tells that it is ready, and of what upstream knows already and the rules accept.
  package mutating func finishStart(
    _ answer: Answer?, _ context: ComponentContext, moment: inout Moment, events: inout [Event]
  ) {
    isStarted = true
    events.append(Event(.didReceiveStep, [.init("step", ["name": "ready"])]))
    let customer = context.configuration.clientSession.customer
    for (place, field) in row.fields.enumerated() where entries[place].status == nil {
      guard let text = field.known(of: customer), field.accepted(text, paymentMethodType) != nil
      else { continue }
      take(text, at: place, &moment, &events)
      isPrefilled = true
    }
    if isPrefilled {
      let step: Value = ["name": "retrievedUserDetails", "details": .object(details)]
      events.append(Event(.didReceiveStep, [.init("step", step)]))
    }
  }

  /// Takes one field of the row's.
  ///
  /// An invalid value clears the one accepted before.
  package mutating func update(_ data: Value, moment: inout Moment, events: inout [Event])
    throws(CheckoutError) -> Value
  {
    guard let members = data.object, members.count == 1, let member = members.first,
      let text = member.value.string,
      let place = row.fields.firstIndex(where: { $0.name == member.name })
    else { throw CheckoutError(.invalidValue, detail: row.fieldsText, path: "/data") }
    let status = take(text, at: place, &moment, &events)
    // What was read may be spelled otherwise than it was typed.
    guard let accepted = entries[place].accepted else { return status.value }
    return .object(status.members + [.init("data", row.fields[place].told(accepted))])
  }

  @discardableResult
  private mutating func take(
    _ text: String, at place: Int, _ moment: inout Moment, _ events: inout [Event]
  ) -> FieldStatus {
    let field = row.fields[place]
    let accepted = field.accepted(text, paymentMethodType)
    let status = FieldStatus(
      of: field.told(text),
      error: accepted == nil ? FieldError(field: field.name, id: field.error) : nil,
      moment: &moment, events: &events)
    entries[place] = Entry(accepted: accepted, status: status)
    return status
  }

  /// Every field must have been accepted.
  package var missing: [FieldError] {
    zip(row.fields, entries).filter { $0.1.accepted == nil }.map {
      FieldError(field: $0.0.name, id: $0.0.error)
    }
  }

  /// A restart leaves nothing else of it.
  package mutating func forgetSecrets() {
    for (place, field) in row.fields.enumerated() where field.isSecret { entries[place] = Entry() }
  }

  /// A secret is known by its name, and by itself as long as it is there; what only contains it may be a
  /// token, which the merchant needs.
  package func withoutSecrets(_ said: Value) -> Value {
    let secrets = zip(row.fields, entries).filter { $0.0.isSecret }
    guard !secrets.isEmpty else { return said }
    func isSecret(_ value: Value) -> Bool {
      let text = value.string ?? value.integer.map { String($0) }
      return text.map { text in secrets.contains { $0.1.accepted == text } } ?? false
    }
    func scrubbed(_ value: Value) -> Value {
      if let members = value.object {
        return .object(
          members.filter { member in
            !isSecret(member.value)
              && !secrets.contains { [$0.0.name, $0.0.instrumentName].contains(member.name) }
          }.map { .init($0.name, scrubbed($0.value)) })
      }
      if let elements = value.array {
        return .array(elements.filter { !isSecret($0) }.map(scrubbed))
      }
      return value
    }
    return scrubbed(said)
  }

  /// What was collected, and how the shopper comes back from a page.
  package func instrument(_ context: ComponentContext) -> Value {
    var session: [Value.Member] = zip(row.fields, entries).map { field, entry in
      .init(field.instrumentName, Value(entry.accepted))
    }
    let locale = context.settings.locale.split(separator: "_").joined(separator: "-")
    session.append(.init("locale", .string(locale)))
    session.append(.init("platform", "WEB"))
    if let url = context.settings.urlScheme, Validation.hasScheme(url) {
      session.append(.init("redirectionUrl", .string(url)))
    }
    return [
      "paymentMethodConfigId": Value(context.configurationID),
      "paymentMethodType": .string(context.paymentMethodType),
      "sessionInfo": .object(session), "type": "OFF_SESSION_PAYMENT",
    ]
  }

  /// `details` if some were known, `validation`, `data`.
  package var snapshot: [Value.Member] {
    var validation: [Value.Member] = []
    var data: [Value.Member] = []
    for (field, entry) in zip(row.fields, entries) {
      if let status = entry.status {
        validation.append(.init(field.name, .object(status.members)))
      }
      if let text = entry.accepted { data += field.told(text).object ?? [] }
    }
    let known = isPrefilled ? [Value.Member("details", .object(details))] : []
    return known + [.init("validation", .object(validation)), .init("data", .object(data))]
  }

  private var details: [Value.Member] {
    zip(row.fields, entries).flatMap { field, entry in
      entry.accepted.flatMap { field.told($0).object } ?? []
    }
  }
}

extension FieldsComponent {
  /// `[isStarted, isPrefilled, [[accepted, errors]…]]`, of a secret nothing.
  package func write(to row: CompactWriter) {
    row.beginArray(count: 3)
    row.append(isStarted)
    row.append(isPrefilled)
    row.beginArray(count: entries.count)
    for (field, entry) in zip(self.row.fields, entries) {
      row.beginArray(count: 2)
      row.append(field.isSecret ? nil : entry.accepted)
      if let status = entry.status, !field.isSecret {
        row.append(status.errors)
      } else {
        row.appendNull()
      }
    }
  }

  /// Takes up what was collected.
  package init(
    _ row: ComponentRow, for paymentMethodType: String, stored: Value, part: Value?
  ) throws(StoredStateError) {
    self.init(row, for: paymentMethodType)
    var reader = try StoredReader(stored)
    isStarted = try reader.flag()
    isPrefilled = try reader.flag()
    var list = try reader.reader()
    for place in entries.indices {
      var pair = try list.reader()
      entries[place].accepted = try pair.optionalText()
      switch try pair.value() {
      case .null: break
      case .array(let errors): entries[place].status = FieldStatus(errors: errors)
      default: throw StoredStateError()
      }
      try pair.end()
    }
    try list.end()
    try reader.end()
    guard part == nil else { throw StoredStateError() }
  }
}

extension ComponentRow {
  /// A page to be shown, for any payment method that upstream serves so.
  static let webRedirect = ComponentRow(
    "WebRedirectComponent", FieldsComponent.self, manager: .nativeUI, redirects: true)

  /// A code to be scanned with a banking app.
  static let code = ComponentRow(
    "QRCodeComponent", FieldsComponent.self, manager: .nativeUI,
    paymentMethodTypes: ["OMISE_PROMPTPAY", "RAPYD_PROMPTPAY", "XFERS_PAYNOW"])

  /// A reference with which the shopper pays later.
  static let voucher = ComponentRow(
    "VoucherComponent", FieldsComponent.self, manager: .nativeUI,
    paymentMethodTypes: ["ADYEN_MULTIBANCO"])

  /// A code that a banking app shows the shopper.
  static let oneTimeCode = ComponentRow(
    "OTPComponent", FieldsComponent.self, manager: .rawData, paymentMethodTypes: ["ADYEN_BLIK"],
    fields: [
      FieldRow(
        "otp", .digits, label: "Code", isSecret: true, maximumByteCount: 64,
        error: .invalidOTPCode, instrumentName: "blikCode",
        accepted: { text, _ in Validation.isOneTimeCode(text) ? text : nil })
    ])

  /// A telephone on which the shopper confirms.
  static let phoneNumber = ComponentRow(
    "PhoneNumberComponent", FieldsComponent.self, manager: .rawData,
    paymentMethodTypes: ["ADYEN_MBWAY", "XENDIT_OVO"],
    fields: [
      FieldRow(
        "phoneNumber", .phone, label: "Phone number", maximumByteCount: 64,
        error: .invalidPhoneNumber, known: \.mobileNumber,
        accepted: { text, type in
          Validation.phoneNumber(text, isIndonesian: type == "XENDIT_OVO")
        })
    ])
}
