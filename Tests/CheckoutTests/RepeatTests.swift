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

  /// Lets what never leaves fail until it is given up: when that is, and how often it was tried.
  private func exhaust(
    _ bench: inout Bench, _ name: String, _ failure: OperationFailure
  ) -> (span: Milliseconds, count: Int, longest: Milliseconds) {
    let start = bench.now
    let operation = bench.sent.last
    var count = 0
    var longest: Milliseconds = 0
    while !bench.checkout.isEnded, count < 5000 {
      let before = bench.now
      bench.fail(name, failure)
      count += 1
      if bench.checkout.isEnded { break }
      #expect(bench.fireRepeat().count == 1)
      #expect(bench.sent.last == operation)
      longest = max(longest, bench.now - before)
    }
    return (bench.now - start, count, longest)
  }

  static let unsent = [Sample.failure(.notSent), Sample.failure(.untrusted)]

  @Test(arguments: unsent, [Stop.tokenizing, .creating])
  func `what never left is tried again for the attempt's span, and failed in the end`(
    failure: OperationFailure, stop: Stop
  ) {
    var bench = Bench(at: stop)
    let tried = exhaust(&bench, stop == .creating ? "create" : "tokenize", failure)
    #expect(tried.span == Spans().attempt, "the last try is at the end")
    #expect(tried.longest <= 30_100)
    #expect(tried.count > 15)
    #expect(
      bench.lines.suffix(3) == [
        Self.failed, "didFail failed network-failed-after-retries", "# ended failed",
      ])
  }

  @Test func `a tokenization that may pass is tried again as long`() {
    for failure in [Sample.status(503), Sample.failure(.timedOut), Sample.refusal(429)] {
      var bench = Bench(at: .tokenizing)
      #expect(exhaust(&bench, "tokenize", failure).span == Spans().attempt)
      #expect(bench.checkout.outcome == .failed)
    }
  }

  @Test func `the span ends with the token, and begins with a decision to go on`() {
    var token = Sample.token
    token.expiresAt = Sample.now + Sample.minute
    var bench = Bench(token: token)
    bench.start()
    bench.provideBanks()
    bench.call(.start)
    bench.answer("banks", .banks(Sample.banks))
    bench.choose("0")
    bench.call(.submit)
    #expect(exhaust(&bench, "tokenize", Sample.failure(.notSent)).span == Sample.minute)
    bench = Bench(at: .deciding)
    bench.now += 50 * Sample.second
    bench.call(.decide(id: "d1", .continue(idempotencyKey: nil)))
    #expect(exhaust(&bench, "tokenize", Sample.failure(.notSent)).span == Spans().attempt)
  }

  @Test(arguments: unsent + [Sample.failure(.notAllowed)], later)
  func `what a payment hangs on is tried until the token expires`(
    failure: OperationFailure, row: (stop: Stop, name: String)
  ) {
    var bench = Bench(at: row.stop)
    let left = Sample.now + Sample.hour - bench.now
    #expect(exhaust(&bench, row.name, failure).span == left)
    #expect(
      bench.lines.suffix(2) == [
        "didFail unknown outcome-unknown pay-1 PENDING", "# ended unknown",
      ])
  }

  @Test(arguments: later)
  func `two minutes without network cost nothing`(stop: Stop, name: String) {
    var bench = Bench(at: stop)
    while bench.now < Sample.now + 2 * Sample.minute {
      bench.fail(name, Sample.failure(.notSent))
      bench.fireRepeat()
    }
    // All five tries are still there.
    for delay in [1000, 5000, 15_000, 30_000, 60_000] {
      #expect(bench.fail(name, Sample.failure(.interrupted)) == ["@ repeat \(delay)"])
      bench.fireRepeat()
    }
    bench.answer(name, name == "resume" ? Sample.payment(.success) : .acknowledged)
    #expect(bench.checkout.outcome?.isCompletion == true)
  }

  /// What may still be at work upstream.
  static let atWork = [
    Sample.failure(.timedOut), Sample.failure(.interrupted), Sample.status(500),
    Sample.refusal(503), Sample.status(408), Sample.refusal(408),
  ]
  /// Whole answers that make no sense.
  static let senseless = [
    Sample.failure(.undecodable), Sample.status(302), Sample.status(404), Sample.status(403),
    Sample.status(429), Sample.refusal(202),
  ]
  static let uncertain = atWork + senseless

  @Test(arguments: atWork)
  func `a creation that may be at work is repeated after its time-out with its key`(
    failure: OperationFailure
  ) {
    var bench = Bench(at: .creating)
    let operation = bench.sent.last
    bench.now += 40_000
    // After the span no answer can come.
    for delay in [60_000, 100_000, 100_000] {
      #expect(bench.fail("create", failure) == ["@ repeat \(delay)"])
      #expect(bench.fireRepeat() == ["> create tok-1"])
      #expect(bench.sent.last == operation)
    }
    #expect(
      bench.fail("create", failure) == [
        Self.failed, "didFail unknown outcome-unknown", "# ended unknown",
      ])
    #expect(bench.now - Sample.now <= Spans().attempt)
  }

  @Test(arguments: senseless)
  func `an answer to a creation that makes no sense is asked for once more, a second later`(
    failure: OperationFailure
  ) {
    var bench = Bench(at: .creating)
    let operation = bench.sent.last
    #expect(bench.fail("create", failure) == ["@ repeat 1000"])
    #expect(bench.fireRepeat() == ["> create tok-1"])
    #expect(bench.sent.last == operation)
    var other = bench
    #expect(
      bench.fail("create", failure) == [
        Self.failed, "didFail unknown outcome-unknown", "# ended unknown",
      ])
    // What may be at work now is waited out all the same.
    #expect(other.fail("create", Sample.status(502)) == ["@ repeat 100000"])
  }

  @Test func `what left late is settled late`() {
    var bench = Bench(at: .creating)
    bench.now += 40_000
    var failure = Sample.failure(.interrupted)
    failure.elapsed = 10_000
    #expect(bench.fail("create", failure) == ["@ repeat 90000"])
  }

  @Test func `a word about the key that names no payment is no refusal, and is waited out once`() {
    var nameless = Sample.keyUsed(nil)
    nameless.payment = nil
    var unknown = Sample.refusal(409)
    unknown.speaksOfKey = true
    for failure in [nameless, unknown] {
      var bench = Bench(at: .creating)
      #expect(bench.fail("create", failure) == ["@ repeat 100000"])
      bench.fireRepeat()
      #expect(bench.fail("create", failure).contains("didFail unknown outcome-unknown"))
    }
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

  @Test func `a repeat that never left settles nothing`() {
    var bench = Bench(at: .creatingUncertain)
    bench.fireRepeat()
    _ = exhaust(&bench, "create", Sample.failure(.notSent))
    #expect(bench.lines.contains("didFail unknown outcome-unknown"))
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
  func `a key that was used decides by the payment's status, once it may be ours`(
    status: String?, lines: [String]
  ) {
    var bench = Bench(at: .creatingUncertain)
    bench.fireRepeat()
    #expect(bench.fail("create", Sample.keyUsed(status)).dropLast() == lines[...])
    #expect(bench.events.last?["payment"]?["existing"] == nil)
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
  static let repeated = uncertain + [Sample.refusal(429), Sample.refusal(425)]

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

  /// What the refusal's body names, and what that proves: the shopper has approved this payment.
  static let named: [(Payment?, String)] = [
    (nil, "unknown outcome-unknown pay-1 PENDING"),
    (Payment(id: "pay-1", status: "FAILED"), "failed * pay-1 FAILED"),
    (Payment(id: "pay-1", status: "DECLINED"), "failed * pay-1 DECLINED"),
    (Payment(id: "pay-1", status: "CANCELLED"), "failed * pay-1 CANCELLED"),
    (Payment(id: "pay-1", status: "PENDING"), "unknown outcome-unknown pay-1 PENDING"),
    (Payment(id: "pay-1", status: "SUCCESS"), "unknown outcome-unknown pay-1 SUCCESS"),
    (Payment(id: "pay-1"), "unknown outcome-unknown pay-1 PENDING"),
    (Payment(id: "pay-2", status: "FAILED"), "unknown outcome-unknown pay-1 PENDING"),
    (Payment(status: "FAILED"), "unknown outcome-unknown pay-1 PENDING"),
  ]

  @Test(arguments: later, named)
  func `a refused resumption or completion is unknown unless it names this payment as failed`(
    row: (stop: Stop, name: String), refusal: (payment: Payment?, end: String)
  ) {
    for (code, isRepeat) in [(400, false), (401, false), (404, false), (409, true)] {
      var bench = Bench(at: row.stop)
      if isRepeat {
        bench.fail(row.name, Sample.failure(.timedOut))
        bench.fireRepeat()
      }
      var failure = Sample.refusal(code)
      failure.payment = refusal.payment
      let id =
        row.name == "resume"
        ? "failed-to-resume-payment" : code == 401 ? "unauthorized" : "server-error"
      let end = "didFail " + refusal.end.replacing("*", with: id)
      let lines = bench.fail(row.name, failure)
      #expect(lines.contains(end), "\(lines)")
    }
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
