internal import JSON

/// One parameter of a method, or one member of an object: its row, and the type it is read as.
///
/// An object, since each call hands it on: a reference costs less to copy than a schema.
@usableFromInline
package final class Parameter<T>: Sendable {
  /// The row, for the documentation.
  @usableFromInline package let row: ParameterRow
  /// Reads the value, or nil for what was left out.
  let read: @Sendable (JSONView?) throws(SchemaViolation) -> T

  private init(
    _ row: ParameterRow, _ read: @escaping @Sendable (JSONView?) throws(SchemaViolation) -> T
  ) {
    self.row = row
    self.read = read
  }

  /// Makes a parameter that may not be left out.
  package convenience init(_ name: StaticString, _ shape: Shape<T>, _ summary: String = "") {
    self.init(ParameterRow(name, shape.schema, summary)) { view throws(SchemaViolation) in
      guard let view else { throw SchemaViolation("is required") }
      return try shape.read(view)
    }
  }

  /// Makes a parameter that may be left out; null is the same as that.
  package static func optional<U>(
    _ name: StaticString, _ shape: Shape<U>, _ summary: String = ""
  ) -> Parameter<U?> where T == U? {
    Parameter(.optional(name, shape.schema, summary)) { view throws(SchemaViolation) in
      guard let view else { return nil }
      return try shape.read(view)
    }
  }

  /// Makes a parameter with a value for when it is left out; null is the same as that.
  package static func optional(
    _ name: StaticString, _ shape: Shape<T>, else value: T, _ summary: String = ""
  ) -> Parameter where T: Sendable {
    Parameter(.optional(name, shape.schema, summary)) { view throws(SchemaViolation) in
      guard let view else { return value }
      return try shape.read(view)
    }
  }
}

/// Where the values of some rows stand: in an object by their names, in an array in their order.
///
/// It holds places on the parser's tape, not copies, and is valid as long as the text.
@usableFromInline
struct Places {
  /// The most rows that one can have.
  static let maximumCount = 16

  private let rows: [ParameterRow]
  private let root: JSONView?
  private let isByPosition: Bool
  // Tape indices in the order of the rows; zero for what was left out, as no value stands there, and
  // for what is optional and null.
  private var places = [16 of UInt32](repeating: 0)
  private var next = 0

  /// Finds what was sent.
  ///
  /// - Parameters:
  ///   - rows: What there can be.
  ///   - root: An array or an object without duplicate members, or nil for none of it.
  /// - Throws: What is unknown or too much.
  init(of rows: [ParameterRow], in root: JSONView?) throws(SchemaViolation) {
    self.rows = rows
    self.root = root
    isByPosition = root?.kind == .array
    guard let root else { return }
    if isByPosition { try placeByPosition(root) } else { try placeByName(root) }
  }

  private mutating func placeByPosition(_ root: JSONView) throws(SchemaViolation) {
    var index = 0
    for value in root.elements {
      guard index < rows.count else {
        throw SchemaViolation("there are at most \(rows.count) parameters").inside(String(index))
      }
      place(value, at: index)
      index += 1
    }
  }

  private mutating func placeByName(_ root: JSONView) throws(SchemaViolation) {
    for (name, value) in root.members {
      guard let index = rows.firstIndex(where: { name.equals($0.name) }) else {
        throw SchemaViolation("is not known here").inside(name)
      }
      place(value, at: index)
    }
  }

  private mutating func place(_ value: JSONView, at index: Int) {
    if value.isNull, !rows[index].isRequired { return }
    // A line is shorter than 4 GiB, and so is its tape.
    places[index] = UInt32(truncatingIfNeeded: value.index)
  }

  /// Reads what the next row is about.
  ///
  /// - Parameter parameter: The one that the row is of.
  /// - Returns: Its value.
  /// - Throws: What is wrong with it, seen from the whole.
  @usableFromInline
  mutating func readNext<T>(_ parameter: Parameter<T>) throws(SchemaViolation) -> T {
    let index = next
    next += 1
    do throws(SchemaViolation) {
      return try parameter.read(self[index])
    } catch {
      throw error.inside(isByPosition ? String(index) : parameter.row.name.description)
    }
  }

  /// The same, as a call is told what is wrong.
  @usableFromInline
  mutating func takeNext<T>(_ parameter: Parameter<T>) throws(RPCError) -> T {
    do throws(SchemaViolation) {
      return try readNext(parameter)
    } catch {
      throw RPCError(error)
    }
  }

  private subscript(index: Int) -> JSONView? {
    guard let root, places[index] != 0 else { return nil }
    return root.at(Int(places[index]))
  }
}
