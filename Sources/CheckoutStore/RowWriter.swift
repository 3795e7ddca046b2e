/// The bytes of rows under way, in memory that is used again and again.
@safe package struct RowWriter: ~Copyable {
  // Owned here alone: allocated in `init` and `grow`, freed in `deinit`.
  private var base: UnsafeMutableRawPointer
  private var capacity: Int

  /// How many bytes were written.
  package private(set) var count = 0

  private static let leastCapacity = 1024
  /// What is kept for the next row when a huge one was written.
  private static let keptCapacity = 256 * 1024

  /// Makes an empty writer.
  package init() {
    capacity = Self.leastCapacity
    unsafe base = .allocate(byteCount: capacity, alignment: 16)
  }

  deinit { unsafe base.deallocate() }

  /// Forgets what was written; memory beyond 256 KiB is given back.
  package mutating func removeAll() {
    count = 0
    guard capacity > Self.keptCapacity else { return }
    self = RowWriter()
  }

  /// Lends what was written.
  package borrowing func withUnsafeBytes<R, E>(
    _ body: (UnsafeRawBufferPointer) throws(E) -> R
  ) throws(E) -> R {
    unsafe try body(UnsafeRawBufferPointer(start: base, count: count))
  }

  /// A copy of what was written.
  package var bytes: [UInt8] { unsafe withUnsafeBytes { unsafe Array($0) } }

  /// Appends one byte.
  @inline(__always)
  mutating func append(_ byte: UInt8) {
    reserve(1)
    unsafe base.storeBytes(of: byte, toByteOffset: count, as: UInt8.self)
    count += 1
  }

  /// Appends a number in groups of seven bits, the lowest first.
  @inline(__always)
  mutating func append(_ number: UInt64) {
    reserve(10)
    var rest = number
    while rest >= 0x80 {
      unsafe base.storeBytes(
        of: UInt8(truncatingIfNeeded: rest) | 0x80, toByteOffset: count, as: UInt8.self)
      count += 1
      rest >>= 7
    }
    unsafe base.storeBytes(of: UInt8(rest), toByteOffset: count, as: UInt8.self)
    count += 1
  }

  /// Appends a text's length and its bytes.
  mutating func append(_ text: String) {
    var text = text
    text.withUTF8 { bytes in
      append(UInt64(bytes.count))
      guard let start = bytes.baseAddress else { return }
      reserve(bytes.count)
      unsafe (base + count).copyMemory(from: start, byteCount: bytes.count)
      count += bytes.count
    }
  }

  @inline(__always)
  private mutating func reserve(_ added: Int) {
    if count + added > capacity { grow(to: count + added) }
  }

  @inline(never)
  private mutating func grow(to needed: Int) {
    var newCapacity = capacity
    while newCapacity < needed { newCapacity *= 2 }
    let memory = UnsafeMutableRawPointer.allocate(byteCount: newCapacity, alignment: 16)
    unsafe memory.copyMemory(from: base, byteCount: count)
    unsafe base.deallocate()
    unsafe base = memory
    capacity = newCapacity
  }
}
