import Checkout

/// The rules by which one state leads to others: what may happen, and what comes of it.
final class Model {
  let row: Row
  let cells: Cells
  /// What was found wrong with the move made last.
  private(set) var violation: String?

  /// The first moment of every run.
  static let start = Sample.now

  init(_ row: Row) {
    self.row = row
    cells = Cells(row)
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
    case .powerCut: return cutPower(isLong: move.choice == 1, &world)
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
    case .arriveLate: return arriveLate(Int(move.choice), move.effect, &world)
    default:
      let step = cells.step(world.cells[slot], move)
      guard !step.isNothing else { return false }
      noteDecision(move, slot, &world)
      return take(step, slot, &world)
    }
  }

  /// What the client's backend tells by its decision is upstream's truth.
  private func noteDecision(_ move: Move, _ slot: Int, _ world: inout World) {
    guard move.kind == .decide, row.isManual else { return }
    switch Cells.Client.decisions[Int(move.choice)] {
    case .abort:
      // Asked for the first time, it has made no payment.
      if cells[world.cells[slot]].openDecision?.event.hasSuffix("didTokenizePaymentMethod") == true
      {
        world.payments[Cells.ownPayment(of: slot)].exists = false
      }
    default: break
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
    if let outcome = step.outcome { checkEnd(outcome, step, slot, world) }
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
    guard left > 0 else { return true }
    return world.add(
      World.LateRequest(
        request.kind, key: request.key, token: request.token, slot: slot, left: left))
  }

  // MARK: Starts

  private func begin(_ slot: Int, _ move: Move, _ world: inout World) -> Bool {
    let allowsRepeat = move.choice & 1 == 1
    let number = Int(world.left(.starts))
    if slot == 1 || world.cells[0] != 0 {
      guard world.spend(.starts) else { return false }
    }
    let now = world.cells[0] == 0 ? Model.start : cells[world.cells[0]].now
    let step = cells.begin(slot: slot, number: number, allowsRepeat: allowsRepeat, at: now)
    return take(step, slot, &world)
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
    let step = cells.step(world.cells[slot], move)
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
    case .resume:
      guard world.payments[key].usedTokens <= token else { return }
      world.payments[key].usedTokens += 1
      if world.payments[key].status == .pending { world.payments[key].status = effect.status }
      if effect == .action { world.payments[key].page = .hidden }
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
    return takeUp(isLong: isLong, Core.Restart(), &world)
  }

  private func cutPower(isLong: Bool, _ world: inout World) -> Bool {
    guard world.spend(.deaths), die(&world) else { return false }
    for slot in 0..<2 { world.cells[slot] = world.copies[slot] }
    return takeUp(isLong: isLong, Core.Restart(isOtherBoot: true), &world)
  }

  /// How long the longer outages last: longer than any span but the token's.
  static let outage: Milliseconds = 20 * 60_000

  private func takeUp(
    isLong: Bool, _ restart: Core.Restart, mark: Int? = nil, slots: Range<Int> = 0..<2,
    _ world: inout World
  ) -> Bool {
    if isLong { pass(Model.outage, except: -1, &world) }
    for slot in slots where world.cells[slot] != 0 {
      let step = cells.takeUp(world.cells[slot], slot: slot, restart, mark: mark)
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
    let restart = Core.Restart(isOtherBoot: true, isRestored: isKnown)
    return takeUp(isLong: false, restart, mark: isKnown ? 1 : 2, &world)
  }

  private func copy(_ world: inout World) -> Bool {
    guard world.spend(.copies) else { return false }
    for slot in 0..<2 {
      world.cells[2 + slot] = world.copies[2 + slot]
      world.copies[2 + slot] = 0
    }
    world.history.insert(.isDoubled)
    return takeUp(isLong: false, Core.Restart(isOtherBoot: true), slots: 2..<4, &world)
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
