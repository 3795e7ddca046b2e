import Checkout
import CheckoutStore
import Testing
import ValueTree

/// What both kinds of store do alike.
@Suite struct CheckoutStoreTests {
  enum Kind: CaseIterable { case memory, file }

  let directory: TemporaryDirectory
  let one = CheckoutID(1)
  let two = CheckoutID(.max)

  init() throws { directory = try TemporaryDirectory() }

  private func store(_ kind: Kind) throws -> CheckoutStore {
    kind == .memory ? CheckoutStore() : try CheckoutStore(directory: directory.path)
  }

  @Test(arguments: Kind.allCases)
  func `a file is durable and memory is not`(kind: Kind) throws {
    let store = try store(kind)
    #expect(store.isDurable == (kind == .file))
    #expect((store.epoch == nil) == (kind == .memory))
  }

  @Test(arguments: Kind.allCases)
  func `an event comes back as it was published`(kind: Kind) throws {
    let store = try store(kind)
    let members: [Value.Member] = [.init("step", ["name": "loading"]), .init("n", .number(0.5))]
    for (place, kind) in EventKind.allCases.enumerated() {
      let event = Event(kind, component: place % 3 == 0 ? nil : place, members)
      store.publish(
        EventRecord(seq: Int64(place + 1), time: 1000 + Int64(place), event: event), of: one)
    }
    try store.commit([CheckoutChange(id: one, fixed: 1)], isPayment: true)
    var place = 0
    try store.readEvents(of: one, after: 0) { record in
      #expect(record.seq == Int64(place + 1))
      #expect(record.time == 1000 + Int64(place))
      #expect(record.event.kind == EventKind.allCases[place])
      #expect(record.event.component == (place % 3 == 0 ? nil : place))
      #expect(record.event.members == members)
      place += 1
      return true
    }
    #expect(place == EventKind.allCases.count)
  }

  @Test(arguments: Kind.allCases)
  func `events are read after any number, across turns`(kind: Kind) throws {
    let store = try store(kind)
    var seq: Int64 = 0
    for count in [1, 3, 0, 2, 0, 0, 5, 1] {
      try store.write(Array(repeating: .didReceiveStep, count: count), of: one, after: seq)
      try store.write([.didReceiveError], of: two, after: seq == 0 ? 0 : 1)
      seq += Int64(count)
    }
    for after in -1...seq + 1 {
      let expected = after < seq ? Array(max(0, after) + 1...seq) : []
      #expect(try store.numbers(of: one, after: after) == expected)
    }
    #expect(try store.numbers(of: CheckoutID(3)).isEmpty)
  }

  @Test(arguments: Kind.allCases)
  func `reading stops when it is told to`(kind: Kind) throws {
    let store = try store(kind)
    try store.write(Array(repeating: .didReceiveStep, count: 5), of: one, after: 0)
    store.publish([.didReceiveStep], of: one, after: 5)
    for limit in 1...6 {
      var read = 0
      try store.readEvents(of: one, after: 0) { _ in
        read += 1
        return read < limit
      }
      #expect(read == limit)
    }
  }

  @Test(arguments: Kind.allCases)
  func `the events of the present turn can be read`(kind: Kind) throws {
    let store = try store(kind)
    try store.write([.didReceiveStep, .didReceiveStep], of: one, after: 0)
    store.publish([.didReceiveError], of: one, after: 2)
    #expect(try store.numbers(of: one, after: 1) == [2, 3])
    #expect(try store.numbers(of: two).isEmpty)
    try store.commit([CheckoutChange(id: one)], isPayment: false)
    #expect(try store.numbers(of: one, after: 1) == [2, 3])
  }

  @Test(arguments: Kind.allCases)
  func `a turn without changes writes nothing`(kind: Kind) throws {
    let store = try store(kind)
    try store.commit([], isPayment: true)
    #expect(try store.numbers(of: one).isEmpty)
  }

