package import JSON
package import ValueTree

/// A schema, and the type that a value which fits it is read as.
@usableFromInline
package struct Shape<T>: Sendable {
  /// What a value must be like.
  @usableFromInline package let schema: Schema
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
  ///   - read: Reads a value that fits, or says what is wrong with it all the same. It keeps no view.
  package init(
    checking schema: Schema,
    _ read: @escaping @Sendable (JSONView) throws(SchemaViolation) -> T
  ) {
    self.init(schema) { view throws(SchemaViolation) in
      if let found = schema.violation(in: view) { throw found }
      return try read(view)
    }
  }

  /// Everything about an object that needs no member's type.
  @usableFromInline
  init(
    rows: [Schema.Member],
    making make: @escaping @Sendable (inout Places) throws(SchemaViolation) -> T
  ) {
    precondition(rows.count <= Places.maximumCount)
    self.init(.object(rows)) { view throws(SchemaViolation) in
      guard view.kind == .object else { throw SchemaViolation("must be an object") }
      var places = try Places(of: rows, in: view)
      return try make(&places)
    }
  }

  /// Makes the shape of an object with these members and no others.
  ///
  /// - Parameters:
  ///   - members: The members, in the order in which they are read.
  ///   - make: Makes the value of what was read.
  @inlinable
  package init<each M>(
    object members: repeat Parameter<each M>,
    make: @escaping @Sendable (repeat each M) throws(SchemaViolation) -> T
  ) {
    var rows: [Schema.Member] = []
    for member in repeat each members { rows.append(member.row) }
    self.init(rows: rows) { places throws(SchemaViolation) in
      try make(repeat try places.readNext(each members))
    }
  }

  /// A list of such values.
  @inlinable
  package func list(atMost maximumCount: Int) -> Shape<[T]> {
    Shape<[T]>(listOf: schema, atMost: maximumCount) { items throws(SchemaViolation) in
      var values: [T] = []
      values.reserveCapacity(items.count)
      while values.count < items.count { values.append(try items.readNext(self)) }
      return values
    }
  }

  /// Everything about a list that needs no element's type.
  @usableFromInline
  init(
    listOf element: Schema, atMost maximumCount: Int,
    making make: @escaping @Sendable (inout Items) throws(SchemaViolation) -> T
  ) {
    self.init(.array(element, maximumCount: maximumCount)) { view throws(SchemaViolation) in
      if let found = Schema.listViolation(in: view, maximumCount) { throw found }
      var items = Items(of: view)
      return try make(&items)
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
  @inlinable
  package func map<U>(
    otherwise: String, _ transform: @escaping @Sendable (T) -> U?
  ) -> Shape<U> {
    mapOrRefuse { value throws(SchemaViolation) in
      try transform(value).required(otherwise)
    }
  }

  @usableFromInline
  func mapOrRefuse<U>(
    _ transform: @escaping @Sendable (T) throws(SchemaViolation) -> U
  ) -> Shape<U> {
    Shape<U>(schema) { view throws(SchemaViolation) in try transform(try read(view)) }
  }

  /// The same shape, read as another type that also has the JSON text that was sent, written anew.
  package func withText<U>(_ make: @escaping @Sendable (T, String) -> U) -> Shape<U> {
    Shape<U>(schema) { view throws(SchemaViolation) in make(try read(view), view.value.jsonText) }
  }
}

extension Shape {
  /// Any value that fits a schema, as it was sent.
  package static func value(_ schema: Schema) -> Shape<Value> where T == Value {
    Shape(checking: schema) { view throws(SchemaViolation) in view.value }
  }
}

extension Shape<Bool> {
  /// `true` or `false`.
  package static let boolean = Shape(checking: .boolean) { view throws(SchemaViolation) in
    try view.bool.required("must be a Boolean")
  }
}

extension Shape<Int64> {
  /// A whole number within a range.
  package static func integer(_ range: ClosedRange<Int64>) -> Shape {
    Shape(checking: .integer(range)) { view throws(SchemaViolation) in
      try view.wholeNumber.required("must be a 64-bit integer")
    }
  }
}

extension Shape<String> {
  /// A string.
  package static func text(_ schema: Schema) -> Shape {
    Shape(checking: schema) { view throws(SchemaViolation) in
      try view.string.required("must be a string")
    }
  }

  /// A string, its length counted in bytes.
  package static func text(_ byteCount: ClosedRange<Int>) -> Shape { text(.string(byteCount)) }

  /// One of these.
  @usableFromInline
  static func words(_ words: [String]) -> Shape { text(.enumeration(words)) }
}

extension Shape where T: RawRepresentable & CaseIterable & Sendable, T.RawValue == String {
  /// One of a type's words.
  @inlinable
  package static var word: Shape {
    Shape<String>.words(T.allCases.map(\.rawValue))
      .map(otherwise: "is not a word allowed here") { T(rawValue: $0) }
  }
}

extension Optional {
  /// What is there.
  ///
  /// - Parameter problem: What is wrong if nothing is.
  /// - Returns: It.
  /// - Throws: That.
  @inlinable
  package func required(_ problem: String) throws(SchemaViolation) -> Wrapped {
    guard let self else { throw SchemaViolation(problem) }
    return self
  }
}

/// The elements of a list, taken in their order.
///
/// It holds views, and is valid as long as the text.
@usableFromInline
struct Items {
  /// How many there are.
  @usableFromInline let count: Int
  private var elements: JSONView.Elements
  private var place = 0

  init(of view: JSONView) {
    count = view.count
    elements = view.elements
  }

  /// Reads the next one, of which there must be one.
  ///
  /// - Parameter shape: What it must be like.
  /// - Returns: Its value.
  /// - Throws: What is wrong with it, seen from the list.
  @usableFromInline
  mutating func readNext<T>(_ shape: Shape<T>) throws(SchemaViolation) -> T {
    let index = place
    place += 1
    guard let element = elements.next() else { throw SchemaViolation("has no more elements") }
    do throws(SchemaViolation) {
      return try shape.read(element)
    } catch {
      throw error.inside(String(index))
    }
  }
}
