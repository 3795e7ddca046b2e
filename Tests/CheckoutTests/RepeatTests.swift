import Checkout
import Testing
import ValueTree

/// An operation that moves no money: where it is under way, and the last line when it is given up.
struct HarmlessRow: Sendable, CustomTestStringConvertible {
  let stop: Stop
  let name: String
  /// The last line, with `*` for the error that names the failure.
  let end: String

  var testDescription: String { "\(stop) \(name)" }
}

@Suite struct RepeatTests {
  static let harmless = [
    HarmlessRow(stop: .starting, name: "configuration", end: "! *"),
    HarmlessRow(stop: .startingComponent, name: "banks", end: "! banks-fetch-failed"),
    HarmlessRow(stop: .startingACH, name: "actions", end: "! failed-to-create-session"),
    HarmlessRow(stop: .patching, name: "actions", end: "error failed-to-create-session"),
    HarmlessRow(stop: .tokenizing, name: "tokenize", end: "# ended failed"),
    HarmlessRow(stop: .validating, name: "validate", end: "! * /clientToken"),
  ]

  static let passing: [(OperationFailure, String)] = [
    (Sample.failure(.notSent), "network-failed-after-retries"),
    (Sample.failure(.timedOut), "network-failed-after-retries"),
    (Sample.failure(.interrupted), "network-failed-after-retries"),
    (Sample.refusal(408), "server-error"), (Sample.status(425), "server-error"),
    (Sample.refusal(429), "server-error"), (Sample.status(500), "server-error"),
    (Sample.refusal(503), "server-error"),
  ]

  static let final: [(OperationFailure, String)] = [
    (Sample.failure(.undecodable), "failed-to-decode"),
    (Sample.failure(.notAllowed), "upstream-not-allowed"), (Sample.refusal(400), "server-error"),
    (Sample.status(401), "unauthorized"), (Sample.status(404), "server-error"),
    (Sample.status(302), "invalid-response"), (Sample.refusal(202), "server-error"),
  ]

  @Test(arguments: harmless, passing)
  func `what may pass is repeated eight times, ever later`(
    row: HarmlessRow, failure: (OperationFailure, String)
  ) {
    var bench = Bench(at: row.stop)
    let operation = bench.sent.last
    for number in 0..<8 {
      let lines = bench.fail(row.name, failure.0)
      let delay = lines.first?.split(separator: " ").last.flatMap { Milliseconds($0) } ?? 0
      let least: Milliseconds = 100 << Milliseconds(number)
      #expect(lines.count == 1)
      #expect((least..<least + 100).contains(delay), "\(lines)")
      #expect(bench.fireRepeat().count == 1)
      #expect(bench.sent.last == operation, "id, request id and body stay")
    }
    let end = bench.fail(row.name, failure.0).last
    #expect(end == row.end.replacing("*", with: failure.1))
  }

  @Test(arguments: harmless, final)
  func `what cannot pass is not repeated`(
    row: HarmlessRow, failure: (OperationFailure, String)
  ) {
    if row.stop == .validating { return }  // ManualHandlingTests has these.
    var bench = Bench(at: row.stop)
    #expect(bench.fail(row.name, failure.0).last == row.end.replacing("*", with: failure.1))
    #expect(!bench.timers.keys.contains { $0.name == "repeat" })
  }

  @Test(
    arguments: [(50, 100), (5000, 5000), (.max, 60_000)] as [(Milliseconds, Milliseconds)])
  func `Retry-After counts, up to a minute`(asked: Milliseconds, least: Milliseconds) {
    var bench = Bench(at: .starting)
    let line = bench.fail("configuration", Sample.status(429, retryAfter: asked)).first ?? ""
    let delay = line.split(separator: " ").last.flatMap { Milliseconds($0) } ?? 0
    #expect((least..<least + 100).contains(delay))
  }

  @Test func `an answer after repeats is as good as any`() {
    var bench = Bench(at: .tokenizing)
    bench.fail("tokenize", Sample.failure(.timedOut))
    bench.fireRepeat()
    #expect(bench.answer("tokenize", .instrument(Sample.instrument)).last == "> create tok-1")
  }

