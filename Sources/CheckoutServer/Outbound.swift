import Glibc
import JSON
import JSONRPC
import LinuxSystem

/// What the present turn says, and to whom: one arena of bytes, and for each connection a list of
/// ranges of it.
///
/// An event is encoded once, whatever the number of its subscribers, and an idle connection owns
/// nothing. Ranges of one connection that touch become one, so that most turns need one `send` for
/// each connection.
final class Outbound {
  /// A range of the arena, and the next one of the same connection.
  private struct Segment {
    var offset: Int
    var count: Int
    var next: Int32
  }

  /// One connection's ranges in the order they were added.
  struct List {
    fileprivate var first: Int32 = -1
    fileprivate var last: Int32 = -1
    /// How many bytes they hold.
    fileprivate(set) var byteCount = 0

    /// Whether nothing was added in this turn.
    var isEmpty: Bool { first < 0 }
  }

  /// A line of the arena, and whether it is true only once the turn is committed.
  enum Line {
    /// True in any case.
    case fact(Range<Int>)
    /// A reply that tells of what this turn has changed, or several.
    case reply(ReplyLine)
    /// An event of this turn.
    case event
  }

  private let arena = JSONOutput(capacity: 256 * 1024)
  private let segments = UncheckedList<Segment>()
  /// The connections that are to be flushed at the end of the turn, each once.
  private let dirty = UncheckedList<UInt64>()
  private var flushedCount = 0
  private var number: UInt64 = 1
  /// The lines that tell of what this turn has changed.
  private let replies = UncheckedList<ReplyLine>()
  private let events = UncheckedList<Int>()

  /// Where everything is written.
  var output: JSONOutput { arena }

  /// The number of this turn; none is zero.
  var turn: UInt64 { number }

  /// Takes note of an event that begins here.
  func noteEvent(_ offset: Int) { events.append(offset) }

  /// Takes note of a line of replies.
  func note(_ line: ReplyLine) {
    if line.fails(with: number) { replies.append(line) }
  }

  /// Makes sure that a connection is flushed at the end of the turn.
  ///
  /// - Parameter tag: Which; it must not be among them already.
  func addDirty(_ tag: UInt64) { dirty.append(tag) }

  /// The next of the connections that are to be flushed; there may come to be more meanwhile.
  func takeDirty() -> UInt64? {
    guard flushedCount < dirty.count else { return nil }
    flushedCount += 1
    return dirty[flushedCount - 1]
  }

  /// A list with a range of the arena added to it; the list that there was is of no use any more.
  func adding(_ range: Range<Int>, to list: List) -> List {
    var list = list
    list.byteCount += range.count
    let place = Int32(segments.count)
    if list.last >= 0 {
      let last = Int(list.last)
      var segment = segments[last]
      if segment.offset + segment.count == range.lowerBound {
        segment.count += range.count
        segments[last] = segment
        return list
      }
      segment.next = place
      segments[last] = segment
    } else {
      list.first = place
    }
    list.last = place
    segments.append(Segment(offset: range.lowerBound, count: range.count, next: -1))
    return list
  }

  /// A list line by line.
  func lines(of list: List) -> [Line] {
    var known: [Int: Line] = [:]
    for event in events.all { known[event] = .event }
    for reply in replies.all { known[reply.range.lowerBound] = .reply(reply) }
    return unsafe arena.withUnsafeBytes { bytes in
      var lines: [Line] = []
      var index = list.first
      while index >= 0 {
        let segment = segments[Int(index)]
        var start = segment.offset
        for place in segment.offset..<segment.offset + segment.count
        where unsafe bytes[place] == UInt8(ascii: "\n") {
          lines.append(known[start] ?? .fact(start..<place + 1))
          start = place + 1
        }
        index = segment.next
      }
      return lines
    }
  }

  /// Forgets the turn, and begins the next.
  func removeAll() {
    arena.removeAll()
    segments.removeAll()
    dirty.removeAll()
    flushedCount = 0
    replies.removeAll()
    events.removeAll()
    number += 1
  }

  /// Hands a list's bytes to a descriptor.
  ///
  /// - Parameters:
  ///   - list: What is to be sent; not empty.
  ///   - descriptor: Where to.
  /// - Returns: How many bytes it took, or `nil` if the peer is gone.
  func send(_ list: List, to descriptor: borrowing FileDescriptor) -> Int? {
    unsafe arena.withUnsafeBytes { bytes in
      let first = segments[Int(list.first)]
      let result: SendResult
      if first.next < 0 {
        result = unsafe descriptor.send(
          UnsafeRawBufferPointer(rebasing: bytes[first.offset..<first.offset + first.count]))
      } else {
        result = unsafe sendVector(list, bytes, to: descriptor)
      }
      switch result {
      case .bytes(let count): return count
      case .wouldBlock: return 0
      case .peerGone, .failed: return nil
      }
    }
  }

  private func sendVector(
    _ list: List, _ bytes: UnsafeRawBufferPointer, to descriptor: borrowing FileDescriptor
  ) -> SendResult {
    unsafe withUnsafeTemporaryAllocation(of: iovec.self, capacity: 64) { vector in
      var count = 0
      var index = list.first
      while index >= 0, count < vector.count {
        let segment = segments[Int(index)]
        let start = unsafe UnsafeMutableRawPointer(mutating: bytes.baseAddress)
        unsafe vector[count] = unsafe iovec(
          iov_base: start.map { unsafe $0 + segment.offset }, iov_len: segment.count)
        count += 1
        index = segment.next
      }
      return unsafe descriptor.sendVector(UnsafeBufferPointer(rebasing: vector[..<count]))
    }
  }

  /// Copies what is left of a list once so many bytes have been sent.
  func copy(_ list: List, from sent: Int, to backlog: Backlog) {
    unsafe arena.withUnsafeBytes { bytes in
      var skip = sent
      var index = list.first
      while index >= 0 {
        let segment = segments[Int(index)]
        if skip < segment.count {
          unsafe backlog.append(
            UnsafeRawBufferPointer(
              rebasing: bytes[segment.offset + skip..<segment.offset + segment.count]))
          skip = 0
        } else {
          skip -= segment.count
        }
        index = segment.next
      }
    }
  }
}
