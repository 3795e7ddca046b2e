/// Entries that found no room where they should go, in the order in which they came.
///
/// They have a bound in bytes. Beyond it what matters least is dropped, the oldest of it first. What
/// entries of one kind have in common is kept once.
struct LogBacklog {
  /// How many bytes it holds.
  static let capacity = 262_144

  /// What each entry takes besides its own bytes.
  private static let overhead = Record.headerSize

  private var lanes = [Lane](repeating: Lane(), count: Rank.count)
  private var heads = Heads()
  private var nextNumber: UInt32 = 0
  /// How many bytes are held.
  private(set) var byteCount = 0
  /// How many entries were dropped since that was asked last.
  private(set) var droppedCount = 0

  /// How much an entry matters here; 0 is dropped last.
  enum Rank {
    static let count = 5

    static func of(_ level: Log.Level, isKept: Bool) -> Int {
      if isKept || level <= .error { return 0 }
      // Warning to debug.
      return Int(level.rawValue - Log.Level.error.rawValue)
    }
  }

  /// Whether there is nothing.
  var isEmpty: Bool { lanes.allSatisfy(\.isEmpty) }

  /// Adds an entry at the end, and drops what there is no room for: maybe the entry itself.
  mutating func append(_ entry: EncodedEntry, rank: Int) {
    guard entry.tail.count <= UInt16.max else { return noteDropped() }
    while byteCount + cost(of: entry) > Self.capacity {
      guard let lane = lanes[rank...].lastIndex(where: { !$0.isEmpty }) else {
        return noteDropped()
      }
      _ = remove(from: lane)
      noteDropped()
    }
    byteCount += cost(of: entry)
    let record = Record(
      number: nextNumber, head: heads.take(entry.head), tailCount: UInt16(entry.tail.count))
    lanes[rank].append(record, entry.tail)
    nextNumber &+= 1
  }

  /// The bytes of the entry that came first; nil if there is none.
  var first: [UInt8]? {
    guard let lane = firstLane, let record = lanes[lane].first else { return nil }
    return heads[record.head] + lanes[lane].firstTail
  }

  /// Takes away the entry that came first.
  mutating func removeFirst() {
    if let lane = firstLane { _ = remove(from: lane) }
  }

  /// Forgets how many were dropped, since it has been told.
  mutating func forgetDropped() { droppedCount = 0 }

  /// Notes that an entry was lost.
  mutating func noteDropped() { droppedCount &+= 1 }

  private func cost(of entry: EncodedEntry) -> Int {
    let head = heads.contains(entry.head) ? 0 : entry.head.count
    return Self.overhead + entry.tail.count + head
  }

  private var firstLane: Int? {
    var found: (lane: Int, number: UInt32)?
    for (lane, content) in lanes.enumerated() {
      guard let number = content.first?.number else { continue }
      // The numbers begin again after the last; at no time do they lie far apart.
      if let earlier = found, Int32(bitPattern: number &- earlier.number) > 0 { continue }
      found = (lane, number)
    }
    return found?.lane
  }

  private mutating func remove(from lane: Int) -> Bool {
    guard let record = lanes[lane].removeFirst() else { return false }
    byteCount -= Self.overhead + Int(record.tailCount) + heads.give(back: record.head)
    return true
  }
}

/// What stands before the bytes that are an entry's own.
private struct Record {
  static let headerSize = 8

  let number: UInt32
  /// Where its other bytes are: of which there are too few to need a longer number, at ten bytes each.
  let head: UInt16
  let tailCount: UInt16
}

/// Entries of one rank: their records and bytes one after the other.
private struct Lane {
  private var bytes: [UInt8] = []
  private var start = 0

  var isEmpty: Bool { start == bytes.count }

  var first: Record? {
    guard !isEmpty else { return nil }
    func number(at place: Int, count: Int) -> UInt32 {
      bytes[(start + place)..<(start + place + count)].reduce(0) { $0 << 8 | UInt32($1) }
    }
    return Record(
      number: number(at: 0, count: 4), head: UInt16(truncatingIfNeeded: number(at: 4, count: 2)),
      tailCount: UInt16(truncatingIfNeeded: number(at: 6, count: 2)))
  }

  var firstTail: ArraySlice<UInt8> {
    guard let record = first else { return [] }
    let begin = start + Record.headerSize
    return bytes[begin..<(begin + Int(record.tailCount))]
  }

  mutating func append(_ record: Record, _ tail: [UInt8]) {
    for shift in [24, 16, 8, 0] {
      bytes.append(UInt8(truncatingIfNeeded: record.number >> UInt32(shift)))
    }
    for value in [record.head, record.tailCount] {
      bytes.append(UInt8(truncatingIfNeeded: value >> 8))
      bytes.append(UInt8(truncatingIfNeeded: value))
    }
    bytes += tail
  }

  mutating func removeFirst() -> Record? {
    guard let record = first else { return nil }
    start += Record.headerSize + Int(record.tailCount)
    if isEmpty {
      bytes = []
      start = 0
    } else if start > bytes.count / 2 {
      bytes.removeFirst(start)
      start = 0
    }
    return record
  }
}

/// Byte strings that several entries have in common.
private struct Heads {
  private var places: [[UInt8]: UInt16] = [:]
  private var slots: [(bytes: [UInt8], useCount: Int)] = []
  private var free: [UInt16] = []

  subscript(place: UInt16) -> [UInt8] { slots[Int(place)].bytes }

  func contains(_ bytes: [UInt8]) -> Bool { places[bytes] != nil }

  /// Notes one more use.
  mutating func take(_ bytes: [UInt8]) -> UInt16 {
    if let place = places[bytes] {
      slots[Int(place)].useCount += 1
      return place
    }
    let place = free.popLast() ?? UInt16(slots.count)
    if Int(place) == slots.count {
      slots.append((bytes, 1))
    } else {
      slots[Int(place)] = (bytes, 1)
    }
    places[bytes] = place
    return place
  }

  /// Notes one use less.
  ///
  /// - Returns: How many bytes are free because of that.
  mutating func give(back place: UInt16) -> Int {
    slots[Int(place)].useCount -= 1
    guard slots[Int(place)].useCount == 0 else { return 0 }
    let bytes = slots[Int(place)].bytes
    places[bytes] = nil
    slots[Int(place)].bytes = []
    free.append(place)
    return bytes.count
  }
}
