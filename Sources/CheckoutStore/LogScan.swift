/// What stands in a write-ahead log beyond the place up to which SQLite reads it.
///
/// SQLite stops at the first frame that does not fit and says nothing. After a crash of the process
/// alone nothing of its own follows there; after a power failure there may be later frames, and with
/// a log that was damaged there are.
///
/// - Source: sqlite.org/fileformat2.html, "The Write-Ahead Log".
struct LogScan {
  /// How many commits were written after the last one that can be read.
  private(set) var lostCommitCount = 0
  /// The numbers of those commits' rows that had to be on the disk before anything went on.
  private(set) var lostPaymentRows: [Int64] = []

  /// Looks through a log; an empty one has lost nothing.
  init(_ bytes: [UInt8]) {
    let frames = Frames(bytes)
    guard frames.isValid else { return }
    var place = 0
    var sum = frames.headerSum
    while place < frames.count, frames.hasSalts(place),
      frames.sum(of: place, after: sum) == frames.storedSum(of: place)
    {
      sum = frames.storedSum(of: place)
      place += 1
    }
    // What a transaction left that was rolled back, or cut short, follows on the last frame without
    // fitting it, and ends with no commit. What fits its own predecessor was written on purpose.
    var rows: [Int64] = []
    for later in min(place + 1, frames.count)..<frames.count where frames.hasSalts(later) {
      let before = later - 1
      guard
        !frames.hasSalts(before)
          || frames.sum(of: later, after: frames.storedSum(of: before))
            == frames.storedSum(of: later)
      else { continue }
      rows += LeafPage(frames.page(of: later)).paymentRows
      guard frames.isCommit(later) else { continue }
      lostCommitCount += 1
      lostPaymentRows += rows
      rows = []
    }
  }
}

/// A log as a list of frames.
///
/// Every place that is asked for is within the bytes.
private struct Frames {
  typealias Sum = (UInt32, UInt32)

  static let headerSize = 32
  static let frameHeaderSize = 24

  let bytes: [UInt8]
  let pageSize: Int
  let isBigEndian: Bool
  let isValid: Bool
  let count: Int
  private(set) var headerSum: Sum = (0, 0)

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    guard bytes.count >= Self.headerSize else {
      (pageSize, isBigEndian, isValid, count) = (0, false, false, 0)
      return
    }
    let magic = Self.number(bytes, 0)
    let size = Int(Self.number(bytes, 8))
    isBigEndian = magic & 1 == 1
    let isPageSize = (512...65_536).contains(size) && size & (size - 1) == 0
    pageSize = isPageSize ? size : 512
    count = (bytes.count - Self.headerSize) / (Self.frameHeaderSize + pageSize)
    let sum = Self.sum(bytes, 0..<24, after: (0, 0), isBigEndian: isBigEndian)
    headerSum = sum
    isValid =
      isPageSize && magic | 1 == 0x377f_0683
      && sum == (Self.number(bytes, 24), Self.number(bytes, 28))
  }

  private func start(_ place: Int) -> Int {
    Self.headerSize + place * (Self.frameHeaderSize + pageSize)
  }

  func hasSalts(_ place: Int) -> Bool {
    let start = start(place)
    return (0..<8).allSatisfy { bytes[start + 8 + $0] == bytes[16 + $0] }
  }

  func storedSum(of place: Int) -> Sum {
    (Self.number(bytes, start(place) + 16), Self.number(bytes, start(place) + 20))
  }

  func isCommit(_ place: Int) -> Bool { Self.number(bytes, start(place) + 4) != 0 }

  func page(of place: Int) -> ArraySlice<UInt8> {
    let start = start(place) + Self.frameHeaderSize
    return bytes[start..<start + pageSize]
  }

  func sum(of place: Int, after before: Sum) -> Sum {
    let start = start(place)
    let head = Self.sum(bytes, start..<start + 8, after: before, isBigEndian: isBigEndian)
    let page = start + Self.frameHeaderSize
    return Self.sum(bytes, page..<page + pageSize, after: head, isBigEndian: isBigEndian)
  }

  /// The sum of a multiple of eight bytes; both halves wrap around.
  private static func sum(
    _ bytes: [UInt8], _ range: Range<Int>, after before: Sum, isBigEndian: Bool
  ) -> Sum {
    var (first, second) = before
    unsafe bytes.withUnsafeBytes { all in
      var place = range.lowerBound
      while place < range.upperBound {
        let one = unsafe all.loadUnaligned(fromByteOffset: place, as: UInt32.self)
        let two = unsafe all.loadUnaligned(fromByteOffset: place + 4, as: UInt32.self)
        first = first &+ (isBigEndian ? one.bigEndian : one.littleEndian) &+ second
        second = second &+ (isBigEndian ? two.bigEndian : two.littleEndian) &+ first
        place += 8
      }
    }
    return (first, second)
  }

  private static func number(_ bytes: [UInt8], _ place: Int) -> UInt32 {
    bytes[place..<place + 4].reduce(0) { $0 << 8 | UInt32($1) }
  }
}