  @Test func `a repeat that is due after its operation has ended sends nothing`() {
    var bench = Bench(at: .tokenizing)
    bench.fail("tokenize", Sample.failure(.timedOut))
    let timers = bench.timers.keys.filter { $0.name == "repeat" }
    bench.call(.cancel(reason: nil))
    #expect(bench.timers.isEmpty)
    for timer in timers { #expect(bench.handle(.timerFired(timer)).isEmpty) }
    #expect(bench.handle(.timerFired(.repeat(99))).isEmpty)
    #expect(bench.handle(.operationFinished(99, .success(.acknowledged))).isEmpty)
  }
}

@Suite struct PaymentRepeatTests {
  static let failed = "step webRedirect failure"

  private func key(_ operation: Operation?) -> String? {
    if case .createPayment(_, let key)? = operation?.request { return key }
    return nil
  }

  // MARK: Creation

  static let certain: [(OperationFailure, String)] = [
    (Sample.refusal(400), "server-error"), (Sample.refusal(401), "unauthorized"),
    (Sample.refusal(422), "server-error"), (Sample.refusal(429), "server-error"),
    (Sample.failure(.notAllowed), "upstream-not-allowed"),
  ]

  @Test(arguments: certain)
  func `a creation that was refused for certain failed`(failure: OperationFailure, id: String) {
    var bench = Bench(at: .creating)
    #expect(
      bench.fail("create", failure) == [Self.failed, "didFail failed \(id)", "# ended failed"])
  }

