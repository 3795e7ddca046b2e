import ValueTree

extension CheckoutError {
  var stored: Value {
    [
      .string(id.rawValue), Value(foreignID), Value(detail), Value(diagnosticsID), Value(path),
      upstream?.stored ?? .null,
      .array(validationErrors.map { [.string($0.field), .string($0.id.rawValue)] }),
      Value(checkout?.text),
    ]
  }

  init?(_ stored: StoredReader?) throws(StoredStateError) {
    guard var reader = stored else { return nil }
    self.init(try reader.word())
    foreignID = try reader.optionalText()
    detail = try reader.optionalText()
    diagnosticsID = try reader.optionalText()
    path = try reader.optionalText()
    upstream = try OperationFailure(reader.optionalReader())
    for error in try reader.list() {
      var pair = try StoredReader(error)
      validationErrors.append(FieldError(field: try pair.text(), id: try pair.word()))
      try pair.end()
    }
    if let text = try reader.optionalText() {
      guard let id = CheckoutID(text: text) else { throw StoredStateError() }
      checkout = id
    }
    try reader.end()
  }
}

extension OperationFailure {
  var stored: Value {
    [
      .integer(kind.code), Value(httpStatus.map(Int64.init)), Value(retryAfter),
      serverError?.stored ?? .null, payment?.stored ?? .null, .bool(isKeyAlreadyUsed),
    ]
  }

  init?(_ stored: StoredReader?) throws(StoredStateError) {
    guard var reader = stored else { return nil }
    guard let kind = Kind(code: try reader.integer()) else { throw StoredStateError() }
    self.init(kind)
    httpStatus = try reader.optionalInteger().map(Int.init)
    retryAfter = try reader.optionalInteger()
    serverError = try ServerError(reader.optionalReader())
    payment = try Payment(reader.optionalReader())
    isKeyAlreadyUsed = try reader.flag()
    try reader.end()
  }
}

extension OperationFailure.Kind {
  fileprivate var code: Int64 {
    switch self {
    case .notSent: 0
    case .timedOut: 1
    case .interrupted: 2
    case .status: 3
    case .undecodable: 4
    case .notAllowed: 5
    case .untrusted: 6
    }
  }

  fileprivate init?(code: Int64) {
    let kinds: [Self] = [
      .notSent, .timedOut, .interrupted, .status, .undecodable, .notAllowed, .untrusted,
    ]
    guard kinds.indices.contains(Int(code)) else { return nil }
    self = kinds[Int(code)]
  }
}

extension ServerError {
  fileprivate var stored: Value {
    [
      Value(id), Value(description), Value(diagnosticsID),
      .array(validationErrors.map(Value.string)),
    ]
  }

  fileprivate init?(_ stored: StoredReader?) throws(StoredStateError) {
    guard var reader = stored else { return nil }
    self.init()
    id = try reader.optionalText()
    description = try reader.optionalText()
    diagnosticsID = try reader.optionalText()
    var list = try reader.reader()
    while !list.isAtEnd { validationErrors.append(try list.text()) }
    try reader.end()
  }
}
