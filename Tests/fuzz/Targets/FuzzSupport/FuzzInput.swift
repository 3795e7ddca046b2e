/// The bytes that the fuzzer chose, as a source of choices: when they are used up every choice is the first one.
package struct FuzzInput {
  /// Ends a chunk; UTF-8 never has it.
  private static let separator: UInt8 = 0xFF

  private var rest: ArraySlice<UInt8>

  /// Makes a source.
  package init(_ bytes: [UInt8]) { rest = bytes[...] }

  /// Whether everything is used up.
  package var isEmpty: Bool { rest.isEmpty }

  /// The next byte.
  package mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

  /// A number from 0 to below a limit of 256 at most.
  package mutating func number(below limit: Int) -> Int { limit < 2 ? 0 : Int(byte()) % limit }

  /// Whether one of so many choices was made; that it was not is the first one.
  package mutating func chance(oneIn count: Int) -> Bool { number(below: count) == count - 1 }

  /// One of some things.
  package mutating func one<T>(of things: [T]) -> T { things[number(below: things.count)] }

  /// Any whole number, often a remarkable one.
  package mutating func integer() -> Int64 {
    let remarkable: [Int64] = [
      0, 1, -1, 2, 7, 255, 256, 1000, 65_536, .max, .min, .max / 2, .min / 2, 1 << 32, 1 << 53,
    ]
    let choice = number(below: remarkable.count + 1)
    guard choice == remarkable.count else { return remarkable[choice] }
    return (0..<8).reduce(0) { number, _ in number << 8 | Int64(byte()) }
  }

  /// The bytes up to the next separator.
  package mutating func chunk() -> [UInt8] {
    let chunk = rest.prefix { $0 != Self.separator }
    rest = rest.dropFirst(chunk.count + 1)
    return Array(chunk)
  }

  /// A chunk as text.
  package mutating func text() -> String { String(decoding: chunk(), as: UTF8.self) }

  /// Everything that is left.
  package mutating func remainder() -> [UInt8] {
    defer { rest = [] }
    return Array(rest)
  }
}
