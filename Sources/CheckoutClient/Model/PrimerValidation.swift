import ValueTree

/// What is wrong with one field that was collected.
public struct PrimerValidationError: Error, Sendable, Hashable {
  /// What is wrong, as in `invalid-bank-id`; programs switch on it.
  public var errorId: String

  /// What is wrong, for people to read.
  public var errorDescription: String?

  /// To be found again in the daemon's journal; empty if nothing was written there.
  public var diagnosticsId: String

  /// `BANKS`, `BANK` or `USER_DETAILS`, where a status tells of it.
  public var inputElementType: String?

  /// The field, as in `bankId`, where the error of a submission tells of it.
  public var field: String?

  /// Reads an error of a status, or of a refused submission.
  init(_ value: Value) {
    errorId = value["errorId"]?.string ?? "unknown"
    errorDescription = value["description"]?.string
    diagnosticsId = value["diagnosticsId"]?.string ?? ""
    inputElementType = value["inputElementType"]?.string
    field = value["field"]?.string
  }
}

/// What has come of judging the collected data.
public enum PrimerValidationStatus: Sendable, Hashable {
  /// It is being judged.
  case validating

  /// It is valid.
  case valid

  /// It is not, for these reasons.
  case invalid(errors: [PrimerValidationError])

  /// It could not be judged.
  case error(error: PrimerError)

  /// Reads the `status` of an event, a reply or a snapshot.
  init?(_ value: Value) {
    switch value["status"]?.string {
    case "validating": self = .validating
    case "valid": self = .valid
    case "invalid":
      self = .invalid(errors: (value["errors"]?.array ?? []).map(PrimerValidationError.init))
    case "error":
      self = .error(error: PrimerError(CheckoutErrorDetails(value["error"] ?? .object([]))))
    default: return nil
    }
  }
}
