import ValueTree

/// The managers that provide components; the raw value is their name on the wire.
package enum Manager: String, Sendable, CaseIterable {
  case nativeUI = "nativeUIManager"
  case rawData = "rawDataManager"
  case componentWithRedirect = "componentWithRedirectManager"
  case ach = "achManager"
}

/// One field that a shopper fills in, as a client needs it to ask for it and the daemon to judge it.
package struct FieldRow: Sendable {
  /// How a client asks for it; the raw value is its word on the wire.
  package enum Kind: String, Sendable, CaseIterable {
    /// A line of text.
    case text
    /// An e-mail address.
    case email
    /// A telephone number.
    case phone
    /// Digits, as of a code.
    case digits
    /// One of a list that the component tells.
    case choice
  }

  /// Its name in `component.updateCollectedData`, as in `emailAddress`.
  package let name: String
  /// The same, for the description of the protocol.
  package let staticName: StaticString
  /// How a client asks for it.
  package let kind: Kind
  /// For people to read, in English.
  package let label: String
  /// Whether it is never written and never told to anybody: it lives in memory alone.
  package let isSecret: Bool
  /// How many bytes of it a call may bring at most.
  package let maximumByteCount: Int
  /// What is said of an input that is refused.
  package let error: ErrorID
  /// What is accepted of an input, for that type of payment method; `nil` if it is invalid.
  let accepted: @Sendable (_ text: String, _ paymentMethodType: String) -> String?
  /// Its name in what is tokenized, as in `blikCode`.
  let instrumentName: String
  private let knownMember: (@Sendable (Customer) -> String?)?

  /// Makes a row; `known` tells where upstream has the field already.
  init(
    _ name: StaticString, _ kind: Kind, label: String, isSecret: Bool = false,
    maximumByteCount: Int,
    error: ErrorID, instrumentName: String? = nil,
    known: (@Sendable (Customer) -> String?)? = nil,
    accepted: @escaping @Sendable (String, String) -> String?
  ) {
    staticName = name
    self.name = name.description
    self.instrumentName = instrumentName ?? self.name
    knownMember = known
    self.kind = kind
    self.label = label
    self.isSecret = isSecret
    self.maximumByteCount = maximumByteCount
    self.error = error
    self.accepted = accepted
  }

  /// What upstream knows of it already.
  func known(of customer: Customer) -> String? { knownMember?(customer) }

  /// What is told of an input: `{"firstName":"Ada"}`; of a secret only that there is one.
  func told(_ text: String) -> Value {
    .object([.init(name, isSecret ? true : .string(text))])
  }

  /// The wire form: `{"name","kind","label","isSecret","required"}`.
  var value: Value {
    [
      "name": .string(name), "kind": .string(kind.rawValue), "label": .string(label),
      "isSecret": .bool(isSecret), "required": true,
    ]
  }
}

/// One kind of component: which payment methods it serves, and all that is the same for each of it.
///
/// A payment component is one of these, and a file of its own where it does more than collect fields.
package struct ComponentRow: Sendable {
  /// Its name on the wire and in stored rows, as in `BanksComponent`.
  package let name: String
  /// Who provides it.
  package let manager: Manager
  /// The payment methods that it serves natively; none for one that serves by implementation type.
  package let paymentMethodTypes: [String]
  /// What it collects, in the order in which a form asks for it.
  package let fields: [FieldRow]
  /// The name of the member with which its list is filtered, if it has one.
  package let filterName: StaticString?
  /// Whether a submission leads to a page; its steps then tell of `webRedirect` from the start.
  package let redirects: Bool
  /// Whether its payment takes the money from a bank account, days after the checkout has ended.
  package let isBankDebit: Bool
  /// What it does.
  package let component: any PaymentComponent.Type

  /// Makes a row.
  init(
    _ name: String, _ component: any PaymentComponent.Type, manager: Manager,
    paymentMethodTypes: [String] = [], fields: [FieldRow] = [], filterName: StaticString? = nil,
    redirects: Bool = false, isBankDebit: Bool = false
  ) {
    self.name = name
    self.component = component
    self.manager = manager
    self.paymentMethodTypes = paymentMethodTypes
    self.fields = fields
    self.filterName = filterName
    self.redirects = redirects
    self.isBankDebit = isBankDebit
  }

  /// Which fields there are, for people to read.
  package var fieldsText: String {
    let names = fields.map(\.name) + (filterName.map { [$0.description] } ?? [])
    return names.isEmpty
      ? "The component collects nothing"
      : "The component's fields: \(names.joined(separator: ", "))"
  }

  /// Whether that is a name in `component.updateCollectedData` for it.
  package func takes(_ name: String) -> Bool {
    fields.contains { $0.name.utf8.elementsEqual(name.utf8) }
      || filterName.map { name.utf8.elementsEqual($0.description.utf8) } ?? false
  }

  /// Whether a field of it is secret.
  var hasSecret: Bool { fields.contains(where: \.isSecret) }
}