  @Test func `a creation that never left is tried again, and failed in the end`() {
    var bench = Bench(at: .creating)
    let operation = bench.sent.last
    for _ in 0..<8 {
      bench.fail("create", Sample.failure(.notSent))
      bench.fireRepeat()
      #expect(bench.sent.last == operation)
    }
    #expect(
      bench.fail("create", Sample.failure(.notSent)) == [
        Self.failed, "didFail failed network-failed-after-retries", "# ended failed",
      ])
    #expect(bench.now - Sample.now < 27_000)
  }

  static let uncertain = [
    Sample.failure(.timedOut), Sample.failure(.interrupted), Sample.failure(.undecodable),
    Sample.status(500), Sample.refusal(503), Sample.status(302), Sample.status(404),
    Sample.refusal(202),
  ]

  @Test(arguments: uncertain)
  func `a creation that may have been done is repeated after its time-out with its key`(
    failure: OperationFailure
  ) {
    var bench = Bench(at: .creating)
    let operation = bench.sent.last
    bench.now += 40_000
    for number in 0..<3 {
      let lines = bench.fail("create", failure)
      #expect(lines == ["@ repeat \(number == 0 ? 60_000 : 100_000)"])
      #expect(bench.fireRepeat() == ["> create tok-1"])
      #expect(bench.sent.last == operation)
    }
    #expect(
      bench.fail("create", failure) == [
        Self.failed, "didFail unknown outcome-unknown", "# ended unknown",
      ])
  }

  @Test func `a creation that timed out is repeated a second later`() {
    var bench = Bench(at: .creating)
    bench.now += 100_000
    #expect(bench.fail("create", Sample.failure(.timedOut)) == ["@ repeat 1000"])
  }

  @Test(arguments: [Sample.refusal(400), Sample.refusal(404), Sample.refusal(429)])
  func `a refusal of a repeated creation leaves it unknown`(failure: OperationFailure) {
    var bench = Bench(at: .creatingUncertain)
    bench.fireRepeat()
    #expect(
      bench.fail("create", failure) == [
        Self.failed, "didFail unknown outcome-unknown", "# ended unknown",
      ])
  }

  @Test func `a repeat that never left still waits for the time-out`() {
    var bench = Bench(at: .creatingUncertain)
    bench.fireRepeat()
    #expect(bench.fail("create", Sample.failure(.notSent)) == ["@ repeat 100000"])
  }

  @Test func `a repeated creation may be answered as if it were the first`() {
    var bench = Bench(at: .creatingUncertain)
    bench.fireRepeat()
    #expect(
      bench.answer("create", Sample.payment(.pending, action: Sample.redirectToken)) == [
        "step webRedirect loaded", "> poll",
      ])
  }

  static let used: [(String?, [String])] = [
    ("SUCCESS", ["step webRedirect success", "didCompleteCheckout success pay-1 SUCCESS"]),
    ("FAILED", [failed, "didFail failed payment-failed pay-1 FAILED"]),
    ("PENDING", [failed, "didFail unknown outcome-unknown pay-1 PENDING"]),
    ("SETTLED", ["step webRedirect success", "didCompleteCheckout success pay-1 SETTLED"]),
    ("DECLINED", [failed, "didFail failed payment-failed pay-1 DECLINED"]),
    ("NEW", [failed, "didFail unknown outcome-unknown pay-1 NEW"]),
    (nil, [failed, "didFail unknown outcome-unknown pay-1"]),
  ]

  @Test(arguments: used)
  func `a key that was used decides by the payment's status`(status: String?, lines: [String]) {
    for stop in [Stop.creating, .creatingUncertain] {
      var bench = Bench(at: stop)
      if stop == .creatingUncertain { bench.fireRepeat() }
      #expect(bench.fail("create", Sample.keyUsed(status)).dropLast() == lines[...])
    }
  }

  @Test func `what a broken answer still told of the payment is kept`() {
    var bench = Bench(at: .creating)
    var failure = Sample.failure(.undecodable)
    failure.payment = Payment(id: "pay-7", orderID: "o-7", status: "PENDING")
    bench.fail("create", failure)
    #expect(
      bench.checkout.paymentValue == ["id": "pay-7", "orderId": "o-7", "status": "PENDING"])
    bench.fireRepeat()
    #expect(
      bench.fail("create", Sample.refusal(404)).contains(
        "didFail unknown outcome-unknown pay-7 PENDING"))
  }

  // MARK: Resumption and completion

  static let later: [(Stop, String)] = [(.resuming, "resume"), (.completing, "complete")]
  static let repeated = uncertain + [Sample.failure(.notSent), Sample.refusal(429)]

  @Test(arguments: later, repeated)
  func `a resumption or completion is repeated five times over two minutes`(
    row: (stop: Stop, name: String), failure: OperationFailure
  ) {
    var bench = Bench(at: row.stop)
    let operation = bench.sent.last
    for delay in [1000, 5000, 15_000, 30_000, 60_000] {
      #expect(bench.fail(row.name, failure) == ["@ repeat \(delay)"])
      #expect(bench.fireRepeat().count == 1)
      #expect(bench.sent.last == operation)
    }
    #expect(bench.fail(row.name, failure).last == "# ended unknown")
    #expect(bench.events.last?["payment"]?["id"] == "pay-1")
  }

  @Test(arguments: later)
  func `a first refusal is certain, the refusal of a repeat is not`(stop: Stop, name: String) {
    var bench = Bench(at: stop)
    let id = name == "resume" ? "failed-to-resume-payment" : "server-error"
    #expect(
      bench.fail(name, Sample.refusal()).contains("didFail failed \(id) pay-1 PENDING"))
    bench = Bench(at: stop)
    bench.fail(name, Sample.failure(.timedOut))
    bench.fireRepeat()
    #expect(
      bench.fail(name, Sample.refusal()).contains("didFail unknown outcome-unknown pay-1 PENDING"))
    bench = Bench(at: stop)
    #expect(
      bench.fail(name, Sample.failure(.notAllowed)).contains(
        "didFail unknown outcome-unknown pay-1 PENDING"))
  }

  @Test func `a resumption's broken answer tells the payment's latest status`() {
    var bench = Bench(at: .resuming)
    var failure = Sample.failure(.undecodable)
    failure.payment = Payment(id: "pay-1", status: "SUCCESS")
    bench.fail("resume", failure)
    #expect(bench.checkout.paymentValue?["status"] == "SUCCESS")
    #expect(bench.checkout.paymentValue?["orderId"] == "o-1")
  }
}
