import Checkout
import Testing
import ValueTree

@Suite struct OutcomeRecordTests {
  /// Checkouts that came to an end, one for each way to end.
  static func ended() throws -> [Checkout] {
    var all: [Checkout] = Flow.allCases.map { flow in
      var drive = Drive(flow)
      drive.finish()
      return drive.bench.checkout
    }
    for stop in Stop.allCases where stop != .ended {
      var cancelled = Bench(at: stop)
      cancelled.call(.cancel(reason: "Ada Byron changed her mind"))
      var expired = Bench(at: stop)
      try expired.restart(after: 48 * Sample.hour)
      RandomWalk.drain(&cancelled)
      RandomWalk.drain(&expired)
      all += [cancelled.checkout, expired.checkout]
    }
    var refused = Bench(at: .tokenizing)
    refused.fail("tokenize", Sample.refusal())
    var collected = Bench(at: .collecting)
    collected.call(.reportBankAccount(.failed(errorID: "no-account", description: "Ada has none")))
    return all + [refused.checkout, collected.checkout]
  }

  /// Everything that somebody typed, or that opens anything.
  static let secrets = [
    "Ada", "Byron", "ada@example.com", "c-1", "cs-1", "i-1", "Mug", "Bank", "access-", "h.first",
    "h.redirect", "h.ach", "secret-1", "tok-1", "res-1", "key-1", "kiosk", "example.com",
    "Example Shop", "stripe-1", "diag-1",
  ]

  private func archive(_ checkout: Checkout) throws -> Checkout {
    let record = try OutcomeRecord(try #require(checkout.outcomeRecord).stored)
    #expect(record == checkout.outcomeRecord)
    return Checkout(id: checkout.id, owner: checkout.owner, record: record)
  }

  @Test func `a record comes back as it was`() throws {
    var outcomes: Set<Outcome> = []
    for checkout in try Self.ended() {
      let archived = try archive(checkout)
      #expect(archived.outcomeRecord == checkout.outcomeRecord)
      #expect(archived.outcome == checkout.outcome)
      #expect(archived.endedAt == checkout.endedAt)
      #expect(archived.seq == checkout.seq)
      #expect(archived.createdAt == checkout.createdAt)
      #expect(archived.paymentValue == checkout.paymentValue)
      #expect(archived.state == .archived)
      outcomes.formUnion([checkout.outcome].compactMap(\.self))
    }
    #expect(outcomes == Set(Outcome.allCases))
  }

  @Test func `a checkout that goes on has no record`() {
    for stop in Stop.allCases where stop != .ended {
      #expect(Bench(at: stop).checkout.outcomeRecord == nil)
      #expect(Bench(at: stop).checkout.endedAt == nil)
    }
  }

  @Test func `an archived checkout holds nothing personal and no secret`() throws {
    for checkout in try Self.ended() {
      let archived = try archive(checkout)
      let stored = StoredCheckout(archived)
      let record = try #require(archived.outcomeRecord)
      let everything =
        [stored.fixed, stored.hot, archived.snapshot, archived.shortSnapshot, record.stored]
        + stored.parts.map(\.body) + archived.awaiting
      let texts = everything.flatMap(\.texts).joined(separator: "\n")
      for secret in Self.secrets {
        #expect(!texts.contains(secret), "\(secret) in \(texts)")
      }
      #expect(try archived.restored().snapshot == archived.snapshot)
    }
  }

  @Test func `nothing can be done with an archived checkout`() throws {
    let manager = Manager.componentWithRedirect
    let commands: [(Command, ErrorID)] = [
      (.cancel(reason: nil), .checkoutEnded),
      (.provide(manager: manager, paymentMethodType: "ADYEN_IDEAL"), .checkoutEnded),
      (.share(Share(subject: .user(7), role: .drive)), .checkoutEnded),
      (.unshare(.user(7)), .checkoutEnded),
      (.decide(id: "d1", .abort(message: nil)), .unknownDecision),
      (.component(0, .start), .unknownComponent),
      (.component(0, .submit), .unknownComponent),
      (.component(0, .update(["bankId": "0"])), .unknownComponent),
      (.component(0, .reportRedirect(dismissed: true)), .unknownComponent),
      (.component(0, .decideMandate(isAccepted: true)), .unknownComponent),
      (.component(0, .reportBankAccount(.cancelled)), .unknownComponent),
    ]
    for checkout in try Self.ended() {
      var bench = Bench(at: .ended)
      bench.checkout = try archive(checkout)
      let before = (StoredCheckout(bench.checkout), bench.checkout.snapshot)
      for (command, error) in commands {
        bench.call(command)
        #expect(bench.lastRefusal?.id == error)
      }
      #expect(bench.awaitStart() == ["= snapshot archived"])
      for timer in [TimerID.expiry, .decision, .poll, .repeat(1)] {
        #expect(bench.handle(.timerFired(timer)).isEmpty)
      }
      #expect(bench.handle(.operationFinished(1, .success(.acknowledged))).isEmpty)
      #expect(try bench.restart().isEmpty)
      #expect(StoredCheckout(bench.checkout) == before.0)
      #expect(bench.checkout.snapshot == before.1)
      #expect(!bench.checkout.hasWorkToResume)
    }
  }

  @Test func `a damaged record is refused`() throws {
    let record = try #require(Bench(at: .ended).checkout.outcomeRecord)
    let places = try #require(record.stored.array)
    for place in places.indices {
      // Without a voucher it is as version 3 wrote it.
      if place < places.count - 2 {
        var fewer = places
        fewer.remove(at: place)
        #expect(throws: StoredStateError.self) { try OutcomeRecord(.array(fewer)) }
      }
      var other = places
      other[place] = .number(0.5)
      #expect(throws: StoredStateError.self) { try OutcomeRecord(.array(other)) }
    }
    #expect(throws: StoredStateError.self) { try OutcomeRecord(.array(places + [.null])) }
    #expect(throws: StoredStateError.self) { try OutcomeRecord(.null) }
  }
}
