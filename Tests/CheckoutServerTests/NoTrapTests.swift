import Checkout
import CheckoutProtocol
import JSON
import JSONRPC
import Synchronization
import Testing
import ValueTree

@testable import CheckoutServer

/// Whatever is called, wherever a checkout is, whoever calls: there is an answer that the method's row
/// tells of, and the server goes on.
@Suite struct NoTrapTests {
  private static let total = Mutex(0)

  @Test(arguments: Situation.allCases)
  func `every call gets an answer that its row tells of`(situation: Situation) throws {
    var run = try CellRun(situation)
    for row in Methods.all { try run.call(row) }
    try run.finish()
    let total = Self.total.withLock { total in
      total += run.count
      return total
    }
    print(
      "\(situation): \(run.count) cells, \(total) so far; without a verdict: \(run.findings.count)")
    #expect(run.findings.prefix(20) == [])
    #expect(run.count > 3000)
  }
}

/// The cells of one situation: each method with each probe, by each caller, with a store that works and
/// one that fails.
struct CellRun {
  /// Who calls.
  private enum Role: String, CaseIterable { case owner, observer, stranger, administrator }

  /// One call, on its way to a verdict.
  private struct Cell {
    let row: MethodRow
    let probe: Probe
    let role: Role
    let isStoreFailing: Bool

    var description: String {
      "\(row.name) (\(probe.label)) by the \(role)" + (isStoreFailing ? ", store failing" : "")
    }
  }

  /// A call that waits, on a connection of its own.
  private struct Waiting {
    let cell: Cell
    let client: TestClient
    let id: Int64
  }

  private let situation: Situation
  private let probes: SchemaProbes
  private var bench: SituationBench
  /// The checkout as the situation has it.
  private var untouched: Value
  private var waiting: [Waiting] = []
  private let reader = JSONReader()
  /// How many cells there were.
  private(set) var count = 0
  /// What is wrong, one line each.
  private(set) var findings: [String] = []

  /// Stands for the digits of the checkout's id in texts that are made before there is one.
  private static let placeholder = "c0c0c0c0c0c0c0c0"
  private static let unknownDigits = "00000000000000aa"

  init(_ situation: Situation) throws {
    self.situation = situation
    bench = try SituationBench(situation)
    untouched = bench.live.checkout.snapshot(wallOffset: 0)
    let decision = situation == .decidingAfterResume ? "d2" : "d1"
    probes = SchemaProbes(
      samples: [
        "checkoutId": "\"co_\(Self.placeholder)\"", "componentId": "\"cm_\(Self.placeholder)_0\"",
        "clientToken": "\"\(SampleUpstream.tokens[1])\"", "decisionId": "\"\(decision)\"",
        "subscriptionId": #""s1""#, "startKey": #""other""#, "paymentMethodType": #""ADYEN_IDEAL""#,
        "bankId": #""0""#, "uid": "1003", "waitMs": "0", "for": #"["terminal"]"#,
        "locale": #""nl-NL""#,
      ], depth: 64)
  }

  /// Goes through the cells of one method.
  mutating func call(_ row: MethodRow) throws {
    // Whether nothing was stored yet: another process takes over once for each method.
    var isFirst = true
    for probe in probes.parameters(of: row) {
      let pieces = probe.text.split(separator: Self.placeholder, omittingEmptySubsequences: false)
      // What is for administrators alone has to do with no checkout, and the rest is as for its owner.
      let isAsked =
        situation == .ready && row.errors.contains { $0.errorId == "permission-denied" }
        && pieces.count == 1
      let roles = Role.allCases.filter {
        $0 != .administrator || isAsked || probe.label == "nothing"
      }
      guard probe.fits != false else {
        // What does not fit is refused before anybody asks who calls, or whether the store works.
        let cells = roles.map { Cell(row: row, probe: probe, role: $0, isStoreFailing: true) }
        _ = try take(cells, pieces.joined(separator: bench.digits))
        continue
      }
      for role in roles {
        let failing = Cell(row: row, probe: probe, role: role, isStoreFailing: true)
        let (refusal, hasFailed) = try take(failing, pieces.joined(separator: bench.digits))
        if hasFailed { try goOn() }
        let working = Cell(row: row, probe: probe, role: role, isStoreFailing: false)
        let commits = bench.bench.backend.commitCount
        let (reply, _) = try take(working, pieces.joined(separator: bench.digits))
        let hasChanged = bench.bench.backend.commitCount > commits
        compare(working, refusal, hasFailed, reply, hasChanged)
        if role == .stranger, pieces.count > 1 {
          let (twin, _) = try take(working, pieces.joined(separator: Self.unknownDigits))
          if twin?["error"] != reply?["error"] {
            note(working, "a checkout is seen: \(text(reply))")
          }
        }
        if hasChanged {
          if isFirst { try takeOver(working) }
          isFirst = false
          try begin()
        }
      }
    }
  }

