/// A small tree of plain values: what a component speaks at its border, and what JSON reads and
/// writes.
///
/// An object is a list of members in their order, not a dictionary: the order is part of what the
/// protocol promises, and names are compared by their bytes (two spellings of one letter are two
/// names), which `String` as a dictionary key would merge.
public enum Value: Sendable {
  /// `null`
  case null
  /// `true` or `false`
  case bool(Bool)
  /// A whole number within 64 signed bits.
  case integer(Int64)
  /// A whole number above `Int64.max`, within 64 unsigned bits.
  case unsigned(UInt64)
  /// A number written with a fraction or an exponent.
  case number(Double)
  /// A string.
  case string(String)
  /// A list.
  case array([Value])
  /// An object, its members in order.
  case object([Member])

  /// One member of an object.
  public struct Member: Sendable {
    /// The member's name, as unescaped text.
    public var name: String
    /// The member's value.
    public var value: Value

    /// Makes a member.
    public init(_ name: String, _ value: Value) {
      self.name = name
      self.value = value
    }
  }
}

extension Value {
  /// Makes a string, or `null` where there is none.
  public init(_ string: String?) {
    self = string.map(Value.string) ?? .null
  }

  /// The first member with that name, if this is an object that has one.
  public subscript(name: String) -> Value? {
    guard case .object(let members) = self else { return nil }
    for member in members where member.name.utf8.elementsEqual(name.utf8) { return member.value }
    return nil
  }

  /// The text, if this is a string.
  public var string: String? {
    guard case .string(let text) = self else { return nil }
    return text
  }

  /// The whole number, if this is one within 64 signed bits.
  public var integer: Int64? {
    guard case .integer(let number) = self else { return nil }
    return number
  }

  /// The Boolean, if this is one.
  public var bool: Bool? {
    guard case .bool(let flag) = self else { return nil }
    return flag
  }

  /// The elements, if this is a list.
  public var array: [Value]? {
    guard case .array(let elements) = self else { return nil }
    return elements
  }

  /// The members, if this is an object.
  public var object: [Member]? {
    guard case .object(let members) = self else { return nil }
    return members
  }
}

extension Value {
  /// The object with one more member, if there is a value for it.
  public func adding(_ name: String, _ value: Value?) -> Value {
    guard let value, case .object(let members) = self else { return self }
    return .object(members + [Member(name, value)])
  }
}

extension Value: Equatable {
  /// Whether two trees are the same: strings and names by their bytes, members in their order.
  public static func == (left: Value, right: Value) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.bool(let a), .bool(let b)): a == b
    case (.integer(let a), .integer(let b)): a == b
    case (.unsigned(let a), .unsigned(let b)): a == b
    case (.number(let a), .number(let b)): a == b
    case (.string(let a), .string(let b)): a.utf8.elementsEqual(b.utf8)
    case (.array(let a), .array(let b)): a == b
    case (.object(let a), .object(let b)): a == b
    default: false
    }
  }
}

extension Value.Member: Equatable {
  /// Whether name (by its bytes) and value are the same.
  public static func == (left: Self, right: Self) -> Bool {
    left.name.utf8.elementsEqual(right.name.utf8) && left.value == right.value
  }
}

extension Value: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  /// Makes a string.
  public init(stringLiteral value: String) { self = .string(value) }
  /// Makes a whole number.
  public init(integerLiteral value: Int64) { self = .integer(value) }
  /// Makes a Boolean.
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  /// Makes a list.
  public init(arrayLiteral elements: Value...) { self = .array(elements) }
  /// Makes an object, its members in the order written.
  public init(dictionaryLiteral elements: (String, Value)...) {
    self = .object(elements.map { Member($0.0, $0.1) })
  }
}
