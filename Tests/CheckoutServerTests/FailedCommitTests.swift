import Checkout
import CheckoutProtocol
import CheckoutStore
import JSON
import JSONRPC
import Testing
import ValueTree

@testable import CheckoutServer

@Suite struct FailedCommitTests {
  /// Every scenario runs once with each of its commits failing: that turn leaves everything as it was,
  /// and in the end all is as if nothing had failed.
  @Test(arguments: Scenario.all)
  func `a turn that cannot be committed leaves no trace`(scenario: Scenario) throws {
    var whole = try ScenarioRun(scenario)
    for step in scenario.steps { try whole.take(step) }
    let ending = try whole.ending()
    var failureCount = 0
    for failing in scenario.steps.indices {
      var run = try ScenarioRun(scenario)
      for (place, step) in scenario.steps.enumerated() {
        if place == failing {
          if try run.takeFailing(step, place) { failureCount += 1 }
        } else {
          try run.take(step)
        }
      }
      #expect(try run.ending() == ending, "the commit of step \(failing) failed")
    }
    #expect(failureCount >= 3, "commits have failed")
  }

  /// What the store refuses for reasons of its own.
  private static let committingNothing = ["system.backup"]

  @Test func `every method that the store can refuse is in a scenario in which it commits`() throws
  {
    var committing: Set<String> = []
    for scenario in Scenario.all {
      var run = try ScenarioRun(scenario)
      for step in scenario.steps {
        let method = try run.committing(step)
        if let method { committing.insert(method) }
      }
    }
    let named = Methods.all.filter { row in
      row.errors.contains { $0.errorId == ErrorRow.storeFailed.errorId }
    }.map(\.name.description)
    #expect(Set(named).subtracting(committing) == Set(Self.committingNothing))
    #expect(committing.subtracting(named).isEmpty)
  }
}

/// One run of a scenario.
struct ScenarioRun {
  private let bench: ServerBench
  private let clients: [TestClient]
  private var notes = Scenario.Notes()
  /// The names of the events that the first client was sent.
  private var told: [String] = []

  init(_ scenario: Scenario) throws {
    let bench = try ServerBench()
    self.bench = bench
    clients = try scenario.users.map { try bench.connect(as: $0, isAdministrator: $0 == 0) }
    bench.turn()
  }

  /// Takes a step.
  mutating func take(_ step: Scenario.Step) throws {
    _ = act(step)
    _ = try read()
  }

  /// Takes a step.
  ///
  /// - Returns: The method that it calls, if it calls one alone and that is committed.
  mutating func committing(_ step: Scenario.Step) throws -> String? {
    let commits = bench.backend.commitCount
    try take(step)
    guard case .say(_, _, let calls) = step, calls.count == 1, bench.backend.commitCount > commits
    else { return nil }
    return calls[0].method
  }

  /// Takes a step whose commit fails, and takes it again when commits succeed.
  ///
  /// - Returns: Whether there was a commit to fail.
  mutating func takeFailing(_ step: Scenario.Step, _ place: Int) throws -> Bool {
    let before = StateDump(of: bench.server)
    let failures = bench.backend.failureCount
    bench.backend.isFailing = true
    let ids = act(step)
    bench.backend.isFailing = false
    guard bench.backend.failureCount > failures else {
      _ = try read()
      return false
    }
    let after = StateDump(of: bench.server)
    let differences = after.differences(from: before).filter { line in
      // That there is a second payment is a fact, whether it can be written or not.
      if case .answer = step { return !line.contains("questions.stopper") }
      return true
    }
    #expect(differences == [], "step \(place)")
    let told = told
    let replies = try read()
    #expect(self.told == told, "step \(place) told of what was taken back")
    var isRefused = false
    for id in ids {
      let reply = replies.first { $0["id"]?.integer == id }
      #expect(reply != nil, "step \(place): a call is not answered")
      if reply?["error"]?["code"]?.integer == -32006 { isRefused = true }
    }
    #expect(isRefused == !ids.isEmpty, "step \(place)")
    // What was kept is written, and a second later the store is found to be well.
    bench.pass(milliseconds: 1000)
    bench.pass(milliseconds: 1000)
    _ = try read()
    if !ids.isEmpty { try take(step) }
    return true
  }

  /// Does what a step says, and runs a turn.
  ///
  /// - Returns: The ids of the calls that were made.
  private func act(_ step: Scenario.Step) -> [Int64] {
    var ids: [Int64] = []
    switch step {
    case .say(let client, let isBatch, let calls):
      var texts: [String] = []
      for call in calls {
        let (text, id) = bench.line(call.method, call.params(notes))
        texts.append(isBatch ? String(text.dropLast()) : text)
        ids.append(id)
      }
      let text = isBatch ? "[" + texts.joined(separator: ",") + "]\n" : texts.joined()
      clients[client].send(text)
      bench.turn()
    case .answer(let failure):
      bench.upstream.answer { request in
        failure.map { .failure($0) } ?? SampleUpstream.answer(request, isSurcharged: false)
      }
      bench.turn()
    case .pass(let span): bench.pass(milliseconds: span)
    }
    return ids
  }

  /// Reads what every client was sent, and notes what later calls need.
  ///
  /// - Returns: The replies.
  private mutating func read() throws -> [Value] {
    var replies: [Value] = []
    for (place, client) in clients.enumerated() {
      for line in try client.readLines() {
        for message in line.array ?? [line] {
          if message["id"] != nil {
            note(message["result"])
            replies.append(message)
          } else if place == 0 {
            told.append(message["method"]?.string ?? "")
            if let id = message["params"]?["decisionId"] { notes.decisionID = id }
          }
        }
      }
    }
    return replies
  }

  private mutating func note(_ result: Value?) {
    if let id = result?["componentId"] { notes.componentID = id }
    if let id = result?["checkoutId"] { notes.checkoutID = id }
    if let first = result?["checkouts"]?.array?.first?["checkoutId"] { notes.checkoutID = first }
  }

  /// What it all came to, without ids and times.
  mutating func ending() throws -> [String] {
    var lines = bench.upstream.sent.map { "> \($0.request.name)" }
    let client = try bench.connect(as: 0, isAdministrator: true)
    let listed = try bench.call(client, "checkout.list", ["all": true]).result
    for checkout in listed?["checkouts"]?.array ?? [] {
      let words = ["state", "seq", "outcome"].map { checkout[$0]?.jsonText ?? "-" }
      lines.append(words.joined(separator: " ") + (checkout["payment"]?.jsonText ?? ""))
      let read = try bench.call(
        client, "events.read", ["checkoutId": checkout["checkoutId"] ?? .null, "limit": 1000])
      for event in read.result?["events"]?.array ?? [] {
        lines.append(
          "\(event["params"]?["seq"]?.jsonText ?? "") \(event["method"]?.string ?? "")")
      }
    }
    let status = try bench.call(client, "system.status").result
    lines.append("store " + (status?["store"]?["health"]?.string ?? "-"))
    lines.append("subscriptions " + (status?["subscriptions"]?.jsonText ?? "-"))
    lines.append("told " + told.joined(separator: " "))
    return lines
  }
}
