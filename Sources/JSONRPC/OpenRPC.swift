package import ValueTree

/// Writes the OpenRPC document of a set of methods: the result of `rpc.discover`.
///
/// The order is that of the rows, so the same rows give the same bytes.
///
/// - Source: OpenRPC specification 1.2.6. Notifications the server sends have no place in it and
///   stand in `x-notifications`.
package struct OpenRPC {
  /// The title of the document.
  package let title: String
  /// The version of what it describes.
  package let version: String
  /// A few sentences about it.
  package let description: String
  /// The methods.
  package let methods: [MethodRow]
  /// What the server sends unasked.
  package let events: [EventRow]

  /// Makes the description of a document.
  package init(
    title: String, version: String, description: String, methods: [MethodRow],
    events: [EventRow] = []
  ) {
    self.title = title
    self.version = version
    self.description = description
    self.methods = methods
    self.events = events
  }

  /// The document.
  package var document: Value {
    var members: [Value.Member] = [
      .init("openrpc", "1.2.6"),
      .init(
        "info",
        [
          "title": .string(title), "version": .string(version),
          "description": .string(description),
        ]),
      .init("methods", .array(methods.map(method))),
    ]
    if !events.isEmpty { members.append(.init("x-notifications", .array(events.map(event)))) }
    members.append(.init("components", ["schemas": .object(schemas), "errors": .object(errors)]))
    return .object(members)
  }

  private func method(_ row: MethodRow) -> Value {
    var members: [Value.Member] = [
      .init("name", .string(row.name.description)),
      .init("summary", .string(row.summary)),
      .init("paramStructure", "either"),
      .init("params", .array(row.parameters.map(parameter))),
      .init(
        "result",
        [
          "name": .string(row.result.name), "summary": .string(row.result.summary),
          "schema": row.result.schema.document,
        ]),
      .init(
        "errors",
        .array(row.errors.map { ["$ref": .string("#/components/errors/" + $0.errorId)] })),
    ]
    if row.acceptsAnything { members.append(.init("x-acceptsAnyParams", true)) }
    if !row.examples.isEmpty {
      members.append(.init("examples", .array(row.examples.map(example))))
    }
    return .object(members)
  }

  private func parameter(_ row: Schema.Member) -> Value {
    [
      "name": .string(row.name.description), "summary": .string(row.summary),
      "required": .bool(row.isRequired), "schema": row.schema.document,
    ]
  }

  private func example(_ row: ExampleRow) -> Value {
    [
      "name": .string(row.name),
      "params": .array(row.params.map { ["name": .string($0.name), "value": $0.value] }),
      "result": ["name": "result", "value": row.result],
    ]
  }

  private func event(_ row: EventRow) -> Value {
    [
      "name": .string(row.name.description), "summary": .string(row.summary),
      "params": .array(row.members.map(parameter)),
    ]
  }

  private var schemas: [Value.Member] {
    var found: [Value.Member] = []
    for method in methods {
      for parameter in method.parameters { parameter.schema.collectNamed(into: &found) }
      method.result.schema.collectNamed(into: &found)
    }
    for event in events {
      for member in event.members { member.schema.collectNamed(into: &found) }
    }
    return found
  }

  /// The errors every method may give, then those of the methods, each `errorId` once.
  private var errors: [Value.Member] {
    var found: [Value.Member] = []
    for row in ErrorRow.generic + methods.flatMap(\.errors)
    where !found.contains(where: { $0.name == row.errorId }) {
      found.append(
        .init(
          row.errorId,
          [
            "code": .integer(Int64(row.code.rawValue)), "message": .string(row.message),
            "data": ["errorId": .string(row.errorId)], "x-when": .string(row.when),
          ]))
    }
    return found
  }
}
