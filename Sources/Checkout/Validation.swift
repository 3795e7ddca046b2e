/// The rules for what a shopper types.
package enum Validation {
  /// Whether a text can be a first or last name.
  ///
  /// Letters and marks of every script, and what words are spelled with: spaces, apostrophes and
  /// their look-alikes, dashes, periods, middle dots, joiners, the Hebrew geresh, the Tibetan tsheg.
  /// At least one letter, at most 255 scalars: `Jean-Luc`, `O’Brien`, `Gal·la`, `Kalākaua`, `Jr.`,
  /// `ジャン・リュック` and `李小龙` are people. The reference refuses hyphens, apostrophes and periods,
  /// which turns people away, and accepts blank texts, lone marks and the invisible U+200B, which
  /// are no names.
  ///
  /// - Complexity: linear; ASCII letters need no table.
  package static func isName(_ text: String) -> Bool {
    var hasLetter = false
    var isAfterJoinable = false
    var count = 0
    for scalar in text.unicodeScalars {
      count += 1
      if count > 255 { return false }
      let wasAfterJoinable = isAfterJoinable
      isAfterJoinable = false
      switch scalar.value {
      case 0x41...0x5A, 0x61...0x7A: hasLetter = true
      case 0x20, 0x09, 0x27, 0x2D, 0x2E, 0x60: continue
      case 0..<0x80: return false
      default:
        switch nameRole(of: scalar) {
        case .letter:
          hasLetter = true
          isAfterJoinable = scalar.value >= firstJoinableScalar
        case .mark: isAfterJoinable = scalar.value >= firstJoinableScalar
        case .companion: continue
        case .joiner: guard wasAfterJoinable else { return false }
        case .foreign: return false
        }
      }
    }
    return hasLetter
  }

  /// Whether a text stands for the last name of somebody who has one name only.
  package static func standsForNoName(_ text: String) -> Bool { text == "-" }

  private enum NameRole { case letter, mark, companion, joiner, foreign }

  /// The scripts before the Hebrew one (Latin, Greek, Cyrillic, Armenian) spell nothing with joiners.
  private static let firstJoinableScalar: UInt32 = 0x0590

  private static func nameRole(of scalar: Unicode.Scalar) -> NameRole {
    switch scalar.value {
    // Apostrophes, and what is typed for them: acute accent, primes, quotation marks, full width.
    case 0xB4, 0x02B9, 0x02BB, 0x02BC, 0x02C8, 0x055A, 0x2018, 0x2019, 0x201B, 0x2032, 0x2035,
      0xFF07, 0xFF40:
      return .companion
    // Middle dots: Catalan, Greek, hyphenation point, Katakana in both widths.
    case 0xB7, 0x0387, 0x2027, 0x30FB, 0xFF65: return .companion
    // Full stops of other widths, geresh and gershayim, tsheg, the Ethiopic word space.
    case 0x2024, 0xFF0E, 0x05F3, 0x05F4, 0x0F0B, 0x0F0C, 0x1361: return .companion
    // The zero-width joiners and the Mongolian vowel separator.
    case 0x200C, 0x200D, 0x180E: return .joiner
    default: break
    }
    switch scalar.properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter:
      return .letter
    case .nonspacingMark, .spacingMark, .enclosingMark: return .mark
    case .spaceSeparator, .dashPunctuation: return .companion
    default: return .foreign
    }
  }

  /// A text without the white space around it, as a shopper's paste or a keyboard's completion adds
  /// it.
  package static func trimmed(_ text: String) -> String {
    let scalars = text.unicodeScalars
    func isSpace(_ scalar: Unicode.Scalar) -> Bool { scalar.properties.isWhitespace }
    guard let first = scalars.firstIndex(where: { !isSpace($0) }),
      let last = scalars.lastIndex(where: { !isSpace($0) })
    else { return "" }
    return String(scalars[first...last])
  }

  /// Whether a text can be an e-mail address that a payment provider will accept.
  ///
  /// The text must have been ``trimmed(_:)``. A dot-atom local part of at most 64 bytes and at least two domain labels, letters of every
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

  /// Whether a text is six ASCII digits and nothing else.
  package static func isOneTimeCode(_ text: String) -> Bool {
    text.utf8.count == 6 && text.utf8.allSatisfy(isDigit)
  }

  /// A telephone number without what people put between its digits; `nil` if it is none.
  ///
  /// - Parameters:
  ///   - text: As it was typed: spaces, hyphens, dots and brackets are passed over.
  ///   - isIndonesian: Whether it has to be a mobile number of Indonesia, with or without the plus.
  /// - Returns: `+` and 9 to 14 digits; of an Indonesian one `+628` or `628` and 8 to 10 digits.
  package static func phoneNumber(_ text: String, isIndonesian: Bool = false) -> String? {
    let number = String(text.unicodeScalars.filter { !" -.()".unicodeScalars.contains($0) })
    let isPlus = number.utf8.first == UInt8(ascii: "+")
    let digits = isPlus ? number.utf8.dropFirst() : number.utf8[...]
    guard digits.allSatisfy(isDigit) else { return nil }
    if isIndonesian {
      guard digits.starts(with: "628".utf8), (11...13).contains(digits.count) else { return nil }
    } else {
      guard isPlus, (9...14).contains(digits.count) else { return nil }
    }
    return number
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

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
