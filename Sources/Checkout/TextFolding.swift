@_spi(_Unicode) import Swift

/// A text as the bank filter compares it: without case and diacritics.
///
/// Letters that Unicode does not decompose, though readers take them for a plain letter with a
/// stroke or for two letters, have a table of their own: `lodz` finds Łódź, `strasse` finds Straße.
package struct FoldedText: Sendable, Equatable {
  /// The folded text in UTF-8.
  package let bytes: [UInt8]

  /// Folds a text.
  package init(_ text: String) {
    var folded = ""
    for scalar in text._nfd {
      if let plain = Self.plain(scalar) {
        folded += plain
        continue
      }
      switch scalar.properties.generalCategory {
      case .nonspacingMark, .enclosingMark: continue
      default: folded += scalar.properties.lowercaseMapping
      }
    }
    // Lower-casing may bring marks of its own (İ), hence the second sift.
    bytes = folded.unicodeScalars.reduce(into: []) { bytes, scalar in
      guard scalar.properties.generalCategory != .nonspacingMark else { return }
      bytes += Array(String(scalar).utf8)
    }
  }

  /// Whether the other text stands somewhere in this one.
  ///
  /// An empty text stands nowhere: what folds to nothing (a lone mark) finds nothing.
  ///
  /// - Complexity: the product of the lengths at worst; both are names.
  package func contains(_ other: FoldedText) -> Bool {
    guard let first = other.bytes.first, other.bytes.count <= bytes.count else { return false }
    for start in 0...(bytes.count - other.bytes.count) where bytes[start] == first {
      if bytes[start...].starts(with: other.bytes) { return true }
    }
    return false
  }

  private static func plain(_ scalar: Unicode.Scalar) -> String? {
    switch scalar {
    case "ł", "Ł": "l"
    case "ø", "Ø": "o"
    case "đ", "Đ", "ð", "Ð": "d"
    case "ħ", "Ħ": "h"
    case "ŧ", "Ŧ": "t"
    case "ı": "i"
    case "ß", "ẞ": "ss"
    case "æ", "Æ": "ae"
    case "œ", "Œ": "oe"
    case "þ", "Þ": "th"
    default: nil
    }
  }
}
