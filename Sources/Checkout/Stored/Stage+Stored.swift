import ValueTree

extension Stage {
  var stored: Value {
    switch self {
    case .patching: [0]
    case .decidingOnCreation(let decision): [1, decision.stored]
    case .tokenizing: [2]
    case .decidingAfterTokenization(let decision): [3, decision.stored]
    case .validatingToken(let token, let decision): [4, token.stored, decision.stored]
    case .creating: [5]
    case .polling(.page(let url), let statusURL, let deadline):
      [6, .string(url), .string(statusURL), .integer(deadline)]
    case .polling(.code, let statusURL, let deadline):
      [14, .string(statusURL), .integer(deadline)]
    case .polling(.confirmation, let statusURL, let deadline):
      [15, .string(statusURL), .integer(deadline)]
    case .polling(.nothing(let reason), let statusURL, let deadline):
      [16, .string(reason), .string(statusURL), .integer(deadline)]
    case .decidingAfterResume(let decision): [7, decision.stored]
    case .resuming: [8]
    case .collecting(let secret, let completeURL): [9, .string(secret), .string(completeURL)]
    case .mandating(let completeURL): [10, .string(completeURL)]
    case .completing: [11]
    case .unselecting(let ending): [12, ending.stored]
    case .asking(let ending): [13, ending.stored]
    }
  }

  init(_ value: Value) throws(StoredStateError) {
    var reader = try StoredReader(value)
    switch try reader.integer() {
    case 0: self = .patching
    case 1: self = .decidingOnCreation(try OpenDecision(try reader.value()))
    case 2: self = .tokenizing
    case 3: self = .decidingAfterTokenization(try OpenDecision(try reader.value()))
    case 4:
      let token = try ClientToken(try reader.value())
      self = .validatingToken(
        token, decision: try OpenDecision(try reader.value()))
    case 5: self = .creating
    case 6:
      let url = try reader.text()
      let statusURL = try reader.text()
      self = .polling(.page(url: url), statusURL: statusURL, deadline: try reader.time())
    case 7: self = .decidingAfterResume(try OpenDecision(try reader.value()))
    case 8: self = .resuming
    case 9:
      let secret = try reader.text()
      self = .collecting(clientSecret: secret, completeURL: try reader.text())
    case 10: self = .mandating(completeURL: try reader.text())
    case 11: self = .completing
    case 12: self = .unselecting(try Ending(try reader.value()))
    case 13: self = .asking(try Ending(try reader.value()))
    case 14:
      let statusURL = try reader.text()
      self = .polling(.code, statusURL: statusURL, deadline: try reader.time())
    case 15:
      let statusURL = try reader.text()
      self = .polling(.confirmation, statusURL: statusURL, deadline: try reader.time())
    case 16:
      let reason = try reader.text()
      let statusURL = try reader.text()
      self = .polling(.nothing(reason: reason), statusURL: statusURL, deadline: try reader.time())
    default: throw StoredStateError()
    }
    try reader.end()
  }
}

extension OpenDecision {
  var stored: Value {
    [.string(id), .integer(deadline), .string(event.rawValue), .object(members)]
  }

  init(_ value: Value) throws(StoredStateError) {
    var reader = try StoredReader(value)
    id = try reader.text()
    deadline = try reader.time()
    event = try reader.word()
    guard let members = try reader.value().object else { throw StoredStateError() }
    self.members = members
    try reader.end()
  }
}

extension Operation {
  var stored: Value {
    [
      .integer(Int64(id)), request.stored, .string(url), .string(accessToken),
      .string(requestID),
    ]
  }

  init?(_ stored: StoredReader?, sessionID: String) throws(StoredStateError) {
    guard var reader = stored else { return nil }
    let id: OperationID = try reader.number()
    let request = try Request(try reader.value())
    let url = try reader.text()
    let accessToken = try reader.text()
    self.init(
      id: id, request: request, url: url, accessToken: accessToken, sessionID: sessionID,
      requestID: try reader.text())
    try reader.end()
  }
}

extension PendingOperation {
  /// The form in the store.
  ///
  /// - Parameter hidesInstrument: Whether what is tokenized holds a secret, which is never written.
  /// - Returns: One tree.
  func stored(hidesInstrument: Bool) -> Value {
    var request = operation.request.stored
    if hidesInstrument, case .tokenize = operation.request {
      request = Operation.Request.tokenize(instrument: .null).stored
    }
    return [
      .integer(Int64(operation.id)), purpose.stored, request,
      .string(operation.url), .string(operation.accessToken), .string(operation.requestID),
      .integer(Int64(sentCount)), .integer(sentAt), .bool(mayHaveBeenDone),
      .integer(Int64(uncertainRepeats)), .bool(isWaiting), Value(repeatsAt),
    ]
  }

