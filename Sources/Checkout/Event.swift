package import ValueTree

/// Something that happened to a checkout, for its subscribers.
///
/// The members are the event's own; whoever publishes it adds `checkoutId`, `seq`, `time` and
/// `componentId`.
package struct Event: Sendable, Equatable {
  /// What happened.
  package var kind: EventKind
  /// The place of the component it happened to.
  package var component: Int?
  /// What there is to say, in the order of `protocol.md` section 4.
  package var members: [Value.Member]

  /// Makes an event.
  package init(_ kind: EventKind, component: Int? = nil, _ members: [Value.Member] = []) {
    self.kind = kind
    self.component = component
    self.members = members
  }

  /// Whether nothing of this checkout can follow.
  package var isTerminal: Bool { kind == .didCompleteCheckout || kind == .didFail }
}

/// The kinds of events; the raw value is the notification's `method`, and begins with the scope.
///
/// Rows name an event by its place here, so the order never changes: a new one comes last.
package enum EventKind: String, CaseIterable, Sendable {
  case didLoadAvailablePaymentMethods = "checkout.didLoadAvailablePaymentMethods"
  case didReceiveStep = "component.didReceiveStep"
  case didUpdateValidationStatus = "component.didUpdateValidationStatus"
  case didReceiveError = "component.didReceiveError"
  case willCreatePayment = "checkout.willCreatePayment"
  case didStartTokenization = "checkout.didStartTokenization"
  case didTokenizePaymentMethod = "checkout.didTokenizePaymentMethod"
  case didReceiveAdditionalInfo = "checkout.didReceiveAdditionalInfo"
  case didResumeWith = "checkout.didResumeWith"
  case willUpdateClientSession = "checkout.willUpdateClientSession"
  case didUpdateClientSession = "checkout.didUpdateClientSession"
  case didCompleteCheckout = "checkout.didCompleteCheckout"
  case didFail = "checkout.didFail"

  private static let all = allCases

  /// Its place among all kinds, from 0.
  package var place: Int { Self.all.firstIndex(of: self) ?? 0 }

  /// The kind at a place, if there is one.
  package init?(place: Int64) {
    guard let place = Int(exactly: place), Self.all.indices.contains(place) else { return nil }
    self = Self.all[place]
  }

  /// Whether it is of the checkout as a whole, and not of one component.
  package var isOfCheckout: Bool { rawValue.hasPrefix("checkout.") }
}

/// What a checkout came to; the raw value is the `outcome` on the wire.
package enum Outcome: String, CaseIterable, Sendable {
  /// The payment is made.
  case success
  /// The payment is accepted and will settle later.
  case pending
  /// The client handles the payment itself.
  case handledByClient
  /// No money moves.
  case failed
  /// Cancelled, and no money moves.
  case cancelled
  /// A payment may exist, or be completed later.
  case unknown

  /// Whether the client session stays held: money has moved, or may.
  package var holdsSession: Bool {
    switch self {
    case .success, .pending, .handledByClient, .unknown: true
    case .failed, .cancelled: false
    }
  }

  /// Whether the checkout completed, rather than failed.
  package var isCompletion: Bool {
    switch self {
    case .success, .pending, .handledByClient: true
    case .failed, .cancelled, .unknown: false
    }
  }
}
