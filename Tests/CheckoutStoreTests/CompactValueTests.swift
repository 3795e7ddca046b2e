import CheckoutStore
import Testing
import ValueTree

@Suite struct CompactValueTests {
  static let corners: [Value] = [
    .null, false, true, 0, 1, -1, 63, -64, 64, 127, 128, .integer(.max), .integer(.min),
    .unsigned(0), .unsigned(.max), .unsigned(1 << 63), .number(0), .number(-0.0), .number(0.1),
    .number(.infinity), .number(.leastNonzeroMagnitude), .number(.greatestFiniteMagnitude), "",
    "a", "Kalākaua", "李小龙", "\u{0}", "e\u{301}", .string(String(repeating: "x", count: 300)), [],
    [[]], [.null], .object([]), .object([.init("", .null)]),
    .object([.init("a", 1), .init("a", 2)]),
  ]

  static func bytes(_ value: Value) -> [UInt8] {
    let writer = CompactWriter()
    writer.append(value)
    return writer.bytes
  }

  private func read(_ bytes: [UInt8]) throws -> Value {
    try unsafe bytes.withUnsafeBytes { try unsafe CompactValue.read($0) }
  }

  private func randomValue(_ random: inout Generator, depth: Int = 0) -> Value {
    let shift = random.next() % 64
    switch random.next() % (depth < 5 ? 9 : 7) {
    case 0: return .null
    case 1: return .bool(random.next() % 2 == 0)
    case 2: return .integer(Int64(bitPattern: random.next()) >> Int64(shift))
    case 3: return .unsigned(random.next() >> shift)
    case 4: return .number(Double(random.next()) / 3)
    case 5, 6: return .string(randomText(&random))
    case 7:
      return .array((0..<random.next() % 6).map { _ in randomValue(&random, depth: depth + 1) })
    default:
      return .object(
        (0..<random.next() % 6).map { _ in
          .init(randomText(&random), randomValue(&random, depth: depth + 1))
        })
    }
  }

  private func randomText(_ random: inout Generator) -> String {
    let scalars: [Unicode.Scalar] = ["a", "\u{0}", "ß", "\u{301}", "李", "\u{1F600}"]
    var text = String.UnicodeScalarView()
    for _ in 0..<random.next() % 8 { text.append(scalars[Int(random.next() % 6)]) }
    return String(text)
  }

  @Test(arguments: corners)
  func `a value comes back as it was`(value: Value) throws {
    #expect(try read(Self.bytes(value)) == value)
  }

  @Test func `a number that is none comes back bit by bit`() throws {
    for pattern: UInt64 in [0x7FF8_0000_0000_0000, 0xFFF8_0000_0000_0001] {
      let written = Self.bytes(.number(Double(bitPattern: pattern)))
      #expect(try Self.bytes(read(written)) == written)
    }
  }

  @Test(arguments: UInt64(0)..<20)
  func `a random tree comes back as it was`(seed: UInt64) throws {
    var random = Generator(state: seed)
    for _ in 0..<100 {
      let value = randomValue(&random)
      try #require(try read(Self.bytes(value)) == value)
    }
  }

  @Test(arguments: UInt64(0)..<20)
  func `a tree that is cut short or goes on is refused`(seed: UInt64) {
    var random = Generator(state: seed)
    for value in Self.corners + (0..<20).map({ _ in randomValue(&random) }) {
      let whole = Self.bytes(value)
      for count in whole.indices {
        #expect(throws: CompactValue.Malformed.self) { try read(Array(whole[..<count])) }
      }
      for more: UInt8 in [0, 1, 0xFF] {
        #expect(throws: CompactValue.Malformed.self) { try read(whole + [more]) }
      }
    }
  }

  @Test(arguments: UInt64(0)..<20)
  func `a tree with a changed bit is refused, or is another tree`(seed: UInt64) {
    var random = Generator(state: seed)
    for value in Self.corners + (0..<20).map({ _ in randomValue(&random) }) {
      let whole = Self.bytes(value)
      for place in whole.indices {
        for bit in 0..<8 {
          var changed = whole
          changed[place] ^= 1 << UInt8(bit)
          guard let other = try? read(changed) else { continue }
          // There is one form for each tree.
          #expect(Self.bytes(other) == changed)
        }
      }
    }
  }

  @Test(arguments: UInt64(0)..<20)
  func `random bytes are refused, or are a tree`(seed: UInt64) {
    var random = Generator(state: seed)
    for _ in 0..<2000 {
      let noise = (0..<random.next() % 40).map { _ in UInt8(truncatingIfNeeded: random.next() % 12)
      }
      guard let value = try? read(noise) else { continue }
      #expect(Self.bytes(value) == noise)
    }
  }

  @Test(
    arguments: [
      [], [9], [0xFF], [3], [3, 0x80], [3, 0x80, 0x00], [4, 0x81, 0x80, 0x00],
      [4] + Array(repeating: 0xFF, count: 9) + [0x02],
      [4] + Array(repeating: 0x80, count: 10) + [0x01],
      [6, 1], [6, 1, 0x80], [6, 2, 0xC0, 0xAF], [6, 3, 0xED, 0xA0, 0x80],
      [7, 1], [7, 0xFF, 0xFF, 0xFF, 0xFF, 0x0F], [8, 1, 0], [8, 1, 1, 0x61],
      [7] + Array(repeating: 0xFF, count: 9) + [0x01],
    ] as [[UInt8]])
  func `what is never written is refused`(bytes: [UInt8]) {
    #expect(throws: CompactValue.Malformed.self) { try read(bytes) }
  }

  @Test func `a tree may be as deep as upstream's answers, and no tower`() throws {
    func nested(_ depth: Int) -> Value { (0..<depth).reduce(.null) { value, _ in [value] } }
    #expect(try read(Self.bytes(nested(100))) == nested(100))
    #expect(throws: CompactValue.Malformed.self) { try read(Self.bytes(nested(128))) }
    let tower = Array(repeating: [7, 1] as [UInt8], count: 500_000).flatMap(\.self)
    #expect(throws: CompactValue.Malformed.self) { try read(tower) }
  }

  @Test func `small things are small`() {
    #expect(Self.bytes(.integer(-64)).count == 2)
    #expect(Self.bytes(.integer(64)).count == 3)
    #expect(Self.bytes(.integer(1_767_259_800_000)).count == 7)
    #expect(Self.bytes("abc").count == 5)
    #expect(Self.bytes([.null, true]).count == 4)
  }
}
