/// The shape of a value: enough to check a parameter and to document it as JSON Schema.
@usableFromInline
package indirect enum Schema: Sendable {
  /// Anything at all.
  case any
  /// `null`
  case null
  /// `true` or `false`
  case boolean
  /// A whole number within a range, however it is written.
  case integer(ClosedRange<Int64>)
  /// Any number.
  case number
  /// A string, its length counted in UTF-8 bytes. The pattern is for documentation alone.
  case string(byteCount: ClosedRange<Int>, pattern: String?)
  /// One of some strings.
  case enumeration([String])
  /// A list.
  case array(Schema, maximumCount: Int?)
  /// An object; members beyond the declared ones are refused unless allowed.
  case object([Member], allowsAdditional: Bool)
  /// An object with exactly one of these members.
  case choice([Member])
  /// The first that fits. The alternatives exclude each other.
  case oneOf([Schema])
  /// Another schema, documented once under that name.
  case named(String, Schema)

  /// One member of an object, or one parameter of a method.
  @usableFromInline
  package struct Member: Sendable {
    /// The name on the wire.
    package let name: StaticString
    /// The shape.
    package let schema: Schema
    /// Whether it may not be left out.
    package let isRequired: Bool
    /// One sentence for the documentation.
    package let summary: String

    /// Makes a row.
    package init(
      _ name: StaticString, _ schema: Schema, isRequired: Bool = true, _ summary: String = ""
    ) {
      self.name = name
      self.schema = schema
      self.isRequired = isRequired
      self.summary = summary
    }

    /// Makes a row for what may be left out.
    package static func optional(
      _ name: StaticString, _ schema: Schema, _ summary: String = ""
    ) -> Member {
      Member(name, schema, isRequired: false, summary)
    }
  }

  /// Any string.
  package static let string = Schema.string(byteCount: 0...Int.max, pattern: nil)

  /// A string of bounded length.
  package static func string(_ byteCount: ClosedRange<Int>) -> Schema {
    .string(byteCount: byteCount, pattern: nil)
  }

  /// A whole number within 64 signed bits.
  package static let integer = Schema.integer(Int64.min...Int64.max)

  /// A list of any length.
  package static func array(_ element: Schema) -> Schema { .array(element, maximumCount: nil) }

  /// An object with these members and no others.
  package static func object(_ members: [Member]) -> Schema {
    .object(members, allowsAdditional: false)
  }
}
