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

/// A 128-bit FNV-1a digest: enough to tell requests of one user apart.
///
/// - Source: the FNV specification, draft-eastlake-fnv.
struct Fingerprint: Hashable {
  private var state: UInt128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d

  init(_ parts: String?...) { self.init(parts) }

  init(_ parts: [String?]) {
    for part in parts {
      for byte in (part ?? "").utf8 { mix(byte) }
      mix(part == nil ? 0xFE : 0xFF)  // Neither occurs in UTF-8, so parts cannot run together.
    }
  }

  /// Of the key of a payment.
  init(key: String) { self.init("key", key) }

  private mutating func mix(_ byte: UInt8) {
    state = (state ^ UInt128(byte)) &* 0x0000_0000_0100_0000_0000_0000_0000_013b
  }
}

extension Fingerprint {
  var stored: Value {
    [
      .integer(Int64(truncatingIfNeeded: state >> 64)), .integer(Int64(truncatingIfNeeded: state)),
    ]
  }

  init?(_ value: Value) {
    guard let parts = value.array, parts.count == 2, let high = parts[0].integer,
      let low = parts[1].integer
    else { return nil }
    state =
      UInt128(UInt64(bitPattern: high)) << 64 | UInt128(UInt64(bitPattern: low))
  }
}
