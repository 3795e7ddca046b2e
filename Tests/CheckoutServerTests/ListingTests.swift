import Testing
import ValueTree

@testable import CheckoutServer

/// Subscriptions to many checkouts begin with their snapshots, which are made in slices.
@Suite struct ListingTests {
  private let bench: ServerBench
  private let owner: TestClient
  private let listener: TestClient
  private let ids: [String]

  init() throws {
    bench = try ServerBench()
    owner = try bench.connect()
    try bench.start(250, by: owner)
    listener = try bench.connect()
    ids = bench.registry.checkouts.map(\.idText)
    try #require(ids.count == 250)
  }

  private func subscribe() -> Int64 {
    let (text, id) = bench.line("events.subscribe")
    listener.send(text)
    return id
  }

  private func cancel(_ place: Int) throws {
    let reply = try bench.call(owner, "checkout.cancel", ["checkoutId": .string(ids[place])])
    #expect(reply.result != nil)
  }

  @Test func `each takes some turns, in which others are served, and misses nothing`() throws {
    let id = subscribe()
    bench.turn()
    #expect(try listener.readLines().isEmpty)
    // One that was told, and one that was not.
    owner.send(
      bench.line("checkout.cancel", ["checkoutId": .string(ids[0])]).text
        + bench.line("checkout.cancel", ["checkoutId": .string(ids[249])]).text)
    bench.turn()
    #expect(try owner.readLines().count == 2)
    #expect(try listener.readLines().isEmpty)
    bench.turn()
    let lines = try listener.readLines()
    let result = try #require(CallOutcome(lines, id).result)
    let snapshots = try #require(result["snapshots"]?.array)
    #expect(snapshots.map { $0["checkoutId"]?.string } == ids && result["more"] == nil)
    #expect(snapshots.first?["seq"] == 1 && snapshots.last?["seq"] == 2)
    // The reply comes first, then what has happened since.
    #expect(lines.first?["id"]?.integer == id && lines.count == 2)
    #expect(lines.last?["params"]?["checkoutId"]?.string == ids[0])
    #expect(lines.last?["params"]?["seq"] == 2)
    try cancel(1)
    #expect(try listener.readLines().map { $0["params"]?["seq"] } == [2])
  }

  @Test func `one that is replaced is answered with what there is`() throws {
    let first = subscribe()
    bench.turn()
    let second = subscribe()
    for _ in 0..<4 { bench.turn() }
    let lines = try listener.readLines()
    #expect(CallOutcome(lines, first).result?["snapshots"]?.array?.count == 100)
    #expect(CallOutcome(lines, first).result?["more"] == true)
    #expect(CallOutcome(lines, second).result?["snapshots"]?.array?.count == 250)
    try cancel(0)
    #expect(try listener.readLines().count == 1)
  }

  @Test func `one whose turn is not committed is refused`() throws {
    bench.backend.isFailing = true
    listener.send(
      bench.line("checkout.cancel", ["checkoutId": .string(ids[0])]).text)
    let id = subscribe()
    bench.turn()
    bench.backend.isFailing = false
    #expect(CallOutcome(try listener.readLines(), id).code == -32006)
    bench.pass(milliseconds: 2000)
    try cancel(1)
    #expect(try listener.readLines().isEmpty)
  }

  @Test func `one whose client goes, or whose daemon stops, ends`() throws {
    _ = subscribe()
    let other = try bench.connect()
    let (text, id) = bench.line("events.subscribe")
    other.send(text)
    bench.turn()
    listener.close()
    bench.turn()
    bench.server.beginDrain()
    bench.turn()
    #expect(CallOutcome(try other.readLines(), id).code == -32005)
  }
}
