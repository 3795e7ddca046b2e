/// A tree of values as bytes, to be kept: about a third of its JSON text.
///
/// A tag, then what it announces: whole numbers in groups of seven bits, sign folded in; texts, lists
/// and objects with their count first. The form carries no version: the schema's version of what it
/// is kept in stands for it.
package enum CompactValue {
  enum Tag {
    static let null: UInt8 = 0
    static let `false`: UInt8 = 1
    static let `true`: UInt8 = 2
    static let integer: UInt8 = 3
    static let unsigned: UInt8 = 4
    static let number: UInt8 = 5
    static let string: UInt8 = 6
    static let array: UInt8 = 7
    static let object: UInt8 = 8
  }

  /// Bytes that are not a tree: the row is damaged.
  package struct Malformed: Error, Sendable {
    /// Makes the error.
    package init() {}
  }

  /// Reads the one tree that the bytes hold.
  ///
  /// - Throws: ``Malformed`` for anything that ``CompactWriter`` does not write.
  package static func read(_ bytes: UnsafeRawBufferPointer) throws(Malformed) -> Value {
    var reader = unsafe Reader(bytes: bytes)
    let value = try reader.value(depth: 0)
    guard reader.isAtEnd else { throw Malformed() }
    return value
  }

  @safe  // every access is checked against the count
  private struct Reader {
    let bytes: UnsafeRawBufferPointer
    var place = 0

    init(bytes: UnsafeRawBufferPointer) { unsafe self.bytes = bytes }

    var isAtEnd: Bool { unsafe place == bytes.count }

    mutating func byte() throws(Malformed) -> UInt8 {
      guard unsafe place < bytes.count else { throw Malformed() }
      defer { place += 1 }
      return unsafe bytes[place]
    }

    mutating func number() throws(Malformed) -> UInt64 {
      var number: UInt64 = 0
      var shift: UInt64 = 0
      while true {
        let next = try byte()
        guard shift < 63 || next <= 1 else { throw Malformed() }
        number |= UInt64(next & 0x7F) << shift
        if next & 0x80 == 0 {
          // A last group of zeros says nothing: only a shorter form is ever written.
          guard next != 0 || shift == 0 else { throw Malformed() }
          return number
        }
        shift += 7
      }
    }

    /// A count that cannot be larger than what is left to read.
    mutating func count() throws(Malformed) -> Int {
      let number = try number()
      guard unsafe number <= UInt64(bytes.count - place) else { throw Malformed() }
      return Int(number)
    }

    mutating func text() throws(Malformed) -> String {
      let count = try count()
      defer { place += count }
      let range = unsafe UnsafeRawBufferPointer(rebasing: bytes[place..<place + count])
      guard let text = unsafe String(validating: range, as: UTF8.self) else { throw Malformed() }
      return text
    }

    mutating func value(depth: Int) throws(Malformed) -> Value {
      guard depth < 128 else { throw Malformed() }
      switch try byte() {
      case Tag.null: return .null
      case Tag.false: return .bool(false)
      case Tag.true: return .bool(true)
      case Tag.integer:
        let folded = try number()
        return .integer(Int64(bitPattern: folded >> 1) ^ -Int64(bitPattern: folded & 1))
      case Tag.unsigned: return .unsigned(try number())
      case Tag.number: return .number(Double(bitPattern: try number()))
      case Tag.string: return .string(try text())
      case Tag.array:
        var elements: [Value] = []
        for _ in 0..<(try count()) { elements.append(try value(depth: depth + 1)) }
        return .array(elements)
      case Tag.object:
        var members: [Value.Member] = []
        for _ in 0..<(try count()) {
          let name = try text()
          members.append(.init(name, try value(depth: depth + 1)))
        }
        return .object(members)
      default: throw Malformed()
      }
    }
  }
}
