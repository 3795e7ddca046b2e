internal import JSON

/// The members of a batch that have not begun, as the text that was sent.
///
/// Each byte is searched once and parsed once more, however often the batch is stopped.
final class SuspendedBatch {
  /// Where the replies to the members go.
  let reply: BatchReply
  /// What has read the line, with the limits of that time.
  let reader: JSONReader
  /// From the first of the members to the bracket after the last.
  private let text: PaddedBuffer
  private var place = 0
  /// How many there are.
  private(set) var count: Int

  /// Copies what is left.
  ///
  /// - Parameters:
  ///   - line: The text of a batch that `reader` has taken.
  ///   - begun: How many members have begun.
  ///   - count: How many have not.
  ///   - reader: What reads them.
  ///   - reply: Where their replies go.
  init(
    of line: UnsafeRawBufferPointer, after begun: Int, count: Int, _ reader: JSONReader,
    _ reply: BatchReply
  ) {
    self.reader = reader
    self.reply = reply
    self.count = count
    var start = 1 + (unsafe line.firstIndex(of: UInt8(ascii: "[")) ?? 0)
    for _ in 0..<begun { start = unsafe Self.memberEnd(in: line, from: start) + 1 }
    text = unsafe PaddedBuffer(copying: UnsafeRawBufferPointer(rebasing: line.dropFirst(start)))
  }

  /// The memory that the text takes.
  var heldByteCount: Int { text.capacity }

  /// Takes out the next member and lends it, parsed; there must be one.
  func withNext(_ body: (Result<JSONView, JSONError>) -> Void) {
    unsafe text.withUnsafeBytes { bytes in
      let end = unsafe Self.memberEnd(in: bytes, from: place)
      let member = unsafe UnsafeRawBufferPointer(rebasing: bytes.prefix(end).dropFirst(place))
      place = end + 1
      count -= 1
      let view: Result<JSONView, JSONError>
      do throws(JSONError) {
        view = .success(unsafe try reader.parse(padded: member))
      } catch {
        view = .failure(error)
      }
      body(view)
    }
    reader.trim()
  }

  /// The place of the comma or the bracket after an element.
  ///
  /// - Parameters:
  ///   - text: An array, known to be JSON, or its end.
  ///   - start: Where the element begins.
  /// - Returns: The place, or the text's end.
  static func memberEnd(in text: UnsafeRawBufferPointer, from start: Int) -> Int {
    var depth = 0
    var isInString = false
    var place = start
    while place < text.count {
      switch unsafe text[place] {
      case UInt8(ascii: "\""): isInString.toggle()
      // What follows it is part of the string, and never a reason to end it.
      case UInt8(ascii: "\\"): place += 1
      case UInt8(ascii: "["), UInt8(ascii: "{"): if !isInString { depth += 1 }
      case UInt8(ascii: "]"), UInt8(ascii: "}"):
        if isInString { break }
        if depth == 0 { return place }
        depth -= 1
      case UInt8(ascii: ","): if !isInString, depth == 0 { return place }
      default: break
      }
      place += 1
    }
    return place
  }
}
