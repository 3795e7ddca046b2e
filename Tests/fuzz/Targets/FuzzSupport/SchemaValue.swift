package import JSONRPC
package import ValueTree

/// Values made after a schema, and now and then not quite.
package struct SchemaValue {
  /// The digits of the ids of checkouts and components that are made.
  package static let digits = "0123456789abcdef"

  private static let words = [
    "co_\(digits)", "cm_\(digits)_0", "cm_\(digits)_12", "checkout.",
    "component.didReceiveStep", "checkout.didFail", "terminal", "awaiting", "d1", "ADYEN_IDEAL",
    "nl-NL", "kiosk://checkout", "Zoë", "e\u{301}", "👩‍👩‍👧", "a~b/c", "\u{0}", "\u{2028}",
  ]

  /// Whether every value made so far fits its schema.
  package private(set) var fits = true
  private var input: FuzzInput

  /// Makes a maker.
  package init(_ input: FuzzInput) { self.input = input }

  /// Makes the parameters of a method, by name or by position.
  package mutating func parameters(of row: MethodRow) -> Value {
    if row.acceptsAnything { return .array([anything(depth: 1)]) }
    guard input.chance(oneIn: 4) else { return object(row.parameters, isOpen: false, depth: 0) }
    var values: [Value] = []
    for (place, parameter) in row.parameters.enumerated() {
      // By position nothing before the last one can be left out.
      let mayEnd = !row.parameters[place...].contains(where: \.isRequired)
      if mayEnd, input.chance(oneIn: 4) { break }
      values.append(value(of: parameter.schema, depth: 1))
    }
    if input.chance(oneIn: 16) {
      values = Array(repeating: .null, count: row.parameters.count + 1)
      fits = false
    }
    return .array(values)
  }

  private mutating func value(of schema: Schema, depth: Int) -> Value {
    if input.chance(oneIn: 32) {
      fits = false
      return anything(depth: depth)
    }
    switch schema {
    case .any: return anything(depth: depth)
    case .null: return .null
    case .boolean: return .bool(input.chance(oneIn: 2))
    case .number: return .number(0.5)
    case .integer(let range): return integer(range)
    case .string(let byteCount, _): return .string(string(byteCount))
    case .enumeration(let names): return .string(input.one(of: names))
    case .array(let element, let maximumCount):
      let most = maximumCount ?? 4
      var count = input.number(below: min(most, 4) + 1)
      if input.chance(oneIn: 16) { count = most }
      if maximumCount != nil, input.chance(oneIn: 16) {
        count = most + 1
        fits = false
      }
      return .array((0..<count).map { _ in value(of: element, depth: depth + 1) })
    case .object(let members, let isOpen): return object(members, isOpen: isOpen, depth: depth)
    case .choice(let members):
      return object([input.one(of: members)], isOpen: false, depth: depth)
    case .oneOf(let schemas): return value(of: input.one(of: schemas), depth: depth)
    case .named(_, let schema): return value(of: schema, depth: depth)
    }
  }

  private mutating func object(_ rows: [Schema.Member], isOpen: Bool, depth: Int) -> Value {
    var members: [Value.Member] = []
    for row in rows {
      let isLeftOut = input.chance(oneIn: row.isRequired ? 32 : 2)
      if isLeftOut {
        if row.isRequired { fits = false }
        continue
      }
      members.append(.init(row.name.description, value(of: row.schema, depth: depth + 1)))
    }
    if input.chance(oneIn: 32) {
      if !isOpen { fits = false }
      members.append(.init("unheard-of", .null))
    }
    if let first = members.first, input.chance(oneIn: 32) {
      members.append(first)
      fits = false
    }
    return .object(members)
  }

  private mutating func integer(_ range: ClosedRange<Int64>) -> Value {
    let any = input.integer()
    let choices = [
      range.lowerBound, range.upperBound, range.contains(any) ? any : range.lowerBound, any,
      range.lowerBound &- 1, range.upperBound &+ 1,
    ]
    let number = choices[input.number(below: 16) % choices.count]
    if !range.contains(number) { fits = false }
    // The same number with a fraction, as far as that has the same value.
    let isFraction = number.magnitude < 1 << 53 && input.chance(oneIn: 8)
    return isFraction ? .number(Double(number)) : .integer(number)
  }

  private mutating func string(_ byteCount: ClosedRange<Int>) -> String {
    let text = input.chance(oneIn: 2) ? input.text() : input.one(of: Self.words)
    if byteCount.contains(text.utf8.count), !input.chance(oneIn: 8) { return text }
    // Lengths at the limits and one past them.
    let most = min(byteCount.upperBound, 70_000)
    let least = byteCount.lowerBound
    let count = input.one(of: [least, most, most + 1, max(0, least - 1)])
    if !byteCount.contains(count) { fits = false }
    return String(repeating: "x", count: count)
  }

  private mutating func anything(depth: Int) -> Value {
    switch input.number(below: depth > 4 ? 7 : 9) {
    case 0: .null
    case 1: .bool(true)
    case 2: .integer(input.integer())
    case 3: .unsigned(.max)
    case 4: .number(-1e300)
    case 5: .string(input.text())
    case 6: .string(input.one(of: Self.words))
    case 7: .array((0..<input.number(below: 4)).map { _ in anything(depth: depth + 1) })
    default:
      .object((0..<input.number(below: 4)).map { .init("m\($0)", anything(depth: depth + 1)) })
    }
  }
}
