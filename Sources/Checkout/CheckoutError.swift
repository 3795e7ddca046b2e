package import ValueTree

/// An error that a client sees, in a reply or in an event.
package struct CheckoutError: Error, Sendable, Equatable {
  /// What went wrong.
  package var id: ErrorID
  /// A collector's own id, which stands in ``id``'s place on the wire.
  package var foreignID: String?
  /// What went wrong here, if there is more to say than ``ErrorID/summary``; never a value that a
  /// shopper typed.
  package var detail: String?
  /// To be found again in the journal.
  package var diagnosticsID: String?
  /// JSON pointer to the parameter, as in `/settings/urlScheme`.
  package var path: String?
  /// What upstream said.
  package var upstream: OperationFailure?
  /// What is wrong with the collected data, field by field.
  package var validationErrors: [FieldError]
  /// Another checkout that is in the way, if the caller may see it.
  package var checkout: CheckoutID?
  /// What else a program can use, as in `{"manager":"achManager"}`.
  ///
  /// It stands in replies alone, so it is not stored.
  package var facts: [Value.Member]

  /// Makes an error.
  package init(
    _ id: ErrorID, detail: String? = nil, diagnosticsID: String? = nil, path: String? = nil,
    upstream: OperationFailure? = nil, validationErrors: [FieldError] = [],
    checkout: CheckoutID? = nil, facts: [Value.Member] = [], foreignID: String? = nil
  ) {
    self.id = id
    self.detail = detail
    self.diagnosticsID = diagnosticsID
    self.path = path
    self.upstream = upstream
    self.validationErrors = validationErrors
    self.checkout = checkout
    self.facts = facts
    self.foreignID = foreignID
  }

  /// The wire form: the `data` of an error reply, the `error` of an event.
  package var value: Value {
    var members = id.members(foreignID: foreignID, detail: detail)
    func add(_ name: String, _ text: String?) {
      if let text { members.append(Value.Member(name, .string(text))) }
    }
    add("recoverySuggestion", id.recoverySuggestion)
    add("diagnosticsId", diagnosticsID)
    add("path", path)
    add("checkoutId", checkout?.text)
    members += facts
    if let upstream { members += upstream.members }
    if !validationErrors.isEmpty {
      members.append(Value.Member("validationErrors", .array(validationErrors.map(\.value))))
    }
    return .object(members)
  }
}

extension OperationFailure {
  /// What upstream said, as members of an error.
  fileprivate var members: [Value.Member] {
    var members: [Value.Member] = []
    if let httpStatus { members.append(.init("httpStatus", .integer(Int64(httpStatus)))) }
    if let retryAfter { members.append(.init("retryAfterMs", .integer(retryAfter))) }
    guard let serverError else { return members }
    if let id = serverError.id { members.append(.init("serverErrorId", .string(id))) }
    if let text = serverError.description {
      members.append(.init("serverDescription", .string(text)))
    }
    if let id = serverError.diagnosticsID {
      members.append(.init("serverDiagnosticsId", .string(id)))
    }
    if !serverError.validationErrors.isEmpty {
      members.append(
        .init("serverValidationErrors", .array(serverError.validationErrors.map(Value.string))))
    }
    return members
  }

  /// The error that names this failure best, for an operation that moves no money.
  package var errorID: ErrorID {
    switch kind {
    case .notSent, .timedOut, .interrupted, .untrusted: .networkFailedAfterRetries
    case .undecodable: .failedToDecode
    case .notAllowed: .upstreamNotAllowed
    case .status:
      switch httpStatus ?? 0 {
      case 401: .unauthorized
      case 400..<600: .serverError
      case 200..<300: .serverError
      default: .invalidResponse
      }
    }
  }
}

/// What is wrong with one field of the collected data.
package struct FieldError: Sendable, Equatable {
  /// As in `bankId` or `emailAddress`.
  package var field: String
  /// What is wrong.
  package var id: ErrorID

  /// Makes an error.
  package init(field: String, id: ErrorID) {
    self.field = field
    self.id = id
  }

  /// The wire form in an error: `{"field","errorId","description"}`.
  package var value: Value {
    .object([Value.Member("field", .string(field))] + id.members())
  }

  /// The wire form in a validation status:
  /// `{"errorId","description","diagnosticsId","inputElementType"}`.
  package func validationError(diagnosticsID: String) -> Value {
    .object(
      id.members() + [
        Value.Member("diagnosticsId", .string(diagnosticsID)),
        Value.Member("inputElementType", .string(id.inputElementType)),
      ])
  }
}
