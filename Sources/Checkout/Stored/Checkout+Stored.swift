package import ValueTree

extension Checkout {
  /// What is written when the checkout starts and when its token, configuration or shares change.
  package var storedFixed: Value {
    [
      .integer(Int64(owner)), .integer(createdAt), .string(sessionID), settings.stored,
      token.stored, configuration?.stored ?? .null, .array(shares.map(\.stored)),
      paymentSession?.stored ?? .null, creation?.stored ?? .null, .bool(isRestored),
    ]
  }

  /// Writes what every row has: all that the rest of the input can change.
  package func writeHot(to row: CompactWriter) {
    row.beginArray(count: 9)
    row.append(seq)
    phase.write(to: row)
    if let attempt { row.append(attempt.stored) } else { row.appendNull() }
    let hidesInstrument = attempt.map { components[$0.component].row.hasSecret } ?? false
    row.append(operations.map { $0.stored(hidesInstrument: hidesInstrument) })
    row.append(Int64(operationCount))
    row.append(Int64(decisionCount))
    row.append(expiresAt)
    row.append(hasSelectedPaymentMethod)
    row.beginArray(count: components.count)
    for component in components { component.write(to: row) }
  }

  /// Writes what every row has, and hands out what else has changed since that was done last.
  ///
  /// In place, since to look at a checkout where it is kept would take a copy.
  ///
  /// - Parameter row: Where what ``writeHot(to:)`` writes is appended.
  /// - Returns: ``storedFixed`` and the ``storedPart(of:)``s that have changed, by place.
  package mutating func writeChanges(
    to row: CompactWriter
  ) -> (fixed: Value?, parts: [(name: Int, body: Value)]) {
    writeHot(to: row)
    var parts: [(name: Int, body: Value)] = []
    for index in components.indices where components[index].isPartChanged {
      components[index].markPartWritten()
      if let body = storedPart(of: index) { parts.append((index, body)) }
    }
    let isFixedChanged = fixedVersion != writtenFixedVersion
    writtenFixedVersion = fixedVersion
    return (isFixedChanged ? storedFixed : nil, parts)
  }

  /// Has ``writeChanges(to:)`` hand out everything, as for rows that an earlier version has written.
  package mutating func markAllChanged() {
    writtenFixedVersion = fixedVersion &- 1
    for index in components.indices { components[index].markPartChanged() }
  }

  /// The large part of a component's state, if it has one.
  ///
  /// - Parameter index: The component's place.
  /// - Returns: What a restart is given again, or `nil` for a component without one.
  package func storedPart(of index: Int) -> Value? { components[index].component.storedPart }

  /// Takes up a checkout where its last commit left it.
  ///
  /// - Parameters:
  ///   - id: Its number.
  ///   - spans: How long things may take now.
  ///   - repetition: What it was started with.
  ///   - fixed: As ``storedFixed``.
  ///   - hot: What ``writeHot(to:)`` wrote.
  ///   - parts: What ``storedPart(of:)`` gave, by place.
  /// - Throws: ``StoredStateError`` if the state is not one that this version writes.
  package init(
    id: CheckoutID, spans: Spans, repetition: String? = nil, fixed: Value, hot: Value,
    parts: [(name: Int, body: Value)]
  ) throws(StoredStateError) {
    var reader = try StoredReader(fixed)
    self.id = id
    self.spans = spans
    self.repetition = repetition
    owner = try reader.number()
    createdAt = try reader.time()
    sessionID = try reader.text()
    sharedSettings = Shared(try Settings(try reader.value()))
    sharedToken = Shared(try ClientToken(try reader.value()))
    let storedConfiguration = try reader.value()
    if case .null = storedConfiguration {
      sharedConfiguration = Shared(nil)
    } else {
      sharedConfiguration = Shared(try Configuration(storedConfiguration))
    }
    shares = []
    for share in try reader.list() { shares.append(try Share(share)) }
    if reader.isAtEnd {
      // Version 1 asked nothing and derived no key; the session it knows is still the first.
      paymentSession = sharedConfiguration.value?.clientSession.id.map {
        PaymentSession(name: $0, protection: .session)
      }
    } else {
      paymentSession = try PaymentSession(reader.optionalReader())
      creation = try Operation(reader.optionalReader(), sessionID: sessionID)
      isRestored = try reader.flag()
    }
    try reader.end()
    var state = try StoredReader(hot)
    seq = try state.count()
    phase = try Phase(try state.value())
    attempt = try Attempt(state.optionalReader())
    for operation in try state.list() {
      operations.append(try PendingOperation(operation, sessionID: sessionID))
    }
    operationCount = try state.count()
    decisionCount = try state.count()
    expiresAt = try state.optionalTime()
    hasSelectedPaymentMethod = try state.flag()
    for (index, slot) in try state.list().enumerated() {
      let part = parts.first { $0.name == index }?.body
      components.append(try ComponentSlot(slot, part: part))
    }
    try state.end()
    forgetLostQuestion()
    writtenFixedVersion = fixedVersion
    guard isConsistent, parts.allSatisfy({ components.indices.contains($0.name) }) else {
      throw StoredStateError()
    }
  }

