internal import CSimdJSON

/// Bytes that grow at the end, always followed by the readable padding a ``JSONReader`` asks for.
///
/// An empty buffer owns no memory.
@safe package struct PaddedBuffer: ~Copyable {
  /// How many readable bytes follow the content, whatever they hold.
  package static var padding: Int { Int(CSIMDJSON_PADDING) }

  private static let leastCapacity = 192

  // Owned here alone and freed in `deinit`; nil while the capacity is zero.
  private var base: UnsafeMutableRawPointer?

  /// The number of bytes held.
  package private(set) var count = 0

  /// The number of bytes the memory has room for, without the padding.
  package private(set) var capacity = 0

  /// Makes an empty buffer, without memory of its own.
  package init() { unsafe base = nil }

  /// Makes a padded copy.
  ///
  /// - Parameter bytes: What to copy.
  package init(copying bytes: UnsafeRawBufferPointer) {
    self.init()
    unsafe append(bytes)
  }

  deinit { unsafe base?.deallocate() }

  /// Copies bytes to the end.
  ///
  /// - Parameter bytes: What to copy; not from this buffer.
  /// - Complexity: Amortised linear in the bytes appended.
  package mutating func append(_ bytes: UnsafeRawBufferPointer) {
    guard let source = bytes.baseAddress, unsafe !bytes.isEmpty else { return }
    if count + bytes.count > capacity { grow(to: count + bytes.count) }
    guard let base = unsafe base else { return }
    unsafe (base + count).copyMemory(from: source, byteCount: bytes.count)
    count += bytes.count
  }

  /// Drops bytes from the front, and gives memory back that is far more than what is left needs.
  ///
  /// - Parameter byteCount: How many, at most ``count``.
  package mutating func removeFirst(_ byteCount: Int) {
    precondition(byteCount >= 0 && byteCount <= count)
    if byteCount == count { return release() }
    guard byteCount > 0, let base = unsafe base else { return }
    let rest = count - byteCount
    if capacity > Self.leastCapacity, rest <= capacity / 4 {
      var smaller = PaddedBuffer()
      unsafe smaller.append(UnsafeRawBufferPointer(start: base + byteCount, count: rest))
      swap(&self, &smaller)
      return
    }
    count = rest
    unsafe base.copyMemory(from: base + byteCount, byteCount: count)
  }

  /// Drops everything and gives the memory back.
  package mutating func release() {
    unsafe base?.deallocate()
    unsafe base = nil
    count = 0
    capacity = 0
  }

  /// Lends the content.
  ///
  /// - Parameter body: Gets the bytes, followed by ``padding`` readable ones; they must not be
  ///   kept.
  /// - Returns: What the closure returned.
  /// - Throws: What the closure throws.
  package borrowing func withUnsafeBytes<R, E>(
    _ body: (UnsafeRawBufferPointer) throws(E) -> R
  ) throws(E) -> R {
    unsafe try body(UnsafeRawBufferPointer(start: base, count: count))
  }

  private mutating func grow(to needed: Int) {
    var newCapacity = max(capacity, Self.leastCapacity)
    while newCapacity < needed { newCapacity *= 2 }
    let memory = UnsafeMutableRawPointer.allocate(
      byteCount: newCapacity + Self.padding, alignment: 16)
    if let base = unsafe base {
      unsafe memory.copyMemory(from: base, byteCount: count)
      unsafe base.deallocate()
    }
    // Read but never used by the parser; zeroed so that a memory checker has nothing to report.
    unsafe (memory + newCapacity).initializeMemory(
      as: UInt8.self, repeating: 0, count: Self.padding)
    unsafe base = memory
    capacity = newCapacity
  }
}
