import ValueTree

/// Something that a component collects from the shopper.
public protocol PrimerCollectableData: Sendable {}

/// Something that a component has come to.
public protocol PrimerHeadlessStep: Sendable {}

/// A step that has nothing but its name, which may be one that this version does not know.
public struct NamedStep: PrimerHeadlessStep, RawRepresentable, Hashable {
  /// The word of the protocol.
  public let rawValue: String

  /// Takes any word: a daemon may know steps that this library does not.
  ///
  /// - Parameter rawValue: The word of the protocol.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// A component that fetches nothing is started.
  public static let ready = Self(rawValue: "ready")
  /// The shopper is shown a code, or enters one elsewhere.
  public static let awaitingCode = Self(rawValue: "awaitingCode")
  /// The shopper confirms the payment elsewhere.
  public static let awaitingConfirmation = Self(rawValue: "awaitingConfirmation")
}

/// Steps as the protocol writes them.
enum StepReader {
  /// Reads a `step`; nil before the start, and if this version does not know it.
  static func step(_ value: Value) -> (any PrimerHeadlessStep)? {
    switch value["name"]?.string {
    case nil, "notInitialized": nil
    case "loading": BanksStep.loading
    case "banksRetrieved":
      BanksStep.banksRetrieved(banks: (value["banks"]?.array ?? []).map(IssuingBank.init))
    case "retrievedUserDetails":
      ACHUserDetailsStep.retrievedUserDetails(ACHUserDetails(value["details"] ?? .object([])))
    case "didCollectUserDetails": ACHUserDetailsStep.didCollectUserDetails
    case "webRedirect": redirect(value)
    case let name?: NamedStep(rawValue: name)
    }
  }

  /// Reads the step of a component, which has the banks or the details beside it.
  static func current(of component: Value) -> (any PrimerHeadlessStep)? {
    component["step"].flatMap {
      step(
        $0.adding("banks", component["banks"]).adding("details", component["details"]))
    }
  }

  private static func redirect(_ value: Value) -> WebRedirectStep? {
    switch value["state"]?.string {
    case "loading": .loading
    case "loaded": .loaded(url: value["url"]?.string ?? "")
    case "dismissed": .dismissed
    case "success": .success
    case "failure": .failure
    default: nil
    }
  }
}

/// Collected data as the protocol writes it.
enum CollectedData {
  /// The one field of the data; nil for data of a type that no component collects.
  static func value(of data: any PrimerCollectableData) -> Value? {
    switch data {
    case BanksCollectableData.bankId(let id): ["bankId": .string(id)]
    case BanksCollectableData.bankFilterText(let text): ["bankFilterText": .string(text)]
    case ACHUserDetailsCollectableData.firstName(let text): ["firstName": .string(text)]
    case ACHUserDetailsCollectableData.lastName(let text): ["lastName": .string(text)]
    case ACHUserDetailsCollectableData.emailAddress(let text): ["emailAddress": .string(text)]
    default: nil
    }
  }

  /// Reads the data of an event; nil if it is redacted, or this version does not know it.
  static func data(_ value: Value) -> (any PrimerCollectableData)? {
    value.object?.first.flatMap(data)
  }

  /// Reads one field.
  static func data(_ member: Value.Member) -> (any PrimerCollectableData)? {
    guard let text = member.value.string else { return nil }
    return switch member.name {
    case "bankId": BanksCollectableData.bankId(bankId: text)
    case "bankFilterText": BanksCollectableData.bankFilterText(text: text)
    case "firstName": ACHUserDetailsCollectableData.firstName(text)
    case "lastName": ACHUserDetailsCollectableData.lastName(text)
    case "emailAddress": ACHUserDetailsCollectableData.emailAddress(text)
    default: nil
    }
  }
}
