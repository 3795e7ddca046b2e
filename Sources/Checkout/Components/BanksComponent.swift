package import ValueTree

/// iDEAL through Adyen: the shopper chooses a bank from a list, then approves at the bank's page.
package struct BanksComponent: PaymentComponent {
  /// `BanksComponent` for `ADYEN_IDEAL`.
  static let row = ComponentRow(
    "BanksComponent", BanksComponent.self, manager: .componentWithRedirect,
    paymentMethodTypes: ["ADYEN_IDEAL"],
    fields: [
      // Which bank is one of the list's is the component's to say.
      FieldRow(
        "bankId", .choice, label: "Bank", maximumByteCount: 1024, error: .invalidBankID,
        accepted: { text, _ in text })
    ],
    filterName: "bankFilterText", redirects: true)

  /// The list in the server's order; `nil` until it is loaded.
  private var banks: [IssuingBank]?
  /// The names as the filter compares them; made by the first filter, since many shoppers use none.
  private var foldedNames: [FoldedText] = []
  private var bankID: String?
  private var statuses: [(field: String, status: FieldStatus)] = []

  /// Makes a component without a list.
  package init(_ row: ComponentRow, for paymentMethodType: String) {}

  /// Whether the list is loaded, be it empty.
  package var isStarted: Bool { banks != nil }

  /// Asks for the list.
  package mutating func start(_ context: ComponentContext, events: inout [Event])
    throws(CheckoutError) -> StartRequest
  {
    guard let id = context.configurationID else {
      throw CheckoutError(.invalidValue, detail: "The payment method's configuration has no id")
    }
    events.append(Event(.didReceiveStep, [.init("step", ["name": "loading"])]))
    return .fetchBanks(configurationID: id)
  }

  /// Keeps the list.
  package mutating func finishStart(
    _ answer: Answer?, _ context: ComponentContext, moment: inout Moment, events: inout [Event]
  ) {
    guard case .banks(let list) = answer else { return }
    banks = list
    foldedNames = []
    events.append(Event(.didReceiveStep, [.init("step", Self.banksRetrieved(list))]))
  }

  /// Every failure to get the list is `banks-fetch-failed`.
  package static func startError(_ failure: OperationFailure) -> ErrorID { .banksFetchFailed }

  /// Takes `{"bankId":s}` or `{"bankFilterText":s}`.
  ///
  /// An unknown, disabled or premature id clears the earlier choice, so that a submission never uses
  /// what the shopper has since replaced; the reference would pay with the bank chosen before.
  package mutating func update(_ data: Value, moment: inout Moment, events: inout [Event])
    throws(CheckoutError) -> Value
  {
    guard let members = data.object, members.count == 1, let member = members.first,
      let text = member.value.string
    else {
      throw CheckoutError(.invalidValue, path: "/data")
    }
    switch member.name {
    case "bankId": return choose(text, data, &moment, &events)
    case "bankFilterText": return filter(text, data, &moment, &events)
    default:
      throw CheckoutError(
        .invalidValue, detail: "The fields are bankId and bankFilterText", path: "/data")
    }
  }

  private mutating func choose(
    _ id: String, _ data: Value, _ moment: inout Moment, _ events: inout [Event]
  ) -> Value {
    let problem = problem(withBank: id)
    bankID = problem == nil ? id : nil
    let status = FieldStatus(
      of: data, error: problem.map { FieldError(field: "bankId", id: $0) }, moment: &moment,
      events: &events)
    note(status, of: "bankId")
    return status.value
  }

  private func problem(withBank id: String) -> ErrorID? {
    guard let banks else { return .banksNotLoaded }
    guard let bank = banks.first(where: { $0.id.utf8.elementsEqual(id.utf8) }) else {
      return .invalidBankID
    }
    return bank.isDisabled ? .bankDisabled : nil
  }

  /// Filtering is only a view: the step tells the matches, the choice stays.
  ///
  /// Before the list is loaded there is no step: the reference tells of an empty list that nobody
  /// retrieved.
  private mutating func filter(
    _ text: String, _ data: Value, _ moment: inout Moment, _ events: inout [Event]
  ) -> Value {
    guard let banks else {
      let status = FieldStatus(
        of: data, error: FieldError(field: "bankFilterText", id: .banksNotLoaded),
        moment: &moment, events: &events)
      note(status, of: "bankFilterText")
      return .object(status.members + [.init("banks", [])])
    }
    if foldedNames.count != banks.count { foldedNames = banks.map { FoldedText($0.name) } }
    let query = FoldedText(text)
    let matches =
      text.isEmpty
      ? banks : zip(banks, foldedNames).filter { $0.1.contains(query) }.map(\.0)
    let step = Self.banksRetrieved(matches)
    events.append(Event(.didReceiveStep, [.init("step", step)]))
    let status = FieldStatus(of: data, error: nil, moment: &moment, events: &events)
    note(status, of: "bankFilterText")
    return .object(status.members + [.init("banks", step["banks"] ?? [])])
  }

  private mutating func note(_ status: FieldStatus, of field: String) {
    if let place = statuses.firstIndex(where: { $0.field == field }) {
      statuses[place].status = status
    } else {
      statuses.append((field, status))
    }
  }

  /// A bank must be chosen.
  package var missing: [FieldError] {
    // An empty list leaves nothing to choose: the shopper chooses at the page.
    guard bankID == nil, banks?.isEmpty != true else { return [] }
    return [FieldError(field: "bankId", id: banks == nil ? .banksNotLoaded : .invalidBankID)]
  }

  /// The chosen bank, to be tokenized.
  package func instrument(_ context: ComponentContext) -> Value {
    let locale = context.settings.locale.split(separator: "-").joined(separator: "_")
    return [
      "paymentMethodConfigId": Value(context.configurationID),
      "paymentMethodType": .string(context.paymentMethodType),
      "sessionInfo": .object(
        (bankID.map { [.init("issuer", .string($0))] } ?? []) + [
          .init("locale", .string(locale)), .init("platform", "WEB"),
        ]),
      "type": "OFF_SESSION_PAYMENT",
    ]
  }

  /// `banks` once loaded, `validation`, `data`.
  package var snapshot: [Value.Member] {
    var members: [Value.Member] = []
    if let banks { members.append(.init("banks", .array(banks.map(Self.value)))) }
    members.append(
      .init("validation", .object(statuses.map { .init($0.field, .object($0.status.members)) })))
    members.append(.init("data", .object(bankID.map { [.init("bankId", .string($0))] } ?? [])))
    return members
  }

  private static func banksRetrieved(_ banks: [IssuingBank]) -> Value {
    ["name": "banksRetrieved", "banks": .array(banks.map(value))]
  }

  private static func value(of bank: IssuingBank) -> Value {
    var members = [
      Value.Member("id", .string(bank.id)), Value.Member("name", .string(bank.name)),
    ]
    if let url = bank.iconURL { members.append(.init("iconUrlStr", .string(url))) }
    members.append(.init("isDisabled", .bool(bank.isDisabled)))
    return .object(members)
  }
}

extension BanksComponent {
  /// The choice and what was said: `[bankId, [[field, errors]…]]`.
  package func write(to row: CompactWriter) {
    row.beginArray(count: 2)
    row.append(bankID)
    row.beginArray(count: statuses.count)
    for (field, status) in statuses {
      row.beginArray(count: 2)
      row.append(field)
      row.append(status.errors)
    }
  }

  /// The list, once it is loaded.
  package var storedPart: Value? { banks.map { .array($0.map(\.stored)) } }

  /// Takes up the list and the choice.
  package init(
    _ row: ComponentRow, for paymentMethodType: String, stored: Value, part: Value?
  ) throws(StoredStateError) {
    var reader = try StoredReader(stored)
    bankID = try reader.optionalText()
    for status in try reader.list() {
      var pair = try StoredReader(status)
      statuses.append((try pair.text(), FieldStatus(errors: try pair.list())))
      try pair.end()
    }
    try reader.end()
    guard let part else { return }
    guard let list = part.array else { throw StoredStateError() }
    var banks: [IssuingBank] = []
    for bank in list { banks.append(try IssuingBank(bank)) }
    self.banks = banks
  }
}
