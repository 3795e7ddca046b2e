import Checkout
import Testing
import ValueTree

@testable import CheckoutServer
@testable import CheckoutStore

/// What an earlier process has left is read without a server, and nothing that makes no sense.
@Suite struct RecoveryTests {
  private let parts = Parts()

  /// Reads what the parts have written, as another process does.
  private func read(
    _ clock: ServerClock = ServerClock(ManualClock().source), _ progress: (Int) -> Void = { _ in }
  ) throws -> RecoveredState {
    let store = CheckoutStore(backend: parts.backend)
    let users = UserTable(CurrentLimits(Limits()))
    return try Recovery(store, users, clock, spans: Spans(), bootID: 1).read(progress)
  }

  /// Has only a record left of a checkout that is over.
  private func archive(_ live: LiveCheckout, by session: Session) throws {
    _ = try parts.checkouts.perform(.cancel(reason: nil), on: live, by: session)
    parts.endTurn()
    try parts.store.remove([(live.id, live.storedRecord(at: parts.turn.moment))])
  }

  @Test func `checkouts and records are found in the order in which they were started`() throws {
    var owners: [UInt32] = []
    var ids: [CheckoutID] = []
    for number in 0..<6 {
      let owner = UInt32(1000 + number % 2)
      let session = parts.session(of: owner)
      let live = try parts.start("token-\(number)", by: session)
      parts.endTurn()
      if number % 3 == 0 { try archive(live, by: session) }
      owners.append(owner)
      ids.append(live.id)
    }
    var told: [Int] = []
    let state = try read(ServerClock(ManualClock().source)) { told.append($0) }
    #expect(state.checkouts.map(\.id) == ids && state.checkouts.map(\.owner) == owners)
    #expect(state.checkouts.map(\.ordinal) == Array(1...6))
    #expect(state.checkouts.map(\.isArchived) == [true, false, false, true, false, false])
    #expect(state.checkouts.allSatisfy { !$0.isTouched && $0.start.key == nil })
    #expect(state.loss == nil && !state.isOfEarlierVersion && !state.isRestored)
    #expect(told == [0])
  }

  @Test func `the steady clock goes on from what was written last`() throws {
    parts.time.pass(milliseconds: 86_400_000)
    _ = try parts.start(by: parts.session())
    parts.endTurn()
    let clock = ServerClock(ManualClock().source)
    let before = clock.now
    _ = try read(clock)
    #expect(clock.now >= before + 86_400_000)
  }

  /// A change that makes a row one that cannot be read.
  private struct Damage: Sendable {
    let name: String
    let change: @Sendable (inout [Value]) -> Void

    init(_ name: String, _ change: @escaping @Sendable (inout [Value]) -> Void) {
      self.name = name
      self.change = change
    }
  }

  private static let common =
    [
      ("a text", "1"), ("null", .null), ("0", 0), ("-1", -1), ("beyond", .integer(.max)),
      ("below", .integer(.min)),
    ].map { (name: String, ordinal: Value) in Damage("ordinal: \(name)") { $0[1] = ordinal } } + [
      Damage("no start") { $0[0] = .null }, Damage("a start of nothing") { $0[0] = [] },
      Damage("one less") { $0.removeLast() }, Damage("two more") { $0 += [.null, .null] },
      Damage("nothing") { $0 = [] },
    ]

  private static let ofCheckouts = common + [Damage("no state") { $0[2] = .null }]

  private static let ofRecords =
    common.filter { $0.name != "one less" } + [
      Damage("owner -1") { $0[2] = -1 }, Damage("owner 2^32") { $0[2] = 4_294_967_296 },
      Damage("no outcome") { $0[3] = .null }, Damage("no time") { $0[4] = .null },
      Damage("two less") { $0.removeLast(2) },
    ]

  @Test(arguments: ofCheckouts.indices) func `a checkout that makes no sense`(_ row: Int) throws {
    _ = try parts.start(by: parts.session())
    parts.endTurn()
    // Behind its one row.
    try refuse(Self.ofCheckouts[row], at: 1)
  }

  @Test(arguments: ofRecords.indices) func `a record that makes no sense`(_ row: Int) throws {
    let session = parts.session()
    let live = try parts.start(by: session)
    parts.endTurn()
    try archive(live, by: session)
    #expect(parts.backend.keptCount == 1)
    try refuse(Self.ofRecords[row], at: 0)
  }

  private func refuse(_ damage: Damage, at place: Int) throws {
    #expect(try read().checkouts.count == 1)
    parts.backend.damage(at: place) { value in
      var values = value.array ?? []
      damage.change(&values)
      return .array(values)
    }
    let error = #expect(throws: StoreError.self, "\(damage.name)") { try read() }
    guard case .corrupt = error else {
      Issue.record("\(damage.name): \(String(describing: error))")
      return
    }
  }
}
