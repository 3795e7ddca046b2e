package import JSON
package import ValueTree

/// A method, and the type its parameters are read as: what its handler is given.
@usableFromInline
package struct MethodKey<P>: AnyMethodKey {
  /// What dispatch, documentation and tests know about it.
  package let row: MethodRow
  let read: @Sendable (JSONView?) throws(RPCError) -> P

  private init(
    _ row: MethodRow, reading read: @escaping @Sendable (JSONView?) throws(RPCError) -> P
  ) {
    self.row = row
    self.read = read
  }

  /// Everything about a method that needs no parameter's type, so that what is inlined stays small.
  @usableFromInline
  init(
    _ name: StaticString, _ summary: String, rows: [ParameterRow], result: ResultRow,
    errors: [ErrorRow], examples: [ExampleRow],
    making make: @escaping @Sendable (inout Places) throws(RPCError) -> P
  ) {
    self.init(
      MethodRow(
        name, summary, parameters: rows, result: result, errors: errors, examples: examples)
    ) { params throws(RPCError) in
      var places: Places
      do throws(SchemaViolation) {
        places = try Places(of: rows, in: params)
      } catch {
        throw RPCError(error)
      }
      return try make(&places)
    }
  }

  /// Makes a method.
  ///
  /// - Parameters:
  ///   - name: The name on the wire.
  ///   - summary: One sentence.
  ///   - parameters: The parameters in their order by position, the optional ones last.
  ///   - result: What a successful call returns.
  ///   - errors: What may go wrong, beside what goes for all methods.
  ///   - examples: Calls with their results.
  ///   - make: Makes what the handler is given of what was read.
  ///
  /// It is inlined, and so is a ``Shape``'s for objects: where the types are known the closure needs
  /// none of them at run time. Otherwise each call would look them up, at 3000 instructions a parameter.
  @inlinable
  package init<each T>(
    _ name: StaticString, _ summary: String, _ parameters: repeat Parameter<each T>,
    result: ResultRow, errors: [ErrorRow] = [], examples: [ExampleRow] = [],
    make: @escaping @Sendable (repeat each T) throws(RPCError) -> P
  ) {
    var rows: [ParameterRow] = []
    for parameter in repeat each parameters { rows.append(parameter.row) }
    self.init(
      name, summary, rows: rows, result: result, errors: errors, examples: examples
    ) { places throws(RPCError) in
      try make(repeat try places.takeNext(each parameters))
    }
  }

  /// Makes a method that takes any parameters, unchecked; null stands for none.
  package init(
    takingAnything name: StaticString, _ summary: String, result: ResultRow,
    examples: [ExampleRow] = []
  ) where P == Value {
    self.init(
      MethodRow(name, summary, acceptsAnything: true, result: result, examples: examples)
    ) { params throws(RPCError) in params?.value ?? .null }
  }

  package func check(_ params: JSONView?) throws(RPCError) { _ = try read(params) }
}

extension MethodKey<Void> {
  /// Makes a method that takes no parameters.
  package init(
    _ name: StaticString, _ summary: String, result: ResultRow, errors: [ErrorRow] = [],
    examples: [ExampleRow] = []
  ) {
    self.init(name, summary, result: result, errors: errors, examples: examples, make: {})
  }
}

/// A method whose parameters' type does not matter.
package protocol AnyMethodKey: Sendable {
  /// What dispatch, documentation and tests know about it.
  var row: MethodRow { get }

  /// Reads parameters, and forgets them.
  ///
  /// - Parameter params: The `params` member: an array or an object without duplicate members, or nil.
  /// - Throws: ``RPCError/Code/invalidParams`` for what is missing, unknown, too many or not as
  ///   declared, with `path`; what the type of the parameters refuses.
  func check(_ params: JSONView?) throws(RPCError)
}

extension RPCError {
  /// The reply to parameters that differ from what the method takes.
  init(_ violation: SchemaViolation) {
    self = .invalidParams(path: "/params" + violation.path, description: violation.description)
  }
}
