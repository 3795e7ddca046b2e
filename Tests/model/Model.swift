import Checkout

/// The rules by which one state leads to others: what may happen, and what comes of it.
final class Model {
  let row: Row
  let cells: Cells
  /// What was found wrong with the move made last.
  private(set) var violation: String?

  /// The first moment of every run.
  static let start = Sample.now

  /// Whether every checkout begins with everything filled in, and what is not about money is left
  /// out.
  let isAboutMoney: Bool

  init(_ row: Row, isAboutMoney: Bool) {
    self.row = row
    self.isAboutMoney = isAboutMoney
    cells = Cells(row)
  }

  /// How a checkout comes to where only the submission is left.
  func filling(_ slot: Int) -> [Move] {
    var moves = [Move(.answer, slot: slot), Move(.provide, slot: slot), Move(.start, slot: slot)]
    if row.start != nil { moves.append(Move(.answer, slot: slot)) }
    if !row.entries.isEmpty { moves.append(Move(.enter, slot: slot)) }
    return moves
  }

  /// The state before anything was done.
  func first(_ bounds: Bounds) -> World {
    var world = World()
    world.budgets = bounds.budgets
    return world
  }

  func facts(_ world: World, _ slot: Int) -> Cells.Facts { cells.facts[Int(world.cells[slot])] }

  // MARK: Making a move

  /// The state that a move leads to; `nil` if it cannot be made, or may not within the bounds.
  ///
  /// What was wrong is in ``violation``.
  func make(_ move: Move, in world: World) -> World? {
    var world = world
    violation = nil
    guard carryOut(move, &world) else { return nil }
    checkPayments(world)
    checkHold(world)
    return world
  }

  func require(_ holds: Bool, _ claim: @autoclosure () -> String) {
    if !holds, violation == nil { violation = claim() }
  }

  private func carryOut(_ move: Move, _ world: inout World) -> Bool {
    let slot = Int(move.slot)
    switch move.kind {
    case .begin: return begin(slot, move, &world)
    case .arrive: return arrive(slot, move, &world)
    case .answer: return answer(slot, move, &world)
    case .kill: return kill(isLong: move.choice == 1, &world)
    case .powerCut: return cutPower(Int(move.choice), &world)
    case .backUp: return backUp(&world)
    case .restore: return restore(isKnown: move.choice == 0, &world)
    case .copy: return copy(&world)
    case .approve:
      world.payments[slot].page = .approved
      return true
    case .decline:
      world.payments[slot].page = .declined
      return true
    case .settle:
      world.payments[slot].status = move.effect == .success ? .success : .failed
      return true
    case .payElsewhere:
      world.payments[slot].exists = true
      world.payments[slot].isForeign = true
      world.payments[slot].status = .success
      return true
    case .arriveLate: return arriveLate(Int(move.choice), move.effect, &world)
    default:
      if case .decide = move.kind, !mayChooseKey(move, slot, world) { return false }
      let step = cells.step(world.cells[slot], move, around(world))
      guard !step.isNothing else { return false }
      noteDecision(move, slot, &world)
      return take(step, slot, &world)
    }
  }

  /// What the steps of a world's checkouts depend on beside themselves.
  private func around(_ world: World) -> Cells.Around {
    world.history.contains(.isAlarmed) ? .isAlarmed : []
  }

  /// Whether a record says that a payment is that of a checkout that ended without its money moving.
  func isSettledHere(_ key: Int, _ slot: Int, _ world: World) -> Bool {
    slot < 2
      ? world.payments[key].isSettledHere
      : (2..<4).contains { facts(world, $0).settledPayment == key }
  }

  /// Whether the server lets a client choose its key: no other attempt may have it.
  private func mayChooseKey(_ move: Move, _ slot: Int, _ world: World) -> Bool {
    guard case .continue(.some) = Cells.Client.decisions[Int(move.choice)] else { return true }
    return !(slot / 2 * 2..<slot / 2 * 2 + 2).contains {
      $0 != slot && facts(world, $0).usesChosenKey
    }
  }

  /// What the client's backend tells by its decision is upstream's truth.
  private func noteDecision(_ move: Move, _ slot: Int, _ world: inout World) {
    guard move.kind == .decide, row.isManual else { return }
    guard case .abort(_, let payment) = Cells.Client.decisions[Int(move.choice)] else { return }
    let key = Cells.ownPayment(of: slot)
    if payment != nil {
      world.payments[key].status = .failed
    } else if cells[world.cells[slot]].openDecision?.event.hasSuffix("didTokenizePaymentMethod")
      == true
    {
      // Asked for the first time, it has made no payment.
      world.payments[key].exists = false
    }
  }

