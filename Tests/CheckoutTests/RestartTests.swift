import Checkout
import Testing
import ValueTree

/// What a checkout does first when another process takes it up.
@Suite struct RestartTests {
  /// A place, how long the daemon was away, and what follows.
  struct Row: CustomTestStringConvertible {
    let stop: Stop
    let span: Milliseconds
    let lines: [String]

    init(_ stop: Stop, after span: Milliseconds = 10_000, _ lines: String...) {
      self.stop = stop
      self.span = span
      self.lines = lines
    }

    var testDescription: String { "\(stop) after \(span) ms" }
  }

  static let rows = [
    // Nothing was under way.
    Row(.ready, "@ expiry 7190000"),
    Row(.chosen, "@ expiry 7190000"),
    Row(.ready, after: 3 * Sample.hour, "@ expiry 0"),
    Row(.ended),
    // What may be repeated is sent again.
    Row(.starting, "@ expiry 7190000", "> configuration"),
    Row(.startingComponent, "@ expiry 7190000", "> banks cfg-ideal"),
    Row(.startingACH, "@ expiry 7190000", "> actions SELECT:STRIPE_ACH"),
    Row(.patching, "@ expiry 7190000", "> actions SELECT:ADYEN_IDEAL"),
    Row(.tokenizing, "> tokenize"),
    Row(.unselecting, "> actions UNSELECT"),
    // A creation waits until its key is settled, whenever that is.
    Row(.creating, "@ repeat 90000"),
    Row(.creating, after: 99_500, "@ repeat 1000"),
    Row(.creating, after: 200_000, "@ repeat 1000"),
    // One that waits already waits on, be it for a connection or for its key.
    Row(.creatingUncertain, "@ repeat 90000"),
    Row(.creatingUncertain, after: 200_000, "@ repeat 0"),
    // What the payment hangs on is repeated after a second, like after any lost answer.
    Row(.resuming, "@ repeat 1000"),
    Row(.resuming, after: Sample.hour, "@ repeat 1000"),
    Row(.resumingAgain, after: 0, "@ repeat 1000"),
    Row(.resumingAgain, "@ repeat 0"),
    Row(.completing, "@ repeat 1000"),
    // The status is asked for at once, however late.
    Row(.polling, "> poll"),
    Row(.betweenPolls, "> poll"),
    Row(.betweenPolls, after: 48 * Sample.hour, "> poll"),
    // A decision is open for a minute at least.
    Row(.deciding, "@ expiry 7190000", "@ decision 60000"),
    Row(.deciding, after: Sample.hour, "@ expiry 3600000", "@ decision 60000"),
    Row(.decidingAfterTokenization, "@ decision 590000"),
    Row(.decidingAfterTokenization, after: 9 * Sample.minute + 1, "@ decision 60000"),
    Row(.decidingAfterResume, after: 48 * Sample.hour, "@ decision 60000"),
    Row(.validating, "@ decision 590000", "> validate h.redirect.s"),
    Row(.validatingAfterResume, "@ decision 590000", "> validate h.redirect.s"),
    // The collector and the mandate wait for as long as their token holds.
    Row(.collecting, "@ expiry 3590000"),
    Row(.mandating, after: 2 * Sample.hour, "@ expiry 0"),
  ]

  @Test(arguments: rows)
  func `a checkout is taken up where it was`(row: Row) throws {
    var bench = Bench(at: row.stop)
    let state = bench.checkout.state
    let count = bench.events.count
    #expect(try bench.restart(after: row.span) == row.lines)
    #expect(bench.checkout.state == state)
    #expect(bench.events.count == count)
    #expect(bench.checkout.hasWorkToResume == row.changesMore)
  }

  @Test func `every place is among the rows`() {
    // The wait before an unsent creation is repeated is partly random.
    let known = Set(Self.rows.map(\.stop)).union([.creatingUnsent])
    #expect(known == Set(Stop.allCases))
  }

  @Test(arguments: [0, 50, Sample.minute])
  func `a creation that never left is repeated when it was to be`(span: Milliseconds) throws {
    var bench = Bench(at: .creatingUnsent)
    let due = try #require(bench.timers.values.min()) - bench.now
    #expect(try bench.restart(after: span) == ["@ repeat \(max(0, due - span))"])
    #expect(bench.fireRepeat() == ["> create tok-1"])
    bench.answer("create", Sample.payment(.success))
    #expect(bench.checkout.outcome == .success)
  }

  /// After an outage longer than the attempt's span nothing is started for a shopper who has left.
  static let late: [(Stop, String)] = [
    (.tokenizing, "didFail failed checkout-expired"),
    (.creating, "didFail unknown outcome-unknown"),
    (.creatingUncertain, "didFail unknown outcome-unknown"),
    // Nothing of it has ever left.
    (.creatingUnsent, "didFail failed network-failed-after-retries"),
  ]

  @Test(arguments: late, [Sample.hour, 5 * Sample.minute + 2 * Sample.second])
  func `an attempt whose span is over is given up`(
    row: (stop: Stop, end: String), span: Milliseconds
  ) throws {
    var bench = Bench(at: row.stop)
    let lines = try bench.restart(after: span)
    #expect(lines.contains(row.end), "\(lines)")
    #expect(!lines.contains { $0.hasPrefix("> ") })
    #expect(bench.timers.isEmpty)
  }

