package import ValueTree

extension Value {
  /// Takes a value, with all it holds, out of the parser's tape.
  ///
  /// - Parameter view: What to copy; its depth is bounded by the reader's limit.
  package init(_ view: JSONView) {
    switch view.kind {
    case .object:
      var members: [Value.Member] = []
      members.reserveCapacity(view.count)
      for (name, value) in view.members {
        members.append(Value.Member(name.string ?? "", Value(value)))
      }
      self = .object(members)
    case .array:
      var elements: [Value] = []
      elements.reserveCapacity(view.count)
      for element in view.elements { elements.append(Value(element)) }
      self = .array(elements)
    case .string: self = .string(view.string ?? "")
    case .integer: self = .integer(view.integer ?? 0)
    case .unsigned: self = .unsigned(view.unsigned ?? 0)
    case .number: self = .number(view.number ?? 0)
    case .bool: self = .bool(view.bool ?? false)
    case .null: self = .null
    }
  }
}

extension JSONView {
  /// This value, with all it holds, as a tree of its own.
  package var value: Value { Value(self) }
}
