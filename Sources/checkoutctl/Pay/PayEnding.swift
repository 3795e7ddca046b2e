import CheckoutClient
import Glibc
import ValueTree

/// Why there is nothing more to be paid, or nothing more to be done about it here.
enum PayEnding: Error {
  /// The checkout has ended.
  case verdict(Verdict)
  /// Somebody, or the terminal, sent this signal.
  case signal(Int32)
  /// The time that the command was given is over.
  case timedOut
  /// Something failed.
  case failure(Failure)
}

/// What a checkout has come to.
struct Verdict {
  let outcome: String
  private let payment: Value?
  private let error: Value?

  /// Reads the event that ends a checkout, or the snapshot of one that has ended; nil for others.
  init?(_ value: Value) {
    guard let outcome = value["outcome"]?.string else { return nil }
    self.outcome = outcome
    payment = value["payment"]
    error = value["error"]
  }

  var status: ExitStatus {
    switch outcome {
    case "success", "pending", "handledByClient": .success
    default: .errorReply
    }
  }

  /// The verdict for programs.
  func value(of checkoutID: String) -> Value {
    var members: [Value.Member] = [
      .init("outcome", .string(outcome)), .init("checkoutId", .string(checkoutID)),
    ]
    if let payment { members.append(.init("payment", payment)) }
    if let error { members.append(.init("error", error)) }
    return .object(members)
  }

  /// The verdict in words without blanks: outcome, payment, its status.
  var words: String {
    let payment = payment ?? .object([])
    return [outcome, payment["id"]?.string ?? "-", payment["status"]?.string ?? "-"]
      .joined(separator: " ")
  }

  /// The verdict for people.
  var sentences: String {
    let reason = error?["description"]?.string.map { "\($0)." } ?? ""
    let said =
      switch outcome {
      case "success": "The payment is complete."
      case "pending": "The payment is under way; the bank has still to confirm it."
      case "handledByClient": "The checkout is complete."
      case "cancelled": "The payment was cancelled. No money moves."
      case "failed": "The payment failed. No money moves. \(reason)"
      default:
        "Whether the payment was made cannot be known. Do not start another: look it up. \(reason)"
      }
    guard let id = payment?["id"]?.string else { return said }
    let status = payment?["status"]?.string.map { " (\($0))" } ?? ""
    let order = payment?["orderId"]?.string.map { ", order \($0)" } ?? ""
    return "\(said)\nPayment \(id)\(status)\(order)."
  }
}
