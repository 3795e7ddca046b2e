import Checkout
import Testing
import ValueTree

@testable import CheckoutServer
@testable import CheckoutStore

/// Whether upstream is asked is kept, and is what was last committed.
@Suite struct QuestionsTests {
  private func status(_ bench: ServerBench, _ client: TestClient) throws -> Value? {
    try bench.call(client, "system.status").result?["questions"]
  }

  @Test func `the alarm is taken up, and a reset that cannot be written is none`() throws {
    let bench = try ServerBench()
    bench.backend.begin(isPayment: true)
    bench.backend.setNote(.questionsStopper, to: "co_000000000000002a")
    try bench.backend.commit()
    try bench.restart()
    let client = try bench.connect(as: 0, isAdministrator: true)
    let stopped: Value = ["asked": false, "stoppedBy": "co_000000000000002a"]
    #expect(try status(bench, client) == stopped)
    bench.backend.isFailing = true
    #expect(try bench.call(client, "system.allowQuestions").code == -32006)
    #expect(try status(bench, client) == stopped)
    bench.backend.isFailing = false
    for _ in 0..<3 { bench.pass(milliseconds: 1000) }
    let commits = bench.backend.commits.count
    #expect(try bench.call(client, "system.allowQuestions").result == .object([]))
    #expect(bench.backend.commits[commits...] == [true])
    try bench.restart()
    let other = try bench.connect(as: 0, isAdministrator: true)
    #expect(try status(bench, other) == ["asked": true])
  }
}
