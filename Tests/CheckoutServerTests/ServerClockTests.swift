import Testing
import ValueTree

@testable import CheckoutServer

@Suite struct ServerClockTests {
  /// Two clocks that a test sets, in milliseconds.
  private final class Hands: @unchecked Sendable {
    var wall: Int64 = 1_767_259_800_000
    var boot: Int64 = 5000

    func pass(_ span: Int64) {
      wall += span
      boot += span
    }

    var source: ClockSource {
      ClockSource(
        wall: { self.wall }, boot: { UInt64(self.boot) * 1000 },
        monotonic: { UInt64(self.boot) * 1000 })
    }
  }

  private func written(_ clock: ServerClock, boot: Hands, bootID: Int64 = 1) -> StoredMoment {
    let now = clock.now
    return StoredMoment(now: now, boot: boot.boot, bootID: bootID, wall: now + clock.wallOffset)
  }

  static let year: Int64 = 365 * 24 * 3_600_000

  @Test(arguments: [year, -year, 7 * 3_600_000, 1000] as [Int64])
  func `a wall clock that is set moves what is shown, and not the time`(step: Int64) {
    let hands = Hands()
    let clock = ServerClock(hands.source)
    let start = clock.now
    hands.pass(60_000)
    hands.wall += step
    #expect(clock.now == start + 60_000)
    #expect(clock.wallOffset == step)
    #expect(clock.now + clock.wallOffset == hands.wall)
  }

  @Test func `the rounding of two clocks moves nothing`() {
    let hands = Hands()
    let clock = ServerClock(hands.source)
    for slip in [1, -1, 999, -999] as [Int64] {
      hands.wall += slip
      #expect(clock.wallOffset == 0)
      hands.wall -= slip
    }
  }

  @Test(arguments: [0, year, -year] as [Int64])
  func `the next process goes on where the last one was`(step: Int64) {
    let hands = Hands()
    let first = ServerClock(hands.source)
    hands.wall += step
    let moment = written(first, boot: hands)
    hands.pass(90_000)
    let next = ServerClock(hands.source)
    next.goOn(from: moment, bootID: 1)
    #expect(next.now == moment.now + 90_000)
    #expect(next.wallOffset == step)
  }

  @Test func `a clock that is set between two processes of one boot costs no time`() {
    let hands = Hands()
    let moment = written(ServerClock(hands.source), boot: hands)
    hands.pass(10_000)
    hands.wall += Self.year
    let next = ServerClock(hands.source)
    next.goOn(from: moment, bootID: 1)
    #expect(next.now == moment.now + 10_000)
    #expect(next.wallOffset == Self.year)
  }

  @Test func `after another boot the wall clock says how long it was, and never less than nothing`()
  {
    for (span, elapsed) in [(3_600_000, 3_600_000), (-Self.year, 0)] as [(Int64, Int64)] {
      let hands = Hands()
      let moment = written(ServerClock(hands.source), boot: hands)
      hands.boot = 100
      hands.wall += span
      let next = ServerClock(hands.source)
      next.goOn(from: moment, bootID: 2)
      #expect(next.now == moment.now + elapsed)
    }
  }

  @Test func `a moment of the first release is read, and one beyond any clock is not`() {
    let old = StoredMoment([.integer(7), .integer(3), .integer(1)])
    #expect(old?.wall == 7)
    #expect(StoredMoment([.integer(7), .integer(3), .integer(1), .integer(.max)]) == nil)
    #expect(StoredMoment([.integer(7), .integer(3)]) == nil)
    let moment = StoredMoment(now: 1, boot: 2, bootID: 3, wall: 4)
    #expect(StoredMoment(moment.stored)?.wall == 4)
  }
}
