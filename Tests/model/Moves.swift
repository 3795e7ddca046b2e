import Checkout

extension Move {
  /// Whether nothing has gone wrong with it.
  var isNatural: Bool { reply.isNatural }
}

extension Model {
  /// Everything that can happen in a state.
  func moves(in world: World) -> [Move] {
    var moves: [Move] = []
    var live = 0
    var untilDeadline = Milliseconds.max
    for slot in world.cells.indices {
      let fact = facts(world, slot)
      guard fact.isActive else { continue }
      live += 1
      untilDeadline = min(untilDeadline, fact.untilDeadline)
    }
    for slot in world.cells.indices where facts(world, slot).isActive {
      addLocalMoves(slot, untilDeadline, isAlone: live == 1, world, &moves)
    }
    for slot in 0..<2 where facts(world, slot).isEnded && facts(world, slot).holdsSession {
      moves.append(Move(.want, slot: slot))
    }
    addStarts(world, &moves)
    if live > 0 || facts(world, 0).isEnded { addDeaths(world, isLive: live > 0, &moves) }
    addTruth(world, &moves)
    return moves
  }

  private func addLocalMoves(
    _ slot: Int, _ untilDeadline: Milliseconds, isAlone: Bool, _ world: World,
    _ moves: inout [Move]
  ) {
    for move in cells.clientMoves(world.cells[slot]) {
      if isAboutMoney, move.kind == .enter || move.kind == .reportRedirect { continue }
      var move = move
      move.slot = UInt8(slot)
      moves.append(move)
    }
    let cell = cells[world.cells[slot]]
    for (place, flight) in cell.flights.enumerated() {
      let isDue = flight.timesOutAt - cell.now <= untilDeadline
      if flight.kind.isAboutMoney, world.arrived[slot] != 0 {
        addLostAnswers(slot, place, isDue, world, &moves)
        continue
      }
      let replies = replies(to: flight, isDue: isDue, world)
      moves += replies.map { $0.answering(place, of: slot) }
      // Whether upstream carries a request out early or late shows only if another may look. With
      // nobody there who does, it is as if that happened with the answer, or after its loss.
      guard !isAlone, flight.kind.isAboutMoney else { continue }
      for move in replies where move.effect != .none && move.isNatural {
        moves.append(
          Move(.arrive, slot: slot, choice: place, reply: move.reply, effect: move.effect))
      }
    }
    // The clock goes on to the first deadline of all; nothing can be due before it.
    for (place, timer) in cell.timers.enumerated() {
      guard max(0, timer.at - cell.now) <= untilDeadline else { break }
      moves.append(Move(.fire, slot: slot, choice: place))
    }
  }

  private func addLostAnswers(
    _ slot: Int, _ place: Int, _ isDue: Bool, _ world: World, _ moves: inout [Move]
  ) {
    guard let reply = Reply(rawValue: world.arrived[slot] - 1) else { return }
    moves.append(Move(.answer, slot: slot, choice: place, reply: reply))
    for lost in Reply.allCases where lost.leavesRequestOpen || lost.tellsNothing {
      if lost == .timedOut, !isDue { continue }
      moves.append(Move(.answer, slot: slot, choice: place, reply: lost))
    }
  }

  private func addStarts(_ world: World, _ moves: inout [Move]) {
    if world.cells[0] == 0 {
      moves.append(Move(.begin, slot: 0))
      return
    }
    // One live checkout for each session; only an end that frees the session lets another begin,
    // or `allowRepeat`.
    guard facts(world, 0).isEnded, world.left(.starts) > 0 else { return }
    let second = facts(world, 1)
    // There is room for two that matter: what holds the session stays.
    guard !second.isLive, !second.holdsSession else { return }
    if isSessionFree(world) {
      moves.append(Move(.begin, slot: 1, choice: 0))
    }
    moves.append(Move(.begin, slot: 1, choice: 1))
  }

  private func addDeaths(_ world: World, isLive: Bool, _ moves: inout [Move]) {
    if isLive, world.left(.deaths) > 0 {
      for choice in 0..<2 {
        moves.append(Move(.kill, choice: choice))
        moves.append(Move(.powerCut, choice: choice))
      }
      moves.append(Move(.powerCut, choice: 2))
    }
    let hasCopy = world.copies[2] != 0
    if isLive, !hasCopy, world.left(.restores) + world.left(.copies) > 0,
      facts(world, 0).isLive || facts(world, 1).isLive
    {
      moves.append(Move(.backUp))
    }
    guard hasCopy else { return }
    if world.left(.restores) > 0, !world.history.contains(.isDoubled) {
      moves.append(Move(.restore, choice: 0))
      moves.append(Move(.restore, choice: 1))
    }
    if world.left(.copies) > 0 { moves.append(Move(.copy)) }
  }

