import ValueTree

/// Where a row of a checkout stands, and what it holds.
struct Row {
  /// The row's number.
  let number: Int64
  /// The number of its last event, or of the last one before it if it has none.
  let seq: Int64
  let eventCount: Int32
  /// What counts against the limit; nothing once it was trimmed to what is kept for ever.
  let byteCount: Int32
  /// Whether no event of it is of the checkout as a whole, so that trimming need not look; `false`
  /// also if that is not known.
  var isOfComponentsAlone = false

  var isTrimmed: Bool { byteCount == 0 }
}

/// The rows of one checkout, in order.
struct RowIndex {
  /// A slice, which loses its first elements without moving the others.
  private(set) var rows: ArraySlice<Row> = []
  /// How many events count against the limit.
  private(set) var eventCount = 0
  /// How many bytes do.
  private(set) var byteCount = 0
  /// The highest number of an event that was dropped.
  var trimmedTo: Int64?

  mutating func append(_ row: Row) {
    // A row without events says only what the state is: the next such row makes it useless, but it
    // costs less to leave it than to delete it.
    rows.append(row)
    eventCount += Int(row.eventCount)
    byteCount += Int(row.byteCount)
  }

  /// Whether it has more than that, once something was dropped.
  func isOver(_ limits: EventLimits, without trimming: Trimming = Trimming()) -> Bool {
    eventCount - trimming.eventCount > limits.count
      || byteCount - trimming.byteCount > limits.byteCount
  }

  /// Takes out what was dropped.
  mutating func remove(_ trimming: Trimming) {
    let kept = trimming.kept
    rows.removeFirst(trimming.rowCount - kept.count)
    for (place, row) in kept.enumerated() { rows[rows.startIndex + place] = row }
    eventCount -= trimming.eventCount
    byteCount -= trimming.byteCount
    trimmedTo = trimming.trimmedTo ?? trimmedTo
  }

  /// The place of the last row with a gap before or in it; nothing but trimming makes one.
  var lastGap: Int? {
    rows.indices.last { place in
      let before = place > rows.startIndex ? rows[place - 1].seq : 0
      return rows[place].seq - before > Int64(rows[place].eventCount)
    }
  }

  /// The place of the first row that may hold an event after that number.
  func place(after seq: Int64) -> Int {
    var low = rows.startIndex
    var high = rows.endIndex
    while low < high {
      let middle = (low + high) / 2
      if rows[middle].seq <= seq { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

/// What was dropped of a checkout's oldest rows.
struct Trimming {
  /// How many rows were looked at, from the first.
  var rowCount = 0
  /// What is left of them.
  var kept: [Row] = []
  /// How many events fewer count against the limit.
  var eventCount = 0
  /// How many bytes fewer do.
  var byteCount = 0
  /// The highest number of an event that was dropped.
  var trimmedTo: Int64?
}

/// What a row holds: the state after a turn, and the events of the turn.
enum RowBody {
  /// Begins `[hot, [event…]]`; the state and the list of events are to follow, whose numbers end at
  /// the row's.
  static func begin(in writer: CompactWriter) { writer.beginArray(count: 2) }

  /// Appends `[null, [[number, event]…], true]`: events whose numbers have gaps.
  static func append(sparse events: [EventRecord], to writer: CompactWriter) {
    writer.beginArray(count: 3)
    writer.appendNull()
    writer.beginArray(count: events.count)
    for event in events {
      writer.beginArray(count: 2)
      writer.append(event.seq)
      event.append(to: writer)
    }
    writer.append(true)
  }
}

/// A row that was read.
struct StoredRow {
  let value: Value

  /// The state after the row's turn.
  func hot() throws(StoreError) -> Value {
    guard let hot = value.array?.first else { throw Self.damaged }
    return hot
  }

  /// The events of the row, which ends at that number.
  func events(endingAt seq: Int64) throws(StoreError) -> [EventRecord] {
    guard let parts = value.array, parts.count >= 2, let list = parts[1].array else {
      throw Self.damaged
    }
    // Numbers begin with 1, and end with the row's.
    guard Int64(list.count) <= max(0, seq) else { throw Self.damaged }
    var records: [EventRecord] = []
    records.reserveCapacity(list.count)
    var last: Int64 = 0
    do throws(CompactValue.Malformed) {
      for (place, element) in list.enumerated() {
        if parts.count == 2 {
          records.append(try EventRecord(element, seq: seq - Int64(list.count - 1 - place)))
        } else {
          guard let pair = element.array, pair.count == 2, let number = pair[0].integer,
            number > last, number <= seq
          else { throw CompactValue.Malformed() }
          last = number
          records.append(try EventRecord(pair[1], seq: number))
        }
      }
    } catch {
      throw Self.damaged
    }
    return records
  }

  private static let damaged = StoreError.corrupt("a row cannot be read")
}