/// The components that this version offers.
extension ComponentRow {
  /// Every row.
  ///
  /// A new kind of component is one more, and nothing else here.
  package static let all: [ComponentRow] = [
    BanksComponent.row,
    StripeAchUserDetailsComponent.row,
    webRedirect, code, voucher, oneTimeCode, phoneNumber,
  ]

  /// The row of that name.
  static func named(_ name: String) -> ComponentRow? { all.first { $0.name == name } }

  /// The row that serves a type of payment method natively.
  static func serving(native type: String) -> ComponentRow? {
    all.first { $0.paymentMethodTypes.contains(type) }
  }
}

/// Why a payment method of the session cannot be paid with here; the raw value is its word on the wire.
package enum Unavailability: String, Sendable, CaseIterable {
  /// Upstream drives it with programs of its own, to be run by whoever shows it.
  case backendDriven = "backend-driven"
  /// It needs a library of its maker.
  case needsVendorSDK = "needs-vendor-sdk"
  /// It collects card data, which does not belong here.
  case cardData = "card-data"
  /// Upstream serves it in a way that this version does not know.
  case unknownImplementation = "unknown-implementation"
  /// No component here collects what it needs.
  case noComponent = "no-component"
  /// The checkout was started by a version that did not know it.
  case startedBeforeUpgrade = "started-before-upgrade"
}

extension Unavailability: Error {}

extension ComponentRow {
  /// The row that serves a payment method of a configuration.
  ///
  /// How upstream serves it decides, its type second: a method that is not in anybody's list may well
  /// be a page to be shown.
  ///
  /// - Throws: Why none does.
  package static func serving(
    _ method: PaymentMethod
  ) throws(Unavailability) -> ComponentRow {
    switch method.implementationType {
    case "WEB_REDIRECT" where !method.isOfEarlierVersion:
      if method.isBackendDriven { throw .backendDriven }
      return .webRedirect
    case "BACKEND_DRIVEN": throw .backendDriven
    case "IPAY88_SDK": throw .needsVendorSDK
    case nil, "NATIVE_SDK", "FORM_WITH_REDIRECT": break
    default:
      // An earlier version looked at the type alone.
      if !method.isOfEarlierVersion { throw .unknownImplementation }
    }
    guard let row = serving(native: method.type) else {
      throw Unavailability(native: method.type)
    }
    if method.isOfEarlierVersion, !row.isOfFirstVersion { throw .startedBeforeUpgrade }
    return row
  }

  /// Whether a checkout of a version before web redirects could have it.
  private var isOfFirstVersion: Bool { manager == .componentWithRedirect || manager == .ach }
}

extension Unavailability {
  /// Why no component serves a type natively.
  fileprivate init(native type: String) {
    switch type {
    case "PAYMENT_CARD", "ADYEN_BANCONTACT_CARD": self = .cardData
    case "APPLE_PAY", "GOOGLE_PAY", "PAYPAL", "KLARNA", "NOL_PAY", "IPAY88_CARD":
      self = .needsVendorSDK
    default: self = .noComponent
    }
  }
}
