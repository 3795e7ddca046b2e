package import ValueTree

/// One method: all that dispatch, documentation and tests know about it, but its handler.
package struct MethodRow: Sendable {
  /// The name on the wire.
  package let name: StaticString
  /// One sentence.
  package let summary: String
  /// The parameters, in their order by position.
  package let parameters: [ParameterRow]
  /// Whether any parameters are taken, unchecked; then ``parameters`` is empty.
  package let acceptsAnything: Bool
  /// What a successful call returns.
  package let result: ResultRow
  /// What may go wrong, beside what goes for all methods.
  package let errors: [ErrorRow]
  /// Calls with their results.
  package let examples: [ExampleRow]

  /// Makes a row; it has at most ``Places/maximumCount`` parameters, the optional ones last.
  package init(
    _ name: StaticString, _ summary: String, parameters: [ParameterRow] = [],
    acceptsAnything: Bool = false, result: ResultRow, errors: [ErrorRow] = [],
    examples: [ExampleRow] = []
  ) {
    precondition(parameters.count <= Places.maximumCount)
    precondition(!acceptsAnything || parameters.isEmpty)
    self.name = name
    self.summary = summary
    self.parameters = parameters
    self.acceptsAnything = acceptsAnything
    self.result = result
    self.errors = errors
    self.examples = examples
  }
}

/// One parameter of a method.
@usableFromInline
package typealias ParameterRow = Schema.Member

/// What a method returns.
@usableFromInline
package struct ResultRow: Sendable {
  /// A name for the documentation.
  package let name: String
  /// Its shape.
  package let schema: Schema
  /// One sentence.
  package let summary: String

  /// Makes a row.
  package init(_ name: String, _ schema: Schema, _ summary: String = "") {
    self.name = name
    self.schema = schema
    self.summary = summary
  }
}

/// One call of a method with its result.
@usableFromInline
package struct ExampleRow: Sendable {
  /// A name for the documentation.
  package let name: String
  /// The parameters, by name.
  package let params: [Value.Member]
  /// The result.
  package let result: Value

  /// Makes a row.
  package init(_ name: String, params: [Value.Member] = [], result: Value) {
    self.name = name
    self.params = params
    self.result = result
  }
}

/// One notification a server sends.
package struct EventRow: Sendable {
  /// The name on the wire.
  package let name: String
  /// One sentence.
  package let summary: String
  /// The members of `params`.
  package let members: [Schema.Member]

  /// Makes a row.
  package init(_ name: String, _ summary: String, members: [Schema.Member]) {
    self.name = name
    self.summary = summary
    self.members = members
  }
}