/// A page that may be a leaf of the table of changes, and may be anything.
private struct LeafPage {
  private let page: [UInt8]

  init(_ page: ArraySlice<UInt8>) { self.page = Array(page) }

  /// The numbers of its rows that are marked as payments'.
  var paymentRows: [Int64] {
    // The first page of the file, which has a header of its own, is never such a leaf.
    guard page.count >= 8, page[0] == 13 else { return [] }
    let count = Int(page[3]) << 8 | Int(page[4])
    var rows: [Int64] = []
    for place in 0..<count {
      let pointer = 8 + 2 * place
      guard pointer + 1 < page.count else { break }
      if let row = paymentRow(at: Int(page[pointer]) << 8 | Int(page[pointer + 1])) {
        rows.append(row)
      }
    }
    return rows
  }

  /// The row's number, if the cell there is a change with the mark.
  private func paymentRow(at cell: Int) -> Int64? {
    var place = cell
    guard cell >= 8, varint(&place) != nil, let row = varint(&place) else { return nil }
    let header = place
    guard let size = varint(&place), (5...64).contains(size) else { return nil }
    let end = header + Int(size)
    var types: [Int64] = []
    while place < end, let type = varint(&place) { types.append(type) }
    // id (the row's number itself), checkout, seq, count of events, body.
    guard place == end, types.count == 5, types[0] == 0 else { return nil }
    var value = end
    for type in types[1...2] {
      guard let size = Self.integerSize(type) else { return nil }
      value += size
    }
    guard let size = Self.integerSize(types[3]), value + size <= page.count else { return nil }
    let number = page[value..<value + size].reduce(0 as Int64) { $0 << 8 | Int64($1) }
    return PaymentMark.isSet(in: number) ? row : nil
  }

  private static func integerSize(_ type: Int64) -> Int? {
    switch type {
    case 0, 8, 9: 0
    case 1...4: Int(type)
    case 5: 6
    case 6: 8
    default: nil
    }
  }

  private func varint(_ place: inout Int) -> Int64? {
    var number: Int64 = 0
    for step in 0..<9 {
      guard place >= 0, place < page.count else { return nil }
      let byte = page[place]
      place += 1
      if step == 8 { return number << 8 | Int64(byte) }
      number = number << 7 | Int64(byte & 0x7F)
      if byte & 0x80 == 0 { return number }
    }
    return nil
  }
}

/// Says of a row, in its count of events, that its commit was to be on the disk before anything went on.
///
/// There, since it stands at the beginning of the row and can be found in a page of a damaged log.
enum PaymentMark {
  private static let bit: Int64 = 1 << 32

  static func isSet(in count: Int64) -> Bool { count & bit != 0 && count > 0 }

  static func count(_ count: Int64, isPayment: Bool) -> Int64 { isPayment ? count | bit : count }

  static func removed(from count: Int64) -> Int64 { count > 0 ? count & ~bit : count }
}
