package import JSON
internal import ValueTree

/// What a server counts beside its replies.
package struct RPCCounters: Equatable, Sendable {
  /// Calls dispatched to a handler.
  package var calls = 0
  /// Notifications received, whether or not they could be run.
  package var notifications = 0
  /// Notifications that failed, which their senders are not told.
  package var failedNotifications = 0
  /// Replies received and dropped.
  package var droppedResponses = 0
  /// Lines and batch members answered as parse error or invalid request.
  package var invalidRequests = 0
}

/// Turns lines into calls of a method table, in order, and their outcome into replies.
///
/// One serves all connections of a thread. It is not re-entrant: a handler must not dispatch.
package struct Dispatcher<Context: AnyObject> {
  private let core: DispatchCore

  /// Makes a dispatcher.
  ///
  /// - Parameters:
  ///   - table: The methods.
  ///   - maximumLineByteCount: The longest line that will come.
  ///   - maximumDepth: How deep a line may be nested, the envelope included.
  ///   - maximumBatchCount: How many members a batch may have.
  package init(
    _ table: MethodTable<Context>, maximumLineByteCount: Int = 1024 * 1024,
    maximumDepth: Int = 64, maximumBatchCount: Int = 64
  ) {
    core = DispatchCore(
      table.methods,
      JSONReader(maximumByteCount: maximumLineByteCount, maximumDepth: maximumDepth),
      maximumBatchCount: maximumBatchCount)
  }

  /// Takes other limits into force, for the lines to come.
  ///
  /// - Parameters: As for the initializer.
  package func setLimits(maximumLineByteCount: Int, maximumDepth: Int, maximumBatchCount: Int) {
    core.setLimits(
      JSONReader(maximumByteCount: maximumLineByteCount, maximumDepth: maximumDepth),
      maximumBatchCount: maximumBatchCount)
  }

  /// What was counted so far.
  package var counters: RPCCounters { core.counters }

  /// Takes one line: runs what it calls and answers it.
  ///
  /// - Parameters:
  ///   - line: The line without its LF, followed by `PaddedBuffer.padding` readable bytes.
  ///   - sink: Where the replies go.
  ///   - context: What the handlers are given.
  /// - Returns: Whether all of it has begun. If not, the sink has stopped a batch: the next line is
  ///   for after ``resume(_:in:)`` has come to its end.
  package func dispatch(
    _ line: UnsafeRawBufferPointer, from sink: any ReplySink, in context: Context
  ) -> Bool {
    unsafe core.dispatch(line, from: sink, in: context)
  }

  /// Goes on with the batch that a sink has stopped, if there is one.
  ///
  /// - Parameters:
  ///   - sink: Where the replies go.
  ///   - context: What the handlers are given.
  /// - Returns: Whether all of it has begun.
  package func resume(_ sink: any ReplySink, in context: Context) -> Bool {
    core.resume(sink, in: context)
  }

  /// Refuses what is left of the batch that a sink has stopped, if there is one.
  ///
  /// - Parameters:
  ///   - sink: Where the replies go.
  ///   - error: What each call is answered with.
  package func abandon(_ sink: any ReplySink, with error: RPCError) {
    core.abandon(sink, with: error)
  }
}

/// The work of a ``Dispatcher``, the same for all types of context.
private final class DispatchCore {
  private let methods: Methods
  private var reader: JSONReader
  private var maximumBatchCount: Int
  private(set) var counters = RPCCounters()

  init(_ methods: Methods, _ reader: JSONReader, maximumBatchCount: Int) {
    self.methods = methods
    self.reader = reader
    self.maximumBatchCount = maximumBatchCount
  }

  func setLimits(_ reader: JSONReader, maximumBatchCount: Int) {
    self.reader = reader
    self.maximumBatchCount = maximumBatchCount
  }

  func dispatch(
    _ line: UnsafeRawBufferPointer, from sink: any ReplySink, in context: AnyObject
  ) -> Bool {
    // A handler may set other limits; the line is this reader's.
    let reader = reader
    let root: JSONView
    do throws(JSONError) {
      root = unsafe try reader.parse(padded: line)
    } catch {
      if unsafe !line.allSatisfy(isJSONWhiteSpace) {
        counters.invalidRequests += 1
        sink.report(RPCError(error))
      }
      return true
    }
    defer { reader.trim() }
    guard root.kind == .array else {
      dispatchOne(root, reader, from: sink, batch: nil, .run(context))
      return true
    }
    return unsafe dispatchBatch(root, of: line, reader, from: sink, in: context)
  }

