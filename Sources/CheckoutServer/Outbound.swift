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
  struct Segment {
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

  /// The arena.
  let output = JSONOutput(capacity: 256 * 1024)
  /// The connections that are to be flushed at the end of the turn, each once: a chain.
  private var firstDirty: Connection?
  private var lastDirty: Connection?
  private let segments = SegmentBuffer()
  /// The number of this turn; none is zero.
  private(set) var turn: UInt64 = 1
  /// The lines that tell of what this turn has changed, by where they begin.
  private var dependent: [Int: Line] = [:]

  /// A line of the arena, and whether it is true only once the turn is committed.
  enum Line {
    /// True in any case.
    case fact(Range<Int>)
    /// A reply that tells of what this turn has changed, or several.
    case reply(ReplyLine)
    /// An event of this turn.
    case event
  }

  /// Takes note of an event that begins here.
  func noteEvent(_ offset: Int) { dependent[offset] = .event }

  /// Takes note of a line of replies.
  func note(_ line: ReplyLine) {
    guard line.fails(with: turn) else { return }
    dependent[line.range.lowerBound] = .reply(line)
  }

  /// Makes sure that a connection is flushed at the end of the turn.
  func markDirty(_ connection: Connection) {
    guard !connection.isDirty else { return }
    connection.isDirty = true
    if let lastDirty { lastDirty.nextDirty = connection } else { firstDirty = connection }
    lastDirty = connection
  }

  /// Takes the next of the connections that are to be flushed out of the chain.
  func popDirty() -> Connection? {
    guard let connection = firstDirty else { return nil }
    firstDirty = connection.nextDirty
    connection.nextDirty = nil
    connection.isDirty = false
    if firstDirty == nil { lastDirty = nil }
    return connection
  }

  /// Adds a range of the arena to a list.
  func add(_ offset: Int, _ count: Int, to list: inout List) {
    list.byteCount += count
    if list.last >= 0 {
      let last = Int(list.last)
      var segment = segments[last]
      if segment.offset + segment.count == offset {
        segment.count += count
        segments[last] = segment
        return
      }
      segment.next = Int32(segments.count)
      segments[last] = segment
    } else {
      list.first = Int32(segments.count)
    }
    list.last = Int32(segments.count)
    segments.append(Segment(offset: offset, count: count, next: -1))
  }

  /// A list line by line.
  func lines(of list: List) -> [Line] {
    unsafe output.withUnsafeBytes { arena in
      var lines: [Line] = []
      var index = list.first
      while index >= 0 {
        let segment = segments[Int(index)]
        var start = segment.offset
        for place in segment.offset..<segment.offset + segment.count
        where unsafe arena[place] == UInt8(ascii: "\n") {
          lines.append(dependent[start] ?? .fact(start..<place + 1))
          start = place + 1
        }
        index = segment.next
      }
      return lines
    }
  }

  /// Forgets the turn.
  func removeAll() {
    output.removeAll()
    segments.removeAll()
    if !dependent.isEmpty { dependent.removeAll(keepingCapacity: true) }
    turn += 1
  }

  /// Hands a list's bytes to a descriptor.
  ///
  /// - Parameters:
  ///   - list: What is to be sent; not empty.
  ///   - descriptor: Where to.
  /// - Returns: How many bytes it took, or `nil` if the peer is gone.
  func send(_ list: List, to descriptor: borrowing FileDescriptor) -> Int? {
    unsafe output.withUnsafeBytes { arena in
      let first = segments[Int(list.first)]
      let result: SendResult
      if first.next < 0 {
        result = unsafe descriptor.send(
          UnsafeRawBufferPointer(rebasing: arena[first.offset..<first.offset + first.count]))
      } else {
        result = unsafe sendVector(list, arena, to: descriptor)
      }
      switch result {
      case .bytes(let count): return count
      case .wouldBlock: return 0
      case .peerGone, .failed: return nil
      }
    }
  }

  private func sendVector(
    _ list: List, _ arena: UnsafeRawBufferPointer, to descriptor: borrowing FileDescriptor
  ) -> SendResult {
    unsafe withUnsafeTemporaryAllocation(of: iovec.self, capacity: 64) { vector in
      var count = 0
      var index = list.first
      while index >= 0, count < vector.count {
        let segment = segments[Int(index)]
        let start = unsafe UnsafeMutableRawPointer(mutating: arena.baseAddress)
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
    unsafe output.withUnsafeBytes { arena in
      var skip = sent
      var index = list.first
      while index >= 0 {
        let segment = segments[Int(index)]
        if skip < segment.count {
          unsafe backlog.append(
            UnsafeRawBufferPointer(
              rebasing: arena[segment.offset + skip..<segment.offset + segment.count]))
          skip = 0
        } else {
          skip -= segment.count
        }
        index = segment.next
      }
    }
  }
}

/// Bytes that a slow reader has not taken yet.
final class Backlog {
  private var bytes: [UInt8] = []
  private var start = 0
  /// How many bytes the reader has taken from here in all.
  private(set) var takenByteCount = 0

  /// How many bytes wait.
  var count: Int { bytes.count - start }

  /// What waits.
  var rest: [UInt8] { Array(bytes[start...]) }

  func append(_ more: UnsafeRawBufferPointer) {
    unsafe bytes.append(contentsOf: more)
  }

  /// Sends what the descriptor takes.
  ///
  /// - Returns: `false` if the peer is gone.
  func flush(to descriptor: borrowing FileDescriptor) -> Bool {
    while start < bytes.count {
      let result = unsafe bytes.withUnsafeBytes { all in
        unsafe descriptor.send(UnsafeRawBufferPointer(rebasing: all[start...]))
      }
      switch result {
      case .bytes(let count):
        start += count
        takenByteCount += count
      case .wouldBlock:
        // What was sent is dropped once it is the larger part, so each byte moves at most once more.
        if start > bytes.count / 2 {
          bytes.removeFirst(start)
          start = 0
        }
        return true
      case .peerGone, .failed: return false
      }
    }
    bytes = []
    start = 0
    return true
  }
}
