import CheckoutClient
import ValueTree

/// Members of an object, of which those without a value are left out.
func members(_ pairs: KeyValuePairs<String, Value?>) -> [Value.Member] {
  pairs.compactMap { name, value in value.map { .init(name, $0) } }
}

extension Value {
  /// An object, without the members that have no value.
  static func object(_ pairs: KeyValuePairs<String, Value?>) -> Value { .object(members(pairs)) }
}

extension CheckoutErrorDetails {
  var written: Value {
    .object([
      "errorId": .string(errorId), "description": .string(description),
      "diagnosticsId": diagnosticsId.map(Value.string), "path": path.map(Value.string),
    ])
  }
}

extension PrimerError {
  var written: Value {
    .object([
      "errorId": .string(errorId), "description": errorDescription.map(Value.string),
      "diagnosticsId": .string(diagnosticsId),
    ])
  }
}

extension IssuingBank {
  var written: Value {
    .object([
      "id": .string(id), "name": .string(name), "iconUrlStr": iconUrlStr.map(Value.string),
      "isDisabled": .bool(isDisabled),
    ])
  }
}

extension PrimerValidationStatus {
  /// The members `status` and what belongs to it.
  var written: [Value.Member] {
    switch self {
    case .validating: members(["status": "validating"])
    case .valid: members(["status": "valid"])
    case .invalid(let errors):
      members(["status": "invalid", "errors": .array(errors.map(\.written))])
    case .error(let error): members(["status": "error", "error": error.written])
    }
  }
}

extension PrimerValidationError {
  var written: Value {
    .object([
      "errorId": .string(errorId), "description": errorDescription.map(Value.string),
      "diagnosticsId": .string(diagnosticsId),
      "inputElementType": inputElementType.map(Value.string), "field": field.map(Value.string),
    ])
  }
}

extension PrimerHeadlessUniversalCheckout.PaymentMethod {
  var written: Value {
    .object([
      "type": .string(paymentMethodType), "name": paymentMethodName.map(Value.string),
      "manager": paymentMethodManagerCategories.first.map { .string($0.rawValue) },
    ])
  }
}

extension PrimerCheckoutData {
  /// The members `payment` and `outcome`.
  var written: [Value.Member] {
    members(["payment": payment?.written, "outcome": checkoutOutcome.map(Value.string)])
  }
}

extension PrimerCheckoutDataPayment {
  var written: Value {
    .object([
      "id": id.map(Value.string), "orderId": orderId.map(Value.string),
      "status": status.map(Value.string),
    ])
  }
}

/// Steps, as the protocol has them.
enum StepWriter {
  static func written(_ step: any PrimerHeadlessStep) -> Value {
    switch step {
    case BanksStep.loading: ["name": "loading"]
    case BanksStep.banksRetrieved(let banks):
      ["name": "banksRetrieved", "banks": .array(banks.map(\.written))]
    case ACHUserDetailsStep.retrievedUserDetails(let details):
      [
        "name": "retrievedUserDetails",
        "details": [
          "firstName": .string(details.firstName), "lastName": .string(details.lastName),
          "emailAddress": .string(details.emailAddress),
        ],
      ]
    case ACHUserDetailsStep.didCollectUserDetails: ["name": "didCollectUserDetails"]
    case WebRedirectStep.loaded(let url):
      ["name": "webRedirect", "state": "loaded", "url": .string(url)]
    case let step as WebRedirectStep: ["name": "webRedirect", "state": .string("\(step)")]
    case let step as NamedStep: ["name": .string(step.rawValue)]
    default: .null
    }
  }
}

/// Collected data, as the protocol has it.
enum DataWriter {
  static func written(_ data: any PrimerCollectableData) -> Value.Member {
    switch data {
    case BanksCollectableData.bankId(let id): .init("bankId", .string(id))
    case BanksCollectableData.bankFilterText(let text): .init("bankFilterText", .string(text))
    case ACHUserDetailsCollectableData.firstName(let text): .init("firstName", .string(text))
    case ACHUserDetailsCollectableData.lastName(let text): .init("lastName", .string(text))
    case ACHUserDetailsCollectableData.emailAddress(let text):
      .init("emailAddress", .string(text))
    default: .init("unknown", .null)
    }
  }
}

/// What the shopper must be shown, as the protocol has it.
enum InfoWriter {
  static func written(_ info: any PrimerCheckoutAdditionalInfo) -> Value {
    switch info {
    case let info as ACHBankAccountCollectorAdditionalInfo:
      [
        "kind": "bankAccountCollector", "publishableKey": .string(info.publishableKey),
        "clientSecret": .string(info.clientSecret), "returnUrl": .string(info.returnUrl),
        "fullName": .string(info.fullName), "emailAddress": .string(info.emailAddress),
      ]
    case let info as ACHMandateAdditionalInfo:
      .object([
        "kind": "mandate", "text": info.text.map(Value.string),
        "merchantName": info.merchantName.map(Value.string),
      ])
    default: .null
    }
  }
}
