package import ValueTree

extension Schema {
  /// This schema as JSON Schema (draft 7).
  ///
  /// Named schemas become references; ``collectNamed(into:)`` finds what they refer to. A length
  /// in bytes is given as one in characters, which is the same or more lenient, and exactly as
  /// `x-maxBytes`.
  package var document: Value {
    switch self {
    case .any: .object([])
    case .null: ["type": "null"]
    case .boolean: ["type": "boolean"]
    case .number: ["type": "number"]
    case .integer(let range): Self.integerDocument(range)
    case .string(let byteCount, let pattern): Self.stringDocument(byteCount, pattern)
    case .enumeration(let names):
      ["type": "string", "enum": .array(names.map(Value.string))]
    case .array(let element, let maximumCount): Self.arrayDocument(element, maximumCount)
    case .object(let members, let allowsAdditional):
      Self.objectDocument(members, allowsAdditional)
    case .choice(let members): Self.choiceDocument(members)
    case .oneOf(let schemas): ["oneOf": .array(schemas.map(\.document))]
    case .named(let name, _): ["$ref": .string("#/components/schemas/" + name)]
    }
  }

  /// Adds each named schema in this one, in the order they are met.
  ///
  /// - Parameter found: Names with their documents; a name that is there already is not added.
  package func collectNamed(into found: inout [Value.Member]) {
    switch self {
    case .array(let element, _): element.collectNamed(into: &found)
    case .object(let members, _), .choice(let members):
      for member in members { member.schema.collectNamed(into: &found) }
    case .oneOf(let schemas): for schema in schemas { schema.collectNamed(into: &found) }
    case .named(let name, let schema):
      guard !found.contains(where: { $0.name == name }) else { return }
      found.append(Value.Member(name, schema.document))
      schema.collectNamed(into: &found)
    case .any, .null, .boolean, .integer, .number, .string, .enumeration: break
    }
  }

  private static func integerDocument(_ range: ClosedRange<Int64>) -> Value {
    var members = [Value.Member("type", "integer")]
    if range == Int64.min...Int64.max {
      members.append(Value.Member("format", "int64"))
    } else {
      members.append(Value.Member("minimum", .integer(range.lowerBound)))
      members.append(Value.Member("maximum", .integer(range.upperBound)))
    }
    return .object(members)
  }

  private static func stringDocument(_ byteCount: ClosedRange<Int>, _ pattern: String?) -> Value {
    var members = [Value.Member("type", "string")]
    if byteCount.lowerBound > 0 {
      members.append(Value.Member("minLength", 1))
    }
    if byteCount.upperBound < Int.max {
      let maximum = Value.integer(Int64(byteCount.upperBound))
      members.append(Value.Member("maxLength", maximum))
      members.append(Value.Member("x-maxBytes", maximum))
    }
    if let pattern { members.append(Value.Member("pattern", .string(pattern))) }
    return .object(members)
  }

  private static func arrayDocument(_ element: Schema, _ maximumCount: Int?) -> Value {
    var members = [Value.Member("type", "array"), Value.Member("items", element.document)]
    if let maximumCount {
      members.append(Value.Member("maxItems", .integer(Int64(maximumCount))))
    }
    return .object(members)
  }

  private static func objectDocument(_ members: [Member], _ allowsAdditional: Bool) -> Value {
    let required = members.filter(\.isRequired).map { Value.string($0.name.description) }
    var result = [Value.Member("type", "object"), properties(members)]
    if !required.isEmpty { result.append(Value.Member("required", .array(required))) }
    if !allowsAdditional { result.append(Value.Member("additionalProperties", false)) }
    return .object(result)
  }

  private static func choiceDocument(_ members: [Member]) -> Value {
    .object([
      .init("type", "object"), properties(members), .init("minProperties", 1),
      .init("maxProperties", 1), .init("additionalProperties", false),
    ])
  }

  private static func properties(_ members: [Member]) -> Value.Member {
    .init(
      "properties",
      .object(members.map { Value.Member($0.name.description, $0.documentWithSummary) }))
  }
}

extension Schema.Member {
  /// The schema with its summary; beside a reference nothing else counts, so it is wrapped.
  fileprivate var documentWithSummary: Value {
    guard !summary.isEmpty else { return schema.document }
    let description = Value.Member("description", .string(summary))
    if case .named = schema { return .object([description, .init("allOf", [schema.document])]) }
    return .object([description] + (schema.document.object ?? []))
  }
}
