import CheckoutClient
import JSONRPC
import Terminal
import ValueTree

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
    guard let given = command.given else { return try ask(problem?["description"]?.string) }
    if let problem { throw .failure(.refused(problem)) }
    try startComponent(for: given)
    for member in given.fields { try update(.object([member])) }
    try submit().map { error throws(PayEnding) in throw .failure(.client(.remote(error))) }
  }

  /// Starts the component that collects what is given, whatever its payment method is.
  ///
  /// Where several do, it is the first that needs nothing else.
  private func startComponent(for given: PayRequest.Given) throws(PayEnding) {
    var reason: RPCError?
    var candidates: [(id: String, state: Value)] = []
    let wanted = given.paymentMethodType
    for method in methods where wanted == nil || method["type"]?.string == wanted {
      switch try provided(method) {
      case .success(let state):
        if Form(state).has(given.names) { candidates.append((componentID, state)) }
      case .failure(let error): reason = error
      }
    }
    var startedID: String?
    for candidate in candidates {
      componentID = candidate.id
      switch try started(candidate.state) {
      case .success(let state):
        startedID = candidate.id
        let missing = (state["missing"]?.array ?? []).compactMap(\.string)
        if missing.allSatisfy(given.names.contains) { return }
      case .failure(let error): reason = error
      }
    }
    if let startedID {
      // What is missing the daemon says.
      componentID = startedID
    } else if let reason {
      throw .failure(.client(.remote(reason)))
    } else {
      throw .failure(.usage("--data: no payment method of this checkout collects such data"))
    }
  }

  /// Asks for everything on the terminal.
  private func ask(_ problem: String?) throws(PayEnding) {
    var problem = problem
    while true {
      switch try pay(with: try chooseMethod(problem)) {
      case .submitted: return
      case .back(let why): problem = why
      }
    }
  }

  private func pay(with method: Value) throws(PayEnding) -> Choice {
    let state: Value
    switch try provided(method) {
    case .success(let provided):
      switch try started(provided) {
      case .success(let started): state = started
      case .failure(let error): return .back(error.explanation)
      }
    case .failure(let error): return .back(error.explanation)
    }
    let form = Form(state)
    if let field = form.choice { return try choose(field, among: form.choices) }
    if !form.fields.isEmpty { return try fill(in: form, state) }
    // Nothing has to be asked for.
    return try submit().map { .back($0.explanation) } ?? .submitted
  }

  private func chooseMethod(_ problem: String?) throws(PayEnding) -> Value {
    var list = ChoiceList(
      methods.map { method in
        let type = method["type"]?.string ?? ""
        return .init(id: type, label: method["name"]?.string ?? type)
      })
    if problem == nil, methods.count == 1 { return methods[0] }
    while true {
      loop.show(MethodsView(heading: heading, problem: problem, list: list).screen)
      switch try loop.next() {
      case .key(.enter):
        if let chosen = list.selection,
          let method = methods.first(where: { $0["type"]?.string == chosen.id })
        {
          return method
        }
      case .key(let key): _ = list.handle(key)
      case let other: try heed(other)
      }
    }
  }

  /// Has the component made for a payment method.
  ///
  /// - Returns: The component's part of the snapshot.
  private func provided(_ method: Value) throws(PayEnding) -> Result<Value, RPCError> {
    let view = WaitingView("Getting ready")
    loop.show(isTicking: true, view.screen)
    // Of a method without a manager any manager says why.
    let manager = method["manager"]?.string ?? "componentWithRedirectManager"
    let answer = try loop.call(
      "\(manager).provide",
      ["checkoutId": reference, "paymentMethodType": method["type"] ?? .null])
    guard case .success(let provided) = answer else { return answer }
    componentID = provided["componentId"]?.string ?? ""
    return .success(provided["state"] ?? .object([]))
  }

  /// Starts the component, if that has not been done.
  ///
  /// - Returns: The component's part of the snapshot.
  private func started(_ state: Value) throws(PayEnding) -> Result<Value, RPCError> {
    guard ["", "notInitialized", "loading"].contains(state.stepName) else { return .success(state) }
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

  // MARK: A choice

  private func choose(
    _ field: Form.Field, among choices: [Value]
  ) throws(PayEnding) -> Choice {
    var filter = TextField()
    var list = ChoiceList(choices.map(Self.choice))
    var problem: String?
    while true {
      loop.show(
        BanksView(heading: heading, problem: problem, filter: filter, list: list).screen)
      switch try loop.next() {
      case .key(.escape) where filter.text.isEmpty: return .back(nil)
      case .key(.enter):
        guard let chosen = list.selection else {
          problem = "No bank in this list can be chosen at present."
          continue
        }
        let status = try update(.object([.init(field.name, .string(chosen.id))]))
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

  // MARK: Texts

  private func fill(in form: Form, _ state: Value) throws(PayEnding) -> Choice {
    let width = form.fields.map(\.label.count).max() ?? 0
    var view = DetailsView(
      heading: heading,
      fields: form.fields.map { row in
        let known = (state["data"]?[row.name] ?? state["details"]?[row.name])?.string
        var field = DetailsView.Field(
          name: row.name,
          label: row.label + String(repeating: " ", count: width - row.label.count),
          text: TextField(known ?? "", isSecret: row.isSecret))
        if let judged = state["validation"]?[row.name] { field.judge(judged) }
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
