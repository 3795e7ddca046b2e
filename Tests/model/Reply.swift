import Checkout

/// How upstream may answer, and how an answer may fail to come.
enum Reply: UInt8, CaseIterable {
  // What was asked for.
  case ok, other
  // About a payment: what the request came to.
  case action, success, failed, pending
  // The key has been used: the payment's status in one of its words, none, or no payment at all.
  case usedPending, usedSuccess, usedSettled, usedFailed, usedDeclined, usedUnknownWord
  case usedWithoutStatus, usedUnnamed
  // A status poll.
  case pollPending, pollComplete, pollUnknown
  // Nothing left the machine.
  case notSent, notAllowed, untrusted
  // Bytes left, and what upstream does with them is open for a while.
  case timedOut, interrupted, status408, status500, status503
  // A whole answer.
  case status429, refused, tokenUsed, refusedNamingFailed, refusedNamingPending, status404,
    status302
  case undecodable

  /// Whether no byte left.
  var isUnsent: Bool { self == .notSent || self == .notAllowed || self == .untrusted }

  /// Whether the request may still be on its way, or at work.
  var leavesRequestOpen: Bool {
    switch self {
    case .timedOut, .interrupted, .status408, .status500, .status503: true
    default: false
    }
  }

  /// Whether a whole answer came that tells nothing of what was done.
  var tellsNothing: Bool {
    switch self {
    case .status404, .status302, .undecodable: true
    default: false
    }
  }

  /// Whether nothing has gone wrong when upstream answers so.
  var isNatural: Bool {
    switch self {
    case .ok, .action, .success, .failed, .pending, .usedPending, .usedSuccess, .usedSettled,
      .usedFailed, .usedDeclined, .pollPending, .pollComplete, .tokenUsed:
      true
    default: false
    }
  }

  /// The failure, and how a test of the core writes it; `nil` for what is no failure.
  func failure(payment: String) -> (failure: OperationFailure, text: String)? {
    switch self {
    case .notSent: (Sample.failure(.notSent), "Sample.failure(.notSent)")
    case .notAllowed: (Sample.failure(.notAllowed), "Sample.failure(.notAllowed)")
    case .untrusted: (Sample.failure(.untrusted), "Sample.failure(.untrusted)")
    case .timedOut: (Sample.failure(.timedOut), "Sample.failure(.timedOut)")
    case .interrupted: (Sample.failure(.interrupted), "Sample.failure(.interrupted)")
    case .undecodable: (Sample.failure(.undecodable), "Sample.failure(.undecodable)")
    case .status408: (Sample.status(408), "Sample.status(408)")
    case .status500: (Sample.status(500), "Sample.status(500)")
    case .status503: (Sample.refusal(503), "Sample.refusal(503)")
    case .status429: (Sample.refusal(429), "Sample.refusal(429)")
    case .refused, .tokenUsed: (Sample.refusal(), "Sample.refusal()")
    case .status404: (Sample.status(404), "Sample.status(404)")
    case .status302: (Sample.status(302), "Sample.status(302)")
    case .refusedNamingFailed: refusal(naming: payment, "FAILED")
    case .refusedNamingPending: refusal(naming: payment, "PENDING")
    case .usedPending: used(payment, "PENDING")
    case .usedSuccess: used(payment, "SUCCESS")
    case .usedSettled: used(payment, "SETTLED")
    case .usedFailed: used(payment, "FAILED")
    case .usedDeclined: used(payment, "DECLINED")
    case .usedUnknownWord: used(payment, "ON_HOLD")
    case .usedWithoutStatus: used(payment, nil)
    case .usedUnnamed: used(nil, nil)
    case .ok, .other, .action, .success, .failed, .pending, .pollPending, .pollComplete,
      .pollUnknown:
      nil
    }
  }

  private func refusal(naming payment: String, _ status: String) -> (OperationFailure, String) {
    var failure = Sample.refusal()
    failure.payment = Payment(id: payment, status: status)
    return (
      failure,
      "OperationFailure(.status, httpStatus: 400, serverError: ServerError(id: \"Refused\"), "
        + "payment: Payment(id: \"\(payment)\", status: \"\(status)\"))"
    )
  }

  private func used(_ payment: String?, _ status: String?) -> (OperationFailure, String) {
    var failure = Sample.keyUsed(status)
    let word = status.map { "\"\($0)\"" } ?? "nil"
    guard payment != "pay-1" else { return (failure, "Sample.keyUsed(\(word))") }
    failure.payment = payment.map { Payment(id: $0, status: status) }
    let named = payment.map { "Payment(id: \"\($0)\", status: \(word))" } ?? "nil"
    return (
      failure,
      "OperationFailure(.status, httpStatus: 409, serverError: "
        + "ServerError(id: \"IdempotencyKeyAlreadyExists\"), payment: \(named), "
        + "isKeyAlreadyUsed: true)"
    )
  }
}
