internal import JSON

/// The replies to the members of one batch, collected until all are there and sent as one line.
package final class BatchReply {
  /// More than any error reply that stands in for one that is too long takes, with its comma.
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

  private let sink: any ReplySink
  private let members = JSONOutput(capacity: 1024)
  private var remaining: Int

  /// Begins a reply.
  ///
  /// - Parameters:
  ///   - sink: Where the line goes.
  ///   - memberCount: How many members the batch has; each is written or skipped once.
  init(to sink: any ReplySink, memberCount: Int) {
    self.sink = sink
    remaining = memberCount
  }

  /// Takes the reply to one member.
  ///
  /// It becomes an internal error if the line had no room for it and for errors for all that are
  /// still to come.
  func write(_ id: RequestID, _ content: (JSONOutput) -> Void) {
    let start = members.count
    if start > 0 { members.append(",") }
    let separatorEnd = members.count
    members.appendMember(id, content)
    let limit = sink.maximumReplyByteCount
    let reserved = (remaining - 1) * Self.reservedByteCount + Self.frameByteCount
    if members.count + reserved > limit, members.count - start > Self.reservedByteCount {
      members.truncate(to: separatorEnd)
      members.appendMember(id) { $0.appendReply(.replyTooLong(limit: limit)) }
    }
    memberDone()
  }

  /// Notes that a member gets no reply.
  func skip() { memberDone() }

  private func memberDone() {
    remaining -= 1
    guard remaining == 0, members.count > 0, sink.acceptsReplies else { return }
    let output = sink.output
    let start = output.count
    output.append("[")
    output.append(contentsOf: members)
    output.append("]\n")
    members.removeAll()
    sink.replyAppended(from: start)
  }
}
