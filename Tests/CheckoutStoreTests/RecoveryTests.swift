import Checkout
import Testing
import ValueTree

@testable import CheckoutStore

/// What the next process finds.
@Suite struct RecoveryTests {
  let directory: TemporaryDirectory
  let one = CheckoutID(1)
  let two = CheckoutID(.max)

  init() throws { directory = try TemporaryDirectory() }

  /// How the first process ends: in order, or killed.
  enum End: CaseIterable { case closed, killed }

  /// Lets a process write, end, and another take up what it left.
  private func restart(_ end: End, _ body: (CheckoutStore) throws -> Void) throws -> (
    CheckoutStore, TemporaryDirectory
  ) {
    var store: CheckoutStore? = try CheckoutStore(directory: directory.path)
    if let store { try body(store) }
    let left = end == .killed ? try directory.copy() : directory
    store = nil
    return (try CheckoutStore(directory: left.path), left)
  }

  @Test(arguments: End.allCases)
  func `every checkout is as it was committed last`(end: End) throws {
    let (store, _) = try restart(end) { store in
      try store.commit(
        [
          CheckoutChange(id: one, fixed: "f1", parts: [(3, "p3"), (1, "p1")], hot: "h1"),
          CheckoutChange(id: two, fixed: "F1", hot: "H1"),
        ], isPayment: true)
      store.publish([.didReceiveStep], of: one, after: 0)
      try store.commit([CheckoutChange(id: one, hot: "h2")], isPayment: false)
      try store.commit([CheckoutChange(id: one, parts: [(1, "p1b")], hot: "h3")], isPayment: false)
      try store.commit([CheckoutChange(id: two, fixed: "F2", hot: "H2")], isPayment: false)
      // What was not committed was not.
      store.publish([.didFail], of: one, after: 1)
    }
    let found = try store.recovered()
    #expect(found.count == 2)
    #expect(found[one]?.fixed == "f1")
    #expect(found[one]?.hot == "h3")
    #expect(found[one]?.parts.map(\.name) == [1, 3])
    #expect(found[one]?.parts.map(\.body) == ["p1b", "p3"])
    #expect(found[two]?.fixed == "F2")
    #expect(found[two]?.hot == "H2")
    #expect(found[two]?.parts.isEmpty == true)
    #expect(try store.numbers(of: one) == [1])
    try store.write([.didFail], of: one, after: 1)
    #expect(try store.numbers(of: one) == [1, 2])
  }

  @Test(arguments: End.allCases)
  func `records stay until they are removed`(end: End) throws {
    let (store, _) = try restart(end) { store in
      for number in UInt64(1)...3 {
        try store.write([.didFail], of: CheckoutID(number), after: 0)
        try store.remove(CheckoutID(number), leaving: .integer(Int64(number)))
      }
      try store.removeRecord(of: CheckoutID(2))
    }
    #expect(try store.recovered().isEmpty)
    #expect(try store.recoveredRecords() == [CheckoutID(1): 1, CheckoutID(3): 3])
  }

  @Test(arguments: End.allCases)
  func `what was trimmed is known to the next process too`(end: End) throws {
    for count in Int64(30)..<60 {
      let directory = try TemporaryDirectory()
      var store: CheckoutStore? = try CheckoutStore(directory: directory.path)
      store?.eventLimits.count = 20
      var seq: Int64 = 0
      while seq < count {
        let kinds: [EventKind] =
          seq % 4 == 0 ? [.didReceiveStep, .didStartTokenization] : [.didReceiveError]
        try store?.write(kinds, of: one, after: seq, hot: .integer(seq))
        seq += Int64(kinds.count)
      }
      let kept = try store?.numbers(of: one)
      let trimmed = store?.trimmedTo(one)
      let left = end == .killed ? try directory.copy() : directory
      store = nil
      let next = try CheckoutStore(directory: left.path)
      #expect(try next.recovered()[one]?.hot != nil)
      #expect(try next.numbers(of: one) == kept)
      #expect(next.trimmedTo(one) == trimmed)
      #expect(trimmed != nil)
      // It goes on trimming.
      next.eventLimits.count = 20
      for _ in 0..<20 {
        try next.write([.didReceiveStep], of: one, after: seq, hot: "late")
        seq += 1
      }
      let numbers = try next.numbers(of: one)
      #expect(numbers.suffix(10) == Array(seq - 9...seq)[...])
      #expect((next.trimmedTo(one) ?? 0) > (trimmed ?? 0))
    }
  }

