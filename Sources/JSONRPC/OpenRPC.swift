package import ValueTree

/// Writes the OpenRPC document of a set of methods: the result of `rpc.discover`.
///
/// The order is that of the rows, so the same rows give the same bytes.
///
/// - Source: OpenRPC specification 1.2.6. Notifications the server sends have no place in it and
///   stand in `x-notifications`. In it each error of a method has a code of its own; ours share
///   codes, so methods name their `errorId`s in `x-errorIds`, and what these mean stands in the
///   `x-errorIds` of the document.
package struct OpenRPC {
  /// The title of the document.
  package let title: String
  /// The version of what it describes.
  package let version: String
  /// A few sentences about it.
  package let description: String
  /// Where it can be reached.
  package let servers: [ServerRow]
  /// The methods.
  package let methods: [MethodRow]
  /// What the server sends unasked.
  package let events: [EventRow]
  /// More about it, under names that begin with `x-`.
  package let extensions: [Value.Member]

  /// Makes the description of a document.
  package init(
    title: String, version: String, description: String, servers: [ServerRow] = [],
    methods: [MethodRow], events: [EventRow] = [], extensions: [Value.Member] = []
  ) {
    self.title = title
    self.version = version
    self.description = description
    self.servers = servers
    self.methods = methods
    self.events = events
    self.extensions = extensions
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
      .init("servers", .array(servers.map(server))),
      .init("methods", .array(methods.map(method))),
    ]
    if !events.isEmpty { members.append(.init("x-notifications", .array(events.map(event)))) }
    members.append(.init("x-errorIds", .object(errorRows.map(meaning))))
    members += extensions
    members.append(.init("components", ["schemas": .object(schemas), "errors": .object(errors)]))
    return .object(members)
  }

  private func server(_ row: ServerRow) -> Value {
    ["name": .string(row.name), "url": .string(row.url), "summary": .string(row.summary)]
  }

  private func method(_ row: MethodRow) -> Value {
    var members: [Value.Member] = [
      .init("name", .string(row.name.description)),
      .init("summary", .string(row.summary)),
      .init("paramStructure", "either"),
      .init("params", .array(row.parameters.map(parameter))),
      .init(
        "result",
        .object(named(row.result.name, row.result.summary, row.result.schema.document))),
      // Not by reference: generators of clients do not follow it here.
      .init("errors", .array(codes(of: row.errors).map { error($0, among: row.errors) })),
      .init("x-errorIds", .array(row.errors.map { .string($0.errorId) })),
    ]
    if row.acceptsAnything { members.append(.init("x-acceptsAnyParams", true)) }
    if !row.examples.isEmpty {
      members.append(.init("examples", .array(row.examples.map(example))))
    }
    return .object(members)
  }

  private func parameter(_ row: Schema.Member) -> Value {
    .object(
      named(row.name.description, row.summary, row.schema.document)
        + (row.isRequired ? [.init("required", true)] : []))
  }

  /// The members that a parameter and a result have in common.
  private func named(_ name: String, _ summary: String, _ schema: Value) -> [Value.Member] {
    let summary = summary.isEmpty ? [] : [Value.Member("summary", .string(summary))]
    return [.init("name", .string(name))] + summary + [.init("schema", schema)]
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
      "name": .string(row.name), "summary": .string(row.summary),
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
  private var errorRows: [ErrorRow] {
    var found: [ErrorRow] = []
    for row in ErrorRow.generic + methods.flatMap(\.errors)
    where !found.contains(where: { $0.errorId == row.errorId }) {
      found.append(row)
    }
    return found
  }

  /// The errors by their codes.
  private var errors: [Value.Member] {
    let rows = errorRows
    return codes(of: rows).map { .init(String($0.rawValue), error($0, among: rows)) }
  }

  private func error(_ code: RPCError.Code, among rows: [ErrorRow]) -> Value {
    let message = rows.first { $0.code == code }?.message ?? ""
    return ["code": .integer(Int64(code.rawValue)), "message": .string(message)]
  }

  private func meaning(_ row: ErrorRow) -> Value.Member {
    .init(row.errorId, ["code": .integer(Int64(row.code.rawValue)), "when": .string(row.when)])
  }

  /// The codes that errors have, each once.
  private func codes(of rows: [ErrorRow]) -> [RPCError.Code] {
    var found: [RPCError.Code] = []
    for row in rows where !found.contains(row.code) { found.append(row.code) }
    return found
  }
}

/// An address that a server can be reached at.
package struct ServerRow: Sendable {
  /// What the address is called.
  package let name: String
  /// The address.
  package let url: String
  /// When it is there.
  package let summary: String

  /// Makes a row.
  package init(_ name: String, _ url: String, _ summary: String) {
    self.name = name
    self.url = url
    self.summary = summary
  }
}
