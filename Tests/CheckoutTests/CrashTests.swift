import Checkout
import Testing
import ValueTree

/// The process ends after each of the inputs of each flow, and the next one goes on.
@Suite struct CrashTests {
  /// A flow, and whether upstream carried out what was under way at the end of the process.
  private static let cases = Flow.allCases.flatMap { flow in [(flow, false), (flow, true)] }

  @Test(arguments: Flow.allCases)
  func `an undisturbed flow completes`(flow: Flow) {
    var drive = Drive(flow)
    drive.finish()
    #expect(drive.bench.checkout.outcome?.isCompletion == true)
    #expect(drive.bench.lines.contains { $0.hasPrefix("> ") })
  }

  @Test(arguments: cases)
  func `a crash after any input leaves one payment and one end`(
    flow: Flow, isCarriedOut: Bool
  ) throws {
    for point in 0..<inputCount(of: flow) {
      var drive = Drive(flow)
      for _ in 0..<point { drive.step() }
      let lost = try crash(&drive, isCarriedOut)
      drive.finish()
      check(drive, lost: lost, "after \(point) inputs")
    }
  }

  @Test(arguments: cases)
  func `so do two crashes after any two inputs`(flow: Flow, isCarriedOut: Bool) throws {
    let count = inputCount(of: flow)
    for first in 0..<count {
      for second in 0...count - first {
        var drive = Drive(flow)
        for _ in 0..<first { drive.step() }
        var lost = try crash(&drive, isCarriedOut)
        for _ in 0..<second { drive.step() }
        if drive.bench.checkout.isEnded { break }
        lost.formUnion(try crash(&drive, isCarriedOut))
        drive.finish()
        check(drive, lost: lost, "after \(first) and \(second) inputs")
      }
    }
  }

  private func inputCount(of flow: Flow) -> Int {
    var drive = Drive(flow)
    var count = 0
    while !drive.bench.checkout.isEnded, count < 200 {
      drive.step()
      count += 1
    }
    return count
  }

  /// Ends the process, and says what was carried out without anybody having heard of it.
  private func crash(_ drive: inout Drive, _ isCarriedOut: Bool) throws -> Set<String> {
    let underWay = Set(drive.bench.inFlight.map(\.request.name))
    if isCarriedOut { drive.loseAnswers() }
    try drive.bench.restart(after: 20 * Sample.second)
    return isCarriedOut ? underWay : []
  }

  private func check(_ drive: Drive, lost: Set<String>, _ place: Comment) {
    let bench = drive.bench
    #expect(bench.checkout.isEnded, place)
    #expect(drive.keys.count <= 1, place)
    #expect(bench.events.count { $0.isTerminal } == 1, place)
    #expect(bench.events.last?.isTerminal == true, place)
    #expect(bench.checkout.seq == Int64(bench.events.count), place)
    #expect(bench.checkout.snapshot["seq"] == .integer(bench.checkout.seq), place)
    // Only an answer about money that is lost for good leaves anything unknown.
    let isMoneyLost = !lost.isDisjoint(with: ["create", "resume", "complete"])
    let outcome = bench.checkout.outcome
    #expect(isMoneyLost ? outcome == .unknown : outcome?.isCompletion == true, place)
    // A payment of the client's backend is not known here.
    if outcome == .unknown, bench.checkout.settings.paymentHandling == .auto {
      #expect(bench.events.last?["payment"]?["id"] == "pay-1", place)
    }
  }
}
