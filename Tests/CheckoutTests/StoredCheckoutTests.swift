import Checkout
import Testing
import ValueTree

@Suite struct StoredCheckoutTests {
  @Test(arguments: Stop.allCases)
  func `a checkout comes back as it was`(stop: Stop) throws {
    let checkout = Bench(at: stop).checkout
    let restored = try checkout.restored()
    #expect(StoredCheckout(restored) == StoredCheckout(checkout))
    #expect(restored.snapshot == checkout.snapshot)
    #expect(restored.shortSnapshot == checkout.shortSnapshot)
    #expect(restored.id == checkout.id)
  }

  @Test(arguments: Stop.allCases)
  func `what seldom changes is written when it has changed, and once`(stop: Stop) throws {
    func changes(of checkout: inout Checkout) -> StoredCheckout {
      let (fixed, parts) = checkout.writeChanges(to: CompactWriter())
      return StoredCheckout(fixed: fixed ?? .null, parts: parts)
    }
    let none = StoredCheckout(fixed: .null, parts: [])
    var checkout = Bench(at: stop).checkout
    let all = StoredCheckout(checkout)
    #expect(changes(of: &checkout) == StoredCheckout(fixed: all.fixed, parts: all.parts))
    #expect(changes(of: &checkout) == none)
    // What was restored stands in the store.
    var restored = try checkout.restored()
    #expect(changes(of: &restored) == none)
    guard !checkout.isEnded else { return }
    let share = Share(subject: .user(1001), role: .drive)
    let moment = Moment(now: Sample.now, entropy: 9)
    _ = checkout.perform(.share(share), at: moment)
    #expect(changes(of: &checkout) == StoredCheckout(fixed: checkout.storedFixed, parts: []))
    #expect(changes(of: &checkout) == none)
  }

  @Test(arguments: UInt64(0)..<10)
  func `so it does after each of many random inputs`(seed: UInt64) throws {
    var random = RandomWalk.Generator(state: seed)
    for _ in 0..<20 {
      var bench = RandomWalk.beginning(&random)
      for _ in 0..<60 {
        RandomWalk.step(&bench, &random)
        let restored = try bench.checkout.restored()
        try #require(StoredCheckout(restored) == StoredCheckout(bench.checkout))
        try #require(restored.snapshot == bench.checkout.snapshot)
      }
    }
  }

  @Test(arguments: Stop.allCases)
  func `a restored checkout does with every further input what the first does`(
    stop: Stop
  ) throws {
    for seed in UInt64(0)..<25 {
      let start = Bench(at: stop)
      var (first, second) = (start, start)
      second.checkout = try first.checkout.restored()
      var random = RandomWalk.Generator(state: seed)
      for _ in 0..<40 {
        var sameRandom = random
        RandomWalk.step(&first, &random)
        RandomWalk.step(&second, &sameRandom)
      }
      // Calls that the first was asked before have nobody to be answered in the second.
      #expect(first.lines.withoutAnswers == second.lines.withoutAnswers, "seed \(seed)")
      #expect(first.events == second.events, "seed \(seed)")
      #expect(first.sent == second.sent, "seed \(seed)")
      #expect(first.timers == second.timers, "seed \(seed)")
      #expect(
        first.replies.filter { $0.key > start.lastCall }
          == second.replies.filter { $0.key > start.lastCall }, "seed \(seed)")
      #expect(
        first.refusals.filter { $0.key > start.lastCall }
          == second.refusals.filter { $0.key > start.lastCall }, "seed \(seed)")
      #expect(StoredCheckout(first.checkout) == StoredCheckout(second.checkout), "seed \(seed)")
    }
  }

  @Test(
    arguments: [
      .notSent, .timedOut, .interrupted, .status, .undecodable, .notAllowed, .untrusted,
    ] as [OperationFailure.Kind])
  func `what upstream said of a failure comes back as it was`(
    kind: OperationFailure.Kind
  ) throws {
    var full = Sample.refusal(422, retryAfter: .max)
    full.kind = kind
    full.payment = Payment(id: "pay-1", orderID: "o-1", status: "LATER")
    full.isKeyAlreadyUsed = true
    for failure in [full, OperationFailure(kind)] {
      var bench = Bench(at: .creating)
      bench.fail("create", failure)
      for _ in 0..<20 where !bench.checkout.isEnded {
        bench.fireRepeat()
        bench.fail("create", failure)
      }
      try #require(bench.checkout.isEnded)
      let restored = try bench.checkout.restored()
      #expect(StoredCheckout(restored) == StoredCheckout(bench.checkout))
      #expect(restored.snapshot == bench.checkout.snapshot)
    }
  }

  @Test func `shares, a client's own error and a decision's own key come back`() throws {
    var shared = Bench(at: .ready)
    for subject in [Share.Subject.user(.max), .group(0)] {
      for role in Share.Role.allCases { shared.call(.share(Share(subject: subject, role: role))) }
    }
    var failed = Bench(at: .collecting)
    failed.call(.reportBankAccount(.failed(errorID: "own", description: "words")))
    var decided = Bench(at: .deciding)
    decided.call(.decide(id: "d1", .continue(idempotencyKey: "key-a")))
    var taken = Bench(at: .starting)
    taken.handle(.sessionIsTaken(by: CheckoutID(5)))
    for bench in [shared, failed, decided, taken] {
      let restored = try bench.checkout.restored()
      #expect(StoredCheckout(restored) == StoredCheckout(bench.checkout))
      #expect(restored.snapshot == bench.checkout.snapshot)
      #expect(restored.shares == bench.checkout.shares)
    }
  }
}

extension [String] {
  fileprivate var withoutAnswers: [String] { filter { $0.first != "=" && $0.first != "!" } }
}
