import JSON
import JSONRPC

/// A call that is kept until it can be answered.
final class KeptCall {
  private var call: PendingCall?

  init(_ call: consuming PendingCall) { self.call = consume call }

  /// Takes the call out, to answer it: there is one until then.
  func take() -> PendingCall? { call.take() }

  /// Answers with a result written by hand.
  func succeed(writing result: (JSONOutput) -> Void) { take()?.succeed(writing: result) }

  func fail(_ error: RPCError) { take()?.fail(error) }
}
