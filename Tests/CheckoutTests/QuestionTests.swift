import Checkout
import Testing
import ValueTree

/// Upstream is asked what became of a payment: the creation is sent again, where that creates nothing.
@Suite struct QuestionTests {
  /// A place where the outcome becomes unknown, what makes it so, and the error without a question.
  struct Row: CustomTestStringConvertible {
    let stop: Stop
    let error: String
    let happen: @Sendable (inout Bench) -> Void

    var testDescription: String { "\(stop) \(error)" }
  }

  static let rows = [
    Row(stop: .resuming, error: "outcome-unknown") { $0.fail("resume", Sample.refusal()) },
    Row(stop: .resuming, error: "outcome-unknown") { bench in
      for _ in 0..<5 {
        bench.fail("resume", Sample.failure(.timedOut))
        bench.fireRepeat()
      }
      bench.fail("resume", Sample.failure(.timedOut))
    },
    Row(stop: .completing, error: "outcome-unknown") { $0.fail("complete", Sample.refusal(404)) },
    Row(stop: .polling, error: "status-poll-failed") { $0.fail("poll", Sample.refusal(404)) },
    Row(stop: .polling, error: "status-poll-failed") {
      $0.answer("poll", .redirectStatus(.unknown("LATER")))
    },
    Row(stop: .polling, error: "status-poll-timeout") { bench in
      bench.now += Sample.hour
      bench.answer("poll", .redirectStatus(.pending))
      bench.answer("poll", .redirectStatus(.pending))
    },
  ]

  private func asking(_ row: Row) -> Bench {
    var bench = Bench(at: row.stop)
    bench.asksQuestions = true
    row.happen(&bench)
    return bench
  }

  @Test(arguments: rows)
  func `the creation's request is sent again as it was`(row: Row) throws {
    let bench = asking(row)
    let creation = try #require(bench.sent.first { $0.request.name == "create" })
    let question = try #require(bench.sent.last)
    #expect(question.id != creation.id)
    #expect(question.request == creation.request)
    #expect(question.url == creation.url)
    #expect(question.accessToken == creation.accessToken)
    #expect(question.requestID == creation.requestID)
    #expect(bench.checkout.state == .processing)
    #expect(bench.timers.isEmpty)
  }

  static let settled: [(String?, String?)] = [
    ("SUCCESS", "didCompleteCheckout success"), ("SETTLED", "didCompleteCheckout success"),
    ("FAILED", "didFail failed payment-failed"), ("DECLINED", "didFail failed payment-failed"),
    ("PENDING", nil), ("LATER", nil), (nil, nil),
  ]

  @Test(arguments: rows, settled)
  func `the payment's status decides`(row: Row, settled: (status: String?, end: String?)) {
    var bench = asking(row)
    bench.fail("create", Sample.keyUsed(settled.status))
    let end = (settled.end ?? "didFail unknown \(row.error)") + " pay-1"
    #expect(bench.eventLines.last?.hasPrefix(end) == true, "\(bench.lines.suffix(4))")
  }

  static let nothing = [
    Sample.refusal(), Sample.refusal(401), Sample.status(404), Sample.status(503),
    Sample.failure(.timedOut), Sample.failure(.interrupted), Sample.failure(.notAllowed),
    OperationFailure(
      .status, httpStatus: 409, payment: Payment(id: "pay-2", status: "FAILED"),
      isKeyAlreadyUsed: true),
  ]

