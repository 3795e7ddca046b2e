package import JSON
package import ValueTree

/// A schema, and the type that a value which fits it is read as.
package struct Shape<T>: Sendable {
  /// What a value must be like.
  package let schema: Schema
  let read: @Sendable (JSONView) throws(SchemaViolation) -> T

  private init(
    _ schema: Schema, reading read: @escaping @Sendable (JSONView) throws(SchemaViolation) -> T
  ) {
    self.schema = schema
    self.read = read
  }

  /// Makes the shape of a value that is read as a whole.
  ///
  /// - Parameters:
  ///   - schema: What a value must be like.
  ///   - otherwise: What is wrong with a value that fits the schema and cannot be read.
  ///   - read: Reads a value that fits. It keeps no view.
  package init(
    _ schema: Schema, otherwise: String, _ read: @escaping @Sendable (JSONView) -> T?
  ) {
    self.init(schema) { view throws(SchemaViolation) in
      if let found = schema.violation(in: view) { throw found }
      guard let value = read(view) else { throw SchemaViolation(otherwise) }
      return value
    }
  }

  /// Makes the shape of an object with these members and no others.
  ///
  /// - Parameters:
  ///   - members: The members, in the order in which they are read.
  ///   - make: Makes the value of what was read.
  package init<each M>(
    object members: repeat Parameter<each M>,
    make: @escaping @Sendable (repeat each M) throws(SchemaViolation) -> T
  ) {
    var rows: [Schema.Member] = []
    for member in repeat each members { rows.append(member.row) }
    precondition(rows.count <= Places.maximumCount)
    self.init(.object(rows)) { [rows] view throws(SchemaViolation) in
      guard view.kind == .object else { throw SchemaViolation("must be an object") }
      var places = try Places(of: rows, in: view)
      return try make(repeat try places.readNext(each members))
    }
  }

  /// A list of such values.
  package func list(atMost maximumCount: Int) -> Shape<[T]> {
    Shape<[T]>(.array(schema, maximumCount: maximumCount)) { view throws(SchemaViolation) in
      if let found = Schema.listViolation(in: view, maximumCount) { throw found }
      var values: [T] = []
      values.reserveCapacity(view.count)
      for element in view.elements {
        do throws(SchemaViolation) {
          values.append(try read(element))
        } catch {
          throw error.inside(String(values.count))
        }
      }
      return values
    }
  }

  /// A value of this shape, or of another that excludes it.
  package func or(_ other: Shape<T>) -> Shape<T> {
    Shape(.oneOf([schema, other.schema])) { view throws(SchemaViolation) in
      if schema.isMeant(by: view) { return try read(view) }
      if other.schema.isMeant(by: view) { return try other.read(view) }
      throw SchemaViolation("has none of the 2 shapes allowed here")
    }
  }

  /// The same shape, documented once under that name.
  package func named(_ name: String) -> Shape<T> {
    Shape(.named(name, schema), reading: read)
  }

  /// The same shape, read as another type.
  package func map<U>(_ transform: @escaping @Sendable (T) -> U) -> Shape<U> {
    Shape<U>(schema) { view throws(SchemaViolation) in transform(try read(view)) }
  }

  /// The same shape, read as another type that has fewer values.
  ///
  /// - Parameters:
  ///   - otherwise: What is wrong with a value that the other type does not have.
  ///   - transform: Makes the other value, or nil if there is none.
  /// - Returns: The shape.
  package func map<U>(
    otherwise: String, _ transform: @escaping @Sendable (T) -> U?
  ) -> Shape<U> {
    Shape<U>(schema) { view throws(SchemaViolation) in
      guard let value = transform(try read(view)) else { throw SchemaViolation(otherwise) }
      return value
    }
  }

  /// The same shape, with the text that was sent.
  package var sent: Shape<Sent<T>> {
    Shape<Sent<T>>(schema) { view throws(SchemaViolation) in
      Sent(value: try read(view), text: view.value.jsonText)
    }
  }
}

/// What was read, and the JSON text that it was sent as.
package struct Sent<T> {
  /// What was read.
  package let value: T
  /// Its text, written anew.
  package let text: String
}

extension Shape {
  /// Any value that fits a schema, as it was sent.
  package static func value(_ schema: Schema) -> Shape<Value> where T == Value {
    Shape(schema, otherwise: "does not fit") { $0.value }
  }
}

extension Shape<Bool> {
  /// `true` or `false`.
  package static let boolean = Shape(.boolean, otherwise: "must be a Boolean") { $0.bool }
}

extension Shape<Int64> {
  /// A whole number within a range.
  package static func integer(_ range: ClosedRange<Int64>) -> Shape {
    Shape(.integer(range), otherwise: "must be a 64-bit integer") { $0.wholeNumber }
  }
}

extension Shape<String> {
  /// A string.
  package static func text(_ schema: Schema) -> Shape {
    Shape(schema, otherwise: "must be a string") { $0.string }
  }

  /// A string, its length counted in bytes.
  package static func text(_ byteCount: ClosedRange<Int>) -> Shape { text(.string(byteCount)) }
}

extension Shape where T: RawRepresentable & CaseIterable & Sendable, T.RawValue == String {
  /// One of a type's words.
  package static var word: Shape {
    Shape(.enumeration(T.allCases.map(\.rawValue)), otherwise: "is not a word allowed here") {
      $0.string.flatMap(T.init)
    }
  }
}
