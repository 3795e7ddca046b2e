import Checkout
import Testing
import ValueTree

@testable import CheckoutStore

/// A disk that cannot be written at some moment: then nothing of what was asked for is done.
@Suite struct FailedCommitTests {
  let directory: TemporaryDirectory
  let id = CheckoutID(7)

  init() throws { directory = try TemporaryDirectory() }

  private func store() throws -> (CheckoutStore, FaultyBackend) {
    let backend = FaultyBackend(try SQLiteBackend(directory: directory.path, bootID: 1))
    return (CheckoutStore(backend: backend), backend)
  }

  /// The store as the next process finds it.
  private func reopened() throws -> CheckoutStore {
    let copy = try directory.copy()
    let store = try CheckoutStore(directory: copy.path)
    _ = try store.recovered()
    return store
  }

  /// What is kept of the one checkout.
  private func state() throws -> [Value] {
    let copy = try directory.copy()
    let store = try CheckoutStore(directory: copy.path)
    let found = try store.recovered()[id]
    let numbers = try store.numbers(of: id)
    return [
      found?.fixed ?? .null, found?.hot ?? .null, .array(found?.parts.map(\.body) ?? []),
      .array(numbers.map(Value.integer)), try store.recoveredRecords()[id] ?? .null,
    ]
  }

  /// Does something with every one of its writes failing in turn, until it succeeds.
  private func fail(
    _ store: CheckoutStore, _ backend: FaultyBackend, _ body: () throws -> Void
  ) throws -> Int {
    let before = try state()
    for calls in 0..<50 {
      backend.callsLeft = calls
      do {
        try body()
        backend.callsLeft = nil
        return calls
      } catch let error as StoreError {
        backend.callsLeft = nil
        #expect(error == .failed("the disk is full"))
        #expect(try state() == before, "after \(calls) calls")
      }
    }
    return 0
  }

  @Test func `a commit that fails anywhere takes the whole turn back`() throws {
    let (store, backend) = try store()
    let other = CheckoutID(8)
    try store.write([.didReceiveStep], of: id, after: 0)
    let calls = try fail(store, backend) {
      store.publish([.didReceiveStep, .didFail], of: id, after: 1)
      store.publish([.didReceiveStep], of: other, after: 0)
      do {
        try store.commit(
          [
            CheckoutChange(id: id, fixed: "fixed 2", parts: [(0, "part")], hot: "hot 2"),
            CheckoutChange(id: other, fixed: "other", hot: "other"),
          ], isPayment: true)
      } catch {
        // Its events are forgotten.
        #expect(try store.numbers(of: id) == [1])
        #expect(try store.numbers(of: other).isEmpty)
        throw error
      }
    }
    #expect(calls == 7)
    #expect(try state() == ["fixed 2", "hot 2", ["part"], [1, 2, 3], .null])
    #expect(try store.numbers(of: id) == [1, 2, 3])
  }

  @Test func `a removal that fails anywhere leaves everything`() throws {
    let (store, backend) = try store()
    try store.write([.didReceiveStep], of: id, after: 0)
    try store.write([.didFail], of: id, after: 1)
    let calls = try fail(store, backend) { try store.remove(id, leaving: "record") }
    #expect(calls == 6)
    #expect(try state() == [.null, .null, [], [], "record"])
    #expect(try fail(store, backend) { try store.removeRecord(of: id) } == 3)
    #expect(try state() == [.null, .null, [], [], .null])
  }

  @Test(arguments: 3..<7)
  func `a trimming that fails leaves the turn committed, and is made up for`(calls: Int) throws {
    let (store, backend) = try store()
    store.eventLimits.count = 8
    try store.write([.didReceiveStep, .didFail, .didReceiveStep], of: id, after: 0)
    for seq in Int64(3)..<8 { try store.write([.didReceiveStep], of: id, after: seq) }
    backend.callsLeft = calls
    try store.write([.didReceiveStep], of: id, after: 8)
    backend.callsLeft = nil
    let kept: [Int64] = calls < 6 ? Array(1...9) : [2] + Array(4...9)
    #expect(try store.numbers(of: id) == kept)
    #expect(try reopened().numbers(of: id) == kept)
    try store.write([.didReceiveStep], of: id, after: 9)
    #expect(try store.numbers(of: id) == [2] + Array(4...10))
    try store.probe()
  }

  @Test func `a full database refuses a turn, and takes smaller ones`() throws {
    let backend = try SQLiteBackend(directory: directory.path, bootID: 1)
    let store = CheckoutStore(backend: backend)
    try store.write([.didReceiveStep], of: id, after: 0)
    let pages = try #require(try backend.database.number("PRAGMA page_count"))
    try backend.database.run("PRAGMA max_page_count=\(pages + 4)")
    let before = try state()
    let text = String(repeating: "t", count: 100_000)
    for isPayment in [false, true] {
      store.publish([.didReceiveStep], of: id, after: 1, text: text)
      let error = #expect(throws: StoreError.self) {
        try store.commit([CheckoutChange(id: id, fixed: "f", hot: "h")], isPayment: isPayment)
      }
      guard case .failed = error else {
        Issue.record("\(String(describing: error))")
        continue
      }
      #expect(try state() == before)
      #expect(try store.numbers(of: id) == [1])
    }
    try store.probe()
    try store.write([.didReceiveStep], of: id, after: 1)
    try backend.database.run("PRAGMA max_page_count=1000000")
    try store.write([.didReceiveStep], of: id, after: 2, text: text)
    #expect(try store.numbers(of: id) == [1, 2, 3])
    #expect(try store.scrub() == ())
  }
}
