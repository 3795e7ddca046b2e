import ValueTree

/// A digest that names a text without telling it: a client session, a payment's key, what a start was
/// asked with.
///
/// It is the 128 bits of a name-based UUID (RFC 9562, version 5), for sessions are told apart by it
/// across users, and nobody may be able to make two of one digest.
struct Fingerprint: Hashable {
  private let bits: UInt128

  init(_ parts: String?...) { self.init(parts) }

  init(_ parts: [String?]) { bits = NameDigest.bits(of: Self.bytes(of: parts), in: .fingerprints) }

  /// Parts in a row, each with its end: neither end occurs in UTF-8, so they cannot run together.
  fileprivate static func bytes(of parts: [String?]) -> [UInt8] {
    parts.flatMap { part in Array((part ?? "").utf8) + [part == nil ? 0xFE : 0xFF] }
  }
}

extension Fingerprint {
  /// `[high, low]`.
  var stored: Value {
    [
      .integer(Int64(truncatingIfNeeded: bits >> 64)), .integer(Int64(truncatingIfNeeded: bits)),
    ]
  }

  init?(_ value: Value) {
    guard let parts = value.array, parts.count == 2, let high = parts[0].integer,
      let low = parts[1].integer
    else { return nil }
    bits = UInt128(UInt64(bitPattern: high)) << 64 | UInt128(UInt64(bitPattern: low))
  }
}

/// The digests by which something may be known: that of this version first.
///
/// Rows of version 3 and before have the digests that their version made, and are kept for as long as
/// their checkouts are: a session that was paid then must not be paid again now.
struct Fingerprints {
  /// What this version writes.
  let current: Fingerprint
  private let earlier: Fingerprint

  init(_ parts: String?...) { self.init(parts) }

  init(_ parts: [String?]) {
    current = Fingerprint(parts)
    earlier = Fingerprint(asEarlierVersionsOf: parts)
  }

  /// Of the id of a client session.
  init(session: String) { self.init("session", session) }

  /// Of a client token's access token.
  init(accessToken: String) { self.init(accessToken) }

  /// Of the key of a payment.
  init(paymentKey: String) { self.init("key", paymentKey) }

  /// Every one.
  var all: [Fingerprint] { [current, earlier] }

  /// Whether it is one of them.
  func contains(_ fingerprint: Fingerprint?) -> Bool {
    fingerprint == current || fingerprint == earlier
  }
}

extension Fingerprint {
  /// 128-bit FNV-1a, which two texts can be made to share.
  ///
  /// - Source: the FNV specification, draft-eastlake-fnv.
  init(asEarlierVersionsOf parts: [String?]) {
    bits = Self.bytes(of: parts).reduce(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d) { bits, byte in
      (bits ^ UInt128(byte)) &* 0x0000_0000_0100_0000_0000_0000_0000_013b
    }
  }
}
