import Checkout

// What must hold of all checkouts together, and of what upstream knows of them.

/// A client session, as its holds know it; there is one.
struct Fingerprint: Hashable {}

extension Model {
  /// Whether a checkout may begin without `allowRepeat`, as the server finds out.
  func isSessionFree(_ world: World) -> Bool {
    var holds = SessionHolds<Int>()
    for slot in 0..<2 where world.cells[slot] != 0 {
      let fact = facts(world, slot)
      holds.note(Fingerprint(), slot, isLive: fact.isLive, holds: fact.holdsSession)
    }
    return holds.holder(of: Fingerprint()) == nil
  }

  /// The session is held as `protocol.md` 3 says: by a live checkout, and after every outcome but
  /// `failed` and `cancelled`, unless a payment whose outcome was unknown has failed.
  func checkHold(_ world: World) {
    var isHeld = false
    for slot in 0..<2 where world.cells[slot] != 0 {
      let fact = facts(world, slot)
      switch fact.outcome {
      case .failed, .cancelled: break
      case .unknown:
        let hasFailed = fact.payment.map { world.payments[$0].status == .failed } ?? false
        if fact.holdsSession || !hasFailed { isHeld = true }
      case .success, .pending, .handledByClient, nil: isHeld = true
      }
    }
    require(
      isHeld != isSessionFree(world),
      isHeld ? "a session is free that is held" : "a session is held that is free")
  }

  /// Checks that the session can come to one payment at most.
  ///
  /// Neither can a second one be approved, nor can what is under way make one (`protocol.md` 6). What
  /// was started with `allowRepeat` or has a key of the client's own is beside that.
  func checkPayments(_ world: World) {
    var existing: UInt16 = 0
    var open: UInt16 = 0
    let isByHand = !world.history.isDisjoint(with: [.isReplaced, .isDoubled])
    for key in Cells.keys where world.payments[key].exists {
      existing |= 1 << UInt16(key)
      let payment = world.payments[key]
      // A state copied by hand may not know of a mandate, or of a cancellation: the record that does
      // has sent the session on to its next payment.
      if isByHand, payment.isSettledHere || world.history.contains(.hasForgotten(key)) { continue }
      guard payment.status != .failed, payment.canMove || isInReach(key, world) else { continue }
      open |= 1 << UInt16(key)
    }
    var coming: UInt16 = 0
    for slot in world.cells.indices { coming |= facts(world, slot).creating }
    for place in world.late.indices where !world.late[place].isNone {
      let request = world.late[place]
      if request.kind == .create { coming |= 1 << UInt16(request.key) }
    }
    open |= coming & ~existing
    let count = (open & ~cells.exemptKeys).nonzeroBitCount
    require(count <= 1, "the session may come to \(count) payments")
  }

  /// Whether a payment that nobody has seen may yet be shown to somebody: a checkout that goes on knows
  /// it, or the answer that tells of it is on its way.
  private func isInReach(_ key: Int, _ world: World) -> Bool {
    world.cells.indices.contains { slot in
      let fact = facts(world, slot)
      return fact.paymentInReach == key
        || world.arrived[slot] != 0 && fact.creating >> UInt16(key) & 1 == 1
    }
  }

  /// Notes a request about money, and checks that it may be sent.
  func note(_ request: Step.Request, _ slot: Int, _ before: World, _ world: inout World) {
    let payment = world.payments[request.key]
    switch request.kind {
    case .create where request.isQuestion:
      require(payment.exists, "a question is asked that can create a payment")
    case .create:
      let isAtWork = before.late.indices.contains { place in
        let other = world.late[place]
        return !other.isNone && other.kind == .create && other.key == request.key
          && other.slot == slot
      }
      require(
        !(isAtWork && world.history.isEmpty),
        "a creation is sent again while upstream may be at work with the first sending")
      world.payments[request.key].markAsked(by: slot)
    case .complete: world.payments[request.key].page = .approved
    default: break
    }
  }

  /// What a checkout says of its end agrees with upstream's truth: `protocol.md` 4 and 6.
  func checkEnd(_ outcome: Outcome, _ step: Step, _ slot: Int, _ world: World) {
    // A directory copied by hand keeps only the promise of the derived key.
    guard slot < 2, world.history.isDisjoint(with: [.isReplaced, .isDoubled]) else { return }
    switch outcome {
    case .failed, .cancelled: checkNothingMoves(outcome, step, slot, world)
    case .success:
      let payment = step.payment.map { world.payments[$0] }
      require(
        payment?.exists == true && payment?.status == .success,
        "success is told of a payment that is not made")
      // Once a sending may have been carried out, a used key counts as proof.
      require(
        payment?.isForeign == false || !step.answersFirstSending,
        "success is told of another program's payment")
    case .pending:
      // It may have failed meanwhile: that is what pending means.
      require(
        step.payment.map { world.payments[$0].exists } == true,
        "pending is told of a payment that there is not")
    case .handledByClient, .unknown: break
    }
  }

  /// No money can move of what the checkout has asked for.
  private func checkNothingMoves(
    _ outcome: Outcome, _ step: Step, _ slot: Int, _ world: World
  ) {
    let own = world.payments[Cells.ownPayment(of: slot)]
    if row.isManual {
      require(
        !(own.exists && own.status != .failed),
        "\(outcome) is told though the client's backend may have made the payment")
    }
    for key in Cells.keys where world.payments[key].exists {
      let payment = world.payments[key]
      require(
        payment.maker != slot || payment.isForeign || !payment.canMove,
        "\(outcome) is told of a payment that money can move for")
    }
    for place in world.late.indices where !world.late[place].isNone {
      let request = world.late[place]
      require(
        request.kind != .create || request.slot != slot || world.payments[request.key].exists,
        "\(outcome) is told while upstream may yet make the payment")
    }
    guard world.history.contains(.isRestored), cells[world.cells[slot]].restoreCount > 0 else {
      return
    }
    let payment = step.payment.map { world.payments[$0] }
    require(
      outcome == .failed && payment?.exists == true && payment?.status == .failed,
      "\(outcome) is told on the daemon's own judgement after a restore")
  }
}
