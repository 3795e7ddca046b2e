import Checkout
import Testing
import ValueTree

@testable import PrimerAPI

@Suite struct RequestQueueTests {
  /// Gives away all that can be given away.
  private func drain(_ queue: inout RequestQueue) -> [UInt64] {
    var numbers: [UInt64] = []
    while let number = queue.next() { numbers.append(number) }
    return numbers
  }

  private func fill(
    _ queue: inout RequestQueue, _ numbers: Range<UInt64>, _ kind: RequestClass, of uid: UInt32
  ) {
    for number in numbers { queue.append(number, kind, of: uid) }
  }

  @Test(arguments: [(RequestClass.reading, 48), (.polling, 32), (.paying, 56)])
  func `one user alone has all there is of a class, in order`(kind: RequestClass, limit: Int) {
    var queue = RequestQueue(SlotShares())
    fill(&queue, 0..<300, kind, of: 1)
    #expect(drain(&queue) == Array(0..<UInt64(limit)))
    #expect(queue.takenCount == limit && queue.waitingCount == 300 - limit)
    queue.release(kind, of: 1)
    #expect(drain(&queue) == [UInt64(limit)])
  }

  @Test func `a payment finds a slot whatever else is under way, and all else beside payments`() {
    var queue = RequestQueue(SlotShares())
    fill(&queue, 0..<100, .reading, of: 1)
    fill(&queue, 100..<200, .polling, of: 2)
    #expect(drain(&queue).count == 56)
    fill(&queue, 200..<300, .paying, of: 3)
    #expect(drain(&queue) == Array(200..<208))
    #expect(queue.takenCount == 64)

    var paid = RequestQueue(SlotShares())
    fill(&paid, 0..<100, .paying, of: 1)
    #expect(drain(&paid).count == 56)
    fill(&paid, 100..<200, .reading, of: 1)
    #expect(drain(&paid) == Array(100..<108))
  }

  @Test func `polls find a slot beside all that can be read`() {
    var queue = RequestQueue(SlotShares())
    fill(&queue, 0..<100, .reading, of: 1)
    #expect(drain(&queue).count == 48)
    fill(&queue, 100..<200, .polling, of: 2)
    #expect(drain(&queue) == Array(100..<108))
  }

  @Test func `users take turns, whoever came first`() {
    var queue = RequestQueue(SlotShares(all: 8, reading: 8, polling: 8, kept: 0))
    fill(&queue, 0..<100, .reading, of: 1)
    fill(&queue, 100..<102, .reading, of: 2)
    fill(&queue, 200..<202, .reading, of: 3)
    #expect(drain(&queue) == [0, 100, 200, 1, 101, 201, 2, 3])
  }

  @Test func `where others wait, nobody is given more than half`() {
    var queue = RequestQueue(SlotShares(all: 8, reading: 8, polling: 8, kept: 0))
    fill(&queue, 0..<100, .reading, of: 1)
    #expect(drain(&queue).count == 8)
    fill(&queue, 100..<150, .reading, of: 2)
    // The first user has all eight: until it has come down to half, the next slots are the others'.
    for number in UInt64(100)..<104 {
      queue.release(.reading, of: 1)
      #expect(drain(&queue) == [number])
    }
    queue.release(.reading, of: 1)
    #expect(drain(&queue) == [8])
    queue.release(.reading, of: 2)
    #expect(drain(&queue) == [104])
  }

  @Test func `what is taken out is not given a slot, and leaves no turn behind`() {
    var queue = RequestQueue(SlotShares(all: 2, reading: 2, polling: 2, kept: 0))
    fill(&queue, 0..<4, .reading, of: 1)
    queue.append(10, .reading, of: 2)
    queue.remove(10, .reading, of: 2)
    queue.remove(10, .reading, of: 2)
    queue.remove(1, .reading, of: 1)
    queue.remove(99, .polling, of: 9)
    #expect(queue.waitingCount == 3)
    #expect(drain(&queue) == [0, 2])
    queue.release(.reading, of: 1)
    queue.release(.reading, of: 1)
    queue.release(.reading, of: 1)
    #expect(queue.takenCount == 0)
    #expect(drain(&queue) == [3])
    #expect(queue.waitingCount == 0 && queue.takenCount == 1)
  }

  /// Whatever comes in whatever order: the limits hold, no slot is idle while somebody may have it,
  /// and each request is given one once, unless it is taken out.
  @Test(arguments: 0..<50)
  func `at random`(seed: UInt64) {
    var state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
    func random(_ bound: UInt64) -> UInt64 {
      state ^= state << 13
      state ^= state >> 7
      state ^= state << 17
      return state % bound
    }
    let shares = SlotShares(all: 16, reading: 12, polling: 8, kept: 2)
    var queue = RequestQueue(shares)
    var waiting: [UInt64: (RequestClass, UInt32)] = [:]
    var taken: [UInt64: (RequestClass, UInt32)] = [:]
    for number in 0..<UInt64(500) {
      switch random(4) {
      case 0, 1:
        let kind = RequestClass.allCases[Int(random(3))]
        let uid = UInt32(random(4))
        waiting[number] = (kind, uid)
        queue.append(number, kind, of: uid)
      case 2:
        guard let (gone, entry) = waiting.randomElement() else { continue }
        waiting[gone] = nil
        queue.remove(gone, entry.0, of: entry.1)
      default:
        guard let (done, entry) = taken.randomElement() else { continue }
        taken[done] = nil
        queue.release(entry.0, of: entry.1)
      }
      while let next = queue.next() {
        guard let entry = waiting.removeValue(forKey: next) else {
          Issue.record("\(next) was given a slot and does not wait")
          return
        }
        taken[next] = entry
      }
      let counts = RequestClass.allCases.map { kind in taken.values.count { $0.0 == kind } }
      #expect(counts[0] <= 14 && counts[1] <= 8 && counts[2] <= 12 && counts[1] + counts[2] <= 14)
      #expect(queue.takenCount == taken.count && queue.waitingCount == waiting.count)
      for (place, kind) in RequestClass.allCases.enumerated() {
        let limits = [14, 8, 12]
        let isFull =
          taken.count == 16 || counts[place] == limits[place]
          || (kind != .paying && counts[1] + counts[2] == 14)
        #expect(isFull || !waiting.values.contains { $0.0 == kind }, "\(kind) \(counts)")
      }
    }
  }

  @Test func `each request has its class`() {
    let requests: [(Operation.Request, RequestClass)] = [
      (.fetchConfiguration, .reading), (.performActions([]), .reading),
      (.fetchBanks(configurationID: ""), .reading), (.validateClientToken(encoded: ""), .reading),
      (.poll, .polling), (.tokenize(instrument: [:]), .paying),
      (.createPayment(paymentMethodToken: "", idempotencyKey: ""), .paying),
      (.resume(paymentID: "", resumeToken: ""), .paying),
      (.complete(mandateAcceptedAt: 0), .paying),
    ]
    for (request, kind) in requests { #expect(RequestClass(request) == kind) }
  }
}
