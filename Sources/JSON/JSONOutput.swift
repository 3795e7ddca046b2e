internal import Glibc

/// Compact JSON text, appended piece by piece to one growing run of bytes.
///
/// The caller is responsible for punctuation; what is appended as a string, a number or a `Value`
/// is correct in itself. A server keeps one for all that a turn sends.
@safe package final class JSONOutput {
  // Owned here alone: allocated in `init` and `grow`, freed in `deinit`.
  private var base: UnsafeMutableRawPointer
  // Private, as the others, and read through `capacity`: of a property that others could see the
  // compiler would have each look checked for a change under way, which is an eighth of a keystroke.
  private var room: Int

  private var byteCount = 0

  /// How deep the values are nested that were appended since it was set: as trees or views, and not
  /// piece by piece.
  package var deepestValue = 0

  /// What is kept for the next turn when a huge one has gone out.
  private static let keptCapacity = 1024 * 1024

  /// Makes an empty output.
  ///
  /// - Parameter capacity: How many bytes to make room for at first.
  package init(capacity: Int = 4096) {
    room = max(capacity, 64)
    unsafe base = UnsafeMutableRawPointer.allocate(byteCount: room, alignment: 16)
  }

  deinit { unsafe base.deallocate() }

  /// The memory held.
  package var capacity: Int { room }

  /// The number of bytes written.
  package var count: Int { byteCount }

  /// Drops what was written; memory beyond 1 MiB is given back.
  package func removeAll() {
    byteCount = 0
    guard room > Self.keptCapacity else { return }
    unsafe base.deallocate()
    room = Self.keptCapacity
    unsafe base = UnsafeMutableRawPointer.allocate(byteCount: room, alignment: 16)
  }

  /// Drops what was written after a point.
  ///
  /// - Parameter count: How much stays, at most ``count``.
  package func truncate(to count: Int) {
    // Whoever calls has read ``count`` before, and nothing gets shorter but here and when all is dropped.
    precondition(count >= 0 && count <= byteCount)
    byteCount = count
  }

  /// Lends what was written.
  ///
  /// - Parameter body: Gets the bytes; they must not be kept, and nothing may be appended inside.
  /// - Returns: What the closure returned.
  /// - Throws: What the closure throws.
  package func withUnsafeBytes<R, E>(
    _ body: (UnsafeRawBufferPointer) throws(E) -> R
  ) throws(E) -> R {
    unsafe try body(UnsafeRawBufferPointer(start: base, count: byteCount))
  }

  /// The place for so many more bytes; they count as written.
  @inline(__always)
  func extend(by added: Int) -> UnsafeMutableRawPointer {
    let start = byteCount
    let end = start + added
    if end > room { grow(to: end) }
    byteCount = end
    return unsafe base + start
  }

  @inline(never)
  private func grow(to needed: Int) {
    var newCapacity = room
    while newCapacity < needed { newCapacity *= 2 }
    let memory = UnsafeMutableRawPointer.allocate(byteCount: newCapacity, alignment: 16)
    unsafe memory.copyMemory(from: base, byteCount: byteCount)
    unsafe base.deallocate()
    unsafe base = memory
    room = newCapacity
  }
}

extension JSONOutput {
  /// Appends JSON text as it stands.
  ///
  /// - Parameter text: Correct, compact JSON text or a part of it.
  @inline(__always)
  package func append(_ text: StaticString) {
    let byteCount = text.utf8CodeUnitCount
    unsafe extend(by: byteCount).copyMemory(from: text.utf8Start, byteCount: byteCount)
  }

  /// Appends JSON text as it stands.
  ///
  /// - Parameter bytes: Correct, compact JSON text or a part of it; not from this output.
  package func append(bytes: UnsafeRawBufferPointer) {
    guard let start = bytes.baseAddress else { return }
    unsafe extend(by: bytes.count).copyMemory(from: start, byteCount: bytes.count)
  }

  /// Appends all that another output holds, as it stands.
  ///
  /// - Parameter other: Another output.
  package func append(contentsOf other: JSONOutput) {
    // What is put together is always an output of its own: a page, the replies of a batch.
    precondition(other !== self)
    deepestValue = max(deepestValue, other.deepestValue)
    unsafe other.withUnsafeBytes { unsafe append(bytes: $0) }
  }

  /// Appends a part of what this or another output holds, as it stands.
  ///
  /// - Parameters:
  ///   - range: Which part.
  ///   - source: Of which output.
  package func append(_ range: Range<Int>, of source: JSONOutput) {
    // A range is where something was written in this turn, and the turn's output only grows until then:
    // no number of a client's, of upstream's or of a row's is in it.
    precondition(range.lowerBound >= 0 && range.upperBound <= source.count)
    let place = unsafe extend(by: range.count)
    // Only now: making room may have moved what is to be copied.
    unsafe place.copyMemory(from: source.base + range.lowerBound, byteCount: range.count)
  }

  /// Appends JSON text as it stands.
  ///
  /// - Parameter text: One correct, compact JSON text.
  package func append(json text: [UInt8]) {
    unsafe text.withUnsafeBytes { unsafe append(bytes: $0) }
  }

  /// Appends one byte of JSON text.
  @inline(__always)
  package func append(byte: UInt8) {
    unsafe extend(by: 1).storeBytes(of: byte, as: UInt8.self)
  }

  /// Ends a line.
  package func appendLineFeed() { append(byte: UInt8(ascii: "\n")) }
}

extension JSONOutput {
  /// How deep arrays and objects are nested in what was written.
  ///
  /// - Parameter range: One correct JSON text in it.
  /// - Returns: The depth.
  /// - Complexity: Linear in the length.
  package func depth(of range: Range<Int>) -> Int {
    unsafe withUnsafeBytes { bytes in
      var deepest = 0
      var depth = 0
      var isInString = false
      var place = range.lowerBound
      while place < range.upperBound {
        switch unsafe bytes[place] {
        case UInt8(ascii: "\""): isInString.toggle()
        // What follows it is part of the string, and never a reason to end it.
        case UInt8(ascii: "\\"): place += 1
        case UInt8(ascii: "["), UInt8(ascii: "{"):
          if isInString { break }
          depth += 1
          deepest = max(deepest, depth)
        case UInt8(ascii: "]"), UInt8(ascii: "}"): if !isInString { depth -= 1 }
        default: break
        }
        place += 1
      }
      return deepest
    }
  }
}
