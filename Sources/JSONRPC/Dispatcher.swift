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
  package func dispatch(
    _ line: UnsafeRawBufferPointer, from sink: any ReplySink, in context: Context
  ) {
    unsafe core.dispatch(line, from: sink, in: context)
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
  ) {
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
      return
    }
    if root.kind == .array {
      dispatchBatch(root, reader, from: sink, in: context)
    } else {
      dispatchOne(root, reader, from: sink, batch: nil, in: context)
    }
    reader.trim()
  }

  private func dispatchBatch(
    _ batch: JSONView, _ reader: JSONReader, from sink: any ReplySink, in context: AnyObject
  ) {
    let count = batch.count
    guard count > 0 else {
      counters.invalidRequests += 1
      return sink.report(RPCError(.invalidRequest))
    }
    guard count <= maximumBatchCount else {
      counters.invalidRequests += 1
      let limit = Value.integer(Int64(maximumBatchCount))
      return sink.report(RPCError(.batchTooLarge, [Value.Member("limit", limit)]))
    }
    let reply = BatchReply(to: sink, memberCount: count)
    for member in batch.elements {
      dispatchOne(member, reader, from: sink, batch: reply, in: context)
    }
  }

  private func dispatchOne(
    _ member: JSONView, _ reader: JSONReader, from sink: any ReplySink, batch: BatchReply?,
    in context: AnyObject
  ) {
    switch Envelope.read(member, mayHaveDuplicates: reader.foundDuplicateMember) {
    case .request(let envelope): run(envelope, from: sink, batch: batch, in: context)
    case .response:
      counters.droppedResponses += 1
      batch?.skip()
    case .invalid(let id):
      counters.invalidRequests += 1
      ReplySlot(id: id, sink: sink, batch: batch).write {
        $0.appendReply(RPCError(.invalidRequest))
      }
    }
  }

  private func run(
    _ envelope: Envelope, from sink: any ReplySink, batch: BatchReply?, in context: AnyObject
  ) {
    var call = Call(envelope.id, to: sink, batch: batch)
    if call.wantsReply { counters.calls += 1 } else { counters.notifications += 1 }
    do throws(RPCError) {
      guard !envelope.hasDuplicateParameter else {
        throw .invalidParams(path: "/params", description: "names a member twice")
      }
      guard let method = methods.method(named: envelope.method) else {
        throw RPCError(.methodNotFound)
      }
      let parameters = try Parameters(envelope.params, shape: method.shape)
      if let result = try method.handler(context, &call, parameters) {
        call.succeed(result)
      } else if !call.isTaken {
        throw RPCError(.internalError)
      }
    } catch {
      if !call.wantsReply { counters.failedNotifications += 1 }
      sink.noteFailure(error)
      if !call.isTaken { call.fail(error) }
    }
    if !call.wantsReply { batch?.skip() }
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
