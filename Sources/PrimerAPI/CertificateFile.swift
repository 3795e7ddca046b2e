import LinuxSystem

/// A file of certificates in PEM, as TLS libraries read it.
package enum CertificateFile {
  /// What is wrong with a file.
  ///
  /// - Parameters:
  ///   - path: Where it is.
  ///   - isThorough: Whether to take every certificate apart; if not, it is enough that one begins.
  /// - Returns: A line for people; `nil` if nothing is wrong, and there is a certificate.
  package static func problem(_ path: String, isThorough: Bool = true) -> String? {
    guard let bytes = readFile(path) else { return "\(path) cannot be read" }
    guard isThorough || bytes.firstRange(of: "-----BEGIN CERTIFICATE-----".utf8) == nil else {
      return nil
    }
    // Comments between certificates may be in any encoding.
    let lines = bytes.split(separator: UInt8(ascii: "\n")).map {
      String(decoding: $0, as: UTF8.self).trimmingBlanks
    }
    var count = 0
    var body: String?
    for line in lines {
      if line.hasPrefix("-----BEGIN "), line.hasSuffix("CERTIFICATE-----") {
        body = ""
      } else if line.hasPrefix("-----END "), let text = body {
        count += 1
        guard isObject(decodedBase64(text[...].utf8) ?? []) else {
          return "certificate \(count) in \(path) is damaged"
        }
        body = nil
      } else {
        body? += line
      }
    }
    if body != nil { return "\(path) ends within a certificate" }
    return count == 0 ? "\(path) has no certificate in PEM" : nil
  }

  /// Whether these are the bytes of one ASN.1 sequence, and maybe others after it.
  private static func isObject(_ bytes: [UInt8]) -> Bool {
    guard bytes.count > 2, bytes[0] == 0x30 else { return false }
    let lengthCount = bytes[1] < 0x80 ? 0 : Int(bytes[1] & 0x7F)
    guard lengthCount <= 3, bytes.count > 2 + lengthCount else { return false }
    let length =
      lengthCount == 0 ? Int(bytes[1]) : bytes[2..<2 + lengthCount].reduce(0) { $0 << 8 | Int($1) }
    return bytes.count >= 2 + lengthCount + length
  }
}

extension String {
  fileprivate var trimmingBlanks: String {
    let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" || $0 == "\r" }
    return String(drop(while: isBlank).reversed().drop(while: isBlank).reversed())
  }
}