  /// Does to everything around a checkout what its step says.
  func take(_ step: Step, _ slot: Int, _ world: inout World) -> Bool {
    if let wrong = step.violation { require(false, wrong) }
    let before = world
    pass(step.elapsed, except: slot, &world)
    world.cells[slot] = step.next
    for request in step.abandoned {
      guard world.arrived[slot] == 0 else { break }
      guard leaveOpen(request, of: slot, &world) else { return false }
    }
    if !step.abandoned.isEmpty { world.arrived[slot] = 0 }
    for request in step.sent { note(request, slot, before, &world) }
    if step.asksBackend { world.payments[Cells.ownPayment(of: slot)].exists = true }
    if let key = step.shownPayment, world.payments[key].page == .hidden {
      world.payments[key].page = .shown
    }
    if step.asksBackend { world.payments[Cells.ownPayment(of: slot)].page = .shown }
    if slot < 2, step.isFlushed { flush(&world) }
    if step.isAlarming { world.history.insert(.isAlarmed) }
    if let outcome = step.outcome {
      checkEnd(outcome, step, slot, world)
      if slot < 2, outcome == .failed || outcome == .cancelled, let key = step.payment {
        world.payments[key].isSettledHere = true
      }
    }
    return true
  }

  /// One log holds all checkouts: what is flushed for one is flushed for all.
  private func flush(_ world: inout World) {
    for slot in 0..<2 where !isBroken(world.cells[slot]) {
      world.copies[slot] = cells.stored(world.cells[slot])
    }
  }

  /// After a violation nothing more is done with the state.
  private func isBroken(_ number: UInt32) -> Bool { violation != nil && number != 0 }

  /// Lets time pass for everything but one checkout, whose step has let it pass already.
  func pass(_ span: Milliseconds, except slot: Int, _ world: inout World) {
    guard span > 0 else { return }
    for other in world.cells.indices where other != slot {
      world.cells[other] = cells.aged(world.cells[other], by: span)
    }
    for place in world.copies.indices {
      world.copies[place] = cells.aged(world.copies[place], by: span)
    }
    world.passTime(span)
  }

  /// A request of which no answer will be taken may yet be carried out.
  func leaveOpen(_ request: Step.Request, of slot: Int, _ world: inout World) -> Bool {
    let left = Core.upstreamLimit - request.age
    guard left > 0, !request.isQuestion else { return true }
    return world.add(
      World.LateRequest(
        request.kind, key: request.key, token: request.token, slot: slot, left: left))
  }

  // MARK: Starts

  private func begin(_ slot: Int, _ move: Move, _ world: inout World) -> Bool {
    let allowsRepeat = move.choice & 1 == 1
    let number = Int(world.left(.starts)) << 1 | slot
    if slot == 1 || world.cells[0] != 0 {
      guard world.spend(.starts) else { return false }
    }
    // Its token is fresh, so that it may as well be the first moment again.
    let step = cells.begin(
      slot: slot, number: number, allowsRepeat: allowsRepeat, at: Model.start)
    guard take(step, slot, &world) else { return false }
    guard isAboutMoney else { return true }
    return filling(slot).allSatisfy { carryOut($0, &world) }
  }

  // MARK: Upstream

  private func flight(_ world: World, _ slot: Int, _ place: Int) -> Flight {
    cells[world.cells[slot]].flights[place]
  }

  /// A request is carried out, and its answer is on its way.
  private func arrive(_ slot: Int, _ move: Move, _ world: inout World) -> Bool {
    let flight = flight(world, slot, Int(move.choice & 7))
    carryOut(flight.kind, key: flight.key, token: flight.token, slot, move.effect, &world)
    world.arrived[slot] = move.reply.rawValue + 1
    return true
  }

  private func answer(_ slot: Int, _ move: Move, _ world: inout World) -> Bool {
    let flight = flight(world, slot, Int(move.choice & 7))
    if !move.isNatural, !world.spend(.faults) { return false }
    let isArrived = flight.kind.isAboutMoney && world.arrived[slot] != 0
    var around = around(world)
    if isSettledHere(flight.key, slot, world) { around.insert(.isSettledHere) }
    let step = cells.step(world.cells[slot], move, around)
    if flight.kind.isAboutMoney, !isArrived {
      if move.reply.leavesRequestOpen {
        let request = Step.Request(flight, at: cells[world.cells[slot]].now + step.elapsed)
        guard leaveOpen(request, of: slot, &world) else { return false }
      } else {
        carryOut(flight.kind, key: flight.key, token: flight.token, slot, move.effect, &world)
      }
    }
    if flight.kind.isAboutMoney { world.arrived[slot] = 0 }
    return take(step, slot, &world)
  }

