import Checkout

/// Goes through the states of one row, breadth first.
///
/// Of a state that was left behind only its digest, its predecessor and the move from there stay.
final class Explorer {
  let model: Model
  let bounds: Bounds
  /// Each state's predecessor, and the move that led from there.
  private var predecessors: [UInt32] = [0]
  private var moves: [UInt32] = [0]
  private var seen = DigestSet()
  private var ending = DigestSet()
  private(set) var transitions = 0
  /// How many inputs every run of which has been explored.
  private(set) var depth = 0
  /// Whether there is nothing beyond the bounds: no state was left unexplored.
  private(set) var isExhausted = false
  /// What is wrong, and the shortest way there.
  private(set) var violation: (claim: String, path: [Move])?

  /// How many states were met.
  var stateCount: Int { predecessors.count }

  init(_ row: Row, _ bounds: Bounds, isAboutMoney: Bool) {
    model = Model(row, isAboutMoney: isAboutMoney)
    self.bounds = bounds
  }

  /// Explores until the bound on inputs, or so many states.
  func run(atMost limit: Int) {
    var frontier: [(world: World, number: UInt32)] = [(model.first(bounds), 0)]
    for level in 1...max(1, bounds.inputs) {
      var next: [(world: World, number: UInt32)] = []
      for (world, number) in frontier {
        for move in model.moves(in: world) {
          guard let reached = model.make(move, in: world) else { continue }
          transitions += 1
          if let claim = model.violation {
            violation = (claim, path(to: number) + [move])
            return
          }
          guard seen.insert(reached.digest(withBudgets: true)) else { continue }
          let place = record(move, after: number)
          if let claim = unfairEnd(of: reached) {
            violation = (claim.text, path(to: place) + claim.path)
            return
          }
          next.append((reached, place))
        }
        if stateCount >= limit { return }
      }
      depth = level
      frontier = next
      guard !frontier.isEmpty else {
        isExhausted = true
        return
      }
    }
  }

  private func record(_ move: Move, after number: UInt32) -> UInt32 {
    predecessors.append(number)
    moves.append(move.code)
    return UInt32(predecessors.count - 1)
  }

  private func path(to number: UInt32) -> [Move] {
    var path: [Move] = []
    var number = number
    while number != 0 {
      path.append(Move(code: moves[Int(number)]))
      number = predecessors[Int(number)]
    }
    return path.reversed()
  }

  // MARK: Fair runs

  /// Follows the run in which upstream answers from now on and no client says more.
  ///
  /// - Returns: What is wrong, and how it got there; `nil` if every checkout ends. A state that a
  ///   run before has been through is not followed again.
  private func unfairEnd(of world: World) -> (text: String, path: [Move])? {
    var world = world
    var path: [Move] = []
    while ending.insert(world.digest(withBudgets: false)) {
      guard let move = model.fairMove(in: world) else { return nil }
      guard path.count < 1000 else { return ("the checkout does not end in a fair run", path) }
      path.append(move)
      guard let reached = model.make(move, in: world) else {
        return ("a fair run cannot go on", path)
      }
      if let claim = model.violation { return (claim, path) }
      world = reached
    }
    return nil
  }
}

extension Model {
  /// What happens next if upstream answers and no client says more; `nil` if all has ended.
  func fairMove(in world: World) -> Move? {
    var first: (slot: Int, due: Milliseconds)?
    for slot in world.cells.indices {
      let fact = facts(world, slot)
      guard fact.isActive else { continue }
      if fact.untilTimer < first?.due ?? .max || first == nil { first = (slot, fact.untilTimer) }
      let cell = cells[world.cells[slot]]
      guard let flight = cell.flights.first else { continue }
      if flight.kind.isAboutMoney, world.arrived[slot] != 0,
        let reply = Reply(rawValue: world.arrived[slot] - 1)
      {
        return Move(.answer, slot: slot, reply: reply)
      }
      guard let reply = replies(to: flight, isDue: false, world).first(where: \.isNatural) else {
        continue
      }
      return Move(
        .answer, slot: slot, choice: Int(reply.choice), reply: reply.reply, effect: reply.effect)
    }
    return first.map { Move(.fire, slot: $0.slot) }
  }
}

/// A set of digests in one piece of memory.
struct DigestSet {
  private var table = [UInt64](repeating: 0, count: 1 << 12)
  private var count = 0

  /// Adds a digest.
  ///
  /// - Returns: Whether it is new.
  mutating func insert(_ digest: UInt64) -> Bool {
    if count * 4 > table.count * 3 { grow() }
    return place(digest == 0 ? 1 : digest)
  }

  private mutating func place(_ digest: UInt64) -> Bool {
    let mask = table.count - 1
    var place = Int(truncatingIfNeeded: digest) & mask
    while table[place] != 0 {
      if table[place] == digest { return false }
      place = (place + 1) & mask
    }
    table[place] = digest
    count += 1
    return true
  }

  private mutating func grow() {
    let old = table
    table = [UInt64](repeating: 0, count: old.count * 2)
    count = 0
    for digest in old where digest != 0 { _ = place(digest) }
  }
}
