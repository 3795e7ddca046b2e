import Checkout
import Testing
import ValueTree

/// Which keys a payment is created with, and what an answer about a key proves.
@Suite struct KeyTests {
  static let failed = "step webRedirect failure"

  /// Upstream's memory of the keys of one client session, whoever sends them.
  private struct Keys {
    private(set) var payments: [String: Payment] = [:]
    /// How many payments were made that have not failed.
    var standing: Int { payments.values.filter { $0.meaning != .failed }.count }

    /// Answers the creation under way; a new payment has that status.
    @discardableResult
    mutating func answer(
      _ bench: inout Bench, with status: PaymentResponse.Status = .success, ended: Set<String> = []
    ) -> [String] {
      guard case .createPayment(_, let key)? = bench.inFlight.last?.request else { return [] }
      guard let payment = payments[key] else {
        let id = "pay-\(payments.count + 1)"
        payments[key] = Payment(id: id, status: status.rawValue)
        let isOpen = status == .pending
        return bench.answer(
          "create", Sample.payment(status, id: id, action: isOpen ? Sample.redirectToken : nil))
      }
      var failure = Sample.keyUsed(payment.status)
      failure.payment = payment
      return bench.fail("create", failure, isSettledHere: ended.contains(payment.id ?? ""))
    }

    /// Answers until the checkout goes on.
    mutating func walk(
      _ bench: inout Bench, with status: PaymentResponse.Status = .success, ended: Set<String> = []
    ) {
      while bench.inFlight.last?.request.name == "create" {
        answer(&bench, with: status, ended: ended)
      }
    }
  }

  private func key(_ bench: Bench) -> String? {
    guard case .createPayment(_, let key)? = bench.sent.last?.request else { return nil }
    return key
  }

  private func chosen(_ key: String) -> Bench {
    var bench = Bench(at: .deciding)
    bench.call(.decide(id: "d1", .continue(idempotencyKey: key)))
    bench.answer("tokenize", .instrument(Sample.instrument))
    return bench
  }

  private func creating(
    _ configuration: Configuration = Sample.configuration, token: ClientToken = Sample.token,
    repetition: String? = nil
  ) -> Bench {
    var bench = Bench(token: token, repetition: repetition)
    bench.start(configuration)
    bench.provideBanks()
    bench.call(.start)
    bench.answer("banks", .banks(Sample.banks))
    bench.choose("0")
    bench.call(.submit)
    bench.answer("tokenize", .instrument(Sample.instrument))
    return bench
  }

  // MARK: What a key is made of

  @Test func `a key is made of the session, the number, and what a repetition is told by`() {
    #expect(key(creating()) == "checkoutd-cs-1|1")
    #expect(key(creating(repetition: "till-1")) == "checkoutd-cs-1|1|till-1")
    var nameless = Sample.configuration
    for id in [nil, ""] {
      nameless.clientSession.id = id
      let bench = creating(nameless)
      #expect(key(bench) == "checkoutd-access-1|1")
      #expect(bench.checkout.snapshot["paymentProtection"] == "token")
    }
    #expect(creating().checkout.snapshot["paymentProtection"] == "session")
    #expect(creating().checkout.shortSnapshot["paymentProtection"] == "session")
    #expect(Bench().checkout.snapshot["paymentProtection"] == nil)
  }

  @Test(arguments: [nil, "cs-2", "cs-1"])
  func `a session that gets another name keeps its key`(id: String?) throws {
    for first in [nil, "cs-1"] {
      var configuration = Sample.configuration
      configuration.clientSession.id = first
      var bench = Bench()
      bench.start(configuration)
      var changed = Sample.configuration
      changed.clientSession.id = id
      bench.startACH(changed)
      try bench.restart()
      bench.call(.submit)
      bench.answer("tokenize", .instrument(Sample.instrument))
      #expect(key(bench) == (first == nil ? "checkoutd-access-1|1" : "checkoutd-cs-1|1"))
    }
  }

  @Test func `a key in flight is never derived again`() throws {
    var bench = creating()
    let operation = bench.sent.last
    bench.fail("create", Sample.failure(.timedOut))
    try bench.restart(after: 10 * Sample.second)
    bench.fireRepeat()
    #expect(bench.sent.last == operation)
  }

  // MARK: The walk

