internal import Glibc

/// One word of simdjson's tape: a letter in the top byte, a payload in the rest.
///
/// - Source: simdjson, `doc/tape.md`.
struct TapeWord {
  /// The letters of the tape.
  struct Tag: Equatable {
    let letter: UInt8

    static let object = Tag(letter: UInt8(ascii: "{"))
    static let objectEnd = Tag(letter: UInt8(ascii: "}"))
    static let array = Tag(letter: UInt8(ascii: "["))
    static let arrayEnd = Tag(letter: UInt8(ascii: "]"))
    static let string = Tag(letter: UInt8(ascii: "\""))
    static let integer = Tag(letter: UInt8(ascii: "l"))
    static let unsigned = Tag(letter: UInt8(ascii: "u"))
    static let number = Tag(letter: UInt8(ascii: "d"))
    static let `true` = Tag(letter: UInt8(ascii: "t"))
    static let `false` = Tag(letter: UInt8(ascii: "f"))
    static let null = Tag(letter: UInt8(ascii: "n"))

    @inline(__always)
    static func ~= (pattern: Tag, tag: Tag) -> Bool { pattern.letter == tag.letter }
  }

  /// The count a container's word cannot exceed: it then means "this many or more".
  static let saturatedCount = 0xFF_FFFF

  let bits: UInt64

  @inline(__always) init(_ bits: UInt64) { self.bits = bits }

  @inline(__always) var tag: Tag { Tag(letter: UInt8(truncatingIfNeeded: bits >> 56)) }

  /// Where a string's record starts in the string buffer.
  @inline(__always) var payload: Int { Int(truncatingIfNeeded: bits & 0xFF_FFFF_FFFF_FFFF) }

  /// For the start of a container: the place after its end.
  @inline(__always) var target: Int { Int(truncatingIfNeeded: bits & 0xFFFF_FFFF) }

  /// For the start of a container: how many elements or members, saturated.
  @inline(__always) var count: Int { Int(truncatingIfNeeded: (bits >> 32) & 0xFF_FFFF) }
}

/// Whether two runs of bytes are the same; the addresses may be nil when there are none.
@inline(__always)
func equalBytes(
  _ left: UnsafePointer<UInt8>?, _ right: UnsafePointer<UInt8>?, _ count: Int
) -> Bool {
  guard count > 0, let left = unsafe left, let right = unsafe right else { return true }
  return unsafe memcmp(left, right, count) == 0
}
