internal import JSON
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

  /// A string that is not empty and at most so many bytes long, for what is sent back upstream: cut it
  /// would name something else.
  func text(of limit: Int) -> String? { text.flatMap { $0.utf8.count <= limit ? $0 : nil } }

  /// Whether this says yes, as some servers write it: `true`, `"true"`, 1 or `"1"`.
  var isYes: Bool {
    switch self {
    case .bool(let flag): flag
    case .string(let text): text == "1" || text.lowercased() == "true"
    default: wholeNumber == 1
    }
  }

  /// This object without the members that do not fit into so many bytes of JSON.
  func keepingMembers(within limit: Int) -> Value {
    guard let members = object else { return self }
    var left = limit
    return .object(
      members.filter { member in
        let byteCount = Value.object([member]).jsonBytes.count
        guard byteCount <= left else { return false }
        left -= byteCount
        return true
      })
  }

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