  init(_ value: Value, sessionID: String) throws(StoredStateError) {
    var reader = try StoredReader(value)
    let id: OperationID = try reader.number()
    purpose = try Purpose(try reader.value())
    let request = try Operation.Request(try reader.value())
    let url = try reader.text()
    let accessToken = try reader.text()
    operation = Operation(
      id: id, request: request, url: url, accessToken: accessToken, sessionID: sessionID,
      requestID: try reader.text())
    sentCount = try reader.count()
    sentAt = try reader.time()
    mayHaveBeenDone = try reader.flag()
    uncertainRepeats = try reader.count()
    isWaiting = try reader.flag()
    repeatsAt = try reader.optionalTime()
    try reader.end()
  }

  /// Whether the request is one whose answer the purpose can take.
  var asksForItsPurpose: Bool {
    switch (purpose, operation.request) {
    case (.configuration, .fetchConfiguration), (.start, .fetchBanks), (.start, .performActions),
      (.patch, .performActions), (.tokenize, .tokenize), (.create, .createPayment),
      (.poll, .poll), (.resume, .resume), (.complete, .complete),
      (.validateToken, .validateClientToken), (.unselect, .performActions),
      (.question, .createPayment), (.superseded, .performActions):
      true
    default: false
    }
  }
}

extension PendingOperation.Purpose {
  var stored: Value {
    switch self {
    case .configuration: [0]
    case .start(let component): [1, .integer(Int64(component))]
    case .patch: [2]
    case .tokenize: [3]
    case .create: [4]
    case .poll: [5]
    case .resume: [6]
    case .complete: [7]
    case .validateToken: [8]
    case .unselect: [9]
    case .superseded: [10]
    case .question: [11]
    }
  }

  init(_ value: Value) throws(StoredStateError) {
    var reader = try StoredReader(value)
    switch try reader.integer() {
    case 0: self = .configuration
    case 1: self = .start(component: try reader.number())
    case 2: self = .patch
    case 3: self = .tokenize
    case 4: self = .create
    case 5: self = .poll
    case 6: self = .resume
    case 7: self = .complete
    case 8: self = .validateToken
    case 9: self = .unselect
    case 10: self = .superseded
    case 11: self = .question
    default: throw StoredStateError()
    }
    try reader.end()
  }
}

extension Operation.Request {
  var stored: Value {
    switch self {
    case .fetchConfiguration: [0]
    case .performActions(let actions): [1, .array(actions.map(\.stored))]
    case .fetchBanks(let id): [2, .string(id)]
    case .tokenize(let instrument): [3, instrument]
    case .createPayment(let token, let key): [4, .string(token), .string(key)]
    case .poll: [5]
    case .resume(let paymentID, let token): [6, .string(paymentID), .string(token)]
    case .complete(let time): [7, .integer(time)]
    case .validateClientToken(let encoded): [8, .string(encoded)]
    }
  }

  init(_ value: Value) throws(StoredStateError) {
    var reader = try StoredReader(value)
    switch try reader.integer() {
    case 0: self = .fetchConfiguration
    case 1:
      var actions: [ClientSessionAction] = []
      for action in try reader.list() { actions.append(try ClientSessionAction(action)) }
      self = .performActions(actions)
    case 2: self = .fetchBanks(configurationID: try reader.text())
    case 3: self = .tokenize(instrument: try reader.value())
    case 4:
      let token = try reader.text()
      self = .createPayment(paymentMethodToken: token, idempotencyKey: try reader.text())
    case 5: self = .poll
    case 6:
      let paymentID = try reader.text()
      self = .resume(paymentID: paymentID, resumeToken: try reader.text())
    case 7: self = .complete(mandateAcceptedAt: try reader.integer())
    case 8: self = .validateClientToken(encoded: try reader.text())
    default: throw StoredStateError()
    }
    try reader.end()
  }
}

extension ClientSessionAction {
  fileprivate var stored: Value {
    switch self {
    case .selectPaymentMethod(let type): [0, .string(type)]
    case .unselectPaymentMethod: [1]
    case .setFirstName(let text): [2, .string(text)]
    case .setLastName(let text): [3, .string(text)]
    case .setEmailAddress(let text): [4, .string(text)]
    }
  }

  fileprivate init(_ value: Value) throws(StoredStateError) {
    var reader = try StoredReader(value)
    switch try reader.integer() {
    case 0: self = .selectPaymentMethod(type: try reader.text())
    case 1: self = .unselectPaymentMethod
    case 2: self = .setFirstName(try reader.text())
    case 3: self = .setLastName(try reader.text())
    case 4: self = .setEmailAddress(try reader.text())
    default: throw StoredStateError()
    }
    try reader.end()
  }
}
