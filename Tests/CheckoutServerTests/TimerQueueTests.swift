import Testing

@testable import CheckoutServer

@Suite struct TimerQueueTests {
  private static func drain(_ queue: inout TimerQueue<Int>, at now: UInt64) -> [Int] {
    var popped: [Int] = []
    while let key = queue.popExpired(at: now) { popped.append(key) }
    return popped
  }

  @Test func `an empty one has nothing`() {
    var queue = TimerQueue<Int>()
    #expect(queue.nearest() == nil)
    #expect(queue.popExpired(at: .max) == nil)
    queue.clear(1)
    #expect(queue.nearest() == nil)
  }

  @Test func `the nearest comes first, and none before its time`() {
    var queue = TimerQueue<Int>()
    for (key, deadline) in [(1, 30), (2, 10), (3, 20), (4, 40)] as [(Int, UInt64)] {
      queue.set(key, at: deadline)
    }
    #expect(queue.nearest() == 10)
    #expect(queue.popExpired(at: 9) == nil)
    #expect(Self.drain(&queue, at: 30) == [2, 3, 1])
    #expect(queue.nearest() == 40)
  }

  @Test func `one that is set again has the new deadline alone`() {
    var queue = TimerQueue<Int>()
    queue.set(1, at: 10)
    queue.set(2, at: 20)
    queue.set(1, at: 30)
    #expect(queue.nearest() == 20)
    #expect(Self.drain(&queue, at: 25) == [2])
    queue.set(1, at: 5)
    #expect(Self.drain(&queue, at: 100) == [1])
  }

  @Test func `one that is set again to the same deadline comes once`() {
    var queue = TimerQueue<Int>()
    queue.set(1, at: 10)
    queue.set(1, at: 20)
    queue.set(1, at: 10)
    #expect(Self.drain(&queue, at: 100) == [1])
  }

  @Test func `one that was cleared does not come, and can be set again`() {
    var queue = TimerQueue<Int>()
    queue.set(1, at: 10)
    queue.set(2, at: 20)
    queue.clear(1)
    #expect(queue.nearest() == 20)
    queue.clear(2)
    #expect(queue.nearest() == nil)
    queue.set(1, at: 15)
    #expect(Self.drain(&queue, at: 15) == [1])
  }

  @Test func `setting again and again does not grow it`() {
    var queue = TimerQueue<Int>()
    for round in 0..<100_000 { queue.set(round % 8, at: UInt64(1_000_000 - round)) }
    let children = Mirror(reflecting: queue).children.compactMap { $0.value as? any Collection }
    #expect(!children.isEmpty)
    #expect(children.allSatisfy { $0.count <= 65 })
    #expect(Set(Self.drain(&queue, at: .max)).count == 8)
  }

  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  func `it does as a sorted list does`(seed: UInt64) {
    var random = Generator(state: seed)
    var queue = TimerQueue<Int>()
    var list: [Int: UInt64] = [:]
    var now: UInt64 = 0
    for _ in 0..<2000 {
      let key = Int.random(in: 0..<40, using: &random)
      switch Int.random(in: 0..<10, using: &random) {
      case 0..<6:
        let deadline = now + UInt64.random(in: 0...50, using: &random)
        queue.set(key, at: deadline)
        list[key] = deadline
      case 6..<8:
        queue.clear(key)
        list[key] = nil
      default:
        now += UInt64.random(in: 0...20, using: &random)
        var deadlines: [UInt64] = []
        for popped in Self.drain(&queue, at: now) {
          deadlines.append(list.removeValue(forKey: popped) ?? .max)
        }
        #expect(deadlines == deadlines.sorted())
        #expect(deadlines.allSatisfy { $0 <= now })
      }
      #expect(queue.nearest() == list.values.min())
      #expect((list.values.min() ?? .max) > now || queue.nearest() != nil)
    }
    #expect(Set(Self.drain(&queue, at: .max)) == Set(list.keys))
  }
}

/// Random numbers that a seed repeats.
private struct Generator: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
