package import JSON
package import JSONRPC
internal import ValueTree

/// The protocol's methods on the real framer, parser and dispatcher, without a socket.
package final class LineServer: ReplySink {
  package let output = JSONOutput()
  package var callsInFlight = 0
  package let batches = UnfinishedBatches()
  package let acceptsReplies = true
  package let maximumReplyByteCount: Int
  package let maximumReplyDepth = 32

  /// Less than the longest lines repeat.
  package static let leastReplyByteCount = 4200
  private static let maximumBatchCount = BatchReply.memberCount(fitting: leastReplyByteCount)

  private let maximumLineByteCount: Int
  private let methods: Dispatcher<LineServer>
  private let framer: LineFramer
  private var pending: [KeptCall] = []
  private var shouldStop: () -> Bool = { false }

  /// Makes a server.
  ///
  /// - Parameters:
  ///   - methods: What ``dispatcher(for:maximumLineByteCount:)`` has made.
  ///   - maximumLineByteCount: The same as there.
  ///   - maximumReplyByteCount: The longest reply; without it there is just room for a batch.
  package init(
    _ methods: Dispatcher<LineServer>, maximumLineByteCount: Int,
    maximumReplyByteCount: Int = leastReplyByteCount
  ) {
    self.methods = methods
    self.maximumLineByteCount = maximumLineByteCount
    self.maximumReplyByteCount = maximumReplyByteCount
    framer = LineFramer(maximumLineByteCount: maximumLineByteCount)
  }

  /// Makes what servers may share.
  ///
  /// - Parameters:
  ///   - keys: The methods. Each reads its parameters; a third answers at once, a third later, a third
  ///     with an error.
  ///   - maximumLineByteCount: The longest line.
  /// - Returns: A dispatcher.
  package static func dispatcher(
    for keys: [any AnyMethodKey], maximumLineByteCount: Int
  ) -> Dispatcher<LineServer> {
    let methods = keys.enumerated().map { place, key in entry(of: key, place % 3) }
    return Dispatcher(
      MethodTable(keys.map(\.row), methods), maximumLineByteCount: maximumLineByteCount,
      maximumDepth: 32,
      maximumBatchCount: maximumBatchCount)
  }

  private static func entry(
    of key: any AnyMethodKey, _ way: Int
  ) -> MethodTable<LineServer>.Entry {
    .init(unread: key) { server, params throws(RPCError) in
      switch way {
      case 0:
        return .written { output in
          guard let view = params else { return output.append("{}") }
          output.append(view: view)
        }
      case 1: return .later { server.pending.append(KeptCall($0)) }
      default: throw RPCError(.quotaExceeded)
      }
    }
  }

  package func mayGoOn() -> Bool { !shouldStop() }

  package func replyAppended(_ reply: ReplyLine) {
    let line = unsafe output.withUnsafeBytes { unsafe Array($0[reply.range]) }
    require(line.last == 0x0A && line.count { $0 == 0x0A } == 1, "a reply is a line")
    require(line.count <= maximumReplyByteCount, "a reply fits into a line")
  }

  /// The memory that unfinished lines hold.
  package var heldByteCount: Int { framer.heldByteCount }

  /// Takes bytes as one read would bring them; what stops delivery is asked after each line.
  package func receive(_ bytes: ArraySlice<UInt8>, stoppingIf stops: @escaping () -> Bool) {
    shouldStop = stops
    let padded = Array(bytes) + [UInt8](repeating: 0x7D, count: PaddedBuffer.padding)
    unsafe padded.withUnsafeBytes { buffer in
      let input = unsafe UnsafeRawBufferPointer(rebasing: buffer[..<bytes.count])
      unsafe framer.feed(input, deliver)
    }
  }

  /// Whether delivery was stopped.
  package var isStopped: Bool { framer.isStopped }

  /// Goes on after delivery was stopped.
  package func resume() {
    if methods.resume(self, in: self) { framer.resume(deliver) }
  }

  /// Says that no more comes, and takes what is left.
  package func finish() {
    shouldStop = { false }
    framer.finish(deliver)
    while framer.isStopped { resume() }
    for call in pending { call.succeed(["late": true]) }
    pending = []
    require(callsInFlight == 0, "every call is answered once")
    require(batches.heldByteCount == 0, "a batch that is answered holds nothing")
  }

  /// The replies, one an element.
  package func takeLines() -> [[UInt8]] {
    let bytes = unsafe output.withUnsafeBytes { unsafe Array($0) }
    output.removeAll()
    return bytes.split(separator: 0x0A).map { Array($0) }
  }

  private func deliver(_ event: LineEvent) -> Bool {
    switch event {
    case .line(let line):
      guard unsafe methods.dispatch(line, from: self, in: self) else { return false }
    case .tooLong: report(.lineTooLarge(limit: maximumLineByteCount))
    case .flood: break
    }
    return !shouldStop()
  }
}

/// A call that is answered in its own time.
private final class KeptCall {
  private var call: PendingCall?

  init(_ call: consuming PendingCall) { self.call = consume call }

  func succeed(_ result: Value) { call.take()?.succeed(result) }
}
