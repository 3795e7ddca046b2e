package import ValueTree

/// What upstream says about a client session: its payment methods and the session itself.
package struct Configuration: Sendable, Equatable {
  /// Base of the bank list call.
  package var coreURL: String?
  /// Base of session actions, tokenization and payments.
  package var pciURL: String?
  /// Every payment method in the server's order, whether a component supports it or not.
  package var paymentMethods: [PaymentMethod]
  /// The session's order, customer and options.
  package var clientSession: ClientSession

  /// Makes a configuration.
  package init(
    coreURL: String? = nil, pciURL: String? = nil, paymentMethods: [PaymentMethod] = [],
    clientSession: ClientSession = ClientSession()
  ) {
    self.coreURL = coreURL
    self.pciURL = pciURL
    self.paymentMethods = paymentMethods
    self.clientSession = clientSession
  }

  /// The first payment method of that type.
  package func paymentMethod(ofType type: String) -> PaymentMethod? {
    paymentMethods.first { $0.type == type }
  }
}

/// One payment method of a configuration.
package struct PaymentMethod: Sendable, Equatable {
  /// The configuration id that bank list and tokenization name.
  package var id: String?
  /// As in `ADYEN_IDEAL`.
  package var type: String
  /// For people to read.
  package var name: String?
  /// As in `NATIVE_SDK`.
  package var implementationType: String?
  /// Whether its capabilities say that upstream drives it.
  package var isBackendDriven: Bool
  /// How its button looks, as the protocol has it; there only where upstream says something usable.
  package var display: Value?
  /// Whether a version stored it that knew neither capabilities nor web redirects: then it stays what
  /// it was.
  var isOfEarlierVersion = false

  /// Makes a payment method.
  package init(
    id: String? = nil, type: String, name: String? = nil, implementationType: String? = nil,
    isBackendDriven: Bool = false, display: Value? = nil
  ) {
    self.id = id
    self.type = type
    self.name = name
    self.implementationType = implementationType
    self.isBackendDriven = isBackendDriven
    self.display = display
  }
}

/// A client session: the order to be paid and who pays it.
///
/// Amounts are in the currency's minor units.
package struct ClientSession: Sendable, Equatable {
  /// The session's id upstream.
  package var id: String?
  /// The merchant's id of the order.
  package var orderID: String?
  /// ISO 4217, as in `EUR`.
  package var currencyCode: String?
  /// What the merchant set, if it did not leave the sum to the line items.
  package var merchantAmount: Int64?
  /// The sum to pay.
  package var totalOrderAmount: Int64?
  /// What is bought.
  package var lineItems: [LineItem]
  /// Who buys.
  package var customer: Customer
  /// The payment methods (by type) that cost extra, and how much.
  package var surcharges: [String: Int64]
  /// ISO 3166, as in `NL`.
  package var countryCode: String?
  /// What is added to the order, a surcharge for instance.
  package var fees: [Fee]
  /// What bringing it costs.
  package var shipping: Shipping?
  /// The taxes in the sum.
  package var totalTaxAmount: Int64?

  /// Makes a session.
  package init(
    id: String? = nil, orderID: String? = nil, currencyCode: String? = nil,
    merchantAmount: Int64? = nil, totalOrderAmount: Int64? = nil, lineItems: [LineItem] = [],
    customer: Customer = Customer(), surcharges: [String: Int64] = [:],
    countryCode: String? = nil, fees: [Fee] = [], shipping: Shipping? = nil,
    totalTaxAmount: Int64? = nil
  ) {
    self.id = id
    self.orderID = orderID
    self.currencyCode = currencyCode
    self.merchantAmount = merchantAmount
    self.totalOrderAmount = totalOrderAmount
    self.lineItems = lineItems
    self.customer = customer
    self.surcharges = surcharges
    self.countryCode = countryCode
    self.fees = fees
    self.shipping = shipping
    self.totalTaxAmount = totalTaxAmount
  }

  /// The sum to pay: the merchant's amount if set, else the order's total.
  package var amount: Int64? { merchantAmount ?? totalOrderAmount }
}

/// Something that is added to an order.
package struct Fee: Sendable, Equatable {
  /// As in `SURCHARGE`; upstream's own word.
  package var type: String?
  /// Minor units.
  package var amount: Int64?

  /// Makes a fee.
  package init(type: String?, amount: Int64?) {
    self.type = type
    self.amount = amount
  }
}

/// How an order is brought, and what that costs.
package struct Shipping: Sendable, Equatable {
  /// Minor units.
  package var amount: Int64?
  /// The merchant's id of the way of shipping.
  package var methodID: String?
  /// For people to read.
  package var methodName: String?

  /// Makes a way of shipping.
  package init(amount: Int64?, methodID: String? = nil, methodName: String? = nil) {
    self.amount = amount
    self.methodID = methodID
    self.methodName = methodName
  }
}

/// One line of an order.
///
/// A member that upstream left out, or sent with another type, is `nil`.
package struct LineItem: Sendable, Equatable {
  /// The merchant's id of the item.
  package var id: String?
  /// For people to read.
  package var description: String?
  /// Minor units for one.
  package var amount: Int64?
  /// How many.
  package var quantity: Int64?
  /// What a receipt calls it.
  package var name: String?
  /// The taxes in the amount, in minor units.
  package var taxAmount: Int64?
  /// What was taken off, in minor units.
  package var discountAmount: Int64?

  /// Makes a line item.
  package init(
    id: String? = nil, description: String? = nil, amount: Int64? = nil, quantity: Int64? = nil,
    name: String? = nil, taxAmount: Int64? = nil, discountAmount: Int64? = nil
  ) {
    self.id = id
    self.description = description
    self.amount = amount
    self.quantity = quantity
    self.name = name
    self.taxAmount = taxAmount
    self.discountAmount = discountAmount
  }
}

/// Who buys; personal data.
package struct Customer: Sendable, Equatable {
  /// The merchant's id of the customer.
  package var id: String?
  /// First name.
  package var firstName: String?
  /// Last name.
  package var lastName: String?
  /// E-mail address.
  package var emailAddress: String?
  /// Number of a mobile telephone.
  package var mobileNumber: String?

  /// Makes a customer.
  package init(
    id: String? = nil, firstName: String? = nil, lastName: String? = nil,
    emailAddress: String? = nil, mobileNumber: String? = nil
  ) {
    self.id = id
    self.firstName = firstName
    self.lastName = lastName
    self.emailAddress = emailAddress
    self.mobileNumber = mobileNumber
  }
}

/// A bank that a shopper can pay with.
package struct IssuingBank: Sendable, Equatable {
  /// What tokenization names.
  package var id: String
  /// For people to read and to filter by.
  package var name: String
  /// Where its icon is; never fetched by the daemon.
  package var iconURL: String?
  /// Listed, but not to be chosen at present.
  package var isDisabled: Bool

  /// Makes a bank.
  package init(id: String, name: String, iconURL: String? = nil, isDisabled: Bool = false) {
    self.id = id
    self.name = name
    self.iconURL = iconURL
    self.isDisabled = isDisabled
  }
}
