import Testing
import ValueTree

@testable import CheckoutServer

/// So many ended checkouts of a user keep their data, and so many their records; the oldest that never
/// reached a payment go first.
@Suite struct EndedCheckoutsTests {
  private let bench: ServerBench
  private let client: TestClient

  private init(ended: Int, records: Int = 1000) throws {
    var limits = Limits()
    limits.endedPerUser = ended
    limits.recordsPerUser = records
    bench = try ServerBench(limits: limits)
    client = try bench.connect()
  }

  init() throws { try self.init(ended: 5) }

  private func start(_ number: Int, key: String? = nil) throws -> CallOutcome {
    let members = key.map { [Value.Member("startKey", .string($0))] } ?? []
    return try bench.start(session: number, by: client, members)
  }

  /// Starts a checkout, and cancels it.
  private func cancelled(_ number: Int, key: String? = nil) throws -> Value {
    let id = try #require(try start(number, key: key).result?["checkoutId"])
    #expect(try bench.call(client, "checkout.cancel", ["checkoutId": id]).result != nil)
    return id
  }

  /// Starts a checkout, and pays.
  private func paid(_ number: Int) throws -> Value {
    let id = try bench.submit(session: number, by: client)
    while bench.answer() {}
    _ = try client.readLines()
    #expect(try states()[id]?.string == "completed")
    return id
  }

  /// The state of every checkout that is listed.
  private func states() throws -> Value {
    bench.pass(milliseconds: 1)
    let listed = try bench.call(client, "checkout.list", ["limit": 100]).result?["checkouts"]
    return .object(
      (listed?.array ?? []).map { entry in
        .init(entry["checkoutId"]?.string ?? "", entry["state"] ?? .null)
      })
  }

  @Test func `the oldest go`() throws {
    let ids = try (0..<8).map { try cancelled($0) }
    let states = try states()
    #expect(ids.filter { states[$0]?.string == "failed" } == Array(ids.suffix(5)))
    // Without a start key there is nothing to keep a record for.
    #expect(try bench.call(client, "checkout.get", ["checkoutId": ids[0]]).code == 1001)
  }

  @Test func `their start keys are kept`() throws {
    let ids = try (0..<8).map { try cancelled($0, key: "key-\($0)") }
    for (number, state) in [(0, "archived"), (2, "archived"), (3, "failed")] {
      let params: Value = ["checkoutId": ["startKey": .string("key-\(number)")]]
      let found = try bench.call(client, "checkout.get", params).result
      #expect(found?["checkoutId"] == ids[number] && found?["state"]?.string == state)
    }
  }

  @Test func `one that reached a payment stays`() throws {
    let paid = try paid(0)
    let ids = try (1..<8).map { try cancelled($0) }
    let states = try states()
    #expect(states[paid]?.string == "completed")
    #expect(ids.filter { states[$0]?.string == "failed" } == Array(ids.suffix(4)))
  }

  @Test func `the oldest record of no payment goes`() throws {
    let tests = try EndedCheckoutsTests(ended: 1, records: 2)
    let ids = try (0..<4).map { try tests.cancelled($0, key: "key-\($0)") }
    let states = try tests.states()
    #expect(ids.map { states[$0]?.string } == [nil, "archived", "archived", "failed"])
  }

  @Test func `payments fill the records, and never go for newer ones`() throws {
    let tests = try EndedCheckoutsTests(ended: 1, records: 2)
    let ids = try (0..<2).map { try tests.paid($0) }
    let refused = try tests.start(2)
    let data = refused.reply?["error"]?["data"]
    #expect(refused.code == -32004 && data?["quota"] == "recordsPerUid" && data?["used"] == 2)
    let states = try tests.states()
    #expect(states.object?.count == 2 && ids.allSatisfy { states[$0] != nil })
  }
}

extension Value {
  /// The member that another value names.
  fileprivate subscript(name: Value) -> Value? { name.string.flatMap { self[$0] } }
}