  @Test(arguments: rows, nothing)
  func `any other answer settles nothing`(row: Row, failure: OperationFailure) {
    var bench = asking(row)
    for _ in 0..<9 where !bench.checkout.isEnded {
      bench.fail("create", failure)
      if failure.neverLeft, !bench.checkout.isEnded { bench.fireRepeat() }
    }
    #expect(
      bench.eventLines.last == "didFail unknown \(row.error) pay-1 PENDING",
      "\(bench.lines.suffix(4))")
    #expect(!bench.lines.contains("* second payment"))
  }

  static let alarms: [Result<Answer, OperationFailure>] = [
    .success(Sample.payment(.success, id: "pay-2")),
    .success(Sample.payment(.pending, id: "pay-2", action: Sample.redirectToken)),
    .failure(
      OperationFailure(.undecodable, httpStatus: 200, payment: Payment(id: "pay-2"))),
  ]

  @Test(arguments: rows, alarms.indices)
  func `a success is a second payment, and an alarm`(row: Row, alarm: Int) throws {
    var bench = asking(row)
    switch Self.alarms[alarm] {
    case .success(let answer): bench.answer("create", answer)
    case .failure(let failure): bench.fail("create", failure)
    }
    #expect(bench.lines.contains("* second payment"))
    #expect(bench.checkout.outcome == .unknown)
    for told in [try #require(bench.events.last).wire, bench.checkout.snapshot] {
      #expect(told["payment"]?["id"] == "pay-1")
      #expect(told["secondPayment"]?["id"] == "pay-2")
    }
    #expect(try bench.checkout.restored().snapshot == bench.checkout.snapshot)
  }

  @Test(arguments: rows)
  func `a question that was under way is asked again after a restart`(row: Row) throws {
    var bench = asking(row)
    #expect(try bench.restart() == ["> create tok-1"])
    bench.fail("create", Sample.keyUsed("SUCCESS"))
    #expect(bench.checkout.outcome == .success)
  }

  @Test(arguments: rows)
  func `where questions are switched off nothing is asked`(row: Row) {
    var bench = Bench(at: row.stop)
    row.happen(&bench)
    #expect(bench.eventLines.last == "didFail unknown \(row.error) pay-1 PENDING")
    #expect(bench.handle(.sessionIsWanted) == ["* session held"])
  }

  @Test func `what upstream has not answered is not asked about`() {
    var bench = Bench(at: .creating)
    bench.asksQuestions = true
    for _ in 0..<3 where !bench.checkout.isEnded {
      bench.fail("create", Sample.failure(.timedOut))
      if !bench.checkout.isEnded { bench.fireRepeat() }
    }
    bench.fail("create", Sample.status(500))
    #expect(bench.checkout.outcome == .unknown)
    #expect(bench.handle(.sessionIsWanted) == ["* session held"])
    // Nor is a payment of the client's backend.
    bench = Bench(at: .validating)
    bench.asksQuestions = true
    bench.answer("validate", .acknowledged)
    #expect(bench.fail("poll", Sample.refusal()).contains("# ended unknown"))
  }

  // MARK: A session that is wanted again

  private func ended() -> Bench {
    var bench = Bench(at: .polling)
    bench.call(.cancel(reason: nil))
    bench.answer("poll", .redirectStatus(.pending))
    bench.asksQuestions = true
    return bench
  }

  @Test(arguments: [("FAILED", true), ("PENDING", false), ("SUCCESS", false)])
  func `a session that is wanted is asked for, and free if the payment failed`(
    status: String, isFree: Bool
  ) throws {
    var bench = ended()
    #expect(bench.handle(.sessionIsWanted) == ["> create tok-1"])
    #expect(bench.handle(.sessionIsWanted) == [], "it is being asked")
    #expect(
      bench.fail("create", Sample.keyUsed(status)) == ["* session " + (isFree ? "free" : "held")])
    #expect(bench.checkout.outcome == .unknown, "the outcome was told")
    #expect(bench.checkout.paymentValue?["status"] == .string(status))
    #expect(bench.checkout.holdsSession == !isFree)
    // Once is enough.
    #expect(bench.handle(.sessionIsWanted) == ["* session " + (isFree ? "free" : "held")])
    let restored = try bench.checkout.restored()
    #expect(restored.holdsSession == !isFree)
    let record = try #require(bench.checkout.outcomeRecord)
    #expect(try OutcomeRecord(record.stored) == record)
    #expect(
      Checkout(id: bench.checkout.id, owner: 0, record: record).holdsSession == !isFree)
  }

  @Test func `a success to that question is an alarm too`() {
    var bench = ended()
    bench.handle(.sessionIsWanted)
    #expect(
      bench.answer("create", Sample.payment(.success, id: "pay-2")) == [
        "* second payment", "* session held",
      ])
    #expect(bench.checkout.snapshot["secondPayment"]?["id"] == "pay-2")
  }

  @Test func `a question for somebody who is gone may be asked again`() throws {
    var bench = ended()
    bench.handle(.sessionIsWanted)
    #expect(try bench.restart() == [])
    #expect(bench.handle(.sessionIsWanted) == ["> create tok-1"])
  }

  @Test func `only an unknown outcome is asked about`() {
    for (stop, line) in [(Stop.ended, "* session held"), (.polling, "* session held")] {
      var bench = Bench(at: stop)
      bench.asksQuestions = true
      #expect(bench.handle(.sessionIsWanted) == [line])
    }
    var failed = Bench(at: .creating)
    failed.fail("create", Sample.refusal())
    failed.asksQuestions = true
    #expect(failed.handle(.sessionIsWanted) == ["* session free"])
  }
}

extension Event {
  /// The members as a tree.
  fileprivate var wire: Value { .object(members) }
}
