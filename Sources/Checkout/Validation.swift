/// The rules for what a shopper types.
package enum Validation {
  /// Whether a text can be a first or last name.
  ///
  /// Letters and marks of every script, spaces, apostrophes, hyphens and periods, with at least one
  /// letter, at most 255 scalars: `Jean-Luc`, `O’Brien`, `Kalākaua`, `Jr.` and `李小龙` are people.
  /// The reference refuses hyphens, apostrophes and periods, which turns people away, and accepts
  /// blank texts, lone marks and the invisible U+200B, which are no names.
  ///
  /// - Complexity: linear; ASCII letters need no table.
  package static func isName(_ text: String) -> Bool {
    var hasLetter = false
    var count = 0
    for scalar in text.unicodeScalars {
      count += 1
      if count > 255 { return false }
      switch scalar.value {
      case 0x41...0x5A, 0x61...0x7A: hasLetter = true
      case 0x20, 0x09, 0x27, 0x2D, 0x2E: continue
      case 0..<0x80: return false
      default:
        switch nameRole(of: scalar) {
        case .letter: hasLetter = true
        case .companion: continue
        case .foreign: return false
        }
      }
    }
    return hasLetter
  }

  private enum NameRole { case letter, companion, foreign }

  private static func nameRole(of scalar: Unicode.Scalar) -> NameRole {
    switch scalar.value {
    case 0x2019, 0x02BB, 0x02BC, 0x2010, 0x2011: return .companion
    default: break
    }
    switch scalar.properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter:
      return .letter
    case .nonspacingMark, .spacingMark, .enclosingMark, .spaceSeparator: return .companion
    default: return .foreign
    }
  }

  /// Whether a text can be an e-mail address that a payment provider will accept.
  ///
  /// A dot-atom local part of at most 64 bytes and at least two domain labels, letters of every
  /// script included, 254 bytes in all (RFC 5321, RFC 6531). Punycode passes; quoted local parts,
  /// address literals and a numeric, one-letter or hyphenated top label do not: no mail provider
  /// has them.
  ///
  /// - Complexity: linear, one pass.
  package static func isEmailAddress(_ text: String) -> Bool {
    guard text.utf8.count <= 254, let at = text.utf8.lastIndex(of: UInt8(ascii: "@")) else {
      return false
    }
    let local = text[..<at]
    let domain = text[text.utf8.index(after: at)...]
    return isLocalPart(local) && isDomain(domain)
  }

  private static func isLocalPart(_ text: Substring) -> Bool {
    guard text.utf8.count <= 64 else { return false }
    var previousIsDot = true  // A dot may neither lead nor follow a dot.
    for scalar in text.unicodeScalars {
      if scalar == "." {
        if previousIsDot { return false }
        previousIsDot = true
        continue
      }
      guard isAtom(scalar) else { return false }
      previousIsDot = false
    }
    return !previousIsDot
  }

  private static func isAtom(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: return true
    case 0x80...: return isWord(scalar)
    default: return "!#$%&'*+-/=?^_`{|}~".unicodeScalars.contains(scalar)
    }
  }

  private static func isDomain(_ text: Substring) -> Bool {
    var labels = 0
    var top: Substring = ""
    for label in text.split(separator: ".", omittingEmptySubsequences: false) {
      guard isLabel(label) else { return false }
      labels += 1
      top = label
    }
    return labels >= 2 && isTopLabel(top)
  }

  private static func isLabel(_ label: Substring) -> Bool {
    guard (1...63).contains(label.utf8.count), label.utf8.first != UInt8(ascii: "-"),
      label.utf8.last != UInt8(ascii: "-")
    else { return false }
    return label.unicodeScalars.allSatisfy { scalar in
      switch scalar.value {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D: true
      case 0x80...: isWord(scalar)
      default: false
      }
    }
  }

  private static func isTopLabel(_ label: Substring) -> Bool {
    if label.lowercased().hasPrefix("xn--") { return true }
    var isNumeric = true
    var isASCII = true
    for scalar in label.unicodeScalars {
      if scalar == "-" { return false }
      if scalar.properties.generalCategory != .decimalNumber { isNumeric = false }
      if !scalar.isASCII { isASCII = false }
    }
    return !isNumeric && (label.utf8.count >= 2 || !isASCII)
  }

  /// Letters, marks, digits and the two joiners that some scripts spell words with.
  private static func isWord(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
      .nonspacingMark, .spacingMark, .enclosingMark, .decimalNumber:
      true
    default: scalar.value == 0x200C || scalar.value == 0x200D
    }
  }

  /// Whether a text begins with a URL scheme and a colon, as in `kiosk://checkout` (RFC 3986).
  package static func hasScheme(_ text: String) -> Bool {
    guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else { return false }
    let scheme = text.utf8[..<colon]
    guard let first = scheme.first, isASCIILetter(first) else { return false }
    return scheme.allSatisfy { byte in
      isASCIILetter(byte) || (0x30...0x39).contains(byte) || byte == UInt8(ascii: "+")
        || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
    }
  }

  private static func isASCIILetter(_ byte: UInt8) -> Bool {
    (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
  }
}