  /// Gives those who wait still their verdicts.
  mutating func finish() throws {
    guard !waiting.isEmpty else { return }
    while bench.bench.answer() {}
    bench.bench.pass(milliseconds: 300_001)
    while bench.bench.answer() {}
    for waiting in waiting {
      let reply = try waiting.client.readLines().first { $0["id"]?.integer == waiting.id }
      judge(waiting.cell, reply)
    }
    waiting = []
  }

  /// Begins anew where the situation begins.
  private mutating func begin() throws {
    try finish()
    bench = try SituationBench(situation)
    untouched = bench.live.checkout.snapshot(wallOffset: 0)
  }

  /// Lets the store be found well a second later; begins anew if the checkout has gone on meanwhile.
  private mutating func goOn() throws {
    let commits = bench.bench.backend.commitCount
    bench.bench.pass(milliseconds: 1000)
    if bench.bench.backend.commitCount > commits { try begin() }
  }

  // MARK: Cells

  /// Makes a call.
  ///
  /// - Returns: The reply, if there is one yet, and whether a commit has failed.
  private mutating func take(
    _ cell: Cell, _ params: String
  ) throws -> (reply: Value?, hasFailed: Bool) {
    let failures = bench.bench.backend.failureCount
    let replies = try take([cell], params)
    return (replies[0], bench.bench.backend.failureCount > failures)
  }

