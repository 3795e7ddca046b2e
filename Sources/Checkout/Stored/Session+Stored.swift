import ValueTree

extension Settings {
  var stored: Value {
    [
      .string(paymentHandling.rawValue), .string(locale), Value(urlScheme),
      Value(stripePublishableKey), Value(mandateText), Value(merchantName),
      .bool(decidesOnPaymentCreation), Value(decisionTimeout),
    ]
  }

  init(_ value: Value) throws(StoredStateError) {
    var reader = try StoredReader(value)
    self.init()
    paymentHandling = try reader.word()
    locale = try reader.text()
    urlScheme = try reader.optionalText()
    stripePublishableKey = try reader.optionalText()
    mandateText = try reader.optionalText()
    merchantName = try reader.optionalText()
    decidesOnPaymentCreation = try reader.flag()
    decisionTimeout = try reader.optionalSpan()
    try reader.end()
  }
}

extension ClientToken {
  var stored: Value {
    [
      .string(encoded), .string(accessToken), .integer(expiresAt), Value(intent),
      Value(configurationURL), Value(coreURL), Value(pciURL), Value(redirectURL),
      Value(statusURL), Value(stripeClientSecret), Value(sdkCompleteURL), code?.stored ?? .null,
      voucher?.stored ?? .null,
    ]
  }

  init(_ value: Value) throws(StoredStateError) {
    var reader = try StoredReader(value)
    encoded = try reader.text()
    accessToken = try reader.text()
    expiresAt = try reader.integer()
    // It may be as far ahead as a number goes; one that has passed was never taken.
    guard expiresAt >= 0 else { throw StoredStateError() }
    intent = try reader.optionalText()
    configurationURL = try reader.optionalText()
    coreURL = try reader.optionalText()
    pciURL = try reader.optionalText()
    redirectURL = try reader.optionalText()
    statusURL = try reader.optionalText()
    stripeClientSecret = try reader.optionalText()
    sdkCompleteURL = try reader.optionalText()
    // Before version 4 no token asked for a code or a voucher.
    guard !reader.isAtEnd else { return }
    code = try Code(reader.optionalReader())
    voucher = try Voucher(reader.optionalReader())
    try reader.end()
  }
}

extension ClientToken.Code {
  fileprivate var stored: Value {
    switch self {
    case .image(let image): [0, .string(image)]
    case .imageURL(let url): [1, .string(url)]
    case .unusable: [2]
    }
  }

  fileprivate init?(_ stored: StoredReader?) throws(StoredStateError) {
    guard var reader = stored else { return nil }
    switch try reader.integer() {
    case 0: self = .image(try reader.text())
    case 1: self = .imageURL(try reader.text())
    case 2: self = .unusable
    default: throw StoredStateError()
    }
    try reader.end()
  }
}

extension ClientToken.Voucher {
  /// `[reference, entity, expiresAt]`.
  var stored: Value { [Value(reference), Value(entity), Value(expiresAt)] }

  init?(_ stored: StoredReader?) throws(StoredStateError) {
    guard var reader = stored else { return nil }
    reference = try reader.optionalText()
    entity = try reader.optionalText()
    expiresAt = try reader.optionalText()
    try reader.end()
  }
}

extension Share {
  var stored: Value {
    switch subject {
    case .user(let user): [0, .integer(Int64(user)), .string(role.rawValue)]
    case .group(let group): [1, .integer(Int64(group)), .string(role.rawValue)]
    }
  }

  init(_ value: Value) throws(StoredStateError) {
    var reader = try StoredReader(value)
    let subject: Subject
    switch try reader.integer() {
    case 0: subject = .user(try reader.number())
    case 1: subject = .group(try reader.number())
    default: throw StoredStateError()
    }
    self.init(subject: subject, role: try reader.word())
    try reader.end()
  }
}

extension Configuration {
  var stored: Value {
    [
      Value(coreURL), Value(pciURL), .array(paymentMethods.map(\.stored)), clientSession.stored,
    ]
  }

  init(_ value: Value) throws(StoredStateError) {
    var reader = try StoredReader(value)
    self.init(coreURL: try reader.optionalText(), pciURL: try reader.optionalText())
    for method in try reader.list() { paymentMethods.append(try PaymentMethod(method)) }
    clientSession = try ClientSession(try reader.value())
    try reader.end()
  }
}

extension PaymentMethod {
  fileprivate var stored: Value {
    let named = [Value(id), .string(type), Value(name), Value(implementationType)]
    return .array(isOfEarlierVersion ? named : named + [.bool(isBackendDriven), display ?? .null])
  }

