package import JSON
package import ValueTree

/// One call under way, lent to its handler.
///
/// The handler either returns its result, or takes the call along with ``later()`` and answers it
/// once, or writes its result with ``succeed(writing:)``.
package struct Call: ~Copyable {
  /// False for a notification.
  package let wantsReply: Bool

  private let slot: ReplySlot
  private(set) var isTaken = false

  /// Begins a call, or a notification, which has no id.
  init(_ id: RequestID?, to sink: any ReplySink, batch: BatchReply?) {
    wantsReply = id != nil
    slot = ReplySlot(id: id ?? .null, sink: sink, batch: batch)
    if wantsReply { sink.callsInFlight += 1 }
  }

  /// The call's id; null for a notification, whose answers go nowhere.
  package var id: RequestID { slot.id }

  /// Keeps the call beyond its handler, which then returns nil.
  package mutating func later() -> PendingCall {
    take()
    return PendingCall(id: id, slot: wantsReply ? slot : nil)
  }

  /// Answers at once with a result written by hand; the handler then returns nil.
  ///
  /// - Parameter result: Appends one JSON text and nothing else to the output.
  package mutating func succeed(writing result: (JSONOutput) -> Void) {
    answer {
      $0.append(#""result":"#)
      result($0)
    }
  }

  mutating func succeed(_ result: Value) {
    answer { $0.appendReply(result) }
  }

  mutating func fail(_ error: RPCError) {
    answer { $0.appendReply(error) }
  }

  private mutating func answer(_ content: (JSONOutput) -> Void) {
    take()
    if wantsReply { slot.answer(content) }
  }

  private mutating func take() {
    precondition(!isTaken, "a call is answered once")
    isTaken = true
  }
}

/// A call that is answered after its handler returned: exactly once.
///
/// One that is let go unanswered answers with an internal error by itself. Answering a call whose
/// connection is closed does nothing.
package final class PendingCall {
  /// The call's id; null for a notification.
  package let id: RequestID
  private let slot: ReplySlot?

  /// Whether the answer was given.
  package private(set) var isAnswered = false

  init(id: RequestID, slot: ReplySlot?) {
    self.id = id
    self.slot = slot
  }

  deinit {
    guard !isAnswered else { return }
    slot?.answer { $0.appendReply(RPCError(.internalError)) }
  }

  /// False for a notification.
  package var wantsReply: Bool { slot != nil }

  /// Answers with a result.
  package func succeed(_ result: Value) {
    answer { $0.appendReply(result) }
  }

  /// Answers with a result written by hand.
  ///
  /// - Parameter result: Appends one JSON text and nothing else to the output.
  package func succeed(writing result: (JSONOutput) -> Void) {
    answer {
      $0.append(#""result":"#)
      result($0)
    }
  }

  /// Answers with an error.
  package func fail(_ error: RPCError) {
    answer { $0.appendReply(error) }
  }

  private func answer(_ content: (JSONOutput) -> Void) {
    precondition(!isAnswered, "a call is answered once")
    isAnswered = true
    slot?.answer(content)
  }
}
