import Checkout
import Testing

@testable import CheckoutServer

@Suite struct LeftoversTests {
  @Test func `a line keeps its order whoever leaves`() {
    var line = Line<Int>()
    var expected: [Int] = []
    // Leavers from the front, the middle and the end, so many that the places are closed up.
    for number in 0..<1000 {
      line.append(number)
      expected.append(number)
      guard number % 3 != 0 else { continue }
      let leaver = expected[(number * 7) % expected.count]
      let wasThere = line.remove(leaver)
      #expect(wasThere)
      expected.removeAll { $0 == leaver }
      #expect(line.first == expected.first && line.count == expected.count)
    }
    let wasThere = line.remove(-1)
    #expect(!wasThere)
    while let first = line.first {
      #expect(first == expected.removeFirst())
      _ = line.remove(first)
    }
    #expect(expected.isEmpty && line.count == 0)
  }

  @Test func `who comes again is not there twice`() {
    var line = Line<Int>()
    line.append(1)
    line.append(1)
    #expect(line.count == 1)
    _ = line.remove(1)
    #expect(line.first == nil)
  }

  @Test func `what never reached a payment goes first`() {
    var leftovers = Leftovers()
    leftovers.add(CheckoutID(1), isPaid: true)
    leftovers.add(CheckoutID(2), isPaid: false)
    leftovers.add(CheckoutID(3), isPaid: true)
    leftovers.add(CheckoutID(4), isPaid: false)
    var order: [UInt64] = []
    while let oldest = leftovers.oldest {
      order.append(oldest.rawValue)
      _ = leftovers.remove(oldest)
    }
    #expect(order == [2, 4, 1, 3])
    let isPaid = leftovers.remove(CheckoutID(1))
    #expect(isPaid == nil)
  }

  @Test func `who has most is known whatever changes`() {
    var ranking = Ranking()
    var counts: [UInt32: Int] = [:]
    #expect(ranking.first == nil)
    // Up and down again, in steps that do not repeat.
    for step in 0..<2000 {
      let user = UInt32(step * step % 17)
      if step % 5 < (step < 1000 ? 4 : 1) {
        ranking.add(user)
        counts[user, default: 0] += 1
      } else {
        ranking.remove(user)
        counts[user] = max(0, counts[user, default: 0] - 1)
      }
      let most = counts.values.max() ?? 0
      #expect(ranking.first.map { counts[$0] } == (most > 0 ? most : nil))
      #expect(ranking.total == counts.values.reduce(0, +))
    }
  }
}