  @Test(arguments: Kind.allCases)
  func `what is over the limit goes, and what is of the checkout stays`(kind: Kind) throws {
    let store = try store(kind)
    store.eventLimits.count = 20
    var seq: Int64 = 0
    for turn in 0..<40 {
      let kinds: [EventKind] =
        turn % 10 == 0
        ? [.didReceiveStep, .willUpdateClientSession, .didReceiveStep] : [.didReceiveStep]
      try store.write(kinds, of: one, after: seq)
      seq += Int64(kinds.count)
      let kept = try store.numbers(of: one)
      #expect(kept.last == seq)
      #expect(kept.count <= 20 + 4)
      // Up to the number told only the events of the checkout are left; after it there is no gap.
      let trimmed = store.trimmedTo(one) ?? 0
      #expect(kept.filter { $0 > trimmed } == Array(trimmed + 1..<seq + 1))
      #expect(kept.filter { $0 <= trimmed } == [2, 14, 26, 38].filter { $0 <= trimmed })
      if trimmed > 0 { #expect(!kept.contains(trimmed)) }
    }
    #expect(store.trimmedTo(one) != nil)
    #expect(store.trimmedTo(two) == nil)
  }

  @Test(arguments: Kind.allCases)
  func `as many as may be are kept, and little more`(kind: Kind) throws {
    let store = try store(kind)
    store.eventLimits.count = 128
    for seq in Int64(0)..<300 {
      try store.write([.didReceiveStep], of: one, after: seq)
      let count = try store.numbers(of: one).count
      #expect(count >= min(Int(seq) + 1, 128) && count <= 130)
    }
    #expect(store.trimmedTo(one) ?? 0 >= 170)
  }

  @Test(arguments: Kind.allCases)
  func `what is too many in one turn goes together`(kind: Kind) throws {
    let store = try store(kind)
    store.eventLimits.count = 128
    for seq in Int64(0)..<300 {
      // The second is two events behind the first, so that the first alone is far over the limit.
      store.publish([.didReceiveStep], of: one, after: seq)
      if seq > 1 { store.publish([.didReceiveStep], of: two, after: seq - 2) }
      let before = store.trimmedTo(one)
      try store.commit([CheckoutChange(id: one), CheckoutChange(id: two)], isPayment: false)
      guard seq >= 131, store.trimmedTo(one) != before else { continue }
      #expect(store.trimmedTo(two) == (store.trimmedTo(one) ?? 0) - 2)
    }
  }

  @Test(arguments: Kind.allCases)
  func `the bytes of events are limited too`(kind: Kind) throws {
    let store = try store(kind)
    store.eventLimits.byteCount = 10_000
    let text = String(repeating: "t", count: 500)
    for seq in Int64(0)..<100 {
      try store.write([.didReceiveStep], of: one, after: seq, text: text)
    }
    let kept = try store.numbers(of: one)
    #expect((10...20).contains(kept.count))
    #expect(kept.last == 100)
    #expect(store.trimmedTo(one) == kept[0] - 1)
  }

  @Test(arguments: Kind.allCases)
  func `events of the checkout alone are never too many`(kind: Kind) throws {
    let store = try store(kind)
    store.eventLimits.count = 10
    for seq in Int64(0)..<60 { try store.write([.willUpdateClientSession], of: one, after: seq) }
    #expect(try store.numbers(of: one) == Array(1...60))
    #expect(store.trimmedTo(one) == nil)
  }

  @Test(arguments: Kind.allCases)
  func `a removed checkout has no events`(kind: Kind) throws {
    let store = try store(kind)
    for id in [one, two] { try store.write([.didReceiveStep, .didFail], of: id, after: 0) }
    store.publish([.didReceiveStep], of: one, after: 2)
    try store.remove(one, leaving: ["record"])
    #expect(try store.numbers(of: one).isEmpty)
    #expect(try store.numbers(of: two) == [1, 2])
    try store.remove(CheckoutID(3), leaving: nil)
    try store.removeRecord(of: one)
    try store.removeRecord(of: one)
    try store.scrub()
    try store.probe()
    store.releaseReserve()
    try store.restoreReserve()
    // Its number can begin anew.
    try store.write([.didReceiveStep], of: one, after: 0)
    #expect(try store.numbers(of: one) == [1])
  }
}
