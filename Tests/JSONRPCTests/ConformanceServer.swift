import JSON
import Testing
import ValueTree

@testable import JSONRPC

/// The `conf.*` methods on the real framer, parser and dispatcher, without a socket.
final class ConformanceServer: ReplySink {
  let output = JSONOutput()
  var callsInFlight = 0
  var acceptsReplies = true
  var maximumReplyByteCount = 1024 * 1024
  var maximumReplyDepth = 64
  let maximumLineByteCount: Int
  let batches = UnfinishedBatches()
  /// Calls taken along by `conf.later`, oldest first.
  var pending: [KeptCall] = []
  /// How many lines the sink was told of.
  var lineCount: Int { said.count }
  /// The lines that the sink was told of.
  var said: [ReplyLine] = []
  /// The turn that replies depend on.
  var turn: UInt64 = 0
  /// How many members of batches may go on before they are stopped, once.
  var goOn = Int.max
  /// The parameters of `conf.note`, as it was called.
  var notes: [Value] = []
  /// Stops delivery at so many calls in flight.
  var stopAt = Int.max
  var floods = 0

  private let framer: LineFramer
  private let dispatcher: Dispatcher<ConformanceServer>

  init(maximumLineByteCount: Int = 1024 * 1024) {
    self.maximumLineByteCount = maximumLineByteCount
    framer = LineFramer(maximumLineByteCount: maximumLineByteCount)
    dispatcher = Dispatcher(Self.table)
  }

  var counters: RPCCounters { dispatcher.counters }
  var heldByteCount: Int { framer.heldByteCount }
  var isStopped: Bool { framer.isStopped }

  func stampReply() -> UInt64 { turn }

  func mayGoOn() -> Bool {
    goOn -= 1
    return goOn > 0
  }

  func replyAppended(_ line: ReplyLine) {
    said.append(line)
    #expect(line.range.upperBound == output.count)
    let text = unsafe output.withUnsafeBytes { unsafe Array($0[line.range]) }
    #expect(text.last == 0x0A && text.count { $0 == 0x0A } == 1)
  }

  /// Goes on with a batch that was stopped, after so many of its members at the latest.
  func resumeBatch(for count: Int) -> Bool {
    goOn = count
    return dispatcher.resume(self, in: self)
  }

  func setLimits(maximumDepth: Int) {
    dispatcher.setLimits(
      maximumLineByteCount: maximumLineByteCount, maximumDepth: maximumDepth,
      maximumBatchCount: 64)
  }

  func abandonBatch(_ error: RPCError) { dispatcher.abandon(self, with: error) }

  /// Sends bytes as one read would bring them, padded as the server's buffer is.
  func send(_ bytes: some Collection<UInt8>) {
    let input = Array(bytes)
    let padded = input + [UInt8](repeating: UInt8(ascii: "}"), count: PaddedBuffer.padding)
    unsafe padded.withUnsafeBytes { buffer in
      let input = unsafe UnsafeRawBufferPointer(rebasing: buffer[..<input.count])
      unsafe framer.feed(input, deliver)
    }
  }

  func resume() { framer.resume(deliver) }

  func finish() { framer.finish(deliver) }

  /// What was written since the last time, one element a line.
  func takeLines() -> [[UInt8]] {
    let bytes = unsafe output.withUnsafeBytes { unsafe Array($0) }
    output.removeAll()
    return bytes.split(separator: 0x0A).map { Array($0) }
  }

  private func deliver(_ event: LineEvent) -> Bool {
    switch event {
    case .line(let line):
      guard unsafe dispatcher.dispatch(line, from: self, in: self) else { return false }
    case .tooLong: report(.lineTooLarge(limit: maximumLineByteCount))
    case .flood: floods += 1
    }
    return callsInFlight < stopAt
  }
}

/// A call that is answered when the test says so.
final class KeptCall {
  let id: RequestID
  let wantsReply: Bool
  private var call: PendingCall?

  init(_ call: consuming PendingCall) {
    id = call.id
    wantsReply = call.wantsReply
    self.call = consume call
  }

  func succeed(_ value: Value) { call.take()?.succeed(value) }

  func fail(_ error: RPCError) { call.take()?.fail(error) }
}

extension ConformanceServer {
  private static let whole = ResultRow("result", .integer, "A whole number.")
  private static let anything = ResultRow("result", .any)
  private static let whole64: Shape<Int64> = .integer(Int64.min...Int64.max)

