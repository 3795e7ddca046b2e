package import JSON

/// Where a value differs from its schema, and how.
@usableFromInline
package struct SchemaViolation: Error, Equatable, Sendable {
  /// JSON pointer from the value checked to the part that differs; empty for the value itself.
  package var path: String
  /// What is wrong; it never repeats a value.
  package let description: String
}

extension Schema {
  /// Finds the first thing in which a value differs from this schema.
  ///
  /// An optional member that is `null` is one that was left out.
  ///
  /// - Parameter view: A value without duplicate members.
  /// - Returns: Nil if the value fits.
  package func violation(in view: JSONView) -> SchemaViolation? {
    switch self {
    case .any: nil
    case .null: view.isNull ? nil : .init("must be null")
    case .boolean: view.bool != nil ? nil : .init("must be a Boolean")
    case .integer(let range): Self.integerViolation(in: view, range)
    case .number: view.number != nil ? nil : .init("must be a number")
    case .string(let byteCount, _): Self.stringViolation(in: view, byteCount)
    case .enumeration(let names):
      names.contains(where: { view.equals(string: $0) })
        ? nil : .init("must be one of \(names.joined(separator: ", "))")
    case .array(let element, let maximumCount):
      Self.arrayViolation(in: view, of: element, maximumCount)
    case .object(let members, let allowsAdditional):
      Self.objectViolation(in: view, members, allowsAdditional)
    case .choice(let members): Self.choiceViolation(in: view, members)
    case .oneOf(let schemas): Self.alternativeViolation(in: view, schemas)
    case .named(_, let schema): schema.violation(in: view)
    }
  }

  private static func integerViolation(
    in view: JSONView, _ range: ClosedRange<Int64>
  ) -> SchemaViolation? {
    guard let number = view.wholeNumber else { return .init("must be a 64-bit integer") }
    if range.contains(number) { return nil }
    return .init("must be from \(range.lowerBound) to \(range.upperBound)")
  }

  private static func stringViolation(
    in view: JSONView, _ byteCount: ClosedRange<Int>
  ) -> SchemaViolation? {
    guard let count = view.stringByteCount else { return .init("must be a string") }
    if count < byteCount.lowerBound {
      return .init("must have at least \(byteCount.lowerBound) bytes")
    }
    if count > byteCount.upperBound {
      return .init("must have at most \(byteCount.upperBound) bytes")
    }
    return nil
  }

  private static func arrayViolation(
    in view: JSONView, of element: Schema, _ maximumCount: Int?
  ) -> SchemaViolation? {
    if let found = listViolation(in: view, maximumCount) { return found }
    var index = 0
    for item in view.elements {
      if let found = element.violation(in: item) { return found.inside(String(index)) }
      index += 1
    }
    return nil
  }

  /// What is wrong with a list beside its elements.
  static func listViolation(in view: JSONView, _ maximumCount: Int?) -> SchemaViolation? {
    guard view.kind == .array else { return .init("must be an array") }
    if let maximumCount, view.count > maximumCount {
      return .init("must have at most \(maximumCount) elements")
    }
    return nil
  }

  private static func objectViolation(
    in view: JSONView, _ members: [Member], _ allowsAdditional: Bool
  ) -> SchemaViolation? {
    guard view.kind == .object else { return .init("must be an object") }
    var requiredSeen = 0
    for (name, value) in view.members {
      guard let member = members.first(where: { name.equals($0.name) }) else {
        if allowsAdditional { continue }
        return SchemaViolation("is not known here").inside(name)
      }
      if member.isRequired {
        requiredSeen += 1
      } else if value.isNull {
        continue
      }
      if let found = member.schema.violation(in: value) {
        return found.inside(member.name.description)
      }
    }
    guard requiredSeen < members.count(where: \.isRequired) else { return nil }
    for member in members where member.isRequired && view[member.name] == nil {
      return SchemaViolation("is required").inside(member.name.description)
    }
    return nil
  }

  private static func choiceViolation(
    in view: JSONView, _ members: [Member]
  ) -> SchemaViolation? {
    guard view.kind == .object else { return .init("must be an object") }
    guard view.count == 1 else { return .init("must have exactly one member") }
    for (name, value) in view.members {
      guard let member = members.first(where: { name.equals($0.name) }) else {
        return SchemaViolation("is not known here").inside(name)
      }
      return member.schema.violation(in: value)?.inside(member.name.description)
    }
    return nil
  }

  /// Reports what is wrong with the alternative that was meant, if that can be told.
  private static func alternativeViolation(
    in view: JSONView, _ schemas: [Schema]
  ) -> SchemaViolation? {
    var reported: SchemaViolation?
    for schema in schemas where schema.isMeant(by: view) {
      guard let found = schema.violation(in: view) else { return nil }
      reported = reported ?? found
    }
    return reported ?? .init("has none of the \(schemas.count) shapes allowed here")
  }

  /// Whether a value has this schema's kind and, if it is an object, its members by name.
  func isMeant(by view: JSONView) -> Bool {
    switch self {
    case .any: true
    case .null: view.kind == .null
    case .boolean: view.kind == .bool
    case .integer: view.wholeNumber != nil
    case .number: view.number != nil
    case .string, .enumeration: view.kind == .string
    case .array: view.kind == .array
    case .oneOf(let schemas): schemas.contains { $0.isMeant(by: view) }
    case .named(_, let schema): schema.isMeant(by: view)
    case .choice(let members):
      view.kind == .object && view.count == 1
        && members.contains { view[$0.name] != nil }
    case .object(let members, let allowsAdditional):
      view.kind == .object && Self.hasNames(view, of: members, allowsAdditional)
    }
  }

  private static func hasNames(
    _ view: JSONView, of members: [Member], _ allowsAdditional: Bool
  ) -> Bool {
    var missing = members.count(where: \.isRequired)
    for (name, _) in view.members {
      if let member = members.first(where: { name.equals($0.name) }) {
        if member.isRequired { missing -= 1 }
      } else if !allowsAdditional {
        return false
      }
    }
    return missing == 0
  }
}

extension SchemaViolation {
  /// A name longer than this is not repeated in a path.
  private static let longestName = 64

  @usableFromInline
  package init(_ description: String) { self.init(path: "", description: description) }

  /// The same, seen from the value that holds this one under that name.
  func inside(_ name: String) -> SchemaViolation {
    SchemaViolation(path: "/" + Self.escaped(name) + path, description: description)
  }

  /// The same, seen from the object that has that member.
  func inside(_ name: JSONView) -> SchemaViolation {
    guard let byteCount = name.stringByteCount, byteCount <= Self.longestName,
      let text = name.string
    else {
      return SchemaViolation("has a member that is not known here")
    }
    return inside(text)
  }

  /// A name as one step of a JSON pointer.
  ///
  /// - Source: RFC 6901, section 3.
  private static func escaped(_ name: String) -> String {
    guard name.utf8.contains(where: { $0 == UInt8(ascii: "~") || $0 == UInt8(ascii: "/") }) else {
      return name
    }
    var result = ""
    for scalar in name.unicodeScalars {
      switch scalar {
      case "~": result += "~0"
      case "/": result += "~1"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
