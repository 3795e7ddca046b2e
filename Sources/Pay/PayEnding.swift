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
  case failure(PayFailure)
}

/// What a checkout has come to.
struct Verdict {
  let outcome: String
  private let payment: Value?
  private let error: Value?
  private let voucher: Value?
  /// The order to look up; the payment's, or else the client session's.
  private let orderID: String?

  /// Reads the event that ends a checkout, or the snapshot of one that has ended; nil for others.
  ///
  /// - Parameters:
  ///   - value: The event's members, or the snapshot.
  ///   - clientSession: What is bought, as far as it is known.
  init?(_ value: Value, _ clientSession: Value?) {
    guard let outcome = value["outcome"]?.string else { return nil }
    self.outcome = outcome
    payment = value["payment"]
    error = value["error"]
    let info = value["additionalInfo"]
    voucher = info?["kind"]?.string == "voucher" ? info : nil
    orderID = (payment?["orderId"] ?? clientSession?["orderId"])?.string
  }

  /// The verdict for programs.
  func value(of checkoutID: String) -> Value {
    var members: [Value.Member] = [
      .init("outcome", .string(outcome)), .init("checkoutId", .string(checkoutID)),
    ]
    if let payment { members.append(.init("payment", payment)) }
    if let error { members.append(.init("error", error)) }
    if let voucher { members.append(.init("additionalInfo", voucher)) }
    if isUnknown, let orderID { members.append(.init("orderId", .string(orderID))) }
    return .object(members)
  }

  /// The verdict in words without blanks: outcome, payment, its status; before it the voucher's name,
  /// reference and entity, if there is one.
  var words: String {
    let payment = payment ?? .object([])
    let said = [outcome, payment["id"]?.string ?? "-", payment["status"]?.string ?? "-"]
      .joined(separator: " ")
    guard let voucher else { return said }
    return "voucher \(voucherWords(voucher, separator: " "))\n\(said)"
  }

  private func voucherWords(_ voucher: Value, separator: String) -> String {
    [voucher["reference"]?.string ?? "-", voucher["entity"]?.string].compactMap(\.self)
      .joined(separator: separator)
  }

  /// Whether nobody knows if the payment was made.
  private var isUnknown: Bool { outcome == "unknown" }

  /// What has to be done, for people, beside what the words say; nil if nothing has.
  var advice: String? {
    guard isUnknown else { return nil }
    return
      "whether the payment was made is unknown: look up \(orderName) at Primer before you start"
      + " another payment"
  }

  private var orderName: String { orderID.map { "order \($0)" } ?? "the order" }

  /// The verdict for people.
  var sentences: String {
    let reason = error?["description"]?.string.map { " \($0)." } ?? ""
    var said =
      switch outcome {
      case "success": "The payment is complete."
      case "pending": "The payment is under way; the bank has still to confirm it."
      case "handledByClient": "The checkout is complete."
      case "cancelled": "The payment was cancelled. No money moves."
      case "failed": "The payment failed. No money moves.\(reason)"
      default:
        "Whether the payment was made cannot be known. Do not start another: look up \(orderName) at"
          + " Primer.\(reason)"
      }
    if let voucher {
      said = "Pay with the reference \(voucherWords(voucher, separator: ", entity "))."
      if let end = voucher["expiresAt"]?.string { said += " It is valid until \(end)." }
    }
    guard let id = payment?["id"]?.string else { return said }
    let status = payment?["status"]?.string.map { " (\($0))" } ?? ""
    let order = payment?["orderId"]?.string.map { ", order \($0)" } ?? ""
    return "\(said)\nPayment \(id)\(status)\(order)."
  }
}
