import Checkout
import Testing
import ValueTree

@testable import CheckoutStore

/// What was removed is in no file any more.
@Suite struct ScrubTests {
  let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private func secret(_ number: UInt64) -> String { "shopper-\(number)-end" }

  /// Writes checkouts in turns that mix them, each with its secret in every place there is.
  private func fill(_ store: CheckoutStore, _ ids: Range<UInt64>, turns: Int64) throws {
    for turn in 0..<turns {
      let changes = ids.map { number -> CheckoutChange in
        let id = CheckoutID(number)
        let text = Value.string(secret(number))
        store.publish([.didReceiveStep], of: id, after: turn, text: secret(number))
        return CheckoutChange(
          id: id, fixed: turn % 3 == 0 ? [text, .integer(turn)] : nil,
          parts: turn % 4 == 0
            ? [(0, .array(Array(repeating: text, count: Int(number % 300))))] : [],
          hot: [text, .array(Array(repeating: text, count: Int((number * 7 + UInt64(turn)) % 40)))])
      }
      try store.commit(changes, isPayment: turn % 2 == 0)
    }
  }

  private func files() throws -> [String: [UInt8]] {
    try directory.contents()
  }

  @Test func `no byte of a removed checkout is left`() throws {
    let store = try CheckoutStore(directory: directory.path)
    try fill(store, 0..<120, turns: 12)
    let removed = (0..<120).filter { $0 % 3 != 1 }.map(UInt64.init)
    #expect(try files().values.contains { contains($0, secret(0)) })
    for number in removed {
      try store.remove(CheckoutID(number), leaving: number % 2 == 0 ? "record" : nil)
    }
    try store.scrub()
    for (name, bytes) in try files() {
      for number in removed {
        #expect(!contains(bytes, secret(number)), "\(secret(number)) in \(name)")
      }
    }
    #expect(try store.numbers(of: CheckoutID(1)) == Array(1...12))
  }

  @Test func `nor is it when others are written between the removals`() throws {
    var store: CheckoutStore? = try CheckoutStore(directory: directory.path)
    var random = Generator(state: 5)
    var removed: [UInt64] = []
    for round in UInt64(0)..<8 {
      let ids = round * 20..<round * 20 + 20
      if let store { try fill(store, ids, turns: 6) }
      for number in ids where random.next() % 4 != 0 {
        removed.append(number)
        try store?.remove(CheckoutID(number), leaving: nil)
        try store?.scrub()
        for (name, bytes) in try files() {
          #expect(!contains(bytes, secret(number)), "\(secret(number)) in \(name)")
        }
      }
    }
    store = nil
    // Nor does what was in memory come back, and the pages are whole.
    let bytes = try readBytes(directory.database)
    for number in removed { #expect(!contains(bytes, secret(number))) }
    let database = try Database(path: directory.database)
    let statement = try database.prepare("PRAGMA integrity_check")
    #expect(try statement.step())
    #expect(unsafe statement.withBytes(0) { unsafe String(decoding: $0, as: UTF8.self) } == "ok")
    let next = try CheckoutStore(directory: directory.copy().path)
    #expect(try next.recovered().count == 160 - removed.count)
  }

  @Test func `nor is it when the process was stopped before the scrubbing`() throws {
    let first = try CheckoutStore(directory: directory.path)
    try fill(first, 0..<10, turns: 8)
    for number in UInt64(0)..<5 { try first.remove(CheckoutID(number), leaving: "record") }
    let copy = try directory.copy()
    let second = try CheckoutStore(directory: copy.path)
    #expect(try second.recovered().count == 5)
    try second.scrub()
    for (name, bytes) in try copy.contents() {
      for number in UInt64(0)..<5 {
        #expect(!contains(bytes, secret(number)), "\(secret(number)) in \(name)")
      }
    }
  }

  @Test func `a part or a fixed state that was replaced is gone too`() throws {
    let store = try CheckoutStore(directory: directory.path)
    let id = CheckoutID(1)
    for text in [secret(1), "other"] {
      try store.commit(
        [
          CheckoutChange(
            id: id, fixed: .string(text), parts: [(0, .string(text))],
            hot: .string("h"))
        ], isPayment: false)
    }
    try store.scrub()
    for bytes in try files().values { #expect(!contains(bytes, secret(1))) }
  }

  @Test func `events that were trimmed are gone too`() throws {
    let store = try CheckoutStore(directory: directory.path)
    store.eventLimits.count = 10
    for seq in Int64(0)..<40 {
      try store.write([.didReceiveStep], of: CheckoutID(1), after: seq, text: "event-\(seq)-end")
    }
    try store.scrub()
    for bytes in try files().values {
      #expect(!contains(bytes, "event-3-end"))
      #expect(!contains(bytes, "event-20-end"))
    }
    #expect(try files().values.contains { contains($0, "event-39-end") })
  }

  @Test func `space that was given up is given back`() throws {
    let store = try CheckoutStore(directory: directory.path)
    try fill(store, 0..<100, turns: 10)
    try store.scrub()
    let full = try readBytes(directory.database).count
    for number in UInt64(0)..<100 { try store.remove(CheckoutID(number), leaving: nil) }
    try store.scrub()
    #expect(try readBytes(directory.database).count < full / 10)
  }
}
