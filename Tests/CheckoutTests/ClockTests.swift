import Checkout
import Testing
import ValueTree

/// The wall clock is put right while a checkout goes on: by hours or a year, either way.
@Suite struct ClockTests {
  static let year: Milliseconds = 365 * 24 * Sample.hour
  static let steps = [year, -year, 7 * Sample.hour, -7 * Sample.hour]

  @Test(arguments: Stop.allCases, steps)
  func `nothing is sooner or later for it`(stop: Stop, step: Milliseconds) throws {
    var (plain, stepped) = (Bench(at: stop), Bench(at: stop))
    stepped.wallOffset = step
    for seed in UInt64(0)..<4 {
      var (random, same) = (
        RandomWalk.Generator(state: seed), RandomWalk.Generator(state: seed)
      )
      var (first, second) = (plain, stepped)
      for _ in 0..<20 {
        RandomWalk.step(&first, &random)
        RandomWalk.step(&second, &same)
      }
      // A token that comes in now says its expiry by the new clock; nothing else differs.
      let isNewToken =
        second.checkout.token.accessToken != "access-1"
        || second.sent.contains { $0.accessToken != "access-1" }
      if !isNewToken { #expect(first.timers == second.timers, "seed \(seed)") }
    }
    #expect(try plain.restart(after: 5000) == stepped.restart(after: 5000))
  }

  @Test(arguments: steps)
  func `what is shown is the wall clock of the moment`(step: Milliseconds) {
    var bench = Bench(at: .polling)
    let before = bench.checkout.snapshot(wallOffset: 0)
    let after = bench.checkout.snapshot(wallOffset: step)
    func text(_ time: WallTime) -> Value { .string(Timestamp(time).text) }
    #expect(before["createdAt"] == text(Sample.now))
    #expect(after["createdAt"] == text(Sample.now + step))
    #expect(after["awaiting"]?.array?.first?["since"] == text(Sample.now + step))
    #expect(
      after["awaiting"]?.array?.first?["deadline"] == text(Sample.now + step + 30 * Sample.minute))
    bench = Bench(at: .ready)
    #expect(
      bench.checkout.shortSnapshot(wallOffset: step)["expiresAt"]
        == text(Sample.now + 2 * Sample.hour + step))
    bench = Bench(at: .ended)
    let record = bench.checkout.outcomeRecord
    let archived = record.map { Checkout(id: CheckoutID(1), owner: 0, record: $0) }
    #expect(archived?.snapshot(wallOffset: step)["endedAt"] == text(Sample.now + step))
  }

  @Test(arguments: steps)
  func `a deadline is told and a mandate dated by the clock as it was put right`(
    step: Milliseconds
  ) {
    var deciding = Bench(.submittable, settings: Sample.decidingSettings)
    deciding.wallOffset = step
    deciding.call(.submit)
    #expect(
      deciding.events.last?["deadline"]
        == .string(Timestamp(Sample.now + Sample.minute + step).text))
    var mandating = Bench(at: .mandating)
    mandating.wallOffset = step
    mandating.call(.decideMandate(isAccepted: true))
    #expect(
      mandating.sent.last?.request == .complete(mandateAcceptedAt: Sample.now + step))
  }

  @Test(arguments: steps)
  func `a token's expiry is a span from when it is read`(step: Milliseconds) {
    // The clock was wrong by that much from the beginning, and upstream's token agrees with it.
    var token = Sample.token
    token.expiresAt += step
    var bench = Bench(token: token, wallOffset: step)
    #expect(bench.timers[.expiry] == Sample.now + 2 * Sample.hour)
    // It is put right, and the redirect's token is as upstream's clock has it.
    bench.start()
    bench.wallOffset = 0
    bench.provideBanks()
    bench.call(.start)
    bench.answer("banks", .banks(Sample.banks))
    bench.choose("0")
    bench.call(.submit)
    bench.answer("tokenize", .instrument(Sample.instrument))
    bench.answer("create", Sample.payment(.pending, action: Sample.redirectToken))
    bench.answer("poll", .redirectStatus(.pending))
    #expect(bench.timers[.poll] != nil, "it is polled again")
    #expect(bench.checkout.awaiting.first?["deadline"] != nil)
  }

  @Test(arguments: [Int64.max, .min, 1 << 62])
  func `no clock is too far off`(offset: Int64) {
    var bench = Bench(at: .chosen)
    bench.wallOffset = offset
    bench.call(.submit)
    bench.answer("tokenize", .instrument(Sample.instrument))
    bench.answer("create", Sample.payment(.pending, action: Sample.redirectToken))
    _ = bench.checkout.snapshot(wallOffset: offset)
    bench = Bench(token: Sample.token, wallOffset: offset)
    #expect(bench.checkout.state == .starting)
  }
}
