internal import Glibc
internal import JSON

/// What a ``LineFramer`` found in its input.
@safe package enum LineEvent {
  /// A line without its LF, valid inside the call it is delivered by, and followed by
  /// `PaddedBuffer.padding` readable bytes.
  case line(UnsafeRawBufferPointer)
  /// A line beyond the limit; it is skipped to its LF.
  case tooLong
  /// Sixteen times the limit without LF. Nothing follows.
  case flood
}

/// What a ``LineFramer`` has taken in and not delivered.
package struct HeldInput: Sendable, Equatable {
  /// The beginning of a line, or whole lines if delivery was stopped.
  package var bytes: [UInt8] = []
  /// How many bytes there were so far of a line that is being skipped.
  package var skipped = 0

  /// Makes what a framer held.
  package init(bytes: [UInt8] = [], skipped: Int = 0) {
    self.bytes = bytes
    self.skipped = skipped
  }
}

/// Cuts a stream of bytes into lines, in place where a line lies whole in the input.
///
/// Between lines it owns no memory; the part of an unfinished line is copied, and so is what
/// follows when delivery is stopped. Every byte is searched once, however the input is cut.
package final class LineFramer {
  /// A line that long without LF, in multiples of the limit, is a flood.
  private static let floodFactor = 16

  private let limit: Int
  private var carry = PaddedBuffer()
  private var hasStopped = false
  private var isFlooded = false
  private var isEnded = false
  /// Bytes of the carry delivered before a stop.
  private var consumed = 0
  /// Bytes so far of the line being skipped; zero when none is.
  private var skipped = 0

  /// Makes a framer.
  ///
  /// - Parameter maximumLineByteCount: The longest line delivered, without its LF.
  package init(maximumLineByteCount: Int = 1024 * 1024) { limit = maximumLineByteCount }

  /// Goes on where another framer has been left, in another process maybe.
  ///
  /// Delivery is stopped: what was held follows upon ``resume(_:)``.
  ///
  /// - Parameters:
  ///   - rest: What the other held.
  ///   - maximumLineByteCount: The longest line delivered, without its LF.
  package convenience init(continuing rest: HeldInput, maximumLineByteCount: Int) {
    self.init(maximumLineByteCount: maximumLineByteCount)
    unsafe rest.bytes.withUnsafeBytes { unsafe carry.append($0) }
    // More than a flood is, it cannot be: another process has counted.
    skipped = min(max(0, rest.skipped), Self.floodFactor * maximumLineByteCount)
    hasStopped = true
  }

  /// What is held of the input, for another framer to go on with.
  package var held: HeldInput {
    let bytes = unsafe carry.withUnsafeBytes { unsafe Array($0.dropFirst(consumed)) }
    return HeldInput(bytes: bytes, skipped: skipped)
  }

  /// The memory held, for a budget of the whole process.
  package var heldByteCount: Int { carry.capacity }

  /// Whether a delivery asked to stop: input waits for ``resume(_:)``.
  package var isStopped: Bool { hasStopped }

  /// Takes input and delivers the lines it completes.
  ///
  /// - Parameters:
  ///   - input: The bytes read, followed by `PaddedBuffer.padding` readable ones. While delivery
  ///     is stopped they are kept.
  ///   - deliver: Gets each line or notice, in order, and returns whether to go on. It must not
  ///     use this framer.
  package func feed(
    _ input: UnsafeRawBufferPointer, _ deliver: (LineEvent) -> Bool
  ) {
    guard !isFlooded else { return }
    guard !hasStopped else { return unsafe carry.append(input) }
    var start = 0
    let carried = carry.count
    if carried > 0 {
      let end = unsafe Self.lineEnd(in: input, from: 0)
      let partEnd = end ?? input.count
      if carried + partEnd > limit {
        carry.release()
        refuse(byteCount: carried + partEnd, isComplete: end != nil, deliver)
      } else {
        unsafe carry.append(UnsafeRawBufferPointer(rebasing: input[..<partEnd]))
        guard end != nil else { return }
        deliverCarry(deliver)
      }
      start = end.map { $0 + 1 } ?? input.count
    }
    start = unsafe deliverLines(of: input, from: start, deliver)
    guard start < input.count else { return }
    unsafe carry.append(UnsafeRawBufferPointer(rebasing: input[start...]))
  }

  /// Goes on after a delivery asked to stop.
  ///
  /// - Parameter deliver: As for ``feed(_:_:)``; it may stop again.
  package func resume(_ deliver: (LineEvent) -> Bool) {
    guard hasStopped, !isFlooded else { return }
    hasStopped = false
    let used = unsafe carry.withUnsafeBytes {
      unsafe deliverLines(of: $0, from: consumed, deliver)
    }
    consumed = hasStopped ? used : 0
    guard !hasStopped else { return }
    carry.removeFirst(used)
    if isEnded { deliverRest(deliver) }
  }

  /// Says that no more input comes: a text without its LF counts as a line.
  ///
  /// - Parameter deliver: As for ``feed(_:_:)``. While delivery is stopped the rest follows upon
  ///   ``resume(_:)``.
  package func finish(_ deliver: (LineEvent) -> Bool) {
    isEnded = true
    if !hasStopped { deliverRest(deliver) }
  }

  private func deliverRest(_ deliver: (LineEvent) -> Bool) {
    if carry.count > 0, !isFlooded { deliverCarry(deliver) }
  }

  private func deliverCarry(_ deliver: (LineEvent) -> Bool) {
    hasStopped = unsafe carry.withUnsafeBytes { unsafe !deliver(.line($0)) }
    carry.release()
  }

  /// Delivers whole lines, and returns the place of the first byte that has to be kept.
  private func deliverLines(
    of bytes: UnsafeRawBufferPointer, from start: Int, _ deliver: (LineEvent) -> Bool
  ) -> Int {
    var start = start
    while start < bytes.count, !hasStopped, !isFlooded {
      let found = unsafe Self.lineEnd(in: bytes, from: start)
      let end = found ?? bytes.count
      let length = skipped + end - start
      if length > limit {
        refuse(byteCount: length, isComplete: found != nil, deliver)
      } else if found != nil {
        hasStopped = unsafe !deliver(.line(UnsafeRawBufferPointer(rebasing: bytes[start..<end])))
      } else {
        return start
      }
      start = found.map { $0 + 1 } ?? end
    }
    return isFlooded ? bytes.count : start
  }

  /// Notes that the line under way is beyond the limit, and tells once.
  private func refuse(byteCount: Int, isComplete: Bool, _ deliver: (LineEvent) -> Bool) {
    if skipped == 0 { hasStopped = !deliver(.tooLong) }
    skipped = isComplete ? 0 : byteCount
    guard byteCount > Self.floodFactor * limit else { return }
    isFlooded = true
    _ = deliver(.flood)
  }

  private static func lineEnd(in bytes: UnsafeRawBufferPointer, from start: Int) -> Int? {
    guard start < bytes.count, let base = bytes.baseAddress else { return nil }
    guard let place = unsafe memchr(base + start, 0x0A, bytes.count - start) else { return nil }
    return unsafe UnsafeRawPointer(place) - base
  }
}
