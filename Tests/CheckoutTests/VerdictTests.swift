import Checkout
import Testing

/// One row of the verdict table, for the answers to a creation and to a resumption.
struct VerdictRow: Sendable, CustomTestStringConvertible {
  let scenario: String
  let outcome: PaymentResponse.CheckoutOutcome
  let id: String?
  let status: PaymentResponse.Status
  let shows: Bool
  /// How the checkout ends after a creation.
  let create: String
  /// How the checkout ends after a resumption; the payment's id is known from before.
  let resume: String

  init(
    _ scenario: String, _ outcome: PaymentResponse.CheckoutOutcome, id: String?,
    _ status: PaymentResponse.Status, shows: Bool = false, create: String, resume: String
  ) {
    self.scenario = scenario
    self.outcome = outcome
    self.id = id
    self.status = status
    self.shows = shows
    self.create = create
    self.resume = resume
  }

  var testDescription: String {
    "\(scenario) \(outcome.rawValue) \(id ?? "no id") \(status.rawValue) \(shows ? "shows" : "")"
  }
}

@Suite struct VerdictTests {
  static let created = "didFail failed payment-failed pay-1 FAILED"
  static let resumed = "didFail failed failed-to-resume-payment pay-1 FAILED"

  static func ok(_ outcome: String, _ status: String, id: String? = "pay-1") -> String {
    (["didCompleteCheckout", outcome] + [id].compactMap(\.self) + [status]).joined(separator: " ")
  }

  /// A failure that names a payment that is pending or made: nobody may be told to pay again.
  static func open(_ error: String, _ status: String, id: String? = "pay-1") -> String {
    (["didFail unknown", error] + [id].compactMap(\.self) + [status]).joined(separator: " ")
  }

  static let rows = [
    VerdictRow(
      "S129 S142", .complete, id: "pay-1", .success, create: ok("success", "SUCCESS"),
      resume: ok("success", "SUCCESS")),
    VerdictRow(
      "contrary", .complete, id: "pay-1", .failed, create: open("payment-failed", "FAILED"),
      resume: open("failed-to-resume-payment", "FAILED")),
    VerdictRow(
      "later", .complete, id: "pay-1", .pending, create: ok("pending", "PENDING"),
      resume: ok("pending", "PENDING")),
    VerdictRow(
      "even nil", .complete, id: nil, .success, create: ok("success", "SUCCESS", id: nil),
      resume: ok("success", "SUCCESS")),
    VerdictRow("S130 S143", .failure, id: "pay-1", .failed, create: created, resume: resumed),
    VerdictRow(
      "S130 S143", .failure, id: "pay-1", .success, create: open("payment-failed", "SUCCESS"),
      resume: open("failed-to-resume-payment", "SUCCESS")),
    VerdictRow(
      "any status", .failure, id: "pay-1", .pending, create: open("payment-failed", "PENDING"),
      resume: open("failed-to-resume-payment", "PENDING")),
    VerdictRow(
      "any status", .failure, id: "pay-1", .pending, shows: true,
      create: open("payment-failed", "PENDING"),
      resume: open("failed-to-resume-payment", "PENDING")),
    VerdictRow(
      "S124 S137", .determineFromPaymentStatus, id: nil, .success,
      create: open("payment-failed", "SUCCESS", id: nil),
      resume: open("failed-to-resume-payment", "SUCCESS")),
    VerdictRow(
      "no id", .determineFromPaymentStatus, id: nil, .pending, shows: true,
      create: open("payment-failed", "PENDING", id: nil),
      resume: open("failed-to-resume-payment", "PENDING")),
    VerdictRow(
      "no id", .determineFromPaymentStatus, id: nil, .failed,
      create: "didFail failed payment-failed FAILED", resume: resumed),
    VerdictRow(
      "S126 S132 S139 S145", .determineFromPaymentStatus, id: "pay-1", .failed, create: created,
      resume: resumed),
    VerdictRow(
      "shows nothing", .determineFromPaymentStatus, id: "pay-1", .failed, shows: true,
      create: created, resume: resumed),
    VerdictRow(
      "S125 S131 S138 S144", .determineFromPaymentStatus, id: "pay-1", .success,
      create: ok("success", "SUCCESS"), resume: ok("success", "SUCCESS")),
    VerdictRow(
      "S127 S133 S140 S146", .determineFromPaymentStatus, id: "pay-1", .pending,
      create: ok("pending", "PENDING"), resume: open("failed-to-resume-payment", "PENDING")),
    VerdictRow(
      "S128 S134 S141 S147", .determineFromPaymentStatus, id: "pay-1", .pending, shows: true,
      create: ok("pending", "PENDING"), resume: ok("pending", "PENDING")),
  ]

