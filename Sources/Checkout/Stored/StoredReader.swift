import ValueTree

/// A stored state that this version cannot read.
package struct StoredStateError: Error, Sendable {}

/// Reads a stored list element by element, in the order it was written.
///
/// Stored states are positional lists: names would cost more than half of every row.
struct StoredReader {
  private var elements: ArraySlice<Value>

  init(_ value: Value) throws(StoredStateError) {
    guard let array = value.array else { throw StoredStateError() }
    elements = array[...]
  }

  /// Whether everything was read.
  var isAtEnd: Bool { elements.isEmpty }

  /// Refuses a list that has more than was read.
  func end() throws(StoredStateError) {
    guard isAtEnd else { throw StoredStateError() }
  }

  mutating func value() throws(StoredStateError) -> Value {
    guard let first = elements.popFirst() else { throw StoredStateError() }
    return first
  }

  mutating func list() throws(StoredStateError) -> [Value] {
    guard let array = try value().array else { throw StoredStateError() }
    return array
  }

  mutating func reader() throws(StoredStateError) -> StoredReader {
    try StoredReader(try value())
  }

  /// A list that is there, or `null`.
  mutating func optionalReader() throws(StoredStateError) -> StoredReader? {
    let value = try value()
    if case .null = value { return nil }
    return try StoredReader(value)
  }

  mutating func text() throws(StoredStateError) -> String {
    guard let text = try value().string else { throw StoredStateError() }
    return text
  }

  mutating func optionalText() throws(StoredStateError) -> String? {
    switch try value() {
    case .null: nil
    case .string(let text): text
    default: throw StoredStateError()
    }
  }

  mutating func integer() throws(StoredStateError) -> Int64 {
    guard let number = try value().integer else { throw StoredStateError() }
    return number
  }

  mutating func optionalInteger() throws(StoredStateError) -> Int64? {
    switch try value() {
    case .null: nil
    case .integer(let number): number
    default: throw StoredStateError()
    }
  }

  /// A whole number that fits a smaller type.
  mutating func number<T: FixedWidthInteger>() throws(StoredStateError) -> T {
    guard let number = T(exactly: try integer()) else { throw StoredStateError() }
    return number
  }

  /// A number that only grows, with room to grow further.
  mutating func count<T: FixedWidthInteger>() throws(StoredStateError) -> T {
    let number: T = try number()
    guard (0...T.max / 2).contains(number) else { throw StoredStateError() }
    return number
  }

  /// A moment of the steady clock; one that nothing could be added to is refused.
  mutating func time() throws(StoredStateError) -> WallTime {
    try Self.checked(try integer())
  }

  /// A moment that may be missing, likewise.
  mutating func optionalTime() throws(StoredStateError) -> WallTime? {
    guard let time = try optionalInteger() else { return nil }
    return try Self.checked(time)
  }

  /// How long something may take, if that is said; not less than nothing.
  mutating func optionalSpan() throws(StoredStateError) -> Milliseconds? {
    guard let span = try optionalTime() else { return nil }
    guard span >= 0 else { throw StoredStateError() }
    return span
  }

  private static func checked(_ time: WallTime) throws(StoredStateError) -> WallTime {
    guard (Int64.min / 4...Int64.max / 4).contains(time) else { throw StoredStateError() }
    return time
  }

  mutating func flag() throws(StoredStateError) -> Bool {
    guard let flag = try value().bool else { throw StoredStateError() }
    return flag
  }

  /// One of an enumeration's words.
  mutating func word<T: RawRepresentable>() throws(StoredStateError) -> T
  where T.RawValue == String {
    guard let word = T(rawValue: try text()) else { throw StoredStateError() }
    return word
  }
}

extension Value {
  /// Makes a whole number, or `null` where there is none.
  init(_ number: Int64?) {
    self = number.map(Value.integer) ?? .null
  }
}
