import CheckoutClient
import JSON
import ValueTree

extension Command {
  static let batch = Command(
    "batch", options: [.sequential],
    summary: "send each line of standard input as a call, and print what the daemon says",
    details: """
      Each line is a JSON-RPC request, or a batch of them, that is sent as it is. A line without
      jsonrpc is completed: with that and, unless it has one, with its number as id. So this is a call:
        {"method":"system.ping"}

      Each line that the daemon says is printed as it is: replies, in whatever order they come, and
      the events of subscriptions. The command ends when the input has ended and all calls are
      answered; its exit status is 1 if one of the answers is an error. With --sequential a line is
      sent only when those before it are answered, so that it can build on them.

      Example:
        checkoutctl batch --sequential <calls.ndjson
      """,
    isJSON: true
  ) { invocation throws(Failure) in
    let relay: LineRelay
    do throws(ClientError) {
      relay = try LineRelay(path: invocation.socket)
    } catch { throw .client(error) }
    try Batch(relay, isSequential: invocation.given.has(.sequential), invocation).run()
  }
}

/// The exchange of lines between the standard streams and the daemon.
private final class Batch {
  private let relay: LineRelay
  private let isSequential: Bool
  private let deadline: Deadline
  private let console: Console
  private var input = InputLines()
  /// How many replies have still to come.
  private var awaitedCount = 0
  private var hasErrors = false
  /// Why the input is not read any further, before its end.
  private var refusal: Failure?

  init(_ relay: LineRelay, isSequential: Bool, _ invocation: Invocation) {
    self.relay = relay
    self.isSequential = isSequential
    deadline = invocation.deadline
    console = invocation.console
  }

  func run() throws(Failure) {
    var isFinishing = false
    while true {
      while maySend, let line = input.next() { send(line) }
      if !isFinishing, hasReadAll {
        isFinishing = true
        try talk { () throws(ClientError) in try relay.finishSending() }
      }
      if isFinishing, relay.isSent, awaitedCount == 0 { break }
      let ready = try talk { () throws(ClientError) in
        try relay.wait(
          input: maySend && !hasReadAll ? ProcessStreams.input : nil,
          output: ProcessStreams.output, until: deadline)
      }
      if ready.canReadInput { try input.feed(try ProcessStreams.readSome()) }
      if ready.canMove { try move() }
    }
    if let refusal { throw refusal }
    if hasErrors { throw .errorReplies }
  }

  private var hasReadAll: Bool { refusal != nil || input.hasEnded }

  private var maySend: Bool {
    refusal == nil && relay.isSent && (!isSequential || awaitedCount == 0)
  }

  private func send(_ line: InputLines.Line) {
    do throws(Failure) {
      guard let request = try BatchLine(line) else { return }
      relay.send(request.bytes)
      if request.isAnswered { awaitedCount += 1 }
    } catch { refusal = error }
  }

  /// Prints what has come, after which the daemon may have closed the connection.
  private func move() throws(Failure) {
    var lines: [[UInt8]] = []
    var ending: ClientError?
    do throws(ClientError) { try relay.move { lines.append($0) } } catch { ending = error }
    for line in lines {
      try console.print(String(decoding: line, as: UTF8.self))
      take((try? JSONReader().value(of: line)) ?? .null)
    }
    if let ending { throw .client(ending) }
  }

  private func take(_ message: Value) {
    guard message["method"] == nil else { return }
    awaitedCount = max(0, awaitedCount - 1)
    let replies = message.array ?? [message]
    hasErrors = hasErrors || replies.contains { $0["error"] != nil }
  }

  private func talk<Result>(
    _ body: () throws(ClientError) -> Result
  ) throws(Failure) -> Result {
    do throws(ClientError) { return try body() } catch { throw .client(error) }
  }
}

/// The standard input, line by line.
private struct InputLines {
  struct Line {
    let number: Int64
    let bytes: [UInt8]
  }

  private var bytes: ArraySlice<UInt8> = []
  private var isAtEnd = false
  private var number: Int64 = 0

  /// Whether there is no further line.
  var hasEnded: Bool { isAtEnd && bytes.isEmpty }

  /// Takes what was read; nothing is the end.
  mutating func feed(_ read: [UInt8]) throws(Failure) {
    isAtEnd = read.isEmpty
    bytes += read
    guard bytes.count <= ProcessStreams.maximumInputByteCount else {
      throw .usage("line \(number + 1): too long")
    }
  }

  /// The next line; nil as long as its end has not come.
  mutating func next() -> Line? {
    let end = bytes.firstIndex(of: UInt8(ascii: "\n")) ?? bytes.endIndex
    guard end < bytes.endIndex || (isAtEnd && !bytes.isEmpty) else { return nil }
    number += 1
    defer { bytes = bytes[min(end + 1, bytes.endIndex)...] }
    return Line(number: number, bytes: Array(bytes[..<end]))
  }
}

/// A line of a batch, as it is sent.
private struct BatchLine {
  let bytes: [UInt8]
  let isAnswered: Bool

  /// Reads a line; nil if it is blank.
  ///
  /// - Throws: What is wrong with it, without showing it: it may hold what is secret.
  init?(_ line: InputLines.Line) throws(Failure) {
    guard line.bytes.contains(where: { !Self.blanks.contains($0) }) else { return nil }
    guard let value = try? JSONReader().value(of: line.bytes) else {
      throw .usage("line \(line.number): not JSON")
    }
    let requests = value.array ?? [value]
    guard !requests.isEmpty, requests.allSatisfy(Self.isRequest) else {
      throw .usage("line \(line.number): not a request")
    }
    guard let members = value.object, value["jsonrpc"] == nil else {
      guard requests.allSatisfy({ $0["jsonrpc"] == "2.0" }) else {
        throw .usage("line \(line.number): not a request of JSON-RPC 2.0")
      }
      bytes = line.bytes
      isAnswered = requests.contains { $0["id"] != nil }
      return
    }
    let id = value["id"] == nil ? [Value.Member("id", .integer(line.number))] : []
    bytes = Array(Value.object([.init("jsonrpc", "2.0")] + id + members).jsonText.utf8)
    isAnswered = true
  }

  private static let blanks = Array(" \t\r".utf8)

  private static func isRequest(_ value: Value) -> Bool {
    let isNamed = value["method"]?.string != nil
    let params = value["params"]
    let hasParams = params == nil || params?.object != nil || params?.array != nil
    switch value["id"] {
    case nil, .null, .string, .integer, .unsigned: return isNamed && hasParams
    default: return false
    }
  }
}
