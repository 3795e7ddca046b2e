internal import Checkout
internal import JSON
internal import Upstream
internal import ValueTree

extension AnswerReader {
  /// Reads a bank list, in the server's order.
  ///
  /// An entry that makes no sense is left out; only a list of which nothing is left makes no sense
  /// itself. Half a line is what a list may take: the rest is for what is told beside it.
  func banks(
    _ body: Value, _ onLeftOut: (Int) -> Void
  ) throws(OperationFailure) -> [IssuingBank] {
    guard let entries = body["result"]?.array else { throw OperationFailure(.undecodable) }
    let banks = entries.compactMap(bank)
    guard !banks.isEmpty || entries.isEmpty else { throw OperationFailure(.undecodable) }
    let limit = maximumLineByteCount / 2
    guard ShownSize(of: banks).byteCount <= limit else {
      var failure = OperationFailure(.undecodable)
      failure.detail = "The list of \(banks.count) banks is too long to be told in a line"
      throw failure
    }
    if banks.count < entries.count { onLeftOut(entries.count - banks.count) }
    return banks
  }

  private func bank(_ entry: Value) -> IssuingBank? {
    guard let id = entry["id"]?.text(of: 1024) else { return nil }
    return IssuingBank(
      id: id, name: entry["name"]?.boundedText ?? id, iconURL: shownURL(entry["iconUrl"]),
      isDisabled: entry["disabled"]?.isYes ?? false)
  }

  /// A URL as it may be shown; `nil` if it may not.
  private func shownURL(_ value: Value?) -> String? {
    guard let url = value?.text else { return nil }
    do { return try policy.shown(url) } catch { return nil }
  }
}

/// How many bytes of a line something takes once it is told to a client, or a few more.
struct ShownSize {
  private(set) var byteCount = 0
  private let output = JSONOutput()

  /// What a member's name and punctuation, a number or a Boolean take at most.
  private static let memberByteCount = 48

  init(of banks: [IssuingBank]) {
    for bank in banks { add([bank.id, bank.name, bank.iconURL], memberCount: 4) }
  }

  /// Without its URLs, which are not told, and without how its methods look, which has a share of its
  /// own.
  init(of configuration: Configuration) {
    let session = configuration.clientSession
    let customer = session.customer
    add(
      [
        session.id, session.orderID, session.currencyCode, customer.id, customer.firstName,
        customer.lastName, customer.emailAddress, customer.mobileNumber, session.countryCode,
        session.shipping?.methodID, session.shipping?.methodName,
      ], memberCount: 24)
    for fee in session.fees { add([fee.type], memberCount: 3) }
    for item in session.lineItems { add([item.id, item.name, item.description], memberCount: 9) }
    // A method is told as available, or with a reason why it is not.
    for method in configuration.paymentMethods {
      add([method.type, method.name, method.implementationType], memberCount: 8)
    }
  }

  private mutating func add(_ texts: [String?], memberCount: Int) {
    output.removeAll()
    for text in texts { output.append(string: text ?? "") }
    byteCount += output.count + memberCount * Self.memberByteCount
  }
}
