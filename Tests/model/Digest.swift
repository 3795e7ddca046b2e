import ValueTree

/// Sixty-four bits that stand for a state.
///
/// Ten million states have two of the same digest with a chance of three in a million.
struct Digest {
  private(set) var value: UInt64 = 0x9E37_79B9_7F4A_7C15

  /// Takes in a number.
  mutating func add(_ number: UInt64) {
    let product = (value ^ number).multipliedFullWidth(by: 0xA076_1D64_78BD_642F)
    value = product.high ^ product.low &+ 0xE703_7ED1_A0B4_28DB
  }

  /// Takes in a small number.
  mutating func add(_ number: some BinaryInteger) { add(UInt64(truncatingIfNeeded: number)) }

  /// Takes in a text.
  mutating func add(_ text: String) {
    add(text.utf8.count)
    for byte in text.utf8 { add(UInt64(byte)) }
  }

  /// Takes in how far a moment is away.
  ///
  /// Two states are the same if one is the other at a later time: the core compares moments with
  /// each other and with now, and asks for no date. Of what has passed it asks only whether a
  /// creation has settled since, 100 s after it was sent, and whether an attempt may go on, 300 s
  /// after the submission; upstream forgets a request after 90 s. So the past is told apart by ten
  /// seconds, and what is older than 310 s is one. No run within the bounds lets a half hour pass
  /// except by a deadline itself, so that far ones are told apart by the half hour.
  mutating func add(_ time: Int64, from now: Int64) {
    let span = time - now
    let near: Int64 = 400_000
    let far: Int64 = 1_800_000
    if span < 0 {
      add(max(span, -310_000) / 10_000 - 1)
    } else {
      add(span > near ? near + span / far * far : span)
    }
  }

  /// Takes in a stored form: whatever is a moment in it counts by how far it is away.
  ///
  /// - Parameters:
  ///   - bytes: The form.
  ///   - now: The moment that moments are compared with.
  ///   - skips: How many leading numbers do not count.
  mutating func add(compact bytes: [UInt8], from now: Int64, skipping skips: Int = 0) {
    var reader = CompactReader(bytes: bytes, place: 0)
    var skips = skips
    while reader.place < bytes.count {
      let tag = reader.byte()
      switch tag {
      case 3:
        let folded = reader.number()
        let number = Int64(bitPattern: folded >> 1) ^ -Int64(bitPattern: folded & 1)
        if skips > 0 {
          skips -= 1
        } else if number > 1 << 40 {
          add(number, from: now)
        } else {
          add(number)
        }
      case 6: text(&reader)
      case 8:
        // A member's name has no tag of its own, and is read as the text that it is.
        add(UInt64(tag) << 32 | reader.number())
        members(&reader, now)
      case 4, 5, 7: add(UInt64(tag) << 32 ^ reader.number())
      default: add(UInt64(tag) << 32)
      }
    }
  }

  private mutating func text(_ reader: inout CompactReader) {
    let count = Int(reader.number())
    var word: UInt64 = 6 << 32 | UInt64(count)
    for offset in 0..<count {
      if offset % 8 == 0 { add(word) }
      word = word << 8 | UInt64(reader.byte())
    }
    add(word)
  }

  /// Reads on within an object: its names stand between its values.
  private mutating func members(_ reader: inout CompactReader, _ now: Int64) {
    // The count is taken from the place before: one group, as no object here has 128 members.
    let count = Int(reader.bytes[reader.place - 1])
    for _ in 0..<count {
      text(&reader)
      let start = reader.place
      reader.skipTree()
      add(compact: Array(reader.bytes[start..<reader.place]), from: now)
    }
  }
}

/// Goes over the bytes of a ``CompactValue``.
private struct CompactReader {
  let bytes: [UInt8]
  var place: Int

  mutating func byte() -> UInt8 {
    defer { place += 1 }
    return bytes[place]
  }

  mutating func number() -> UInt64 {
    var number: UInt64 = 0
    var shift: UInt64 = 0
    while true {
      let next = byte()
      number |= UInt64(next & 0x7F) << shift
      if next & 0x80 == 0 { return number }
      shift += 7
    }
  }

  mutating func skipTree() {
    switch byte() {
    case 3, 4, 5: _ = number()
    case 6:
      let count = Int(number())
      place += count
    case 7: for _ in 0..<number() { skipTree() }
    case 8:
      for _ in 0..<number() {
        let count = Int(number())
        place += count
        skipTree()
      }
    default: break
    }
  }
}
