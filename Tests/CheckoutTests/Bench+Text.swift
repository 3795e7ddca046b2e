import Checkout
import ValueTree

// How effects read as lines.

extension Event {
  /// The event in one line.
  var line: String {
    let name = kind.rawValue.split(separator: ".").last.map(String.init) ?? ""
    switch kind {
    case .didReceiveStep: return "step " + (self["step"]?.stepLine ?? "")
    case .didUpdateValidationStatus:
      let field = self["data"]?.object?.first?.name ?? ""
      return (self["status"]?.string ?? "") + " " + field + Self.ids(self["errors"])
    case .didReceiveError: return "error " + (self["error"]?["errorId"]?.string ?? "")
    case .didLoadAvailablePaymentMethods:
      let types = self["availablePaymentMethods"]?.array?.compactMap { $0["type"]?.string }
      return name + " " + (types ?? []).joined(separator: ",")
    case .didReceiveAdditionalInfo: return name + " " + (self["info"]?["kind"]?.string ?? "")
    case .willUpdateClientSession, .didUpdateClientSession: return name
    case .willCreatePayment, .didStartTokenization, .didTokenizePaymentMethod, .didResumeWith:
      let words = ["paymentMethodType", "resumeToken", "decisionId"]
      return ([name] + words.compactMap { self[$0]?.string }).joined(separator: " ")
    case .didCompleteCheckout, .didFail:
      let words = [
        self["outcome"], self["error"]?["errorId"], self["payment"]?["id"],
        self["payment"]?["status"],
      ]
      return ([name] + words.compactMap { $0?.string }).joined(separator: " ")
    }
  }

  /// The member of that name.
  subscript(name: String) -> Value? { Value.object(members)[name] }

  fileprivate static func ids(_ errors: Value?) -> String {
    (errors?.array ?? []).map { " " + ($0["errorId"]?.string ?? "") }.joined()
  }
}

extension Value {
  /// A step in one line.
  var stepLine: String {
    var words = [self["name"]?.string ?? "none"]
    if let state = self["state"]?.string { words.append(state) }
    if let banks = self["banks"]?.array {
      words.append(banks.compactMap { $0["id"]?.string }.joined(separator: ","))
    }
    for field in ["firstName", "lastName", "emailAddress"] {
      if let text = self["details"]?[field]?.string { words.append(text) }
    }
    return words.joined(separator: " ")
  }

  /// A reply in one line.
  var replyLine: String {
    if object?.isEmpty == true { return "{}" }
    if let component = self["component"]?.string, let id = self["componentId"]?.string {
      return "\(component) \(id)"
    }
    if self["checkoutId"] != nil { return "snapshot " + (self["state"]?.string ?? "") }
    if let state = self["state"]?.string { return state }
    if let step = self["step"] { return "step " + step.stepLine }
    if let status = self["status"]?.string {
      let banks = self["banks"]?.array?.compactMap { $0["id"]?.string }.joined(separator: ",")
      return status + Event.ids(self["errors"]) + (banks.map { " banks " + $0 } ?? "")
    }
    return "?"
  }
}

extension CheckoutError {
  /// The error in one line.
  var line: String {
    let fields = validationErrors.map { " \($0.field):\($0.id.rawValue)" }.joined()
    return (foreignID ?? id.rawValue) + (path.map { " " + $0 } ?? "") + fields
  }
}

extension Operation.Request {
  /// The call in one line.
  var line: String {
    switch self {
    case .performActions(let actions): "actions " + actions.map(\.line).joined(separator: " ")
    case .fetchBanks(let id): "banks \(id)"
    case .createPayment(let token, _): "create \(token)"
    case .resume(let payment, let token): "resume \(payment) \(token)"
    case .validateClientToken(let token): "validate \(token)"
    case .fetchConfiguration, .tokenize, .poll, .complete: name
    }
  }
}

extension ClientSessionAction {
  fileprivate var line: String {
    switch self {
    case .selectPaymentMethod(let type): "SELECT:\(type)"
    case .unselectPaymentMethod: "UNSELECT"
    case .setFirstName(let text): "first:\(text)"
    case .setLastName(let text): "last:\(text)"
    case .setEmailAddress(let text): "email:\(text)"
    }
  }
}

extension TimerID {
  /// The timer in one word.
  var name: String {
    switch self {
    case .expiry: "expiry"
    case .decision: "decision"
    case .poll: "poll"
    case .repeat: "repeat"
    }
  }
}
