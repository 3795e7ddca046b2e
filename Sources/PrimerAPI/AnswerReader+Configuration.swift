internal import Checkout
internal import JSON
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
    var configuration = Configuration(
      coreURL: try allowed(body["coreUrl"]), pciURL: try allowed(body["pciUrl"]),
      paymentMethods: methods.compactMap(paymentMethod),
      clientSession: Self.clientSession(body["clientSession"] ?? .null))
    guard ShownSize(of: configuration).byteCount <= maximumLineByteCount / 4 else {
      var failure = OperationFailure(.undecodable)
      failure.detail = "The client session is too long to be told in a line"
      throw failure
    }
    let displays = configuration.paymentMethods.compactMap { $0.display?.jsonBytes.count }
    if displays.reduce(0, +) > maximumLineByteCount / 4 {
      for place in configuration.paymentMethods.indices {
        configuration.paymentMethods[place].display = nil
      }
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
  ///
  /// A capability that nobody knows hides none that is known.
  private func paymentMethod(_ value: Value) -> PaymentMethod? {
    guard let type = value["type"]?.text else { return nil }
    let name = value["name"]?.text
    return PaymentMethod(
      id: value["id"]?.text, type: type, name: name,
      implementationType: value["implementationType"]?.text,
      isBackendDriven: value["capabilities"]?.array?.contains {
        $0.string?.utf8.elementsEqual("BACKEND_DRIVEN".utf8) == true
      } ?? false,
      display: DisplayReader(policy: policy).display(
        value["displayMetadata"], name: name ?? type))
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
        lastName: customer?["lastName"]?.text, emailAddress: customer?["emailAddress"]?.text,
        mobileNumber: customer?["mobileNumber"]?.text),
      surcharges: surcharges(value["paymentMethod"]?["options"]?.array ?? []),
      countryCode: order?["countryCode"]?.text,
      fees: (order?["fees"]?.array ?? []).map {
        Fee(type: $0["type"]?.text, amount: $0["amount"]?.wholeNumber)
      },
      shipping: shipping(order?["shipping"]),
      totalTaxAmount: order?["totalTaxAmount"]?.wholeNumber)
  }

  private static func shipping(_ value: Value?) -> Shipping? {
    guard let value, value.object != nil else { return nil }
    return Shipping(
      amount: value["amount"]?.wholeNumber, methodID: value["methodId"]?.text,
      methodName: value["methodName"]?.text)
  }

  private static func lineItem(_ value: Value) -> LineItem {
    LineItem(
      id: value["itemId"]?.text,
      description: value["description"]?.text ?? value["name"]?.text,
      amount: value["amount"]?.wholeNumber, quantity: value["quantity"]?.wholeNumber,
      name: value["name"]?.text, taxAmount: value["taxAmount"]?.wholeNumber,
      discountAmount: value["discountAmount"]?.wholeNumber)
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
