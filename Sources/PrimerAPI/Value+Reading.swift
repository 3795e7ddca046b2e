internal import ValueTree

extension Value {
  /// A whole number, however it is written: `1299`, `1299.0` or `1.299e3`.
  var wholeNumber: Int64? {
    switch self {
    case .integer(let number): number
    case .number(let number): Int64(exactly: number)
    default: nil
    }
  }

  /// A string that is not empty.
  var text: String? { string.flatMap { $0.isEmpty ? nil : $0 } }

  /// A string cut to 1 KiB, for what is passed on to be read by people.
  var boundedText: String? { text.map(bounded) }
}

/// The start of a text, at most 1 KiB of UTF-8, cut between two Unicode scalars.
func bounded(_ text: String) -> String {
  let limit = 1024
  guard text.utf8.count > limit else { return text }
  var start = String.UnicodeScalarView()
  var byteCount = 0
  for scalar in text.unicodeScalars {
    byteCount += UTF8.width(scalar)
    guard byteCount <= limit else { break }
    start.append(scalar)
  }
  return String(start)
}
