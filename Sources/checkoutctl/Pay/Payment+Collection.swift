import CheckoutClient
import JSONRPC
import Terminal
import ValueTree

/// The payment methods there are, as the protocol names them.
enum MethodType {
  static let ideal = "ADYEN_IDEAL"
  static let ach = "STRIPE_ACH"
}

extension Payment {
  /// What has become of a payment method that was chosen.
  enum Choice {
    /// It is submitted.
    case submitted
    /// Another is to be chosen; what went wrong, if something did.
    case back(String?)
  }

  var heading: Heading { Heading(clientSession) }

  /// Collects what a payment method needs, and submits it.
  ///
  /// - Parameter problem: Why that has to be done again, if it has.
  /// - Throws: Why it is not submitted.
  func collect(because problem: Value?) throws(PayEnding) {
    guard let collected = command.collected else {
      return try ask(problem?["description"]?.string)
    }
    if let problem { throw .failure(.refused(problem)) }
    switch collected {
    case .bank(let id):
      try provide(MethodType.ideal)
      try update(["bankId": .string(id)])
    case .details(let members, _):
      try provide(MethodType.ach)
      for member in members { try update(.object([member])) }
    }
    try submit().map { error throws(PayEnding) in throw .failure(.client(.remote(error))) }
  }

  /// Asks for everything on the terminal.
  private func ask(_ problem: String?) throws(PayEnding) {
    var problem = problem
    while true {
      let choice: Choice
      switch try chooseMethod(problem) {
      case MethodType.ideal: choice = try payWithBank()
      case MethodType.ach: choice = try payWithDetails()
      default: choice = .back("That payment method cannot be shown here.")
      }
      switch choice {
      case .submitted: return
      case .back(let why): problem = why
      }
    }
  }

  private func chooseMethod(_ problem: String?) throws(PayEnding) -> String {
    var list = ChoiceList(
      methods.map { method in
        let type = method["type"]?.string ?? ""
        return .init(id: type, label: method["name"]?.string ?? type)
      })
    if problem == nil, methods.count == 1, let only = list.selection { return only.id }
    while true {
      loop.show(MethodsView(heading: heading, problem: problem, list: list).screen)
      switch try loop.next() {
      case .key(.enter): if let chosen = list.selection { return chosen.id }
      case .key(let key): _ = list.handle(key)
      case let other: try heed(other)
      }
    }
  }

  /// Has the component made for a payment method, and starts it if that has not been done.
  ///
  /// - Returns: The component's part of the snapshot.
  @discardableResult
  private func provide(_ type: String) throws(PayEnding) -> Value {
    switch try provided(type) {
    case .success(let state): return state
    case .failure(let error): throw .failure(.client(.remote(error)))
    }
  }

  private func provided(_ type: String) throws(PayEnding) -> Result<Value, RPCError> {
    let view = WaitingView("Getting ready")
    loop.show(isTicking: true, view.screen)
    let manager = methods.first { $0["type"]?.string == type }?["manager"]?.string
    let answer = try loop.call(
      "\(manager ?? "componentWithRedirectManager").provide",
      ["checkoutId": reference, "paymentMethodType": .string(type)])
    guard case .success(let provided) = answer else { return answer }
    componentID = provided["componentId"]?.string ?? ""
    let state = provided["state"] ?? .object([])
    guard state["banks"] == nil, state["details"] == nil else { return .success(state) }
    let started = try loop.call(
      "component.start", ["componentId": .string(componentID)], settledBy: ["already-started"])
    guard case .success = started else { return started }
    return try loop.call("component.get", ["componentId": .string(componentID)])
  }

  @discardableResult
  private func update(_ data: Value) throws(PayEnding) -> Value {
    try result(
      "component.updateCollectedData", ["componentId": .string(componentID), "data": data])
  }

  /// Submits what was collected.
  ///
  /// - Returns: Why that was refused, if it was.
  private func submit() throws(PayEnding) -> RPCError? {
    // If we are stopped before the answer comes the payment may be on its way.
    isSubmitted = true
    let answer = try loop.call(
      "component.submit", ["componentId": .string(componentID)], settledBy: ["already-submitted"])
    guard case .failure(let error) = answer else { return nil }
    isSubmitted = false
    return error
  }

  // MARK: iDEAL

