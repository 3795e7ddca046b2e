/// The bytes of rows under way, in memory that is used again and again.
@safe package final class RowWriter {
  // Owned here alone: allocated in `init` and `grow`, freed in `deinit`.
  private var base: UnsafeMutableRawPointer
  private var capacity: Int

  /// How many bytes were written.
  package var count: Int { byteCount }
  private var byteCount = 0
  /// The next of those that are not in use.
  var nextSpare: RowWriter?

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
  package func removeAll() {
    byteCount = 0
    guard capacity > Self.keptCapacity else { return }
    unsafe base.deallocate()
    capacity = Self.leastCapacity
    unsafe base = .allocate(byteCount: capacity, alignment: 16)
  }

  /// Lends what was written.
  package func withUnsafeBytes<R, E>(
    _ body: (UnsafeRawBufferPointer) throws(E) -> R
  ) throws(E) -> R {
    unsafe try body(UnsafeRawBufferPointer(start: base, count: byteCount))
  }

  /// A copy of what was written.
  package var bytes: [UInt8] { unsafe withUnsafeBytes { unsafe Array($0) } }

  /// Appends one byte.
  @inline(__always)
  func append(_ byte: UInt8) {
    reserve(1)
    unsafe base.storeBytes(of: byte, toByteOffset: byteCount, as: UInt8.self)
    byteCount += 1
  }

  /// Appends a number in groups of seven bits, the lowest first.
  @inline(__always)
  func append(_ number: UInt64) {
    reserve(10)
    var rest = number
    while rest >= 0x80 {
      unsafe base.storeBytes(
        of: UInt8(truncatingIfNeeded: rest) | 0x80, toByteOffset: byteCount, as: UInt8.self)
      byteCount += 1
      rest >>= 7
    }
    unsafe base.storeBytes(of: UInt8(rest), toByteOffset: byteCount, as: UInt8.self)
    byteCount += 1
  }

  /// Appends a text's length and its bytes.
  func append(_ text: String) {
    var text = text
    text.withUTF8 { bytes in
      append(UInt64(bytes.count))
      guard let start = bytes.baseAddress else { return }
      reserve(bytes.count)
      unsafe (base + byteCount).copyMemory(from: start, byteCount: bytes.count)
      byteCount += bytes.count
    }
  }

  /// Appends what another has.
  func append(contentsOf other: RowWriter) {
    reserve(other.byteCount)
    unsafe (base + byteCount).copyMemory(from: other.base, byteCount: other.byteCount)
    byteCount += other.byteCount
  }

  @inline(__always)
  private func reserve(_ added: Int) {
    if byteCount + added > capacity { grow(to: byteCount + added) }
  }

  @inline(never)
  private func grow(to needed: Int) {
    var newCapacity = capacity
    while newCapacity < needed { newCapacity *= 2 }
    let memory = UnsafeMutableRawPointer.allocate(byteCount: newCapacity, alignment: 16)
    unsafe memory.copyMemory(from: base, byteCount: byteCount)
    unsafe base.deallocate()
    unsafe base = memory
    capacity = newCapacity
  }
}
