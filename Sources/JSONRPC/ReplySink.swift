package import JSON
internal import ValueTree

/// Where replies go: a connection.
package protocol ReplySink: AnyObject {
  /// Where the bytes of a reply are written.
  var output: JSONOutput { get }

  /// How many calls were dispatched and not yet answered; counted by this module alone.
  var callsInFlight: Int { get set }

  /// The batches that are not answered yet; kept by this module alone.
  var batches: UnfinishedBatches { get }

  /// Whether replies are still of use. When not, they are dropped, and the count goes on.
  var acceptsReplies: Bool { get }

  /// The longest line that may be written, its LF included.
  var maximumReplyByteCount: Int { get }

  /// How deep a line may be nested that is written.
  var maximumReplyDepth: Int { get }

  /// Whether one more member of a batch may run now: asked between any two.
  ///
  /// If not, what is left of the batch waits for the dispatcher's `resume`.
  func mayGoOn() -> Bool

  /// Takes note that a call, or a notification, was refused or has failed before its handler was
  /// done.
  func noteFailure(_ error: RPCError)

  /// Says what the reply just written depends on; asked once for each.
  ///
  /// - Returns: The number of the turn that must be committed for it to be true, zero if none must.
  func stampReply() -> UInt64

  /// Takes note of one complete line at the end of ``output``.
  func replyAppended(_ line: ReplyLine)
}

extension ReplySink {
  package func mayGoOn() -> Bool { true }

  package func noteFailure(_ error: RPCError) {}

  package func stampReply() -> UInt64 { 0 }

  /// Sends an error that belongs to no call: `id` null.
  ///
  /// - Parameter error: What to say.
  package func report(_ error: RPCError) {
    ReplySlot(id: .null, sink: self, batch: nil).write(error)
  }
}

/// Where one reply goes: its id, and the line of its own or the batch that it is part of.
struct ReplySlot {
  let id: RequestID
  let sink: any ReplySink
  let batch: BatchReply?

  /// Answers a call that was counted as in flight.
  func succeed(_ result: Value) {
    sink.callsInFlight -= 1
    write(isResult: true) { $0.appendReply(result) }
  }

  /// Answers a call that was counted as in flight.
  func succeed(writing result: (JSONOutput) -> Void) {
    sink.callsInFlight -= 1
    write(isResult: true) {
      $0.append(#""result":"#)
      result($0)
    }
  }

  /// Answers a call that was counted as in flight.
  func fail(_ error: RPCError) {
    sink.callsInFlight -= 1
    write(error)
  }

  /// Writes an error about what was never in flight.
  func write(_ error: RPCError) {
    write(isResult: false) { $0.appendReply(error) }
  }

  /// Writes a reply; one that would be too long or too deep becomes an internal error.
  private func write(isResult: Bool, _ content: (JSONOutput) -> Void) {
    if let batch { return batch.write(id, isResult: isResult, to: sink, content) }
    guard sink.acceptsReplies else { return }
    let output = sink.output
    var reply = output.appendReply(id, isResult: isResult, content)
    let isTooLong = reply.range.count >= sink.maximumReplyByteCount
    if let error = output.fault(of: reply, isTooLong: isTooLong, above: 0, for: sink) {
      output.truncate(to: reply.range.lowerBound)
      reply = output.appendReply(id, isResult: false) { $0.appendReply(error) }
    }
    output.appendLineFeed()
    reply.turn = sink.stampReply()
    sink.replyAppended(.single(reply))
  }
}

extension JSONOutput {
  /// Structure that is written by hand around values has at most so many levels, the reply's own
  /// included.
  private static let writtenLevels = 16

  /// Why a reply that was just written must not go out: nothing goes out that is longer or deeper
  /// than is announced.
  ///
  /// - Parameters:
  ///   - reply: The reply.
  ///   - isTooLong: Whether there is no room for it.
  ///   - level: How many levels of the line are around it.
  ///   - sink: Where it goes.
  /// - Returns: What is sent in its place; nil if it may go out.
  func fault(
    of reply: WrittenReply, isTooLong: Bool, above level: Int, for sink: any ReplySink
  ) -> RPCError? {
    let limit = sink.maximumReplyDepth - level
    // To look at every byte is for those that may be too deep.
    if deepestValue + Self.writtenLevels > limit, depth(of: reply.range) > limit {
      return .unsendable("nested deeper than", limit: sink.maximumReplyDepth)
    }
    return isTooLong ? .unsendable("longer than", limit: sink.maximumReplyByteCount) : nil
  }
}

extension RPCError {
  /// What stands for a reply that must not go out.
  fileprivate static func unsendable(_ what: String, limit: Int) -> RPCError {
    RPCError(
      .internalError,
      [
        Value.Member("description", .string("the reply is \(what) a line may be")),
        Value.Member("limit", .integer(Int64(limit))),
      ])
  }
}