  private func dispatchBatch(
    _ batch: JSONView, of line: UnsafeRawBufferPointer, _ reader: JSONReader,
    from sink: any ReplySink, in context: AnyObject
  ) -> Bool {
    let count = batch.count
    guard count > 0 else {
      counters.invalidRequests += 1
      sink.report(RPCError(.invalidRequest))
      return true
    }
    guard count <= maximumBatchCount else {
      counters.invalidRequests += 1
      let limit = Value.integer(Int64(maximumBatchCount))
      sink.report(RPCError(.batchTooLarge, [Value.Member("limit", limit)]))
      return true
    }
    let reply = BatchReply(memberCount: count)
    var begun = 0
    for member in batch.elements {
      dispatchOne(member, reader, from: sink, batch: reply, .run(context))
      begun += 1
      guard begun < count, !sink.mayGoOn() else { continue }
      suspend(
        unsafe SuspendedBatch(of: line, after: begun, count: count - begun, reader, reply),
        from: sink)
      return false
    }
    sink.batches.keep(reply)
    return true
  }

  func resume(_ sink: any ReplySink, in context: AnyObject) -> Bool {
    guard let batch = sink.batches.takeSuspended() else { return true }
    while true {
      dispatchNext(of: batch, from: sink, .run(context))
      guard batch.count > 0 else { return true }
      guard sink.mayGoOn() else {
        suspend(batch, from: sink)
        return false
      }
    }
  }

  func abandon(_ sink: any ReplySink, with error: RPCError) {
    guard let batch = sink.batches.takeSuspended() else { return }
    while batch.count > 0 { dispatchNext(of: batch, from: sink, .refuse(error)) }
  }

  private func suspend(_ batch: SuspendedBatch, from sink: any ReplySink) {
    // The last member may have closed its own connection.
    if sink.acceptsReplies { sink.batches.suspend(batch) }
  }

  private func dispatchNext(
    of batch: SuspendedBatch, from sink: any ReplySink, _ fate: Fate
  ) {
    batch.withNext { member in
      switch member {
      case .success(let view):
        dispatchOne(view, batch.reader, from: sink, batch: batch.reply, fate)
      case .failure(let error):
        ReplySlot(id: .null, sink: sink, batch: batch.reply).write(RPCError(error))
      }
    }
  }

  /// What becomes of calls: they run with that context, or are refused.
  private enum Fate {
    case run(AnyObject)
    case refuse(RPCError)
  }

  private func dispatchOne(
    _ member: JSONView, _ reader: JSONReader, from sink: any ReplySink, batch: BatchReply?,
    _ fate: Fate
  ) {
    switch Envelope.read(member, mayHaveDuplicates: reader.foundDuplicateMember) {
    case .request(let envelope): run(envelope, from: sink, batch: batch, fate)
    case .response:
      counters.droppedResponses += 1
      batch?.skip(sink)
    case .invalid(let id):
      counters.invalidRequests += 1
      ReplySlot(id: id, sink: sink, batch: batch).write(RPCError(.invalidRequest))
    }
  }

  private func run(
    _ envelope: Envelope, from sink: any ReplySink, batch: BatchReply?, _ fate: Fate
  ) {
    let slot = envelope.id.map { ReplySlot(id: $0, sink: sink, batch: batch) }
    if slot != nil {
      counters.calls += 1
      sink.callsInFlight += 1
    } else {
      counters.notifications += 1
    }
    do throws(RPCError) {
      switch try answer(to: envelope, fate) {
      case .value(let result): slot?.succeed(result)
      case .written(let write): slot?.succeed(writing: write)
      case .later(let take): take(PendingCall(slot))
      }
    } catch {
      if slot == nil { counters.failedNotifications += 1 }
      sink.noteFailure(error)
      slot?.fail(error)
    }
    if slot == nil { batch?.skip(sink) }
  }

  private func answer(to envelope: Envelope, _ fate: Fate) throws(RPCError) -> Reply {
    guard !envelope.hasDuplicateParameter else {
      throw .invalidParams(path: "/params", description: "names a member twice")
    }
    guard let method = methods.method(named: envelope.method) else {
      throw RPCError(.methodNotFound)
    }
    switch fate {
    case .run(let context): return try method.handler(context, envelope.params)
    case .refuse(let error):
      try method.key.check(envelope.params)
      throw error
    }
  }
}

extension RPCError {
  /// The reply to a line that was refused by the reader.
  package init(_ error: JSONError) {
    switch error {
    case .tooDeep(let limit):
      self.init(
        .parseError,
        [
          Value.Member("description", "nested too deep"),
          Value.Member("limit", .integer(Int64(limit))),
        ])
    case .tooLarge(let limit): self = .lineTooLarge(limit: limit)
    case .outOfMemory: self.init(.internalError)
    case .notJSON, .duplicateMember: self.init(.parseError)
    }
  }

  /// The reply to a line beyond the limit.
  package static func lineTooLarge(limit: Int) -> RPCError {
    RPCError(.lineTooLarge, [Value.Member("limit", .integer(Int64(limit)))])
  }
}

private func isJSONWhiteSpace(_ byte: UInt8) -> Bool {
  byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
}