  /// Has each caller make the call in the same turn, with another behind it that is always answered.
  ///
  /// - Returns: The replies that there are yet.
  private mutating func take(_ cells: [Cell], _ params: String) throws -> [Value?] {
    let server = bench.bench
    let failures = server.backend.failureCount
    let calls = cells.map { cell in
      count += 1
      return (cell: cell, client: client(of: cell.role), id: Int64(count))
    }
    for (cell, client, id) in calls {
      client.send(
        #"{"jsonrpc":"2.0","id":\#(id),"method":"\#(cell.row.name)","params":\#(params)}"# + "\n"
          + #"{"jsonrpc":"2.0","id":"ping","method":"system.ping"}"# + "\n")
      server.backend.isFailing = cell.isStoreFailing
    }
    var lines: [[Value]] = calls.map { _ in [] }
    var isAnswered: Bool { lines.allSatisfy { $0.contains { $0["id"] == "ping" } } }
    // A long line takes more than one turn to read.
    for _ in 0..<8 where !isAnswered {
      server.turn()
      for place in calls.indices { lines[place] += try calls[place].client.readLines() }
    }
    server.backend.isFailing = false
    if !isAnswered { note(cells[0], "the server does not go on") }
    if server.backend.failureCount > failures,
      bench.live.checkout.snapshot(wallOffset: 0) != untouched
    {
      note(cells[0], "not taken back")
    }
    var replies: [Value?] = []
    for ((cell, _, id), lines) in zip(calls, lines) {
      let reply = lines.first { $0["id"]?.integer == id || $0["id"] == .null }
      if reply == nil {
        waiting.append(Waiting(cell: cell, client: try replaceClient(of: cell.role), id: id))
      } else {
        judge(cell, reply)
      }
      replies.append(reply)
    }
    return replies
  }

  private func client(of role: Role) -> TestClient {
    switch role {
    case .owner: bench.owner
    case .observer: bench.observer
    case .stranger: bench.stranger
    case .administrator: bench.administrator
    }
  }

  private func replaceClient(of role: Role) throws -> TestClient {
    switch role {
    case .owner: try bench.replace(\.owner)
    case .observer: try bench.replace(\.observer)
    case .stranger: try bench.replace(\.stranger)
    case .administrator: try bench.replace(\.administrator)
    }
  }

  /// Another process takes over, and finds what this one has told.
  private mutating func takeOver(_ cell: Cell) throws {
    try finish()
    guard bench.bench.registry.checkouts.contains(where: { $0 === bench.live }) else { return }
    let told = bench.live.checkout.snapshot(wallOffset: 0)
    try bench.bench.restart()
    let found = bench.bench.registry[bench.live.id]?.checkout.snapshot(wallOffset: 0)
    for name in ["state", "payment", "outcome", "availablePaymentMethods"]
    where found?[name] != told[name] {
      note(cell, "\(name) is not what was told: \(text(told[name])), then \(text(found?[name]))")
    }
  }

  // MARK: Verdicts

  /// Says what is wrong with a reply.
  private mutating func judge(_ cell: Cell, _ reply: Value?) {
    guard let reply else { return note(cell, "no answer") }
    if let result = reply["result"] {
      if cell.probe.fits == false { note(cell, "taken: \(text(result))") }
      let bytes = result.jsonBytes
      do {
        let violation = unsafe try bytes.withUnsafeBytes { bytes in
          unsafe try reader.read(bytes) { cell.row.result.schema.violation(in: $0) }
        }
        if let found = violation {
          note(cell, "the result's \(found.path) \(found.description): \(text(result))")
        }
      } catch { note(cell, "no JSON: \(error)") }
      return
    }
    let code = reply["error"]?["code"]?.integer
    let id = reply["error"]?["data"]?["errorId"]?.string
    guard let code, let id else { return note(cell, "neither result nor error: \(text(reply))") }
    let error = "\(code) \(id)"
    if cell.probe.fits == false {
      if code != -32602, code != -32700 { note(cell, "what does not fit is answered \(error)") }
      return
    }
    let rows = cell.row.errors + [.invalidParams, .invalidRequest, .parseError]
    if !rows.contains(where: { $0.code.rawValue == code && $0.errorId == id }) {
      note(cell, "the row does not tell of \(error)")
    }
    // Of a store in memory no copy can be made.
    if code == -32006, !cell.isStoreFailing, cell.row.name.description != "system.backup" {
      note(cell, "the store works, and the answer is \(error)")
    }
  }

  /// Compares what is answered when the store fails and when it works.
  private mutating func compare(
    _ cell: Cell, _ refusal: Value?, _ hasFailed: Bool, _ reply: Value?, _ hasChanged: Bool
  ) {
    let code = refusal?["error"]?["code"]?.integer
    if hasChanged != hasFailed {
      note(cell, "it is stored: \(hasChanged); it was to be: \(hasFailed)")
    }
    // What is refused for a reason of its own is refused for that.
    if hasFailed, code != -32006, refusal?["error"] != reply?["error"] || reply?["error"] == nil {
      note(cell, "not stored, and the answer is \(text(refusal))")
    }
    guard !hasFailed, !hasChanged else { return }
    if (refusal == nil) != (reply == nil) || refusal?["error"] != reply?["error"] {
      note(cell, "the store matters: \(text(refusal)), \(text(reply))")
    }
  }

  private mutating func note(_ cell: Cell, _ finding: String) {
    findings.append("\(situation): \(cell.description): \(finding)")
  }

  private func text(_ value: Value?) -> String {
    String((value?.jsonText ?? "nothing").prefix(200))
  }
}
