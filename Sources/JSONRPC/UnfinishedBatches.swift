/// The batches of one connection that are not answered yet: what is left to run of the one that
/// was stopped, and the replies of all.
package final class UnfinishedBatches {
  private var replies: [BatchReply] = []
  private var suspended: SuspendedBatch?

  /// Makes a connection's, which has none.
  package init() {}

  /// Whether members of a batch wait for the dispatcher's `resume`; no line may be dispatched
  /// before they have run.
  package var isSuspended: Bool { suspended != nil }

  /// The memory held, for the account of whoever sent them.
  package var heldByteCount: Int {
    guard !replies.isEmpty else { return 0 }
    return replies.reduce(suspended?.heldByteCount ?? 0) { $0 + $1.heldByteCount }
  }

  /// Replaces results in what is not sent yet that depend on a turn which was taken back.
  ///
  /// Those of earlier turns stay: what they tell of is committed.
  ///
  /// - Parameters:
  ///   - turn: The turn, as `stampReply` named it.
  ///   - error: What stands for its results.
  package func takeBack(turn: UInt64, as error: RPCError) {
    for reply in replies { reply.takeBack(turn: turn, as: error) }
  }

  /// Forgets what waits to run and to be sent: the connection is closed.
  package func drop() {
    suspended = nil
    for reply in replies { reply.drop() }
    replies = []
  }

  /// Keeps what is left of a batch.
  func suspend(_ batch: SuspendedBatch) {
    suspended = batch
    keep(batch.reply)
  }

  /// Hands out what was left of a batch.
  func takeSuspended() -> SuspendedBatch? { suspended.take() }

  /// Keeps a reply that members are still missing from.
  func keep(_ reply: BatchReply) {
    guard !reply.isFinished, !replies.contains(where: { $0 === reply }) else { return }
    replies.append(reply)
  }

  /// Lets go of a reply that is complete.
  func remove(_ reply: BatchReply) { replies.removeAll { $0 === reply } }
}
