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
  private static let numbers: [ParameterRow] = names.map { .optional($0, .integer) }

  static let names: [StaticString] = ["a", "b", "c", "d", "e", "f", "g", "h"]

  static var table: MethodTable<ConformanceServer> {
    MethodTable([
      (
        MethodRow(
          "conf.gap", "The difference of two numbers.",
          parameters: [.init("high", .integer), .init("low", .integer)], result: whole,
          examples: [.init("two", params: [.init("high", 9), .init("low", 4)], result: 5)]),
        { _, parameters throws(RPCError) in
          guard let high = parameters["high"]?.integer, let low = parameters[1]?.integer else {
            throw RPCError(.internalError)
          }
          return .value(.integer(high - low))
        }
      ),
      (
        MethodRow("conf.total", "The sum of numbers.", parameters: numbers, result: whole),
        { _, parameters throws(RPCError) in
          .value(.integer((0..<8).reduce(0) { $0 + (parameters[$1]?.integer ?? 0) }))
        }
      ),
      (
        MethodRow("conf.snapshot", "A fixed list.", result: anything),
        { _, _ throws(RPCError) in .value(["ready", 5]) }
      ),
      (
        MethodRow("conf.echo", "Its parameters.", acceptsAnything: true, result: anything),
        { _, parameters throws(RPCError) in
          .written { output in
            guard let params = parameters.params else { return output.append("null") }
            output.append(view: params)
          }
        }
      ),
      (
        MethodRow(
          "conf.deep", "Lists in lists.",
          parameters: [
            .init("depth", .integer(0...4000)), .init("byHand", .boolean),
          ], result: anything),
        { _, parameters throws(RPCError) in
          let depth = Int(parameters[0]?.integer ?? 0)
          guard parameters[1]?.bool == true else {
            return .value((0..<depth).reduce("]\\\"[") { value, _ in .array([value]) })
          }
          return .written { output in
            for _ in 0..<3 { output.append(#"{"[{":"#) }
            output.append(value: (3..<depth).reduce("[") { value, _ in .array([value]) })
            output.append("}}}")
          }
        }
      ),
      (
        MethodRow(
          "conf.optional", "Its parameters, as far as they are there.",
          parameters: [
            .init("a", .oneOf([.null, .integer])), .optional("b", .string(1...9)),
            .optional("c", .object([.optional("d", .integer), .init("e", .integer)])),
          ], result: anything),
        { _, parameters throws(RPCError) in
          .value(.array((0..<3).map { .bool(parameters[$0] != nil) }))
        }
      ),
      (
        MethodRow("conf.mark", "Nothing.", acceptsAnything: true, result: anything),
        { _, _ throws(RPCError) in .value(.null) }
      ),
      (
        MethodRow("conf.note", "Nothing.", acceptsAnything: true, result: anything),
        { server, parameters throws(RPCError) in
          server.notes.append(parameters.params?.value ?? .null)
          return .value(.null)
        }
      ),
      (
        MethodRow("conf.fail", "An error.", result: anything),
        { _, _ throws(RPCError) in throw RPCError(.internalError) }
      ),
      (
        MethodRow("conf.later", "An answer in its own time.", result: anything),
        { server, _ throws(RPCError) in
          .later { server.pending.append(KeptCall($0)) }
        }
      ),
      (
        MethodRow("conf.forget", "No answer at all.", result: anything),
        { _, _ throws(RPCError) in .later { _ in } }
      ),
      (
        MethodRow(
          "conf.fill", "A long string.", parameters: [.init("byteCount", .integer(0...4_000_000))],
          result: anything),
        { _, parameters throws(RPCError) in
          .value(.string(String(repeating: "x", count: Int(parameters[0]?.integer ?? 0))))
        }
      ),
    ])
  }
}
