/// The idempotency keys that the daemon derives, as upstream sees them.
///
/// They follow from the client session, so that whoever holds a copy of the state, or none, or a second
/// daemon, comes to the same keys and cannot pay the session twice. What a key is made of must never
/// change.
enum PaymentKey {
  /// What every derived key begins with, and no chosen one may.
  static let prefix = "checkoutd-"
  /// How many keys one creation tries: so many payments of one session have failed before.
  static let lastNumber = 16

  /// The name whose digest makes a key.
  ///
  /// - Parameters:
  ///   - session: The client session's name.
  ///   - number: From 1.
  ///   - repetition: What tells a checkout that was allowed to repeat a payment from those before.
  /// - Returns: The parts, each on a line.
  static func name(session: String, number: Int, repetition: String?) -> String {
    var name = "\(session)\n\(number)"
    if let repetition { name += "\n\(repetition)" }
    return name
  }
}

/// What a checkout's payment is bound to.
struct PaymentSession: Sendable, Equatable {
  /// The client session's id as it was first seen; the digest of the first access token if the
  /// configuration named none.
  var name: String
  /// What protects the session from being paid twice.
  var protection: PaymentProtection
}

/// What protects a client session from being paid twice; the raw value is `paymentProtection` on the
/// wire.
package enum PaymentProtection: String, Sendable, CaseIterable {
  /// The session's id: another token of the session is recognised.
  case session
  /// The token alone, where the configuration names no session.
  case token
}

extension Checkout {
  /// Takes note of the session that the first configuration names; what later ones name changes
  /// nothing.
  mutating func bindPayment(_ moment: Moment) {
    guard paymentSession == nil else { return }
    if let id = configuration?.clientSession.id, !id.isEmpty {
      paymentSession = PaymentSession(name: id, protection: .session)
    } else {
      paymentSession = PaymentSession(
        name: moment.digest(of: token.accessToken), protection: .token)
    }
  }

  /// The key of that number.
  func derivedKey(_ number: Int, _ moment: Moment) -> String {
    let name = PaymentKey.name(
      session: paymentSession?.name ?? "", number: number, repetition: repetition)
    return PaymentKey.prefix + moment.digest(of: name)
  }

  /// The key that the client chose, if a payment may have been created with it, by the client's backend
  /// too: no other attempt may have it.
  package var chosenKey: String? {
    guard let attempt, attempt.isKeyChosen else { return nil }
    if case .ended(let ending) = phase, settings.paymentHandling == .auto,
      !ending.outcome.holdsSession, attempt.payment == nil
    {
      return nil
    }
    return attempt.key
  }

  /// The key of the payment, if one may have been created, whoever chose it.
  package var paymentKey: String? {
    guard let attempt else { return nil }
    return attempt.isKeyChosen ? chosenKey : attempt.key
  }
}