  @Test func `declined, then again`() {
    var keys = Keys()
    var first = creating()
    keys.answer(&first, with: .failed)
    #expect(first.checkout.outcome == .failed)
    var second = creating()
    #expect(keys.answer(&second) == ["> create tok-1"])
    #expect(key(second) == "checkoutd-cs-1|2")
    keys.answer(&second)
    #expect(second.checkout.outcome == .success)
    #expect(second.checkout.paymentValue?["existing"] == nil, "this checkout made it")
    // Whoever comes now finds it paid.
    var third = creating()
    keys.walk(&third)
    #expect(third.eventLines.last == "didCompleteCheckout success pay-2 SUCCESS")
    #expect(third.checkout.paymentValue?["existing"] == true)
    #expect(keys.standing == 1)
  }

  @Test func `a cancelled mandate, then again`() {
    var keys = Keys()
    var first = creating()
    keys.answer(&first, with: .pending)
    // This daemon's record says that it was cancelled.
    var second = creating()
    #expect(keys.answer(&second, ended: ["pay-1"]) == ["> create tok-1"])
    #expect(key(second) == "checkoutd-cs-1|2")
    // A daemon that has lost the record does not know.
    var restored = creating()
    keys.walk(&restored)
    #expect(restored.eventLines.last == "didFail unknown outcome-unknown pay-1 PENDING")
    #expect(restored.events.last?["payment"]?["existing"] == true)
  }

  @Test func `a refused creation, paid, restored`() {
    var keys = Keys()
    var refused = creating()
    refused.fail("create", Sample.refusal())
    #expect(refused.checkout.outcome == .failed)
    var paid = creating()
    keys.walk(&paid)
    #expect(key(paid) == "checkoutd-cs-1|1", "a refused creation uses no number")
    var restored = creating()
    keys.walk(&restored)
    #expect(restored.checkout.outcome == .success)
    #expect(keys.payments.count == 1)
  }

  @Test func `two daemons at once`() {
    var keys = Keys()
    var (first, second) = (creating(), creating())
    keys.answer(&first, with: .pending)
    keys.walk(&second)
    #expect(second.eventLines.last == "didFail unknown outcome-unknown pay-1 PENDING")
    #expect(keys.payments.count == 1)
  }

  @Test func `a chosen key between two derived ones`() {
    var keys = Keys()
    var first = creating()
    keys.answer(&first, with: .failed)
    var second = chosen("order-1")
    keys.answer(&second, with: .failed)
    #expect(second.checkout.outcome == .failed)
    var third = creating()
    keys.walk(&third)
    #expect(key(third) == "checkoutd-cs-1|2", "the numbers have no gap")
    #expect(keys.standing == 1)
  }

  @Test func `without a session's id`() {
    var keys = Keys()
    var nameless = Sample.configuration
    nameless.clientSession.id = nil
    var first = creating(nameless)
    keys.walk(&first)
    var again = creating(nameless)
    keys.walk(&again)
    #expect(again.checkout.paymentValue?["existing"] == true)
    var token = Sample.token
    token.accessToken = "access-9"
    var other = creating(nameless, token: token)
    keys.walk(&other)
    #expect(keys.payments.count == 2, "another token is not recognised")
  }

  @Test func `the walk ends after sixteen keys`() {
    var keys = Keys()
    for number in 1...16 {
      var bench = creating()
      keys.walk(&bench, with: .failed)
      #expect(bench.checkout.outcome == .failed)
      #expect(key(bench) == "checkoutd-cs-1|\(number)")
    }
    var bench = creating()
    keys.walk(&bench)
    #expect(bench.eventLines.last == "didFail unknown outcome-unknown")
    #expect(keys.payments.count == 16)
  }

  @Test(arguments: [false, true])
  func `a repeat moves on only past what this daemon knows to have ended`(isRestart: Bool) throws {
    for (isSettled, line) in [(true, "> create tok-1"), (false, "didFail failed payment-failed")] {
      var bench = creating()
      if isRestart {
        try bench.restart(after: Sample.second)
      } else {
        bench.fail("create", Sample.failure(.timedOut))
      }
      bench.fireRepeat()
      let lines = bench.fail("create", Sample.keyUsed("FAILED"), isSettledHere: isSettled)
      #expect(lines.contains { $0.hasPrefix(line) }, "\(lines)")
    }
  }