  private static let gap = MethodKey<Int64>(
    "conf.gap", "The difference of two numbers.", Parameter<Int64>("high", whole64),
    Parameter<Int64>("low", whole64), result: whole,
    examples: [.init("two", params: [.init("high", 9), .init("low", 4)], result: 5)],
    make: { $0 - $1 })

  private static let total = MethodKey<Int64>(
    "conf.total", "The sum of numbers.", number("a"), number("b"), number("c"), number("d"),
    number("e"), number("f"), number("g"), number("h"), result: whole,
    make: { $0 + $1 + $2 + $3 + $4 + $5 + $6 + $7 })

  private static func number(_ name: StaticString) -> Parameter<Int64> {
    .optional(name, whole64, else: 0)
  }

  private static let deep = MethodKey<(depth: Int, isByHand: Bool)>(
    "conf.deep", "Lists in lists.", Parameter<Int64>("depth", .integer(0...4000)),
    Parameter<Bool>("byHand", .boolean), result: anything, make: { (Int($0), $1) })

  private struct Inner {
    let d: Int64?
    let e: Int64
  }

  private static let optional = MethodKey<[Bool]>(
    "conf.optional", "Its parameters, as far as they are there.",
    Parameter<Int64?>(
      "a",
      Shape<Int64?>(checking: .null) { _ throws(SchemaViolation) in nil }.or(whole64.map { $0 })),
    Parameter<String?>.optional("b", .text(1...9)),
    Parameter<Inner?>.optional(
      "c",
      Shape<Inner>(
        object: Parameter<Int64?>.optional("d", whole64), Parameter<Int64>("e", whole64),
        make: Inner.init)),
    result: anything, make: { [true, $1 != nil, $2 != nil] })

  private static func method(
    _ name: StaticString, _ summary: String,
    _ handler: @escaping (ConformanceServer) throws(RPCError) -> Reply
  ) -> MethodTable<ConformanceServer>.Entry {
    .init(MethodKey<Void>(name, summary, result: anything)) { server, _ throws(RPCError) in
      try handler(server)
    }
  }

  private static func taker(_ name: StaticString, _ summary: String) -> MethodKey<Value> {
    MethodKey<Value>(takingAnything: name, summary, result: anything)
  }

  static var entries: [MethodTable<ConformanceServer>.Entry] {
    [
      .init(gap) { _, difference throws(RPCError) in .value(.integer(difference)) },
      .init(total) { _, sum throws(RPCError) in .value(.integer(sum)) },
      method("conf.snapshot", "A fixed list.") { _ throws(RPCError) in .value(["ready", 5]) },
      .init(unread: taker("conf.echo", "Its parameters.")) { _, params throws(RPCError) in
        .written { output in
          guard let params else { return output.append("null") }
          output.append(view: params)
        }
      },
      .init(deep) { _, asked throws(RPCError) in
        guard asked.isByHand else {
          return .value((0..<asked.depth).reduce("]\\\"[") { value, _ in .array([value]) })
        }
        return .written { output in
          for _ in 0..<3 { output.append(#"{"[{":"#) }
          output.append(value: (3..<asked.depth).reduce("[") { value, _ in .array([value]) })
          output.append("}}}")
        }
      },
      .init(optional) { _, found throws(RPCError) in .value(.array(found.map { .bool($0) })) },
      .init(taker("conf.mark", "Nothing.")) { _, _ throws(RPCError) in .value(.null) },
      .init(taker("conf.note", "Nothing.")) { server, params throws(RPCError) in
        server.notes.append(params)
        return .value(.null)
      },
      method("conf.fail", "An error.") { _ throws(RPCError) in throw RPCError(.internalError) },
      method("conf.later", "An answer in its own time.") { server throws(RPCError) in
        .later { server.pending.append(KeptCall($0)) }
      },
      method("conf.forget", "No answer at all.") { _ throws(RPCError) in .later { _ in } },
      .init(
        MethodKey<Int64>(
          "conf.fill", "A long string.",
          Parameter<Int64>("byteCount", .integer(0...4_000_000)), result: anything, make: { $0 })
      ) { _, byteCount throws(RPCError) in
        .value(.string(String(repeating: "x", count: Int(byteCount))))
      },
    ]
  }

  static var table: MethodTable<ConformanceServer> { MethodTable(entries.map(\.key.row), entries) }
}
