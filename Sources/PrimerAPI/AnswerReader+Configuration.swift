internal import Checkout
internal import ValueTree

extension AnswerReader {
  /// Reads a configuration, of which the methods and the URLs are needed.
  ///
  /// Of the session a member of another type than expected is `nil`, so that whoever needs it can say
  /// which one is missing.
  func configuration(_ body: Value) throws(OperationFailure) -> Configuration {
    guard let methods = body["paymentMethods"]?.array else { throw OperationFailure(.undecodable) }
    return try configuration(body, methods)
  }

  /// Reads the answer to a change of the session, of which only the session is needed.
  func changedSession(_ body: Value) throws(OperationFailure) -> Configuration {
    guard body["clientSession"]?.object != nil else { throw OperationFailure(.undecodable) }
    return try configuration(body, body["paymentMethods"]?.array ?? [])
  }

  /// A quarter of a line is what session and methods may take: the rest is for what is told beside.
  private func configuration(
    _ body: Value, _ methods: [Value]
  ) throws(OperationFailure) -> Configuration {
    let configuration = Configuration(
      coreURL: try allowed(body["coreUrl"]), pciURL: try allowed(body["pciUrl"]),
      paymentMethods: methods.compactMap(Self.paymentMethod),
      clientSession: Self.clientSession(body["clientSession"] ?? .null))
    guard ShownSize(of: configuration).byteCount <= maximumLineByteCount / 4 else {
      var failure = OperationFailure(.undecodable)
      failure.detail = "The client session is too long to be told in a line"
      throw failure
    }
    return configuration
  }

  private func allowed(_ value: Value?) throws(OperationFailure) -> String? {
    guard let url = value?.text else { return nil }
    do { return try policy.called(url) } catch {
      throw OperationFailure(error == .libraryMissing ? .notSent : .notAllowed)
    }
  }

  /// A method without a type cannot be named by anybody, so it is left out.
  private static func paymentMethod(_ value: Value) -> PaymentMethod? {
    guard let type = value["type"]?.text else { return nil }
    return PaymentMethod(
      id: value["id"]?.text, type: type, name: value["name"]?.text,
      implementationType: value["implementationType"]?.text)
  }

  private static func clientSession(_ value: Value) -> ClientSession {
    let order = value["order"]
    let customer = value["customer"]
    return ClientSession(
      id: value["clientSessionId"]?.text, orderID: order?["orderId"]?.text,
      currencyCode: order?["currencyCode"]?.text,
      merchantAmount: order?["merchantAmount"]?.wholeNumber,
      totalOrderAmount: order?["totalOrderAmount"]?.wholeNumber,
      lineItems: (order?["lineItems"]?.array ?? []).map(lineItem),
      customer: Customer(
        id: customer?["customerId"]?.text, firstName: customer?["firstName"]?.text,
        lastName: customer?["lastName"]?.text, emailAddress: customer?["emailAddress"]?.text),
      surcharges: surcharges(value["paymentMethod"]?["options"]?.array ?? []))
  }

  private static func lineItem(_ value: Value) -> LineItem {
    LineItem(
      id: value["itemId"]?.text,
      description: value["description"]?.text ?? value["name"]?.text,
      amount: value["amount"]?.wholeNumber, quantity: value["quantity"]?.wholeNumber)
  }

  /// What each type costs extra: its own surcharge, else the first of its card networks.
  private static func surcharges(_ options: [Value]) -> [String: Int64] {
    var surcharges: [String: Int64] = [:]
    for option in options {
      guard let type = option["type"]?.text else { continue }
      let networks = option["networks"]?.array ?? []
      let amount =
        option["surcharge"]?.wholeNumber
        ?? networks.lazy.compactMap { $0["surcharge"]?.wholeNumber }.first
      if let amount { surcharges[type] = amount }
    }
    return surcharges
  }
}