  @Test(arguments: End.allCases)
  func `the state keeps its name, and another has another`(end: End) throws {
    var epoch: String?
    let (store, _) = try restart(end) { epoch = $0.epoch }
    #expect(epoch?.count == 16)
    #expect(store.epoch == epoch)
    let other = try TemporaryDirectory()
    #expect(try CheckoutStore(directory: other.path).epoch != epoch)
  }

  @Test func `a row without its checkout, or a checkout without a row, does no harm`() throws {
    let backend = try SQLiteBackend(directory: directory.path, bootID: 1)
    let store = CheckoutStore(backend: backend)
    try store.write([.didReceiveStep], of: one, after: 0)
    try store.write([.didReceiveStep], of: two, after: 0)
    try backend.database.run("DELETE FROM checkout WHERE id=1")
    let copy = try directory.copy()
    #expect(try CheckoutStore(directory: copy.path).recovered().map(\.key) == [two])
    try backend.database.run("DELETE FROM change WHERE checkout_id=-1")
    let other = try directory.copy()
    let error = #expect(throws: StoreError.self) {
      try CheckoutStore(directory: other.path).recovered()
    }
    #expect(error == .corrupt("a checkout has no row"))
  }

  @Test(arguments: [
    "UPDATE change SET body=x'ff'", "UPDATE change SET body=x''", "UPDATE change SET body=NULL",
    "UPDATE change SET body=x'00'", "UPDATE change SET body=x'0700'",
    "UPDATE checkout SET body=x'ff'", "UPDATE checkout SET body=NULL",
    "UPDATE part SET body=x'ff'", "UPDATE change SET event_count=5000000000",
    "UPDATE change SET event_count=-1", "UPDATE change SET seq=-9223372036854775808",
    "UPDATE change SET event_count=2",
  ])
  func `a damaged row is said to be one`(change: String) throws {
    let backend = try SQLiteBackend(directory: directory.path, bootID: 1)
    let store = CheckoutStore(backend: backend)
    store.publish([.didReceiveStep], of: one, after: 0)
    try store.commit(
      [CheckoutChange(id: one, fixed: "f", parts: [(0, "p")], hot: "h")], isPayment: false)
    try backend.database.run(change)
    let copy = try directory.copy()
    let error = #expect(throws: StoreError.self) {
      try CheckoutStore(directory: copy.path).recovered()
    }
    guard case .corrupt = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test(arguments: UInt64(0)..<4)
  func `damaged events are refused, and never more than refused`(seed: UInt64) throws {
    let members: [Value.Member] = [.init("step", ["name": "loading", "banks": [1, 2]])]
    let record = EventRecord(
      seq: 3, time: 1000, event: Event(.didReceiveStep, component: 0, members))
    var random = Generator(state: seed)
    let sparse = CompactWriter()
    RowBody.append(sparse: [record], to: sparse)
    for body in [rowBytes(hot: "h", [record]), sparse.bytes] {
      for _ in 0..<5000 {
        var bytes = body
        for _ in 0...random.next() % 2 {
          let place = Int(random.next() % UInt64(bytes.count))
          bytes[place] = UInt8(truncatingIfNeeded: random.next() >> (random.next() % 8))
        }
        try? unsafe bytes.withUnsafeBytes { bytes in
          let row = try unsafe StoredRow(bytes)
          _ = try row.hot()
          _ = try row.events(endingAt: 3)
        }
      }
    }
  }
}
