package import Checkout
package import JSON
package import JSONRPC

/// A checkout as a client names it.
package enum CheckoutReference: Sendable, Equatable {
  /// By its id; `nil` if the text is no id.
  case id(CheckoutID?)
  /// By the key it was started with.
  case startKey(String)

  /// Reads a `checkoutId` parameter that has passed its schema.
  package init(_ view: JSONView) {
    if let text = view.string {
      self = .id(CheckoutID(text: text))
    } else {
      self = .startKey(view["startKey"]?.string ?? "")
    }
  }
}

extension Settings {
  /// Reads `checkout.start`'s `settings`, `decisions` and `decisionTimeoutMs`.
  ///
  /// - Throws: `invalid-value` if both a mandate's text and a merchant's name are given.
  package init(_ parameters: Parameters) throws(CheckoutError) {
    self.init()
    if let view = parameters["settings"] {
      if let word = view["paymentHandling"]?.string,
        let handling = PaymentHandling(rawValue: word)
      {
        paymentHandling = handling
      }
      if let text = view["locale"]?.string { locale = text }
      urlScheme = view["urlScheme"]?.string
      if let stripe = view["stripe"] {
        stripePublishableKey = stripe["publishableKey"]?.string
        mandateText = stripe["mandateText"]?.string
        merchantName = stripe["merchantName"]?.string
      }
    }
    guard mandateText == nil || merchantName == nil else {
      throw CheckoutError(
        .invalidValue, detail: "The mandate is either mandateText or merchantName, not both",
        path: "/settings/stripe")
    }
    decidesOnPaymentCreation = parameters["decisions"].map { $0.count > 0 } ?? false
    decisionTimeout = parameters["decisionTimeoutMs"]?.integer
  }
}

extension Share.Subject {
  /// Reads `uid` or `gid`.
  ///
  /// - Parameters:
  ///   - uid: A user's.
  ///   - gid: A group's.
  ///   - path: Where they stand.
  /// - Throws: `invalid-params` unless exactly one of them is given.
  package init(uid: JSONView?, gid: JSONView?, path: String = "/params/uid") throws(RPCError) {
    switch (uid?.integer, gid?.integer) {
    case (let uid?, nil): self = .user(UInt32(truncatingIfNeeded: uid))
    case (nil, let gid?): self = .group(UInt32(truncatingIfNeeded: gid))
    default: throw .invalidParams(path: path, description: "needs either a uid or a gid")
    }
  }
}

extension [Share] {
  /// Reads `checkout.start`'s `share`.
  ///
  /// - Throws: `invalid-params` with the path of the entry that names nobody.
  package init(_ view: JSONView?) throws(RPCError) {
    self = []
    guard let view else { return }
    for element in view.elements {
      let subject = try Share.Subject(
        uid: element["uid"], gid: element["gid"], path: "/params/share/\(count)")
      append(Share(subject: subject, role: Share.Role(element["role"])))
    }
  }
}

extension Share.Role {
  /// Reads a role; `observe` if none is given.
  package init(_ view: JSONView?) {
    self = view?.string.flatMap(Self.init) ?? .observe
  }
}

extension BankAccountReport {
  /// Reads `component.reportBankAccount`.
  ///
  /// - Throws: `invalid-params` if the outcome's own member is missing.
  package init(_ parameters: Parameters) throws(RPCError) {
    switch parameters["outcome"]?.string {
    case "succeeded":
      guard let id = parameters["paymentId"]?.string else {
        throw .invalidParams(path: "/params/paymentId", description: "is required")
      }
      self = .succeeded(paymentID: id)
    case "failed":
      guard let error = parameters["error"], let id = error["errorId"]?.string else {
        throw .invalidParams(path: "/params/error", description: "is required")
      }
      self = .failed(errorID: id, description: error["description"]?.string)
    default: self = .cancelled
    }
  }
}

/// The events a client wants: a set of kinds.
package struct EventFilter: Sendable, Equatable {
  private var bits: UInt32

  /// Every event.
  package static let all = EventFilter(bits: .max)

  private init(bits: UInt32) { self.bits = bits }

  /// Reads `types`: names of events, or prefixes that end in a period.
  ///
  /// - Throws: `invalid-params` for a name that no event has.
  package init(_ view: JSONView?) throws(RPCError) {
    guard let view else {
      self = .all
      return
    }
    bits = 0
    for element in view.elements {
      guard let word = element.string else { continue }
      let kinds = EventKind.allCases.filter { kind in
        word == kind.rawValue || word.hasSuffix(".") && kind.rawValue.hasPrefix(word)
      }
      guard !kinds.isEmpty else {
        throw .invalidParams(path: "/params/types", description: "names an event there is not")
      }
      for kind in kinds { bits |= kind.bit }
    }
  }

  /// Whether an event of a component may be among them.
  package var wantsComponents: Bool {
    EventKind.allCases.contains { !$0.isOfCheckout && contains($0) }
  }

  /// Makes a filter of the names of events; names that no event has are left out.
  ///
  /// - Parameter names: The names; nil for every event, those to come included.
  package init(names: [String]?) {
    guard let names else {
      self = .all
      return
    }
    bits = 0
    for kind in EventKind.allCases where names.contains(kind.rawValue) { bits |= kind.bit }
  }

  /// The names of the events that are wanted; nil for every event.
  package var names: [String]? {
    self == .all ? nil : EventKind.allCases.filter { contains($0) }.map(\.rawValue)
  }

  /// Whether events of that kind are wanted.
  package func contains(_ kind: EventKind) -> Bool { contains(kind.bit) }

  /// Whether events of the kind with that bit are wanted.
  package func contains(_ bit: UInt32) -> Bool { bits & bit != 0 }
}

extension EventKind {
  /// This kind's place in a set of kinds.
  package var bit: UInt32 {
    switch self {
    case .didLoadAvailablePaymentMethods: 1 << 0
    case .didReceiveStep: 1 << 1
    case .didUpdateValidationStatus: 1 << 2
    case .didReceiveError: 1 << 3
    case .willCreatePayment: 1 << 4
    case .didStartTokenization: 1 << 5
    case .didTokenizePaymentMethod: 1 << 6
    case .didReceiveAdditionalInfo: 1 << 7
    case .didResumeWith: 1 << 8
    case .willUpdateClientSession: 1 << 9
    case .didUpdateClientSession: 1 << 10
    case .didCompleteCheckout: 1 << 11
    case .didFail: 1 << 12
    }
  }
}
