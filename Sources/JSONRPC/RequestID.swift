package import JSON

/// The `id` of a call: a string, a whole number or null.
///
/// Numbers are kept exactly: no fraction, no exponent, 64 bits.
package enum RequestID: Sendable {
  /// `null`, which is not the same as no id.
  case null
  /// A whole number within 64 signed bits.
  case integer(Int64)
  /// A whole number above `Int64.max`.
  case unsigned(UInt64)
  /// A string of at most ``maximumByteCount`` bytes.
  case string(String)

  /// The longest string taken, since it is kept with each call in flight.
  package static let maximumByteCount = 256

  /// Reads an id, or gives nil for what is none.
  ///
  /// - Parameter view: The value of the `id` member.
  package init?(_ view: JSONView) {
    switch view.kind {
    case .null: self = .null
    case .integer: self = .integer(view.integer ?? 0)
    case .unsigned: self = .unsigned(view.unsigned ?? 0)
    case .string:
      guard let byteCount = view.stringByteCount, byteCount <= Self.maximumByteCount,
        let text = view.string
      else { return nil }
      self = .string(text)
    default: return nil
    }
  }
}

extension RequestID: Hashable {
  /// Whether two ids are the same: `1` and `"1"` are not, strings are compared by their bytes.
  package static func == (left: RequestID, right: RequestID) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.integer(let a), .integer(let b)): a == b
    case (.unsigned(let a), .unsigned(let b)): a == b
    case (.string(let a), .string(let b)): a.utf8.elementsEqual(b.utf8)
    default: false
    }
  }

  /// Feeds the id to a hasher, strings by their bytes.
  package func hash(into hasher: inout Hasher) {
    switch self {
    case .null: hasher.combine(0)
    case .integer(let number): hasher.combine(number)
    case .unsigned(let number): hasher.combine(number)
    case .string(let text): for byte in text.utf8 { hasher.combine(byte) }
    }
  }
}

extension JSONOutput {
  /// Appends an id.
  package func append(_ id: RequestID) {
    switch id {
    case .null: append("null")
    case .integer(let number): append(number)
    case .unsigned(let number): append(number)
    case .string(let text): append(string: text)
    }
  }
}
