import Checkout
import CheckoutProtocol
import CheckoutStore
import JSONRPC
import LinuxSystem
import Systemd
import ValueTree

@testable import CheckoutServer
@testable import CheckoutStore

/// The parts that most others need, joined without a server.
final class Parts {
  let time = ManualClock()
  let backend = VolatileBackend()
  let upstream = ScriptedUpstream()
  let store: CheckoutStore
  let clock: ServerClock
  let journal = Journal(Log(minimumLevel: .emergency))
  let counters = Counters()
  let limits: CurrentLimits
  let users: UserTable
  let outbound = Outbound()
  let schedule: Schedule
  let turn: Turn
  let hub: EventHub
  let checkouts: Checkouts
  private var lastTag: UInt64 = 0

  init(_ limits: Limits = Limits()) {
    store = CheckoutStore(backend: backend)
    clock = ServerClock(time.source)
    self.limits = CurrentLimits(limits)
    users = UserTable(self.limits)
    schedule = Schedule(clock)
    turn = Turn(store, clock, journal, counters, bootID: 1)
    hub = EventHub(
      outbound, turn, EventReader(store, journal), self.limits, schedule)
    let questions = Questions(
      store, turn, ServiceReport(ServiceManager(), journal, schedule), journal, isWanted: true)
    checkouts = Checkouts(
      turn, hub, questions, upstream, clock, counters, self.limits, schedule, spans: Spans())
  }

  /// A client's session, without a connection.
  func session(of user: UInt32 = 1000) -> Session {
    lastTag += 1
    let output = ConnectionOutput(
      to: outbound, tag: lastTag, of: users.user(user), limits.value, counters, clock)
    return Session(
      Caller(userID: user, groupID: user), of: users.user(user), to: output)
  }

  /// What runs lines: some of the methods, each with what the test has it do.
  func inbound(_ handlers: [Handler]) -> Inbound {
    Inbound(MethodTable(handlers.map(\.key.row), handlers), limits.value)
  }

  /// A client, and the server's end of its connection.
  func connect(
    _ inbound: Inbound, of user: UInt32 = 1000
  ) throws -> (client: TestClient, connection: Connection) {
    let (client, other) = try TestClient.make()
    let session = session(of: user)
    let connection = Connection(
      FileDescriptor(owning: other), tag: lastTag, session,
      ConnectionInput(inbound, for: session, limits.value))
    return (client, connection)
  }

  /// Starts a checkout.
  func start(
    _ token: String = "a", by session: Session, notedAs fingerprint: Fingerprint? = nil
  ) throws -> LiveCheckout {
    try checkouts.start(
      Checkouts.Start(
        token: ClientToken(
          encoded: "t", accessToken: token, expiresAt: clock.now + 3_600_000,
          configurationURL: "https://api.example.com/configuration"), settings: Settings(),
        shares: [],
        record: StartRecord(
          key: nil, fingerprint: Fingerprint("f"),
          tokenFingerprint: fingerprint ?? Fingerprint(token))),
      by: session)
  }

  /// Ends a turn: commits, and sends the requests.
  @discardableResult
  func endTurn() -> Bool {
    guard turn.commit() == .written else { return false }
    while let effect = turn.takeEffect() {
      switch effect {
      case .perform(let operation, let live): checkouts.send(operation, for: live)
      case .settleWaits(let live): hub.settleWaits(on: live)
      default: break
      }
    }
    return true
  }

  /// What a session is to be sent, as text; the turn is forgotten.
  func said(to session: Session) throws -> [Value] {
    let (client, other) = try TestClient.make()
    let end = FileDescriptor(owning: other)
    _ = session.output.flush(to: end)
    outbound.removeAll()
    return try client.readLines()
  }
}