  /// The words of a payment's life cycle, and what becomes of a checkout whose money a bank debits
  /// and of any other.
  static let words: [(word: String, debit: String, other: String)] = [
    ("SUCCESS", "success", "success"), ("AUTHORIZED", "success", "success"),
    ("PARTIALLY_SETTLED", "success", "success"), ("SETTLED", "success", "success"),
    ("SETTLING", "pending", "success"), ("PENDING", "pending", "pending"),
    ("FAILED", "failed", "failed"), ("DECLINED", "failed", "failed"),
    ("CANCELLED", "failed", "failed"), ("REVERSED", "unknown", "unknown"),
    ("success", "unknown", "unknown"),
  ]

  /// A checkout whose payment is being created.
  static func creating(byDebit isDebit: Bool) -> Bench {
    guard isDebit else { return Bench(at: .creating) }
    var bench = Bench()
    bench.start()
    bench.startACH()
    bench.call(.submit)
    bench.answer("tokenize", .instrument(Sample.instrument))
    return bench
  }

  @Test(arguments: words)
  func `a word decides, and is told as it was received`(
    row: (word: String, debit: String, other: String)
  ) {
    for (isDebit, outcome) in [(false, row.other), (true, row.debit)] {
      var bench = Self.creating(byDebit: isDebit)
      let lines = bench.answer("create", Sample.payment(.init(rawValue: row.word)))
      let event = outcome == "success" || outcome == "pending" ? "didCompleteCheckout" : "didFail"
      let ending = lines.first { $0.hasPrefix("\(event) \(outcome) ") }
      #expect(ending?.hasSuffix("pay-1 \(row.word)") == true, "\(lines)")
    }
  }

  @Test(arguments: words)
  func `a used key's word decides too`(row: (word: String, debit: String, other: String)) {
    for (isDebit, outcome) in [(false, row.other), (true, row.debit)] {
      var bench = Self.creating(byDebit: isDebit)
      bench.fail("create", Sample.failure(.timedOut))
      bench.fireRepeat()
      let lines = bench.fail("create", Sample.keyUsed(row.word))
      let isKnown = outcome != "pending" || row.word == "SETTLING"
      let expected = isKnown ? outcome : "unknown"
      #expect(lines.contains { $0.contains(" \(expected) ") && $0.hasSuffix(row.word) }, "\(lines)")
    }
  }

  @Test func `an unknown word is never answered by sending a one-time resume again`() {
    var bench = Bench(at: .resuming)
    let lines = bench.answer("resume", Sample.payment(.init(rawValue: "REVERSED")))
    #expect(lines.contains("didFail unknown outcome-unknown pay-1 REVERSED"), "\(lines)")
    #expect(!lines.contains { $0.hasPrefix("> resume") })
  }

  @Test func `a complete checkout needs no word`() {
    var bench = Bench(at: .creating)
    let lines = bench.answer("create", Sample.payment(nil, .complete))
    #expect(lines.contains("didCompleteCheckout success pay-1"), "\(lines)")
  }

  @Test(arguments: rows)
  func `the answer to a creation is judged as in the table`(row: VerdictRow) {
    var bench = Bench(at: .creating)
    let lines = bench.answer(
      "create", Sample.payment(row.status, id: row.id, row.outcome, shows: row.shows))
    let isCompletion = row.create.hasPrefix("didComplete")
    let word = row.create.split(separator: " ")[1]
    #expect(
      lines == [
        "step webRedirect " + (isCompletion ? "success" : "failure"), row.create, "# ended \(word)",
      ])
  }

  @Test(arguments: rows)
  func `the answer to a resumption is judged as in the table`(row: VerdictRow) {
    var bench = Bench(at: .resuming)
    let lines = bench.answer(
      "resume", Sample.payment(row.status, id: row.id, row.outcome, shows: row.shows))
    #expect(lines.contains(row.resume), "\(lines)")
  }

  /// Whatever fails, an action is not followed; whatever does not, it is.
  @Test(arguments: rows)
  func `a required action is followed unless the answer is a failure`(row: VerdictRow) {
    var bench = Bench(at: .creating)
    let lines = bench.answer(
      "create",
      Sample.payment(
        row.status, id: row.id, row.outcome, shows: row.shows, action: Sample.redirectToken))
    if row.create.hasPrefix("didFail") {
      #expect(lines.contains(row.create))
    } else {
      #expect(lines == ["step webRedirect loaded", "> poll"])
    }
  }

  /// The reference ignores it.
  @Test func `a required action in a resumption's answer is followed`() {
    var bench = Bench(at: .resuming)
    let lines = bench.answer(
      "resume", Sample.payment(.pending, shows: true, action: Sample.redirectToken))
    #expect(lines == ["step webRedirect loaded", "> poll"])
  }
}
