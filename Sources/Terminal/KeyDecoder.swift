/// Tells keys from the bytes that a terminal sends for them, however these are cut into pieces.
///
/// What it does not know it leaves out, so that no part of a longer sequence is taken for a letter.
/// Of what is pasted (`CSI 200 ~` to `CSI 201 ~`) only what can be written counts: a line break in
/// it presses nothing.
package struct KeyDecoder: Sendable {
  private var pending: [UInt8] = []
  private var isPasting = false

  private static let escape: UInt8 = 0x1B
  /// Longer sequences are no key's.
  private static let maximumSequenceByteCount = 32

  /// Makes a decoder that has seen nothing.
  package init() {}

  /// Whether what came last is Escape or the beginning of more; time will tell, see ``settle()``.
  package var isInDoubt: Bool { pending.first == Self.escape }

  /// Takes bytes.
  ///
  /// - Parameter bytes: What the terminal sent.
  /// - Returns: The keys that are complete now, in their order.
  package mutating func feed(_ bytes: some Sequence<UInt8>) -> [Key] {
    pending += bytes
    var keys: [Key] = []
    while let (count, key) = next() {
      pending.removeFirst(count)
      if let key { keys.append(key) }
    }
    return keys
  }

  /// Takes note that nothing more came for a while.
  ///
  /// - Returns: Escape, if that is what has been in doubt.
  package mutating func settle() -> [Key] {
    guard isInDoubt else { return [] }
    defer { pending.removeAll() }
    return pending.count == 1 && !isPasting ? [.escape] : []
  }

  /// How many bytes the first key takes, and which it is if it is one; nil if more must come.
  private mutating func next() -> (count: Int, key: Key?)? {
    guard let first = pending.first else { return nil }
    guard first != Self.escape else { return sequence() }
    guard first >= 0x20, first != 0x7F else { return (1, isPasting ? nil : Self.control(first)) }
    return scalar()
  }

  private static func control(_ byte: UInt8) -> Key? {
    switch byte {
    case 0x08, 0x7F: .backspace
    case 0x09: .tab
    case 0x0A, 0x0D: .enter
    case 0x01...0x1A: .control(Unicode.Scalar(byte + 0x60))
    default: nil
    }
  }

  private mutating func sequence() -> (count: Int, key: Key?)? {
    guard pending.count > 1 else { return nil }
    switch pending[1] {
    case UInt8(ascii: "["): return controlSequence()
    case UInt8(ascii: "O"):
      guard pending.count > 2 else { return nil }
      return (3, isPasting ? nil : Self.named(pending[2]))
    case Self.escape: return (1, isPasting ? nil : .escape)
    // A key held together with Alt.
    default: return (2, nil)
    }
  }

  /// A sequence after `ESC [`: parameters, then a byte that ends it.
  private mutating func controlSequence() -> (count: Int, key: Key?)? {
    guard let last = pending.dropFirst(2).firstIndex(where: { !(0x20...0x3F).contains($0) }) else {
      return pending.count > Self.maximumSequenceByteCount ? (pending.count, nil) : nil
    }
    guard (0x40...0x7E).contains(pending[last]) else { return (last, nil) }
    let digits = pending[2..<last].prefix { $0 != UInt8(ascii: ";") }
    let number = Int(String(decoding: digits, as: UTF8.self))
    guard pending[last] == UInt8(ascii: "~") else {
      return (last + 1, isPasting ? nil : Self.named(pending[last]))
    }
    switch number {
    case 200: isPasting = true
    case 201: isPasting = false
    default: return (last + 1, isPasting ? nil : Self.numbered(number))
    }
    return (last + 1, nil)
  }

  private static func named(_ byte: UInt8) -> Key? {
    switch Unicode.Scalar(byte) {
    case "A": .up
    case "B": .down
    case "C": .right
    case "D": .left
    case "F": .end
    case "H": .home
    case "M": .enter
    case "Z": .backTab
    default: nil
    }
  }

  private static func numbered(_ number: Int?) -> Key? {
    switch number {
    case 1, 7: .home
    case 3: .delete
    case 4, 8: .end
    case 5: .pageUp
    case 6: .pageDown
    default: nil
    }
  }

  /// A character in UTF-8; a byte that belongs to none is left out.
  private func scalar() -> (count: Int, key: Key?)? {
    let count: Int
    switch pending[0] {
    case 0..<0x80: count = 1
    case 0xC2..<0xE0: count = 2
    case 0xE0..<0xF0: count = 3
    case 0xF0..<0xF5: count = 4
    default: return (1, nil)
    }
    let bytes = pending.prefix(count)
    guard bytes.dropFirst().allSatisfy({ (0x80..<0xC0).contains($0) }) else { return (1, nil) }
    guard bytes.count == count else { return nil }
    guard let text = String(validating: bytes, as: UTF8.self),
      let scalar = text.unicodeScalars.first
    else { return (count, nil) }
    return (count, scalar.isVisible ? .character(scalar) : nil)
  }
}
