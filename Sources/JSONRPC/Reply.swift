package import JSON
package import ValueTree

/// What a handler says to a call; a call that it refuses it throws an error for.
///
/// The closures run as soon as the handler has returned: the parameters are still valid in them.
package enum Reply {
  /// The result.
  case value(Value)
  /// The result, written by hand: one JSON text and nothing else.
  case written((JSONOutput) -> Void)
  /// The answer comes in its own time, from whoever takes the call here.
  case later((consuming PendingCall) -> Void)
}

/// A call that is answered after its handler returned.
///
/// Answering uses it up, so that nothing is answered twice; one that is let go unanswered answers
/// with an internal error by itself. Answering a call whose connection is closed does nothing.
package struct PendingCall: ~Copyable {
  /// The call's id; null for a notification.
  package let id: RequestID
  /// False for a notification, whose answer goes nowhere.
  package let wantsReply: Bool
  /// Where the answer goes; nil once it was given.
  private var slot: ReplySlot?

  init(_ slot: ReplySlot?) {
    id = slot?.id ?? .null
    wantsReply = slot != nil
    self.slot = slot
  }

  deinit { slot?.fail(RPCError(.internalError)) }

  /// Answers with a result.
  package consuming func succeed(_ result: Value) { slot.take()?.succeed(result) }

  /// Answers with a result written by hand.
  ///
  /// - Parameter result: Appends one JSON text and nothing else to the output.
  package consuming func succeed(writing result: (JSONOutput) -> Void) {
    slot.take()?.succeed(writing: result)
  }

  /// Answers with an error.
  package consuming func fail(_ error: RPCError) { slot.take()?.fail(error) }
}
