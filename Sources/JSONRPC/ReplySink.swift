package import JSON
internal import ValueTree

/// Where replies go: a connection.
package protocol ReplySink: AnyObject {
  /// Where the bytes of a reply are written.
  var output: JSONOutput { get }

  /// How many calls were dispatched and not yet answered; counted by this module alone.
  var callsInFlight: Int { get set }

  /// Whether replies are still of use. When not, they are dropped, and the count goes on.
  var acceptsReplies: Bool { get }

  /// The longest line that may be written, its LF included.
  var maximumReplyByteCount: Int { get }

  /// Takes note that a call, or a notification, was refused or has failed before its handler was
  /// done.
  func noteFailure(_ error: RPCError)

  /// Takes note of one complete line with its LF.
  ///
  /// - Parameter start: Where the line begins in ``output``; it ends at the end.
  func replyAppended(from start: Int)
}

extension ReplySink {
  package func noteFailure(_ error: RPCError) {}

  /// Sends an error that belongs to no call: `id` null.
  ///
  /// - Parameter error: What to say.
  package func report(_ error: RPCError) {
    ReplySlot(id: .null, sink: self, batch: nil).write { $0.appendReply(error) }
  }
}

/// Where one reply goes: its id, and the line of its own or the batch that it is part of.
struct ReplySlot {
  let id: RequestID
  let sink: any ReplySink
  let batch: BatchReply?

  /// Answers a call that was counted as in flight.
  func answer(_ content: (JSONOutput) -> Void) {
    sink.callsInFlight -= 1
    write(content)
  }

  /// Writes a reply; one that would be too long becomes an internal error.
  ///
  /// - Parameter content: Appends `"result":…` or `"error":…`.
  func write(_ content: (JSONOutput) -> Void) {
    if let batch { return batch.write(id, content) }
    guard sink.acceptsReplies else { return }
    let output = sink.output
    let start = output.count
    output.appendMember(id, content)
    output.appendLineFeed()
    let limit = sink.maximumReplyByteCount
    if output.count - start > limit {
      output.truncate(to: start)
      output.appendMember(id) { $0.appendReply(.replyTooLong(limit: limit)) }
      output.appendLineFeed()
    }
    sink.replyAppended(from: start)
  }
}

extension RPCError {
  /// What stands for a reply that would not fit into a line.
  static func replyTooLong(limit: Int) -> RPCError {
    RPCError(
      .internalError,
      [
        Value.Member("description", "the reply is longer than a line may be"),
        Value.Member("limit", .integer(Int64(limit))),
      ])
  }
}
