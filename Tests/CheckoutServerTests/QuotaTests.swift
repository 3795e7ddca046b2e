import Testing
import ValueTree

@testable import CheckoutServer

/// What one user may hold: a quota refuses the user who fills it, by name and number, and nobody else.
///
/// How many connections there may be is in `EntranceTests`.
@Suite struct QuotaTests {
  private static let eager: UInt32 = 61_011
  private static let calm: UInt32 = 61_012

  private static func bench(_ change: (inout Limits) -> Void = { _ in }) throws -> ServerBench {
    var limits = Limits()
    change(&limits)
    return try ServerBench(limits: limits)
  }

  private static func quota(of outcome: CallOutcome) -> Value? {
    guard outcome.code == -32004, outcome.errorID == "quota-exceeded" else { return nil }
    let data = outcome.reply?["error"]?["data"]
    return .object(
      ["quota", "limit", "used", "uid"].compactMap { name in
        data?[name].map { Value.Member(name, $0) }
      })
  }

  // MARK: Checkouts

  @Test func `each user has checkouts of its own, over all of its connections`() throws {
    let bench = try Self.bench { $0.checkoutsPerUser = 2 }
    let (first, second) = (try bench.connect(as: Self.eager), try bench.connect(as: Self.eager))
    let calm = try bench.connect(as: Self.calm)
    let mine = try bench.start(session: 0, by: first)
    #expect(try bench.start(session: 1, by: first).result != nil)
    let full: Value = ["quota": "checkoutsPerUid", "limit": 2, "used": 2, "uid": 61_011]
    for client in [first, second] {
      #expect(Self.quota(of: try bench.start(session: 2, by: client)) == full)
    }
    #expect(try bench.start(session: 2, by: calm).result?["state"] == "ready")
    let id = try #require(mine.result?["checkoutId"])
    #expect(try bench.call(first, "checkout.cancel", ["checkoutId": id]).result != nil)
    #expect(try bench.start(session: 3, by: second).result?["state"] == "ready")
    let administrator = try bench.connect(as: 0, isAdministrator: true)
    let calls = try bench.call(administrator, "system.status").result?["calls"]
    #expect(calls?["refused"] == ["checkoutsPerUid": 2])
  }

  @Test func `what another user shares counts for that one`() throws {
    let bench = try Self.bench { $0.checkoutsPerUser = 2 }
    let (eager, calm) = (try bench.connect(as: Self.eager), try bench.connect(as: Self.calm))
    let share: Value = [["uid": 61_011, "role": "drive"]]
    for number in 0..<2 {
      #expect(try bench.start(session: number, by: calm, [.init("share", share)]).result != nil)
    }
    for number in 2..<4 { #expect(try bench.start(session: number, by: eager).result != nil) }
  }

  @Test func `one user does not take what all may have`() throws {
    let bench = try Self.bench { $0.checkouts = 4 }
    let (eager, calm) = (try bench.connect(as: Self.eager), try bench.connect(as: Self.calm))
    var started = 0
    while try bench.start(session: started, by: eager).result != nil { started += 1 }
    #expect(started == 2, "half of them are one user's")
    #expect(Self.quota(of: try bench.start(session: 9, by: eager))?["quota"] == "checkouts")
    #expect(try bench.start(session: 10, by: calm).result?["state"] == "ready")
  }

  // MARK: Shares

  private static func share(
    _ bench: ServerBench, _ client: TestClient, _ id: Value, with uid: Int64
  ) throws -> CallOutcome {
    try bench.call(
      client, "checkout.share", ["checkoutId": id, "uid": .integer(uid), "role": "observe"])
  }

  @Test func `there are so many shares, and one that goes makes room for one`() throws {
    let bench = try Self.bench()
    let client = try bench.connect()
    let id = try #require(try bench.start(session: 0, by: client).result?["checkoutId"])
    for uid in 70_000..<70_064 {
      #expect(try Self.share(bench, client, id, with: Int64(uid)).result != nil)
    }
    let full: Value = ["quota": "shares", "limit": 64, "used": 64, "uid": 1000]
    #expect(Self.quota(of: try Self.share(bench, client, id, with: 80_000)) == full)
    // One that is there already is changed.
    #expect(try Self.share(bench, client, id, with: 70_000).result != nil)
    let back: Value = ["checkoutId": id, "uid": 70_001]
    #expect(try bench.call(client, "checkout.unshare", back).result != nil)
    #expect(try Self.share(bench, client, id, with: 80_000).result != nil)
    let group: Value = ["checkoutId": id, "gid": 5, "role": "drive"]
    #expect(Self.quota(of: try bench.call(client, "checkout.share", group)) == full)
  }

  @Test func `a start has no more shares either`() throws {
    let bench = try Self.bench()
    let client = try bench.connect()
    let shares = Value.array((0..<65).map { ["uid": .integer(70_000 + $0), "role": "observe"] })
    let outcome = try bench.start(session: 0, by: client, [.init("share", shares)])
    #expect(outcome.code == -32602 || outcome.code == -32004)
    #expect(bench.registry.count == 0)
  }
}
