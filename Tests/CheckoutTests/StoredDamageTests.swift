import Checkout
import Testing
import ValueTree

/// Stored states with one value changed: each is refused, or is a state like any other.
@Suite struct StoredDamageTests {
  @Test(arguments: Stop.allCases)
  func `a damaged state is refused, or kept and used as it is`(stop: Stop) throws {
    let bench = Bench(at: stop)
    var random = RandomWalk.Generator(state: 1)
    var refused = 0
    var tried = 0
    for damaged in StoredCheckout(bench.checkout).damages {
      tried += 1
      guard let checkout = try? damaged.checkout(like: bench.checkout) else {
        refused += 1
        continue
      }
      // Nothing of it was passed over in silence; what an earlier version left out may be added.
      let kept = StoredCheckout(checkout)
      try #require(
        damaged.fixed.isContained(in: kept.fixed) && damaged.hot.isContained(in: kept.hot)
          && damaged.parts.count == kept.parts.count
          && zip(damaged.parts, kept.parts).allSatisfy { $0.body.isContained(in: $1.body) })
      guard tried % 7 == 0 else { continue }
      var bench = bench
      bench.restart(as: checkout)
      for _ in 0..<5 { RandomWalk.step(&bench, &random) }
      _ = (bench.checkout.snapshot, bench.checkout.shortSnapshot)
    }
    #expect(refused > tried / 3)
  }

  @Test(arguments: Stop.allCases)
  func `a list with more or fewer elements than it has places is refused`(stop: Stop) {
    let checkout = Bench(at: stop).checkout
    let stored = StoredCheckout(checkout)
    for hot in [stored.hot.extended, stored.hot.shortened] {
      var damaged = stored
      damaged.hot = hot
      #expect(throws: StoredStateError.self) { try damaged.checkout(like: checkout) }
    }
    for fixed in [stored.fixed.extended, stored.fixed.shortened] {
      var damaged = stored
      damaged.fixed = fixed
      #expect(throws: StoredStateError.self) { try damaged.checkout(like: checkout) }
    }
  }

  @Test func `a payment without an attempt, or of no component, is refused`() {
    let checkout = Bench(at: .creating).checkout
    for attempt in [Value.null, .array([7, .null, 0, .null, false, .null])] {
      var damaged = StoredCheckout(checkout)
      damaged.hot = damaged.hot.replacing(2, by: attempt)
      #expect(throws: StoredStateError.self) { try damaged.checkout(like: checkout) }
    }
  }

  /// The time-out of decisions among the settings, the expiry of the token.
  @Test(arguments: [(3, 7), (4, 2)])
  func `a time before all time is refused`(part: Int, place: Int) throws {
    let checkout = Bench(at: .creating).checkout
    let stored = StoredCheckout(checkout)
    let whole = try #require(stored.fixed.array?[part])
    for (time, isTaken) in [(Int64(0), true), (-1, false), (.min, false)] {
      var damaged = stored
      damaged.fixed = stored.fixed.replacing(part, by: whole.replacing(place, by: .integer(time)))
      #expect(((try? damaged.checkout(like: checkout)) != nil) == isTaken, "\(time)")
    }
  }

  @Test func `an operation that does not ask for what it is for is refused`() throws {
    let checkout = Bench(at: .creating).checkout
    let operation = try #require(checkout.storedHot.array?[3].array?.first)
    for purpose in Int64(0)...10 where purpose != 4 {
      var damaged = StoredCheckout(checkout)
      let changed = operation.replacing(1, by: purpose == 1 ? [1, 0] : [.integer(purpose)])
      damaged.hot = damaged.hot.replacing(3, by: [changed])
      #expect(throws: StoredStateError.self, "\(purpose)") {
        try damaged.checkout(like: checkout)
      }
    }
  }
}

extension StoredCheckout {
  /// This with one value dropped, added or replaced, at every place.
  fileprivate var damages: [StoredCheckout] {
    var all: [StoredCheckout] = []
    for fixed in fixed.damages {
      all.append(self)
      all[all.count - 1].fixed = fixed
    }
    for hot in hot.damages {
      all.append(self)
      all[all.count - 1].hot = hot
    }
    for place in parts.indices {
      for body in parts[place].body.damages {
        all.append(self)
        all[all.count - 1].parts[place].body = body
      }
    }
    return all
  }
}

extension Value {
  /// One more element.
  fileprivate var extended: Value { .array((array ?? []) + [.null]) }

  /// One element less.
  fileprivate var shortened: Value { .array((array ?? []).dropLast()) }

  func replacing(_ place: Int, by value: Value) -> Value {
    var elements = array ?? []
    elements[place] = value
    return .array(elements)
  }

  /// This tree with one value dropped, added or replaced.
  fileprivate var damages: [Value] {
    let others: [Value] = [
      .null, .bool(true), .bool(false), .integer(-1), .integer(0), .integer(1), .integer(99),
      .integer(.max), .integer(.min), .unsigned(.max), .number(0.5), .string("x"), .array([]),
      .object([]),
    ]
    guard case .array(let elements) = self else { return others.filter { $0 != self } }
    var all = others.filter { $0 != self }
    all.append(.array(elements + [.null]))
    all.append(.array(elements + [0]))
    for (place, element) in elements.enumerated() {
      var fewer = elements
      fewer.remove(at: place)
      all.append(.array(fewer))
      var more = elements
      more.insert(element, at: place)
      all.append(.array(more))
      for damaged in element.damages { all.append(replacing(place, by: damaged)) }
    }
    return all
  }
}

extension Value {
  /// Whether another value has all of this one's, in the same places.
  fileprivate func isContained(in other: Value) -> Bool {
    guard case .array(let elements) = self, case .array(let others) = other else {
      return self == other
    }
    return elements.count <= others.count
      && zip(elements, others).allSatisfy { $0.isContained(in: $1) }
  }
}