  /// A question about an ended checkout was for somebody who waited for its session, and is gone.
  private mutating func forgetLostQuestion() {
    guard isEnded, operations.contains(where: { $0.purpose == .question }) else { return }
    operations = []
    attempt?.hasAsked = false
  }

  /// Whether the parts of the state fit each other, as those of every state that is reached do.
  private var isConsistent: Bool {
    var isPaying = false
    if case .paying = phase { isPaying = true }
    if let attempt {
      guard isPaying || isEnded, components.indices.contains(attempt.component) else {
        return false
      }
    } else if isPaying {
      return false
    }
    let ids = Set(operations.map(\.operation.id))
    return ids.count == operations.count
      && operations.allSatisfy { pending in
        if case .start(let index) = pending.purpose, !components.indices.contains(index) {
          return false
        }
        return pending.operation.id <= operationCount && pending.asksForItsPurpose
      }
  }
}

extension Phase {
  /// Appends `[number]`, or `[number, more]`.
  func write(to row: CompactWriter) {
    func begin(_ number: Int64, and more: Value? = nil) {
      row.beginArray(count: more == nil ? 1 : 2)
      row.append(number)
      if let more { row.append(more) }
    }
    switch self {
    case .starting: begin(0)
    case .ready: begin(1)
    case .paying(let stage): begin(2, and: stage.stored)
    case .ended(let ending): begin(3, and: ending.stored)
    case .archived(let record): begin(4, and: record.stored)
    }
  }

  init(_ value: Value) throws(StoredStateError) {
    var reader = try StoredReader(value)
    switch try reader.integer() {
    case 0: self = .starting
    case 1: self = .ready
    case 2: self = .paying(try Stage(try reader.value()))
    case 3: self = .ended(try Ending(try reader.value()))
    case 4: self = .archived(try OutcomeRecord(try reader.value()))
    default: throw StoredStateError()
    }
    try reader.end()
  }
}

extension Ending {
  var stored: Value {
    let told: [Value] = [.string(outcome.rawValue), error?.stored ?? .null, .integer(at)]
    return .array(isPaymentFailed ? told + [true] : told)
  }

  init(_ value: Value) throws(StoredStateError) {
    var reader = try StoredReader(value)
    outcome = try reader.word()
    error = try CheckoutError(reader.optionalReader())
    at = try reader.time()
    isPaymentFailed = reader.isAtEnd ? false : try reader.flag()
    try reader.end()
  }
}

extension Attempt {
  var stored: Value {
    [
      .integer(Int64(component)), stepBefore ?? .null, .integer(since), payment?.stored ?? .null,
      .bool(isCancelling), Value(key), .integer(startedAt), .bool(isKeyChosen),
      .integer(Int64(keyNumber)), .bool(hasAsked), secondPayment?.stored ?? .null,
    ]
  }

  init?(_ stored: StoredReader?) throws(StoredStateError) {
    guard var reader = stored else { return nil }
    component = try reader.number()
    let step = try reader.value()
    if case .null = step { stepBefore = nil } else { stepBefore = step }
    since = try reader.time()
    payment = try Payment(reader.optionalReader())
    isCancelling = try reader.flag()
    key = try reader.optionalText()
    if reader.isAtEnd {
      // Version 1 knew the beginning of the stage alone, and kept the keys that clients chose.
      startedAt = since
      isKeyChosen = key != nil
    } else {
      startedAt = try reader.time()
      isKeyChosen = try reader.flag()
      keyNumber = try reader.number()
      guard (1...PaymentKey.lastNumber).contains(keyNumber) else { throw StoredStateError() }
      hasAsked = try reader.flag()
      secondPayment = try Payment(reader.optionalReader())
    }
    try reader.end()
  }
}

extension ComponentSlot {
  func write(to row: CompactWriter) {
    row.beginArray(count: 6)
    row.append(paymentMethodType)
    if let step { row.append(step) } else { row.appendNull() }
    row.append(isStarting)
    component.write(to: row)
    row.append(Int64(partVersion))
    row.append(self.row.name)
  }

  init(_ value: Value, part: Value?) throws(StoredStateError) {
    var reader = try StoredReader(value)
    paymentMethodType = try reader.text()
    let step = try reader.value()
    if case .null = step {} else { self.step = step }
    isStarting = try reader.flag()
    let stored = try reader.value()
    partVersion = try reader.count()
    writtenPartVersion = partVersion
    // Before version 4 the payment method's type alone told what it was.
    let row =
      reader.isAtEnd
      ? ComponentRow.serving(native: paymentMethodType) : ComponentRow.named(try reader.text())
    try reader.end()
    guard let row else { throw StoredStateError() }
    self.row = row
    component = try row.component.init(row, for: paymentMethodType, stored: stored, part: part)
  }
}

extension PaymentSession {
  var stored: Value { [.string(name), .string(protection.rawValue)] }

  init?(_ stored: StoredReader?) throws(StoredStateError) {
    guard var reader = stored else { return nil }
    self.init(name: try reader.text(), protection: try reader.word())
    try reader.end()
  }
}