  private func payWithBank() throws(PayEnding) -> Choice {
    let banks: [Value]
    switch try provided(MethodType.ideal) {
    case .success(let state): banks = state["banks"]?.array ?? []
    case .failure(let error): return .back(error.explanation)
    }
    var filter = TextField()
    var list = ChoiceList(banks.map(Self.choice))
    var problem: String?
    while true {
      loop.show(
        BanksView(heading: heading, problem: problem, filter: filter, list: list).screen)
      switch try loop.next() {
      case .key(.escape) where filter.text.isEmpty: return .back(nil)
      case .key(.enter):
        guard let bank = list.selection else {
          problem = "No bank in this list can be chosen at present."
          continue
        }
        let status = try update(["bankId": .string(bank.id)])
        problem = status["errors"]?.array?.first?["description"]?.string
        guard status["status"]?.string == "valid" else { continue }
        guard let error = try submit() else { return .submitted }
        problem = error.explanation
      case .key(let key):
        guard !list.handle(key) else { continue }
        let before = filter.text
        if key == .escape { filter = TextField() } else { _ = filter.handle(key) }
        guard filter.text != before else { continue }
        problem = nil
        // The daemon knows which letters are the same to a shopper.
        let status = try update(["bankFilterText": .string(filter.text)])
        list.replace(with: (status["banks"]?.array ?? []).map(Self.choice))
      case let other: try heed(other)
      }
    }
  }

  private static func choice(of bank: Value) -> ChoiceList.Choice {
    let isDisabled = bank["isDisabled"]?.bool ?? false
    return ChoiceList.Choice(
      id: bank["id"]?.string ?? "", label: bank["name"]?.string ?? "",
      note: isDisabled ? "not available at present" : nil, isEnabled: !isDisabled)
  }

  // MARK: ACH

  private static let detailLabels = [
    ("firstName", "First name"), ("lastName", "Last name "), ("emailAddress", "E-mail    "),
  ]

  private func payWithDetails() throws(PayEnding) -> Choice {
    let state: Value
    switch try provided(MethodType.ach) {
    case .success(let value): state = value
    case .failure(let error): return .back(error.explanation)
    }
    var view = DetailsView(
      heading: heading,
      fields: Self.detailLabels.map { name, label in
        var field = DetailsView.Field(
          name: name, label: label,
          text: TextField((state["data"]?[name] ?? state["details"]?[name])?.string ?? ""))
        if let known = state["validation"]?[name] { field.judge(known) }
        return field
      })
    while true {
      loop.show(view.screen)
      switch try loop.next() {
      case .key(.escape): return .back(nil)
      case .key(.enter):
        if view.focus < view.fields.count - 1 {
          view.focus += 1
        } else if let invalid = view.fields.firstIndex(where: { $0.isValid != true }) {
          view.focus = invalid
        } else {
          guard let error = try submit() else { return .submitted }
          view.problem = error.explanation
        }
      case .key(let key):
        guard let changed = view.handle(key) else { continue }
        try update(.object([.init(changed.name, .string(changed.text.text))]))
      case let other:
        try heed(other)
        if case .event(let event) = other { view.judge(event) }
      }
    }
  }
}

extension DetailsView {
  /// Takes a key.
  ///
  /// - Returns: The field whose text has changed, if one has.
  fileprivate mutating func handle(_ key: Key) -> Field? {
    switch key {
    case .tab, .down: focus = (focus + 1) % fields.count
    case .backTab, .up: focus = (focus + fields.count - 1) % fields.count
    default:
      let before = fields[focus].text.text
      guard fields[focus].text.handle(key), fields[focus].text.text != before else { return nil }
      problem = nil
      return fields[focus]
    }
    return nil
  }

  /// Takes what the daemon says about what was typed.
  fileprivate mutating func judge(_ event: ClientEvent) {
    guard event.method == "component.didUpdateValidationStatus",
      let name = event.params["data"]?.object?.first?.name,
      let index = fields.firstIndex(where: { $0.name == name })
    else { return }
    fields[index].judge(event.params)
  }
}

extension DetailsView.Field {
  /// Takes a status and its errors.
  fileprivate mutating func judge(_ status: Value) {
    switch status["status"]?.string {
    case "valid": isValid = true
    case "invalid", "error": isValid = false
    default: isValid = nil
    }
    problem = status["errors"]?.array?.first?["description"]?.string
  }
}

extension RPCError {
  /// What was wrong, for people.
  var explanation: String {
    let details = CheckoutErrorDetails(data ?? .object([]), description: message)
    let advice = details.recoverySuggestion.map { " \($0)." } ?? ""
    return "\(details.wholeDescription).\(advice)"
  }
}
