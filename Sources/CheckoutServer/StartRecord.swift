import Checkout
import ValueTree

/// What a start was, to recognise its repetition.
struct StartRecord {
  /// The client's key, if it gave one.
  var key: String?
  /// A digest of everything the start was asked with.
  var fingerprint: Fingerprint
  /// A digest of the client token's access token.
  var tokenFingerprint: Fingerprint
  /// A digest of the client session's id, once it is known.
  var sessionFingerprint: Fingerprint?
  /// Whether it may begin although a payment of its session was made, or may have been.
  var allowsRepeat = false
  /// What came of the earlier one, if there was one: the reply to the start has it.
  var repeats: Value?

  var stored: Value {
    let parts: [Value] = [
      Value(key), fingerprint.stored, tokenFingerprint.stored,
      sessionFingerprint?.stored ?? .null, .bool(allowsRepeat),
    ]
    return .array(repeats.map { parts + [$0] } ?? parts)
  }
}

extension StartRecord {
  /// The digests that name the client session.
  var sessions: [Fingerprint] { [tokenFingerprint] + (sessionFingerprint.map { [$0] } ?? []) }

  /// What the checkout's payment is told by from earlier ones of its session, if it may repeat them.
  func repetition(of id: CheckoutID) -> String? { allowsRepeat ? key ?? id.text : nil }

  init?(_ value: Value) {
    guard let parts = value.array, 5...6 ~= parts.count, let fingerprint = Fingerprint(parts[1]),
      let token = Fingerprint(parts[2]), let allowsRepeat = parts[4].bool
    else { return nil }
    self.init(
      key: parts[0].string, fingerprint: fingerprint, tokenFingerprint: token,
      sessionFingerprint: Fingerprint(parts[3]), allowsRepeat: allowsRepeat,
      repeats: parts.count == 6 ? parts[5] : nil)
  }
}
