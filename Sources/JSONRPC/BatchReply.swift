internal import JSON

/// The replies to the members of one batch, collected until all are there and sent as one line.
package final class BatchReply {
  /// More than any error reply that stands in for another takes, with its comma.
  private static let reservedByteCount = 2048
  /// The brackets and the LF.
  private static let frameByteCount = 3

  /// How many members may be had so that there is room for an answer to each, whatever they are.
  ///
  /// - Parameter byteCount: The longest line that may be written, its LF included.
  /// - Returns: The count.
  package static func memberCount(fitting byteCount: Int) -> Int {
    (byteCount - frameByteCount) / reservedByteCount
  }

  private var output = JSONOutput(capacity: 1024)
  private var written: [WrittenReply] = []
  /// How many members are neither written nor skipped.
  private var remaining: Int
  /// What the replies written so far may come to, should each become an error after all.
  private var claimedByteCount = 0

  /// Begins a reply.
  ///
  /// - Parameter memberCount: How many members the batch has; each is written or skipped once.
  init(memberCount: Int) { remaining = memberCount }

  /// Whether every member is written or skipped, and the line sent.
  var isFinished: Bool { remaining == 0 }

  /// The memory that holds the replies until then.
  var heldByteCount: Int { output.capacity }

  /// Takes the reply to one member.
  ///
  /// It becomes an internal error if the line had no room for it, for errors in the place of those
  /// before it and for errors for all that are still to come.
  func write(
    _ id: RequestID, isResult: Bool, to sink: any ReplySink, _ content: (JSONOutput) -> Void
  ) {
    guard sink.acceptsReplies else { return skip(sink) }
    if !written.isEmpty { output.append(",") }
    var reply = output.appendReply(id, isResult: isResult, content)
    let others = claimedByteCount + (remaining - 1) * Self.reservedByteCount + Self.frameByteCount
    let isTooLong =
      reply.range.count >= Self.reservedByteCount
      && others + reply.range.count >= sink.maximumReplyByteCount
    if let error = output.fault(of: reply, isTooLong: isTooLong, above: 1, for: sink) {
      output.truncate(to: reply.range.lowerBound)
      reply = output.appendReply(id, isResult: false) { $0.appendReply(error) }
    }
    claimedByteCount += max(reply.range.count + 1, Self.reservedByteCount)
    reply.turn = sink.stampReply()
    written.append(reply)
    memberDone(sink)
  }

  /// Notes that a member gets no reply.
  func skip(_ sink: any ReplySink) { memberDone(sink) }

  /// Replaces the results that depend on a turn which was taken back.
  func takeBack(turn: UInt64, as error: RPCError) {
    guard written.contains(where: { $0.fails(with: turn) }) else { return }
    let before = output
    output = JSONOutput(capacity: before.count)
    for place in written.indices {
      if place > 0 { output.append(",") }
      written[place] = output.append(
        written[place], of: before, takingBack: turn, as: error)
    }
  }

  /// Forgets the replies: there is nobody to read them.
  func drop() {
    output = JSONOutput(capacity: 0)
    written = []
  }

  private func memberDone(_ sink: any ReplySink) {
    remaining -= 1
    guard remaining == 0 else { return }
    sink.batches.remove(self)
    guard !written.isEmpty, sink.acceptsReplies else { return }
    let line = sink.output
    let start = line.count
    line.append("[")
    let distance = line.count
    line.append(contentsOf: output)
    line.append("]\n")
    sink.replyAppended(.batch(start..<line.count, written.map { $0.moved(by: distance) }))
  }
}
