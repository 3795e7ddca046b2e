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

  @Test(arguments: Stop.allCases)
  func `a clock that was set moves every deadline, and nothing else`(stop: Stop) throws {
    let shift = 3 * 365 * 24 * Sample.hour
    let first = Bench(at: stop)
    let moved = try first.checkout.restored(shift: shift)
    // What upstream was or will be told, and what a token says of itself.
    let staying: Set<Value.Moved> = [
      .stays(Sample.now), .stays(Sample.redirectToken.expiresAt),
    ]
    let moves = first.checkout.storedHot.moves(to: moved.storedHot, by: shift)
    #expect(!moves.contains(.differs))
    #expect(moves.subtracting([.moves]).isSubset(of: staying))
    #expect(moved.storedFixed == first.checkout.storedFixed)
    var (plain, late) = (first, first)
    late.now += shift
    let expected = try plain.restart(after: 5 * Sample.second)
    #expect(late.restart(as: moved, after: 5 * Sample.second) == expected)
    #expect(plain.timers.mapValues { $0 + shift } == late.timers)
  }

  @Test(arguments: [Int64.max, .min, .max / 2, .min / 2])
  func `a shift beyond all time is refused`(shift: Int64) throws {
    for stop in Stop.allCases where Bench(at: stop).checkout.storedHot.hasTime {
      let checkout = Bench(at: stop).checkout
      #expect(throws: StoredStateError.self, "\(stop)") { try checkout.restored(shift: shift) }
    }
  }
}

extension [String] {
  fileprivate var withoutAnswers: [String] { filter { $0.first != "=" && $0.first != "!" } }
}

extension Value {
  /// How a number of one tree stands in another.
  enum Moved: Hashable {
    case moves
    case stays(Int64)
    case differs
  }

  /// Whether a number is a moment of this century, and no count.
  private static func isTime(_ number: Int64) -> Bool { number > 1_000_000_000_000 }

  /// Whether there is a moment anywhere in the tree.
  var hasTime: Bool {
    switch self {
    case .integer(let number): Self.isTime(number)
    case .array(let elements): elements.contains(where: \.hasTime)
    default: false
    }
  }

  /// How the moments of this tree stand in another, which is the same otherwise.
  func moves(to other: Value, by shift: Milliseconds) -> Set<Moved> {
    switch (self, other) {
    case (.array(let own), .array(let others)) where own.count == others.count:
      var moves: Set<Moved> = []
      for (a, b) in zip(own, others) { moves.formUnion(a.moves(to: b, by: shift)) }
      return moves
    case (.integer(let a), .integer(let b)) where Self.isTime(a):
      if b == a + shift { return [.moves] }
      return a == b ? [.stays(a)] : [.differs]
    default: return self == other ? [] : [.differs]
    }
  }
}
