import Checkout
import Testing
import ValueTree

/// A state that has gone back in time: what has happened since is not known.
@Suite struct RestoredTests {
  static let unknown = "didFail unknown state-restored"

  /// What comes to a creation by itself ends, and what waits for the shopper's approval; the rest goes
  /// on.
  static let ending: Set<Stop> = [
    .patching, .deciding, .tokenizing, .creating, .creatingUnsent, .creatingUncertain,
    .collecting, .mandating,
  ]

  @Test(arguments: Stop.allCases)
  func `nothing is sent that could create`(stop: Stop) throws {
    var bench = Bench(at: stop)
    let lines = try bench.restart(after: Sample.second, isRestored: true)
    #expect(!lines.contains { $0.hasPrefix("> create") || $0.hasPrefix("> tokenize") })
    #expect(lines.contains { $0.hasPrefix(Self.unknown) } == Self.ending.contains(stop))
    for timer in bench.timers.keys.filter({ $0.name == "repeat" }) { bench.fire(timer) }
    #expect(!bench.inFlight.contains { ["create", "tokenize"].contains($0.request.name) })
  }

  /// The state that was lost may have cancelled the payment, and made the session's next one.
  @Test(arguments: [Stop.collecting, .mandating])
  func `no mandate is accepted of a payment that may have been cancelled`(stop: Stop) throws {
    var bench = Bench(at: stop)
    let lines = try bench.restart(isRestored: true)
    #expect(lines.contains("\(Self.unknown) pay-1 PENDING"), "\(lines)")
    #expect(bench.call(.decideMandate(isAccepted: true)) == ["! checkout-ended"])
    #expect(bench.inFlight.isEmpty)
  }

  /// A path as the model prints it where the copy goes on to the mandate: the session comes to two
  /// payments, the first by the copy's mandate, the second since the record says that the first was
  /// cancelled.
  @Test func `a copy that was restored leaves the session its second payment alone`() throws {
    var bench = Bench(Sample.settings)
    bench.answer("configuration", .configuration(Sample.configuration))
    bench.call(.provide(manager: .ach, paymentMethodType: "STRIPE_ACH"))
    bench.call(.start)
    bench.answer("actions", .configuration(Sample.configuration))
    bench.call(.update(["firstName": "Grace"]))
    bench.call(.submit)
    bench.answer("actions", .configuration(Sample.configuration))
    bench.answer("tokenize", .instrument(Sample.instrument))
    bench.answer("create", Sample.payment(.pending, id: "pay-1", action: Sample.achToken))
    let copied5 = bench.checkout
    bench.call(.cancel(reason: nil))
    var second = Bench(Sample.settings)
    second.answer("configuration", .configuration(Sample.configuration))
    second.call(.provide(manager: .ach, paymentMethodType: "STRIPE_ACH"))
    second.call(.start)
    second.answer("actions", .configuration(Sample.configuration))
    second.call(.update(["firstName": "Grace"]))
    second.call(.submit)
    second.answer("actions", .configuration(Sample.configuration))
    second.answer("tokenize", .instrument(Sample.instrument))
    second.fail("create", Sample.keyUsed("PENDING"), isSettledHere: true)
    try bench.restart(as: copied5.restored(), isRestored: true)
    #expect(bench.checkout.outcome == .unknown)
    let report = BankAccountReport.succeeded
    #expect(bench.call(.reportBankAccount(report)) == ["! checkout-ended"])
    #expect(second.inFlight.map(\.request.name) == ["create"])
  }

  /// One that was begun after the restore is this state's own, over restarts too.
  @Test func `a mandate that is asked for after the restore is waited for`() throws {
    var bench = Bench()
    bench.start()
    bench.startACH()
    try bench.restart(isRestored: true)
    bench.call(.submit)
    bench.answer("tokenize", .instrument(Sample.instrument))
    bench.answer("create", Sample.payment(.pending, action: Sample.achToken))
    bench.call(.reportBankAccount(.succeeded))
    try bench.restart()
    bench.call(.decideMandate(isAccepted: true))
    bench.answer("complete", .acknowledged)
    #expect(bench.checkout.outcome == .pending)
  }

  /// Under a key of its own, or in vain: what has been forgotten may have made another payment.
  @Test(arguments: ["key-a", nil])
  func `where clients choose keys upstream's word about one payment is not the last`(
    key: String?
  ) throws {
    var bench = Bench(Sample.decidingSettings)
    bench.start()
    bench.provideBanks()
    bench.call(.start)
    bench.answer("banks", .banks(Sample.banks))
    bench.choose("0")
    try bench.restart(isRestored: true)
    bench.call(.submit)
    bench.call(.decide(id: "d1", .continue(idempotencyKey: key)))
    bench.answer("tokenize", .instrument(Sample.instrument))
    bench.answer("create", Sample.payment(.failed))
    #expect(bench.eventLines.last == "\(Self.unknown) pay-1 FAILED")
  }

  @Test(arguments: Stop.allCases)
  func `what would be failed or cancelled on its own judgement is unknown`(stop: Stop) throws {
    guard stop != .ended else { return }
    var cancelled = Bench(at: stop)
    try cancelled.restart(isRestored: true)
    if !cancelled.checkout.isEnded { cancelled.call(.cancel(reason: nil)) }
    if cancelled.checkout.isEnded { #expect(cancelled.checkout.outcome == .unknown) }
    var expired = Bench(at: stop)
    try expired.restart(isRestored: true)
    // The next process knows it too.
    try expired.restart()
    for timer in [TimerID.expiry, .decision] where expired.timers[timer] != nil {
      expired.fire(timer)
    }
    if stop == .unselecting { expired.answer("actions", .configuration(Sample.surcharged)) }
    if expired.checkout.isEnded { #expect(expired.checkout.outcome == .unknown) }
    #expect(expired.checkout.isEnded || stop != .unselecting)
  }

  @Test func `what upstream says of the payment is believed`() throws {
    for (name, stop) in [("resume", Stop.resuming), ("poll", .polling)] {
      var bench = Bench(at: stop)
      try bench.restart(isRestored: true)
      if name == "poll" { bench.answer("poll", .redirectStatus(.complete(resumeToken: "r"))) }
      if name == "resume" { bench.fireRepeat() }
      bench.answer("resume", Sample.payment(.failed))
      #expect(bench.eventLines.last == "didFail failed failed-to-resume-payment pay-1 FAILED")
    }
  }

  @Test func `a start that is refused is not taken back`() throws {
    var bench = Bench(at: .starting)
    try bench.restart(isRestored: true)
    bench.fail("configuration", Sample.refusal())
    #expect(bench.eventLines.last == Self.unknown)
    #expect(!bench.lines.contains("# removed"))
  }

  @Test func `a restored copy submits, and finds the order paid`() throws {
    var bench = Bench(at: .chosen)
    try bench.restart(isRestored: true)
    bench.call(.submit)
    bench.answer("tokenize", .instrument(Sample.instrument))
    #expect(bench.fail("create", Sample.keyUsed("SUCCESS")).contains { $0.contains("success") })
    #expect(bench.checkout.paymentValue?["existing"] == true)
    // Its tokenization alone proves nothing.
    bench = Bench(at: .chosen)
    try bench.restart(isRestored: true)
    bench.call(.submit)
    bench.fail("tokenize", Sample.refusal())
    #expect(bench.eventLines.last == Self.unknown)
  }
}
