import FuzzSupport
import ValueTree

/// A tree, and what happens to it.
struct Damage {
  private(set) var value: Value

  init(_ value: Value) { self.value = value }

  /// Changes one node.
  mutating func strike(_ input: inout FuzzInput) { value = struck(value, &input) }

  private func struck(_ value: Value, _ input: inout FuzzInput) -> Value {
    switch value {
    case .array(var elements) where !elements.isEmpty && !input.chance(oneIn: 10):
      let place = input.number(below: elements.count)
      switch input.number(below: 12) {
      case 0: elements.remove(at: place)
      case 1: elements.append(elements[place])
      case 2: elements.swapAt(0, place)
      default: elements[place] = struck(elements[place], &input)
      }
      return .array(elements)
    case .object(var members) where !members.isEmpty && !input.chance(oneIn: 10):
      let place = input.number(below: members.count)
      if input.chance(oneIn: 8) {
        members.append(members[place])
      } else {
        members[place].value = struck(members[place].value, &input)
      }
      return .object(members)
    default: return replacement(&input)
    }
  }

  private func replacement(_ input: inout FuzzInput) -> Value {
    switch input.number(below: 12) {
    case 0...5: .integer(input.number(below: 2) == 0 ? Int64(input.byte() % 16) : input.integer())
    case 6: .null
    case 7: .string(input.text())
    case 8: .bool(input.chance(oneIn: 2))
    case 9: .array([])
    case 10: .object([])
    default: .number(.nan)
    }
  }
}
