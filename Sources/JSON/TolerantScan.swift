internal import ValueTree

/// One walk over a text that ``JSONReader`` refuses.
///
/// What is broken sets ``isBroken``; every list and object on the way then ends with what it has.
struct TolerantScan {
  private let bytes: [UInt8]
  private let maximumDepth: Int
  private var place = 0
  private var isBroken = false

  init(_ bytes: [UInt8], maximumDepth: Int) {
    self.bytes = bytes
    self.maximumDepth = maximumDepth
  }

  mutating func read() -> TolerantText {
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { place = 3 }
    skipSpace()
    let value = value(level: 0) ?? .null
    skipSpace()
    return TolerantText(value: value, isWhole: !isBroken && place == bytes.count)
  }

  /// The byte at the current place, or 0 at the end: a NUL is no part of JSON either.
  private var byte: UInt8 { place < bytes.count ? bytes[place] : 0 }

  private mutating func skipSpace() {
    while byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { place += 1 }
  }

  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard byte == UInt8(ascii: character) else { return false }
    place += 1
    return true
  }

  /// Reads one value.
  ///
  /// - Parameter level: How many lists and objects it stands in.
  /// - Returns: `nil` if there is none, or if it is cut.
  private mutating func value(level: Int) -> Value? {
    switch byte {
    case UInt8(ascii: "\""): return string().map(Value.string)
    case UInt8(ascii: "["), UInt8(ascii: "{"):
      guard level < maximumDepth else {
        skipContainer()
        return .null
      }
      return byte == UInt8(ascii: "{") ? object(level) : array(level)
    default: return word(level)
    }
  }

  private mutating func object(_ level: Int) -> Value {
    var members: [Value.Member] = []
    var names: Set<[UInt8]> = []
    place += 1
    skipSpace()
    if take("}") { return .object([]) }
    while !isBroken {
      skipSpace()
      guard byte == UInt8(ascii: "\""), let name = string() else { break }
      skipSpace()
      guard take(":") else { break }
      skipSpace()
      if let value = value(level: level + 1), names.insert(Array(name.utf8)).inserted {
        members.append(Value.Member(name, value))
      }
      skipSpace()
      if !isBroken, take("}") { return .object(members) }
      guard take(",") else { break }
    }
    isBroken = true
    return .object(members)
  }

  private mutating func array(_ level: Int) -> Value {
    var elements: [Value] = []
    place += 1
    skipSpace()
    if take("]") { return .array([]) }
    while !isBroken {
      skipSpace()
      if let element = value(level: level + 1) { elements.append(element) }
      skipSpace()
      if !isBroken, take("]") { return .array(elements) }
      guard take(",") else { break }
    }
    isBroken = true
    return .array(elements)
  }

  /// Passes over a list or an object, however deep: without recursion, so that no text can use up the
  /// stack.
  private mutating func skipContainer() {
    var level = 0
    while place < bytes.count {
      switch byte {
      case UInt8(ascii: "\""):
        skipString()
        continue
      case UInt8(ascii: "["), UInt8(ascii: "{"): level += 1
      case UInt8(ascii: "]"), UInt8(ascii: "}"): level -= 1
      default: break
      }
      place += 1
      if level == 0 { return }
    }
    isBroken = true
  }

  private mutating func skipString() {
    place += 1
    while place < bytes.count {
      defer { place += 1 }
      switch byte {
      case UInt8(ascii: "\""): return
      case UInt8(ascii: "\\"): place += 1
      default: break
      }
    }
    isBroken = true
  }

  /// Reads a number, `true`, `false`, `null`, or a word like `NaN` that JSON does not have.
  ///
  /// - Returns: `nil` if there is none, or if the text may have been cut within it.
  private mutating func word(_ level: Int) -> Value? {
    let start = place
    while isWordByte(byte) { place += 1 }
    guard place > start, level == 0 || place < bytes.count else {
      isBroken = true
      return nil
    }
    let text = String(decoding: bytes[start..<place], as: UTF8.self)
    switch text {
    case "true": return .bool(true)
    case "false": return .bool(false)
    default: break
    }
    if let number = Int64(text) { return .integer(number) }
    if let number = UInt64(text) { return .unsigned(number) }
    if let number = Double(text), number.isFinite { return .number(number) }
    // A text that is nothing but such a word is no JSON.
    isBroken = level == 0 && text != "null"
    return .null
  }

  private func isWordByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "-"), UInt8(ascii: "+"),
      UInt8(ascii: "."), UInt8(ascii: "_"):
      true
    default: false
    }
  }
}

extension TolerantScan {
  /// Reads a string.
  ///
  /// - Returns: `nil` if it is cut.
  private mutating func string() -> String? {
    let start = place + 1
    skipString()
    guard !isBroken else { return nil }
    let content = bytes[start..<place - 1]
    guard content.contains(UInt8(ascii: "\\")) else {
      return String(decoding: content, as: UTF8.self)
    }
    return unescaped(content)
  }

  private func unescaped(_ content: ArraySlice<UInt8>) -> String {
    var text: [UInt8] = []
    text.reserveCapacity(content.count)
    var rest = content
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "\\"), let letter = rest.popFirst() else {
        text.append(byte)
        continue
      }
      switch letter {
      case UInt8(ascii: "b"): text.append(0x08)
      case UInt8(ascii: "f"): text.append(0x0C)
      case UInt8(ascii: "n"): text.append(0x0A)
      case UInt8(ascii: "r"): text.append(0x0D)
      case UInt8(ascii: "t"): text.append(0x09)
      case UInt8(ascii: "u"): text += Self.scalar(&rest).utf8
      default: text.append(letter)
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Reads what follows `\u`, with the other half of a surrogate pair if there is one.
  private static func scalar(_ rest: inout ArraySlice<UInt8>) -> String {
    guard let unit = codeUnit(&rest) else { return "\u{FFFD}" }
    var ahead = rest
    if UTF16.isLeadSurrogate(unit), ahead.popFirst() == UInt8(ascii: "\\"),
      ahead.popFirst() == UInt8(ascii: "u"), let second = codeUnit(&ahead),
      UTF16.isTrailSurrogate(second)
    {
      rest = ahead
      return String(decoding: [unit, second], as: UTF16.self)
    }
    return String(decoding: [unit], as: UTF16.self)
  }

  /// Four hexadecimal digits; nothing is taken if there are fewer.
  private static func codeUnit(_ rest: inout ArraySlice<UInt8>) -> UInt16? {
    let digits = rest.prefix(4)
    var unit: UInt16 = 0
    guard digits.count == 4 else { return nil }
    for digit in digits {
      switch digit {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): unit = unit << 4 | UInt16(digit & 0xF)
      case UInt8(ascii: "a")...UInt8(ascii: "f"), UInt8(ascii: "A")...UInt8(ascii: "F"):
        unit = unit << 4 | UInt16((digit & 0xF) + 9)
      default: return nil
      }
    }
    rest = rest.dropFirst(4)
    return unit
  }
}
