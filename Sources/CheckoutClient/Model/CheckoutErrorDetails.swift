package import ValueTree

/// What the daemon tells about something that went wrong.
public struct CheckoutErrorDetails: Sendable, Hashable, CustomStringConvertible {
  /// What went wrong, as in `invalid-client-token`; programs switch on it.
  public var errorId: String

  /// What went wrong, for people to read.
  public var description: String

  /// What to do about it, where there is something to do.
  public var recoverySuggestion: String?

  /// To be found again in the daemon's journal.
  public var diagnosticsId: String?

  /// A JSON pointer to the parameter that was wrong, as in `/settings/urlScheme`.
  public var path: String?

  /// The HTTP status that Primer answered with.
  public var httpStatus: Int?

  /// Primer's own `errorId`.
  public var serverErrorId: String?

  /// Primer's own text.
  public var serverDescription: String?

  /// To be quoted to Primer's support.
  public var serverDiagnosticsId: String?

  /// When to try again, in milliseconds from now.
  public var retryAfterMilliseconds: Int?

  /// Another checkout that is in the way, with `session-in-use` and `key-reused`.
  public var checkoutId: String?

  /// What is wrong with the collected data, with `invalid-collected-data`.
  public var validationErrors: [PrimerValidationError] = []

  /// Makes an error of a program's own.
  ///
  /// - Parameters:
  ///   - errorId: What went wrong, for programs.
  ///   - description: What went wrong, for people.
  public init(errorId: String, description: String) {
    self.errorId = errorId
    self.description = description
  }
}

extension CheckoutErrorDetails {
  /// What went wrong, which parameter was wrong, and what is wrong with the collected data, in a line.
  package var wholeDescription: String {
    let said = [description, path.map { "(\($0))" } ?? ""].filter { !$0.isEmpty }
    let wrong = validationErrors.map { error in
      [error.field, error.errorDescription ?? error.errorId].compactMap(\.self)
        .joined(separator: ": ")
    }
    return ([said.joined(separator: " ")] + wrong).filter { !$0.isEmpty }.joined(separator: "; ")
  }

  /// Reads the `data` of an error reply, or the `error` of an event.
  package init(_ value: Value, description: String = "") {
    errorId = value["errorId"]?.string ?? "unknown"
    self.description = value["description"]?.string ?? description
    recoverySuggestion = value["recoverySuggestion"]?.string
    diagnosticsId = value["diagnosticsId"]?.string
    path = value["path"]?.string
    httpStatus = value["httpStatus"]?.integer.map { Int($0) }
    serverErrorId = value["serverErrorId"]?.string
    serverDescription = value["serverDescription"]?.string
    serverDiagnosticsId = value["serverDiagnosticsId"]?.string
    retryAfterMilliseconds = value["retryAfterMs"]?.integer.map { Int($0) }
    checkoutId = value["checkoutId"]?.string
    validationErrors = (value["validationErrors"]?.array ?? []).map(PrimerValidationError.init)
  }
}
