import Checkout

// What must hold of all checkouts together, and of what upstream knows of them.

extension Model {
  /// Checks that the session can come to one payment at most.
  ///
  /// Neither can a second one be approved, nor can what is under way make one (`protocol.md` 6). What
  /// was started with `allowRepeat` or has a key of the client's own is beside that.
  func checkPayments(_ world: World) {
    var existing: UInt16 = 0
    var open: UInt16 = 0
    for key in 0..<16 where world.payments[key].exists {
      existing |= 1 << UInt16(key)
      if world.payments[key].status != .failed { open |= 1 << UInt16(key) }
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
    case .failed, .cancelled: checkNothingMoves(outcome, slot, world)
    case .success:
      let payment = step.payment.map { world.payments[$0] }
      require(
        payment?.exists == true && payment?.status == .success,
        "success is told of a payment that is not made")
    case .pending:
      // It may have failed meanwhile: that is what pending means.
      require(
        step.payment.map { world.payments[$0].exists } == true,
        "pending is told of a payment that there is not")
    case .handledByClient, .unknown: break
    }
  }

  /// No money can move of what the checkout has asked for.
  private func checkNothingMoves(_ outcome: Outcome, _ slot: Int, _ world: World) {
    let own = world.payments[Cells.ownPayment(of: slot)]
    if row.isManual {
      require(
        !(own.exists && own.status != .failed),
        "\(outcome) is told though the client's backend may have made the payment")
    }
    for key in Cells.keys where world.payments[key].exists {
      let payment = world.payments[key]
      require(
        payment.maker != slot || !payment.canMove,
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
    let payments = Cells.keys.map { world.payments[$0] }.filter(\.exists)
    require(
      !payments.isEmpty && payments.allSatisfy { $0.status == .failed },
      "\(outcome) is told on the daemon's own judgement after a restore")
  }
}
