import Checkout
import CheckoutStore
import PrimerAPI
import Systemd
import Testing
import ValueTree

@testable import CheckoutServer

/// When the process ends, without a server and without ending one.
@Suite struct LifetimeTests {
  private let all: PartsWithClients
  private let lifetime: Lifetime
  private let exits = UncheckedList<Int32>()

  private var parts: Parts { all.parts }

  init() throws { try self.init(isDurable: true) }

  private init(isDurable: Bool) throws {
    all = try PartsWithClients()
    let doors = Doors(try EventLoop(), all.entrance(), all.parts.schedule)
    lifetime = all.lifetime(doors, isDurable: isDurable) { [exits] in exits.append($0) }
    lifetime.setSpans(idle: 5000, drain: 60_000)
  }

  /// Lets time pass, and asks at the end of the turn.
  private func pass(_ span: UInt64) {
    parts.time.pass(milliseconds: span)
    parts.schedule.fireDue()
    parts.endTurn()
    lifetime.check()
  }

  // MARK: Idle exit

  @Test func `it ends when there is nothing to do for so long`() {
    pass(0)
    pass(4999)
    #expect(exits.all.isEmpty)
    pass(1)
    #expect(exits.all == [0])
  }

  @Test func `without a span it stays`() {
    lifetime.setSpans(idle: 0, drain: 0)
    for _ in 0..<3 { pass(1_000_000) }
    #expect(exits.all.isEmpty)
  }

  @Test func `a client keeps it, and when that goes the span begins anew`() throws {
    pass(0)
    pass(4000)
    let (client, _) = try all.connect()
    pass(10_000)
    #expect(exits.all.isEmpty)
    client.close()
    all.turn()
    pass(0)
    pass(4999)
    #expect(exits.all.isEmpty)
    pass(1)
    #expect(exits.all == [0])
  }

  @Test func `a request under way keeps it, and a store that cannot be written`() throws {
    let session = parts.session()
    let live = try parts.start(by: session)
    parts.endTurn()
    for _ in 0..<2 { pass(5000) }
    #expect(parts.upstream.status.underWay == 1 && exits.all.isEmpty)
    parts.upstream.answer(SampleUpstream.answer)
    parts.endTurn()
    _ = try parts.checkouts.perform(.cancel(reason: nil), on: live, by: session)
    parts.backend.isFailing = true
    #expect(!parts.endTurn())
    for _ in 0..<2 { pass(5000) }
    #expect(parts.turn.problem != nil && exits.all.isEmpty)
  }

  @Test(arguments: [true, false])
  func `a live checkout keeps it where nothing else has its state`(isDurable: Bool) throws {
    let tests = try LifetimeTests(isDurable: isDurable)
    let session = tests.parts.session()
    _ = try tests.parts.start(by: session)
    tests.parts.endTurn()
    tests.parts.upstream.answer(SampleUpstream.answer)
    tests.parts.endTurn()
    for _ in 0..<2 { tests.pass(5000) }
    #expect(tests.exits.all == (isDurable ? [0] : []))
  }

  // MARK: Stopping

  /// Brings a checkout to where its payment is being created.
  private func pay() throws -> LiveCheckout {
    let session = parts.session()
    let live = try parts.start(by: session)
    func perform(_ command: Command) throws {
      _ = try parts.checkouts.perform(command, on: live, by: session)
      parts.endTurn()
    }
    func answer() {
      parts.upstream.answer(SampleUpstream.answer)
      parts.endTurn()
    }
    parts.endTurn()
    answer()
    try perform(.provide(manager: .componentWithRedirect, paymentMethodType: "ADYEN_IDEAL"))
    try perform(.component(0, .start))
    answer()
    try perform(.component(0, .update(["bankId": "0"])))
    try perform(.component(0, .submit))
    answer()
    try #require(live.checkout.isPaying)
    return live
  }

  @Test func `it ends when nothing is under way, and tells everybody`() throws {
    let (client, session) = try all.connect()
    session.greet(as: nil)
    lifetime.beginDrain()
    lifetime.beginDrain()
    lifetime.check()
    let lines = try client.readLines()
    #expect(lines.map { $0["method"] } == ["system.draining", nil])
    #expect(lines.last?["error"]?["code"] == -32005 && client.hasEnded)
    lifetime.check()
    #expect(exits.all == [0] && parts.upstream.isShutDown)
  }

  @Test(arguments: [true, false])
  func `it waits for a payment until that is answered, or has had its time`(
    isAnswered: Bool
  ) throws {
    let live = try pay()
    lifetime.beginDrain()
    lifetime.check()
    pass(59_999)
    #expect(exits.all.isEmpty && !parts.upstream.isShutDown)
    if isAnswered {
      parts.upstream.answer { _ in
        .success(.payment(PaymentResponse(id: "pay-1", orderID: "o-1", status: .success)))
      }
      pass(0)
    } else {
      pass(1)
    }
    #expect(exits.all == [0] && live.checkout.isEnded == isAnswered)
  }

  @Test func `a disk that has lost what it had taken ends it at once, and once`() throws {
    let (client, _) = try all.connect()
    lifetime.end(with: .flushFailed("the disk"))
    lifetime.end(with: nil)
    lifetime.beginDrain()
    lifetime.check()
    // Whatever a client is told might not be so.
    #expect(exits.all == [1])
    #expect(try client.readLines().isEmpty)
  }
}