  @Test func `the next key's creation is a first sending again`() {
    var keys = Keys()
    for _ in 0..<2 {
      var bench = creating()
      keys.walk(&bench, with: .failed)
    }
    var bench = creating()
    keys.answer(&bench)
    bench.fail("create", Sample.failure(.notSent))
    bench.fireRepeat()
    #expect(key(bench) == "checkoutd-cs-1|2")
    #expect(keys.answer(&bench) == ["> create tok-1"])
    #expect(key(bench) == "checkoutd-cs-1|3")
  }

  static let first: [(String?, String)] = [
    ("SUCCESS", "didCompleteCheckout success pay-1 SUCCESS"),
    ("SETTLED", "didCompleteCheckout success pay-1 SETTLED"),
    ("PENDING", "didFail unknown outcome-unknown pay-1 PENDING"),
    ("LATER", "didFail unknown outcome-unknown pay-1 LATER"),
    (nil, "didFail unknown outcome-unknown pay-1"),
  ]

  @Test(arguments: first)
  func `a derived key that was used before says that the payment was there`(
    status: String?, end: String
  ) {
    var bench = Bench(at: .creating)
    #expect(bench.fail("create", Sample.keyUsed(status)).contains(end))
    #expect(bench.events.last?["payment"]?["existing"] == true)
    #expect(bench.checkout.snapshot["payment"]?["existing"] == true)
  }

  // MARK: Chosen keys

  @Test(arguments: ["SUCCESS", "FAILED", "PENDING", nil])
  func `a chosen key that was used before belongs to somebody else`(status: String?) {
    var bench = chosen("key-a")
    let end = ["didFail unknown idempotency-key-reused pay-1", status]
    let lines = bench.fail("create", Sample.keyUsed(status), isSettledHere: true)
    #expect(lines.contains(end.compactMap(\.self).joined(separator: " ")), "\(lines)")
  }

  @Test func `a chosen key that was used decides once it may be this attempt's`() {
    var bench = chosen("key-a")
    bench.fail("create", Sample.failure(.notSent))
    bench.fireRepeat()
    var unsent = bench
    #expect(unsent.fail("create", Sample.keyUsed("SUCCESS")).contains { $0.contains("reused") })
    bench.fail("create", Sample.failure(.timedOut))
    bench.fireRepeat()
    #expect(
      bench.fail("create", Sample.keyUsed("SUCCESS")).contains(
        "didCompleteCheckout success pay-1 SUCCESS"))
  }

  @Test(arguments: ["checkoutd-", "checkoutd-cs-1|1"])
  func `a chosen key that looks derived is refused, and the decision stays open`(key: String) {
    var bench = Bench(at: .deciding)
    #expect(
      bench.call(.decide(id: "d1", .continue(idempotencyKey: key))) == [
        "! idempotency-key-reused /paymentIdempotencyKey"
      ])
    #expect(bench.lastRefusal?.id.code == .notInThisState)
    #expect(bench.call(.decide(id: "d1", .continue(idempotencyKey: nil))).last == "= {}")
  }

  @Test func `a chosen key is an attempt's own, unless nothing was made with it`() {
    #expect(creating().checkout.chosenKey == nil)
    var refused = chosen("key-a")
    #expect(refused.checkout.chosenKey == "key-a")
    refused.fail("create", Sample.refusal())
    #expect(refused.checkout.chosenKey == nil)
    var declined = chosen("key-a")
    declined.answer("create", Sample.payment(.failed))
    #expect(declined.checkout.chosenKey == "key-a")
    var unknown = chosen("key-a")
    unknown.fail("create", Sample.keyUsed(nil))
    #expect(unknown.checkout.chosenKey == "key-a")
    // In manual handling the backend may have used it, whatever it says of the end.
    var settings = Sample.manualSettings
    settings.decidesOnPaymentCreation = true
    var manual = Bench(settings)
    manual.start()
    manual.provideBanks()
    manual.call(.start)
    manual.answer("banks", .banks(Sample.banks))
    manual.choose("0")
    manual.call(.submit)
    manual.call(.decide(id: "d1", .continue(idempotencyKey: "key-a")))
    manual.answer("tokenize", .instrument(Sample.instrument))
    manual.call(.decide(id: "d2", .abort(message: nil)))
    #expect(manual.checkout.outcome == .failed)
    #expect(manual.checkout.chosenKey == "key-a")
  }
}
