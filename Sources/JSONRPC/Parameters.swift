package import JSON

/// The parameters of one call, checked against the method's rows.
///
/// It holds places on the parser's tape, not copies: valid until the handler returns. What has to
/// live longer is taken out as a `String`, a number or a `Value`.
package struct Parameters {
  /// The most parameters a method can have.
  package static let maximumCount = 16

  /// The `params` member as sent; nil when it was left out.
  package let params: JSONView?

  private let shape: Shape
  // Tape indices in the order of the rows; zero for what was left out, as no value stands there, and
  // for an optional parameter that is `null`.
  private var places = [16 of UInt32](repeating: 0)

  /// Sorts and checks what a call sent.
  ///
  /// - Parameters:
  ///   - params: The `params` member: an array or an object without duplicate members, or nil.
  ///   - shape: What the method takes.
  /// - Throws: ``RPCError/Code/invalidParams`` for what is missing, unknown, too many or not as
  ///   declared, with `path`.
  init(_ params: JSONView?, shape: Shape) throws(RPCError) {
    self.params = params
    self.shape = shape
    guard !shape.acceptsAnything else { return }
    let rows = shape.rows
    let isByPosition = params?.kind == .array
    if let params {
      if isByPosition { try placeByPosition(params) } else { try placeByName(params) }
    }
    for index in rows.indices {
      let row = rows[index]
      var found: SchemaViolation?
      if let value = self[index] {
        found = row.schema.violation(in: value)
      } else if row.isRequired {
        found = SchemaViolation("is required")
      }
      guard let found else { continue }
      let step = isByPosition ? String(index) : row.name.description
      throw .invalidParams(path: "/params/" + step + found.path, description: found.description)
    }
  }

  private mutating func placeByPosition(_ params: JSONView) throws(RPCError) {
    var index = 0
    for value in params.elements {
      guard index < shape.rows.count else {
        throw .invalidParams(
          path: "/params/\(index)", description: "there are at most \(shape.rows.count) parameters")
      }
      place(value, at: index)
      index += 1
    }
  }

  private mutating func placeByName(_ params: JSONView) throws(RPCError) {
    for (name, value) in params.members {
      guard let index = shape.rows.firstIndex(where: { name.equals($0.name) }) else {
        let found = SchemaViolation("is not known here").inside(name)
        throw .invalidParams(path: "/params" + found.path, description: found.description)
      }
      place(value, at: index)
    }
  }

  private mutating func place(_ value: JSONView, at index: Int) {
    if value.isNull, !shape.rows[index].isRequired { return }
    // A line is shorter than 4 GiB, and so is its tape.
    places[index] = UInt32(truncatingIfNeeded: value.index)
  }

  /// What a method takes, apart from the rest of its row.
  final class Shape {
    let rows: [ParameterRow]
    let acceptsAnything: Bool

    init(_ row: MethodRow) {
      rows = row.parameters
      acceptsAnything = row.acceptsAnything
    }
  }

  /// The parameter at that place in the rows, or nil if it was left out.
  package subscript(index: Int) -> JSONView? {
    guard let params, places[index] != 0 else { return nil }
    return params.at(Int(places[index]))
  }

  /// The parameter of that name, or nil if it was left out.
  ///
  /// - Parameter name: A name in the method's rows; another is a mistake in the handler.
  package subscript(name: StaticString) -> JSONView? {
    guard let index = shape.rows.firstIndex(where: { $0.name.isSame(as: name) }) else {
      preconditionFailure("the method has no parameter of that name")
    }
    return self[index]
  }
}
