import ValueTree

/// One position of an order.
public struct PrimerLineItem: Sendable, Hashable {
  /// Your own id of the item.
  public let itemId: String?

  /// What it is.
  public let itemDescription: String?

  /// Its price in the currency's smallest unit.
  public let amount: Int?

  /// How many.
  public let quantity: Int?

  init(_ value: Value) {
    itemId = value["itemId"]?.string
    itemDescription = value["description"]?.string
    amount = value["amount"]?.integer.map { Int($0) }
    quantity = value["quantity"]?.integer.map { Int($0) }
  }
}

/// The shopper of a client session.
public struct PrimerCustomer: Sendable, Hashable {
  /// The first name.
  public let firstName: String?

  /// The last name.
  public let lastName: String?

  /// The e-mail address.
  public let emailAddress: String?
}

/// What is bought, and by whom.
public struct PrimerClientSession: Sendable, Hashable {
  /// Your own id of the shopper.
  public let customerId: String?

  /// Your own id of the order.
  public let orderId: String?

  /// As in `EUR`.
  public let currencyCode: String?

  /// What is to be paid, in the currency's smallest unit.
  public let totalAmount: Int?

  /// What is bought; nil where only a short form is known.
  public let lineItems: [PrimerLineItem]?

  /// Who buys it.
  public let customer: PrimerCustomer?

  init(_ value: Value) {
    let customer = value["customer"]
    customerId = customer?["customerId"]?.string
    orderId = value["orderId"]?.string
    currencyCode = value["currencyCode"]?.string
    totalAmount = value["totalAmount"]?.integer.map { Int($0) }
    lineItems = value["lineItems"]?.array?.map(PrimerLineItem.init)
    self.customer = customer.map {
      PrimerCustomer(
        firstName: $0["firstName"]?.string, lastName: $0["lastName"]?.string,
        emailAddress: $0["emailAddress"]?.string)
    }
  }
}

/// A tokenized payment method, for your backend to create the payment with.
public struct PrimerPaymentMethodTokenData: Sendable, Hashable {
  /// The token that your backend sends to Primer.
  public let token: String?

  /// Primer's id of the payment method.
  public let id: String?

  /// Primer's id for analyses.
  public let analyticsId: String?

  /// As in `ADYEN_IDEAL`.
  public let paymentMethodType: String?

  /// As in `OFF_SESSION_PAYMENT`.
  public let paymentInstrumentType: String?

  /// As in `SINGLE_USE`.
  public let tokenType: String?

  init(_ value: Value, paymentMethodType: String?) {
    token = value["token"]?.string
    id = value["id"]?.string
    analyticsId = value["analyticsId"]?.string
    self.paymentMethodType = paymentMethodType
    paymentInstrumentType = value["paymentInstrumentType"]?.string
    tokenType = value["tokenType"]?.string
  }
}
