private import CLibUUID

/// Name-based UUIDs (RFC 9562, version 5), as libuuid makes them.
enum NameDigest {
  /// What names are digested for; a namespace must never change, since digests are kept.
  enum Namespace {
    /// The keys that checkoutd gives payments: `f52b649d-664b-49b2-8c3b-35e450b75d99`.
    case paymentKeys
    /// What is told apart here: `0b5f6d0c-3d0e-4a6b-9a8f-6a1d6e1c27b4`.
    case fingerprints

    fileprivate var uuid: uuid_t {
      switch self {
      case .paymentKeys:
        (
          0xF5, 0x2B, 0x64, 0x9D, 0x66, 0x4B, 0x49, 0xB2, 0x8C, 0x3B, 0x35, 0xE4, 0x50, 0xB7, 0x5D,
          0x99
        )
      case .fingerprints:
        (
          0x0B, 0x5F, 0x6D, 0x0C, 0x3D, 0x0E, 0x4A, 0x6B, 0x9A, 0x8F, 0x6A, 0x1D, 0x6E, 0x1C, 0x27,
          0xB4
        )
      }
    }
  }

  /// The UUID's bits, the first byte in front.
  static func bits(of name: [UInt8], in namespace: Namespace) -> UInt128 {
    var namespace = namespace.uuid
    var digest: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
    unsafe name.withUnsafeBytes { name in
      unsafe withUnsafeBytes(of: &namespace) { namespace in
        unsafe withUnsafeMutableBytes(of: &digest) { digest in
          // An empty name has no address.
          unsafe uuid_generate_sha1(
            digest.baseAddress, namespace.baseAddress, name.baseAddress, name.count)
        }
      }
    }
    return unsafe withUnsafeBytes(of: digest) { digest in
      unsafe digest.reduce(0) { $0 << 8 | UInt128($1) }
    }
  }

  /// The UUID of a payment's name, as text.
  @Sendable static func paymentKey(of name: String) -> String {
    let digits = String(bits(of: Array(name.utf8), in: .paymentKeys), radix: 16)
    var text = String(repeating: "0", count: 32 - digits.count) + digits
    for place in [20, 16, 12, 8] {
      text.insert("-", at: text.index(text.startIndex, offsetBy: place))
    }
    return text
  }
}