  fileprivate init(_ value: Value) throws(StoredStateError) {
    var reader = try StoredReader(value)
    id = try reader.optionalText()
    type = try reader.text()
    name = try reader.optionalText()
    implementationType = try reader.optionalText()
    isOfEarlierVersion = reader.isAtEnd
    isBackendDriven = isOfEarlierVersion ? false : try reader.flag()
    let display = isOfEarlierVersion ? .null : try reader.value()
    if case .null = display { self.display = nil } else { self.display = display }
    try reader.end()
  }
}

extension ClientSession {
  fileprivate var stored: Value {
    [
      Value(id), Value(orderID), Value(currencyCode), Value(merchantAmount),
      Value(totalOrderAmount), .array(lineItems.map(\.stored)), customer.stored,
      .array(
        surcharges.sorted { $0.key < $1.key }.map { [.string($0.key), .integer($0.value)] }),
      Value(countryCode), .array(fees.map { [Value($0.type), Value($0.amount)] }),
      shipping.map { [Value($0.amount), Value($0.methodID), Value($0.methodName)] } ?? .null,
      Value(totalTaxAmount),
    ]
  }

  fileprivate init(_ value: Value) throws(StoredStateError) {
    var reader = try StoredReader(value)
    self.init()
    id = try reader.optionalText()
    orderID = try reader.optionalText()
    currencyCode = try reader.optionalText()
    merchantAmount = try reader.optionalInteger()
    totalOrderAmount = try reader.optionalInteger()
    for item in try reader.list() { lineItems.append(try LineItem(item)) }
    customer = try Customer(try reader.value())
    for surcharge in try reader.list() {
      var pair = try StoredReader(surcharge)
      let type = try pair.text()
      guard surcharges.updateValue(try pair.integer(), forKey: type) == nil else {
        throw StoredStateError()
      }
      try pair.end()
    }
    // Before version 4 a session ended here.
    guard !reader.isAtEnd else { return }
    countryCode = try reader.optionalText()
    for fee in try reader.list() {
      var pair = try StoredReader(fee)
      fees.append(Fee(type: try pair.optionalText(), amount: try pair.optionalInteger()))
      try pair.end()
    }
    if var way = try reader.optionalReader() {
      shipping = Shipping(
        amount: try way.optionalInteger(), methodID: try way.optionalText(),
        methodName: try way.optionalText())
      try way.end()
    }
    totalTaxAmount = try reader.optionalInteger()
    try reader.end()
  }
}

extension LineItem {
  fileprivate var stored: Value {
    [
      Value(id), Value(description), Value(amount), Value(quantity), Value(name),
      Value(taxAmount), Value(discountAmount),
    ]
  }

  fileprivate init(_ value: Value) throws(StoredStateError) {
    var reader = try StoredReader(value)
    id = try reader.optionalText()
    description = try reader.optionalText()
    amount = try reader.optionalInteger()
    quantity = try reader.optionalInteger()
    // Before version 4 a line ended here.
    guard !reader.isAtEnd else { return }
    name = try reader.optionalText()
    taxAmount = try reader.optionalInteger()
    discountAmount = try reader.optionalInteger()
    try reader.end()
  }
}

extension Customer {
  var stored: Value {
    [Value(id), Value(firstName), Value(lastName), Value(emailAddress), Value(mobileNumber)]
  }

  init(_ value: Value) throws(StoredStateError) {
    var reader = try StoredReader(value)
    id = try reader.optionalText()
    firstName = try reader.optionalText()
    lastName = try reader.optionalText()
    emailAddress = try reader.optionalText()
    // Before version 4 a customer had no telephone.
    mobileNumber = reader.isAtEnd ? nil : try reader.optionalText()
    try reader.end()
  }
}

extension IssuingBank {
  var stored: Value { [.string(id), .string(name), Value(iconURL), .bool(isDisabled)] }

  init(_ value: Value) throws(StoredStateError) {
    var reader = try StoredReader(value)
    id = try reader.text()
    name = try reader.text()
    iconURL = try reader.optionalText()
    isDisabled = try reader.flag()
    try reader.end()
  }
}

extension Payment {
  var stored: Value {
    isExisting
      ? [Value(id), Value(orderID), Value(status), true]
      : [Value(id), Value(orderID), Value(status)]
  }

  init?(_ stored: StoredReader?) throws(StoredStateError) {
    guard var reader = stored else { return nil }
    id = try reader.optionalText()
    orderID = try reader.optionalText()
    status = try reader.optionalText()
    isExisting = reader.isAtEnd ? false : try reader.flag()
    try reader.end()
  }
}
