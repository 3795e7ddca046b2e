package import JSON
package import ValueTree

/// A method, and the type its parameters are read as: what its handler is given.
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
  package init<each T>(
    _ name: StaticString, _ summary: String, _ parameters: repeat Parameter<each T>,
    result: ResultRow, errors: [ErrorRow] = [], examples: [ExampleRow] = [],
    make: @escaping @Sendable (repeat each T) throws(RPCError) -> P
  ) {
    var rows: [ParameterRow] = []
    for parameter in repeat each parameters { rows.append(parameter.row) }
    self.init(
      MethodRow(
        name, summary, parameters: rows, result: result, errors: errors, examples: examples)
    ) { [rows] params throws(RPCError) in
      var places: Places
      do throws(SchemaViolation) {
        places = try Places(of: rows, in: params)
      } catch {
        throw RPCError(error)
      }
      func next<X>(_ parameter: Parameter<X>) throws(RPCError) -> X {
        do throws(SchemaViolation) {
          return try places.readNext(parameter)
        } catch {
          throw RPCError(error)
        }
      }
      return try make(repeat try next(each parameters))
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
