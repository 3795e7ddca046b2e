import ValueTree

/// A checkout, as the command line names it.
struct Reference {
  /// As a call takes it.
  let value: Value
  /// As it was given.
  let text: String

  private static let keyPrefix = "key:"

  /// Reads an operand: the id of a checkout, or `key:` and the key that it was started with.
  init(_ operand: String) {
    text = operand
    value =
      operand.hasPrefix(Self.keyPrefix)
      ? ["startKey": .string(String(operand.dropFirst(Self.keyPrefix.count)))]
      : .string(operand)
  }
}

extension Invocation {
  /// The checkout that the command is about.
  var checkout: Reference { Reference(operands.first ?? "") }
}