  /// What the shopper does at the page, and upstream by itself.
  private func addTruth(_ world: World, _ moves: inout [Move]) {
    for key in world.payments.indices where world.payments[key].exists {
      let payment = world.payments[key]
      guard payment.status == .pending else { continue }
      if payment.page == .shown, row.redirects {
        moves.append(Move(.approve, slot: key))
        moves.append(Move(.decline, slot: key))
      }
      if payment.page == .approved && row.redirects || payment.isCompleted {
        moves.append(Move(.settle, slot: key, effect: .success))
        moves.append(Move(.settle, slot: key, effect: .failed))
      }
    }
    // Another program may have made a payment with the key that a client chose.
    if world.left(.faults) > 0 {
      for slot in 0..<2 {
        let keys = facts(world, slot).creatingFirst & cells.chosenKeys
        for key in Cells.keys where keys >> UInt16(key) & 1 == 1 && !world.payments[key].exists {
          moves.append(Move(.payElsewhere, slot: key))
        }
      }
    }
    for place in world.late.indices where !world.late[place].isNone {
      let request = world.late[place]
      let payment = world.payments[request.key]
      switch request.kind {
      case .create where !payment.exists:
        for effect in Move.Effect.allCases where effect != .none {
          moves.append(Move(.arriveLate, choice: place, effect: effect))
        }
      case .resume where payment.usedTokens <= request.token:
        if payment.page == .approved {
          moves.append(Move(.arriveLate, choice: place, effect: .success))
        }
        moves.append(Move(.arriveLate, choice: place, effect: .failed))
      case .complete where !payment.isCompleted:
        moves.append(Move(.arriveLate, choice: place, effect: .action))
      default: break
      }
    }
  }

  // MARK: Answers

  /// How upstream may answer a request as things are, and how an answer may fail to come.
  func replies(to flight: Flight, isDue: Bool, _ world: World) -> [Move] {
    var replies: [Move] = []
    func add(_ all: Reply..., effect: Move.Effect = .none) {
      for reply in all { replies.append(Move(.answer, reply: reply, effect: effect)) }
    }
    let mayFail = world.left(.faults) > 0
    let payment = world.payments[flight.key]
    switch flight.kind {
    case .configuration, .actions, .validate:
      add(.ok)
      if mayFail { add(.refused, .status503) }
    case .banks:
      add(.ok)
      if mayFail { add(.other, .refused) }
    case .tokenize:
      add(.ok)
      if mayFail { add(.other, .refused, .notSent, .status500, .undecodable) }
    case .poll:
      if payment.page == .approved || payment.page == .declined {
        replies.append(
          Move(.answer, choice: payment.usedTokens << 3, reply: .pollComplete))
      } else {
        add(.pollPending)
      }
      if mayFail { add(.pollUnknown, .status404, .status503, .interrupted) }
    case .create: addCreation(payment, mayFail, &replies)
    case .resume: addResumption(flight, payment, mayFail, &replies)
    case .complete:
      add(.ok, effect: .action)
      if payment.isCompleted { add(.tokenUsed) }
      if mayFail { add(.refused, .status404) }
    }
    guard mayFail else { return replies }
    if isDue { add(.timedOut) }
    guard flight.kind.isAboutMoney else { return replies }
    add(.notSent, .notAllowed, .untrusted)
    add(.interrupted, .status408, .status500, .status503)
    return replies
  }

  private func addCreation(
    _ payment: World.Payment, _ mayFail: Bool, _ replies: inout [Move]
  ) {
    func add(_ all: Reply..., effect: Move.Effect = .none) {
      for reply in all { replies.append(Move(.answer, reply: reply, effect: effect)) }
    }
    if payment.exists {
      switch payment.status {
      case .pending: add(.usedPending)
      case .success: add(.usedSuccess, .usedSettled)
      case .failed: add(.usedFailed, .usedDeclined)
      }
      if mayFail { add(.usedUnknownWord, .usedWithoutStatus) }
    } else {
      add(.action, effect: .action)
      add(.success, effect: .success)
      add(.failed, effect: .failed)
      if mayFail { add(.status429) }
    }
    guard mayFail else { return }
    // Not known of a real account: whether the key or the token is looked at first.
    add(.refused, .usedUnnamed)
    for reply in [Reply.undecodable, .status404, .status302] {
      add(reply)
      guard !payment.exists else { continue }
      for effect in Move.Effect.allCases where effect != .none { add(reply, effect: effect) }
    }
  }

  private func addResumption(
    _ flight: Flight, _ payment: World.Payment, _ mayFail: Bool, _ replies: inout [Move]
  ) {
    func add(_ all: Reply..., effect: Move.Effect = .none) {
      for reply in all { replies.append(Move(.answer, reply: reply, effect: effect)) }
    }
    var effects: [Move.Effect] = []
    if payment.usedTokens > flight.token {
      add(.tokenUsed)
    } else if payment.status == .failed || payment.page == .declined {
      effects = [.failed]
      add(.failed, effect: .failed)
    } else if payment.status == .success {
      effects = [.success]
      add(.success, effect: .success)
    } else {
      effects = [.success, .failed]
      add(.success, effect: .success)
      add(.failed, effect: .failed)
    }
    guard mayFail else { return }
    add(.refused)
    switch payment.status {
    case .failed: add(.refusedNamingFailed)
    case .pending, .success: add(.refusedNamingPending)
    }
    for reply in [Reply.undecodable, .status404, .status302] {
      add(reply)
      for effect in effects { add(reply, effect: effect) }
    }
  }
}

extension Move {
  /// The same as an answer to a request of some checkout.
  fileprivate func answering(_ place: Int, of slot: Int) -> Move {
    Move(
      kind, slot: slot, choice: Int(choice) | place, reply: reply, effect: effect)
  }
}
