private import CLibUUID

/// The digest that payment keys are made with.
enum PaymentKeyDigest {
  /// The name-based UUID (RFC 9562, version 5) of a name, in the namespace of checkoutd's payment keys
  /// `f52b649d-664b-49b2-8c3b-35e450b75d99`, which must never change.
  @Sendable static func uuid(of name: String) -> String {
    var namespace: uuid_t = (
      0xF5, 0x2B, 0x64, 0x9D, 0x66, 0x4B, 0x49, 0xB2, 0x8C, 0x3B, 0x35, 0xE4, 0x50, 0xB7, 0x5D, 0x99
    )
    var digest: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
    var name = name
    name.withUTF8 { bytes in
      unsafe withUnsafeBytes(of: &namespace) { namespace in
        unsafe withUnsafeMutableBytes(of: &digest) { digest in
          unsafe uuid_generate_sha1(
            digest.baseAddress, namespace.baseAddress, bytes.baseAddress, bytes.count)
        }
      }
    }
    let bytes = unsafe withUnsafeBytes(of: digest) { unsafe Array($0) }
    var text = ""
    for (place, byte) in bytes.enumerated() {
      if [4, 6, 8, 10].contains(place) { text += "-" }
      if byte < 16 { text += "0" }
      text += String(byte, radix: 16)
    }
    return text
  }
}