  @Test(arguments: [Stop.tokenizing, .creating])
  func `so is one whose token has expired`(stop: Stop) throws {
    var token = Sample.token
    token.expiresAt = Sample.now + 2 * Sample.minute
    var bench = Bench(token: token)
    bench.start()
    bench.provideBanks()
    bench.call(.start)
    bench.answer("banks", .banks(Sample.banks))
    bench.choose("0")
    bench.call(.submit)
    if stop == .creating { bench.answer("tokenize", .instrument(Sample.instrument)) }
    let lines = try bench.restart(after: 3 * Sample.minute)
    #expect(bench.checkout.isEnded)
    #expect(!lines.contains { $0.hasPrefix("> ") })
  }

  @Test(arguments: late)
  func `a timer that is hours late gives the attempt up as well`(stop: Stop, end: String) {
    guard stop != .tokenizing, stop != .creating else { return }
    var bench = Bench(at: stop)
    bench.now += 2 * Sample.hour
    let lines = bench.fireRepeat()
    #expect(lines.contains(end), "\(lines)")
    #expect(!lines.contains { $0.hasPrefix("> ") })
  }

  @Test(arguments: Stop.allCases)
  func `two restarts do no more than one`(stop: Stop) throws {
    var (once, twice) = (Bench(at: stop), Bench(at: stop))
    try twice.restart()
    try once.restart(after: 10 * Sample.second)
    try twice.restart(after: 10 * Sample.second)
    #expect(once.inFlight.map(\.request) == twice.inFlight.map(\.request))
    #expect(once.inFlight.map(\.requestID) == twice.inFlight.map(\.requestID))
    #expect(once.events == twice.events)
    #expect(Set(once.timers.keys) == Set(twice.timers.keys))
  }

  @Test(arguments: Stop.allCases)
  func `what is sent again is the same request`(stop: Stop) throws {
    var bench = Bench(at: stop)
    let before = bench.inFlight
    try bench.restart()
    for timer in bench.timers.keys {
      if case .repeat = timer { bench.fire(timer) }
    }
    for operation in before { #expect(bench.inFlight.contains(operation), "\(operation.request)") }
  }

  @Test func `a creation whose answer was lost is decided by its key`() throws {
    for (status, outcome) in [
      ("SUCCESS", Outcome.success), ("FAILED", .failed), ("PENDING", .unknown), (nil, .unknown),
    ] {
      var bench = Bench(at: .creating)
      try bench.restart(after: 10 * Sample.second)
      bench.fireRepeat()
      bench.fail("create", Sample.keyUsed(status))
      #expect(bench.checkout.outcome == outcome, "\(status ?? "none")")
      #expect(bench.events.last?["payment"]?["id"] == "pay-1")
    }
  }

  @Test(arguments: [Stop.resuming, .completing])
  func `a refusal of what was repeated is no refusal of the first`(stop: Stop) throws {
    var bench = Bench(at: stop)
    let name = try #require(bench.inFlight.first?.request.name)
    try bench.restart()
    bench.fireRepeat()
    bench.fail(name, Sample.refusal())
    #expect(bench.checkout.outcome == .unknown)
    #expect(bench.events.last?["payment"]?["id"] == "pay-1")
  }

  @Test func `a poll past its deadline is asked once more, and believed`() throws {
    for stop in [Stop.polling, .betweenPolls] {
      var done = Bench(at: stop)
      try done.restart(after: 48 * Sample.hour)
      done.answer("poll", .redirectStatus(.complete(resumeToken: "res-1")))
      done.answer("resume", Sample.payment(.success))
      #expect(done.checkout.outcome == .success)
      var pending = Bench(at: stop)
      try pending.restart(after: 48 * Sample.hour)
      for _ in 0..<2 where !pending.checkout.isEnded {
        pending.answer("poll", .redirectStatus(.pending))
      }
      #expect(pending.eventLines.last == "didFail unknown status-poll-timeout pay-1 PENDING")
    }
  }

  @Test func `a cancellation is not forgotten`() throws {
    var bench = Bench(at: .polling)
    bench.call(.cancel(reason: nil))
    #expect(try bench.restart() == ["> poll"])
    #expect(bench.checkout.state == .cancelling)
    bench.answer("poll", .redirectStatus(.pending))
    #expect(bench.eventLines.last == "didFail unknown payment-cancelled pay-1 PENDING")
  }

  @Test func `a decision of before is taken after`() throws {
    var bench = Bench(at: .decidingAfterTokenization)
    try bench.restart(after: Sample.hour)
    bench.call(.decide(id: "d1", .continueWithNewClientToken(Sample.redirectToken)))
    bench.answer("validate", .acknowledged)
    #expect(bench.lastReply == .object([]))
    #expect(bench.checkout.state == .awaitingRedirect)
  }

  @Test func `a token that was being validated is taken though nobody waits for it`() throws {
    var good = Bench(at: .validating)
    try good.restart()
    good.answer("validate", .acknowledged)
    #expect(good.checkout.state == .awaitingRedirect)
    var bad = Bench(at: .validating)
    try bad.restart()
    bad.fail("validate", Sample.refusal())
    #expect(bad.checkout.state == .awaitingDecision)
    #expect(bad.timers[.decision] != nil)
  }

  @Test func `what an expired checkout was is known at once`() throws {
    for (stop, line) in [
      (Stop.chosen, "didFail failed checkout-expired"),
      (.mandating, "didFail unknown checkout-expired pay-1 PENDING"),
    ] {
      var bench = Bench(at: stop)
      try bench.restart(after: 48 * Sample.hour)
      bench.fire(.expiry)
      #expect(bench.eventLines.last == line)
    }
  }
}

extension RestartTests.Row {
  /// Whether more than timers may have changed, so that the state is to be written again.
  fileprivate var changesMore: Bool { ![.ready, .chosen, .ended].contains(stop) }
}