  /// Upstream carries out a request.
  private func carryOut(
    _ kind: Flight.Kind, key: Int, token: Int, _ slot: Int, _ effect: Move.Effect,
    _ world: inout World
  ) {
    guard effect != .none else { return }
    switch kind {
    case .create:
      guard !world.payments[key].exists else { return }
      world.payments[key].exists = true
      world.payments[key].maker = slot
      world.payments[key].status = effect.status
      if effect == .action, row.isConfirmedElsewhere { world.payments[key].page = .shown }
    case .resume:
      guard world.payments[key].usedTokens <= token else { return }
      world.payments[key].usedTokens += 1
      if world.payments[key].status == .pending { world.payments[key].status = effect.status }
      if effect == .action {
        world.payments[key].page = row.isConfirmedElsewhere ? .shown : .hidden
      }
    case .complete: world.payments[key].isCompleted = true
    default: break
    }
  }

  private func arriveLate(_ place: Int, _ effect: Move.Effect, _ world: inout World) -> Bool {
    let request = world.late[place]
    carryOut(request.kind, key: request.key, token: request.token, request.slot, effect, &world)
    world.late[place] = World.LateRequest()
    world.sortLate()
    return true
  }

  // MARK: Processes

  /// The process of this machine ends: what it has under way is out of its hands.
  private func die(_ world: inout World) -> Bool {
    for slot in 0..<2 where world.cells[slot] != 0 {
      let cell = cells[world.cells[slot]]
      for flight in cell.flights where flight.kind.isAboutMoney && world.arrived[slot] == 0 {
        guard leaveOpen(Step.Request(flight, at: cell.now), of: slot, &world) else { return false }
      }
      world.arrived[slot] = 0
    }
    return true
  }

  private func kill(isLong: Bool, _ world: inout World) -> Bool {
    guard world.spend(.deaths), die(&world) else { return false }
    for slot in 0..<2 { world.cells[slot] = cells.stored(world.cells[slot]) }
    return takeUp(isLong: isLong, &world)
  }

  /// The machine ends; a long outage may pass unseen, where there is no clock that goes on.
  private func cutPower(_ length: Int, _ world: inout World) -> Bool {
    guard world.spend(.deaths), die(&world) else { return false }
    for slot in 0..<2 { world.cells[slot] = world.copies[slot] }
    if length == 2 { world.passTime(Model.outage) }
    return takeUp(isLong: length == 1, &world)
  }

  /// How long the longer outages last: longer than any span but the token's.
  static let outage: Milliseconds = 20 * 60_000

  private func takeUp(
    isLong: Bool = false, isRestored: Bool = false, mark: Int? = nil, slots: Range<Int> = 0..<2,
    _ world: inout World
  ) -> Bool {
    if isLong { pass(Model.outage, except: -1, &world) }
    for slot in slots where world.cells[slot] != 0 {
      let step = cells.takeUp(
        world.cells[slot], slot: slot, isRestored: isRestored, mark: mark,
        asksQuestions: !world.history.contains(.isAlarmed))
      guard take(step, slot, &world) else { return false }
    }
    return true
  }

  private func backUp(_ world: inout World) -> Bool {
    for slot in 0..<2 { world.copies[2 + slot] = cells.stored(world.cells[slot]) }
    return true
  }

  private func restore(isKnown: Bool, _ world: inout World) -> Bool {
    guard world.spend(.restores), die(&world) else { return false }
    for slot in 0..<2 {
      world.cells[slot] = world.copies[2 + slot]
      world.copies[slot] = world.copies[2 + slot]
      world.copies[2 + slot] = 0
    }
    world.history.insert(isKnown ? .isRestored : .isReplaced)
    for key in world.payments.indices {
      if !isKnown, world.payments[key].isSettledHere { world.history.insert(.hasForgotten(key)) }
      world.payments[key].isSettledHere = (0..<2).contains {
        facts(world, $0).settledPayment == key
      }
    }
    return takeUp(isRestored: isKnown, mark: isKnown ? 1 : 2, &world)
  }

  private func copy(_ world: inout World) -> Bool {
    guard world.spend(.copies) else { return false }
    for slot in 0..<2 {
      world.cells[2 + slot] = world.copies[2 + slot]
      world.copies[2 + slot] = 0
    }
    world.history.insert(.isDoubled)
    return takeUp(slots: 2..<4, &world)
  }
}

extension Move.Effect {
  fileprivate var status: World.Payment.Status {
    switch self {
    case .none, .action: .pending
    case .success: .success
    case .failed: .failed
    }
  }
}
