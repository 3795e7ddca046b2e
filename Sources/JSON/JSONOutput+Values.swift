package import ValueTree

extension JSONOutput {
  /// Appends a tree.
  package func append(value: Value) { append(value, level: 1) }

  private func append(_ value: Value, level: Int) {
    switch value {
    case .null: append("null")
    case .bool(let flag): append(flag)
    case .integer(let number): append(number)
    case .unsigned(let number): append(number)
    case .number(let number): append(number)
    case .string(let text): append(string: text)
    case .array(let elements):
      deepestValue = max(deepestValue, level)
      append(byte: UInt8(ascii: "["))
      var isFirst = true
      for element in elements {
        if !isFirst { append(byte: UInt8(ascii: ",")) }
        isFirst = false
        append(element, level: level + 1)
      }
      append(byte: UInt8(ascii: "]"))
    case .object(let members):
      deepestValue = max(deepestValue, level)
      append(byte: UInt8(ascii: "{"))
      var isFirst = true
      for member in members {
        if !isFirst { append(byte: UInt8(ascii: ",")) }
        isFirst = false
        append(string: member.name)
        append(byte: UInt8(ascii: ":"))
        append(member.value, level: level + 1)
      }
      append(byte: UInt8(ascii: "}"))
    }
  }

  /// Appends a parsed value, without taking it out of the tape first.
  package func append(view: JSONView) { append(view, level: 1) }

  private func append(_ view: JSONView, level: Int) {
    switch view.kind {
    case .null: append("null")
    case .bool: append(view.bool ?? false)
    case .integer: append(view.integer ?? 0)
    case .unsigned: append(view.unsigned ?? 0)
    case .number: append(view.number ?? 0)
    case .string: unsafe append(stringBytes: view.utf8)
    case .array:
      deepestValue = max(deepestValue, level)
      append(byte: UInt8(ascii: "["))
      var isFirst = true
      for element in view.elements {
        if !isFirst { append(byte: UInt8(ascii: ",")) }
        isFirst = false
        append(element, level: level + 1)
      }
      append(byte: UInt8(ascii: "]"))
    case .object:
      deepestValue = max(deepestValue, level)
      append(byte: UInt8(ascii: "{"))
      var isFirst = true
      for (name, value) in view.members {
        if !isFirst { append(byte: UInt8(ascii: ",")) }
        isFirst = false
        unsafe append(stringBytes: name.utf8)
        append(byte: UInt8(ascii: ":"))
        append(value, level: level + 1)
      }
      append(byte: UInt8(ascii: "}"))
    }
  }
}

extension Value {
  /// This tree as compact JSON text.
  package var jsonText: String {
    let output = JSONOutput(capacity: 256)
    output.append(value: self)
    return unsafe output.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
  }

  /// This tree as the bytes of compact JSON text.
  package var jsonBytes: [UInt8] {
    let output = JSONOutput(capacity: 256)
    output.append(value: self)
    return unsafe output.withUnsafeBytes { unsafe Array($0) }
  }
}
