/// Writes trees as ``CompactValue`` reads them, in memory that is used again and again.
@safe package final class CompactWriter {
  // Owned here alone: allocated in `init` and `grow`, freed in `deinit`.
  private var base: UnsafeMutableRawPointer
  private var capacity: Int

  /// How many bytes were written.
  package var count: Int { byteCount }
  private var byteCount = 0
  /// The next of several that are kept until they are of use.
  package var next: CompactWriter?

  private static let leastCapacity = 1024
  /// What is kept for the next tree when a huge one was written.
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

  // MARK: Trees

  /// Appends a tree.
  package func append(_ value: Value) {
    switch value {
    case .null: appendNull()
    case .bool(let flag): append(flag)
    case .integer(let number): append(number)
    case .unsigned(let number):
      append(byte: CompactValue.Tag.unsigned)
      append(group: number)
    case .number(let number):
      append(byte: CompactValue.Tag.number)
      append(group: number.bitPattern)
    case .string(let text): append(text)
    case .array(let elements): append(elements)
    case .object(let members): append(members)
    }
  }

  /// Appends `null`.
  package func appendNull() { append(byte: CompactValue.Tag.null) }

  /// Appends a truth value.
  package func append(_ flag: Bool) {
    append(byte: flag ? CompactValue.Tag.true : CompactValue.Tag.false)
  }

  /// Appends a whole number.
  package func append(_ number: Int64) {
    append(byte: CompactValue.Tag.integer)
    append(group: UInt64(bitPattern: (number << 1) ^ (number >> 63)))
  }

  /// Appends a whole number, or `null`.
  package func append(_ number: Int64?) {
    if let number { append(number) } else { appendNull() }
  }

  /// Appends a text.
  package func append(_ text: String) {
    append(byte: CompactValue.Tag.string)
    append(counted: text)
  }

  /// Appends a text, or `null`.
  package func append(_ text: String?) {
    if let text { append(text) } else { appendNull() }
  }

  /// Appends an object.
  package func append(_ members: [Value.Member]) {
    append(byte: CompactValue.Tag.object)
    append(group: UInt64(members.count))
    for member in members {
      append(counted: member.name)
      append(member.value)
    }
  }

  /// Appends a list.
  package func append(_ elements: [Value]) {
    beginArray(count: elements.count)
    for element in elements { append(element) }
  }

  /// Appends the beginning of a list, whose elements are to follow.
  package func beginArray(count: Int) {
    append(byte: CompactValue.Tag.array)
    append(group: UInt64(count))
  }

  // MARK: Bytes

  /// Appends one byte.
  @inline(__always)
  private func append(byte: UInt8) {
    reserve(1)
    unsafe base.storeBytes(of: byte, toByteOffset: byteCount, as: UInt8.self)
    byteCount += 1
  }

  /// Appends a number in groups of seven bits, the lowest first.
  @inline(__always)
  private func append(group number: UInt64) {
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
  private func append(counted text: String) {
    var text = text
    text.withUTF8 { bytes in
      append(group: UInt64(bytes.count))
      guard let start = bytes.baseAddress else { return }
      reserve(bytes.count)
      unsafe (base + byteCount).copyMemory(from: start, byteCount: bytes.count)
      byteCount += bytes.count
    }
  }

  /// Appends what another has.
  package func append(contentsOf other: CompactWriter) {
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
