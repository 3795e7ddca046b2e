import Checkout
import ValueTree

extension Cells {
  /// Every call that a client may make, sensible or not.
  static let calls: [Move] =
    [
      Move(.provide), Move(.start), Move(.submit), Move(.cancel),
    ] + (0..<3).map { Move(.enter, choice: $0) }
    + (0..<Client.decisions.count).map { Move(.decide, choice: $0) }
    + (0..<2).map { Move(.reportRedirect, choice: $0) }
    + (0..<Client.reports.count).map { Move(.reportBankAccount, choice: $0) }
    + (0..<2).map { Move(.decideMandate, choice: $0) }

  /// The calls that something comes of.
  func clientMoves(_ number: UInt32) -> [Move] {
    if let known = facts[Int(number)].clientMoves { return known }
    let moves = Self.calls.filter { !step(number, $0).isNothing }
    keep(moves, of: number)
    return moves
  }

  /// The input that a move is to a checkout; `nil` if it is none.
  ///
  /// The clock goes on to what it waits for.
  func input(
    _ move: Move, _ around: Around, _ cell: inout Cell, _ step: inout Step
  ) -> Core.Input? {
    switch move.kind {
    case .fire:
      guard Int(move.choice) < cell.timers.count else { return nil }
      let timer = cell.timers.remove(at: Int(move.choice))
      step.elapsed = max(0, timer.at - cell.now)
      cell.now += step.elapsed
      return .happened(.timerFired(timer.id))
    case .answer:
      let place = Int(move.choice & 7)
      guard place < cell.flights.count else { return nil }
      let flight = cell.flights[place]
      if move.reply == .timedOut {
        step.elapsed = max(0, flight.timesOutAt - cell.now)
        cell.now += step.elapsed
      }
      guard let (result, _) = result(of: flight, move) else { return nil }
      return .happened(
        .operationFinished(
          flight.operation.id, result, isSettledHere: around.contains(.isSettledHere)))
    case .want: return .happened(.sessionIsWanted)
    default:
      return command(move, cell).map { .command($0.0) }
    }
  }

  // MARK: Clients

  enum Client {
    /// What a client may decide.
    static let decisions: [Decision] = [
      .continue(idempotencyKey: nil), .continue(idempotencyKey: "chosen-1"),
      .abort(message: nil), .continueWithNewClientToken(Sample.redirectToken), .complete(nil),
      .complete(Payment(id: "own-1", status: "SUCCESS")),
      .abort(message: nil, payment: Payment(id: "own-1", status: "FAILED")),
    ]

    /// What may come of the bank account's collector.
    static let reports: [BankAccountReport] = [
      .succeeded, .pendingVerification, .failed(errorID: "collector-own", description: nil),
      .cancelled,
    ]
  }

  /// The command that a move gives, and how a test of the core writes that.
  func command(_ move: Move, _ cell: Cell?) -> (Command, String)? {
    func of(_ command: ComponentCommand, _ text: String) -> (Command, String) {
      (.component(0, command), text)
    }
    let choice = Int(move.choice)
    switch move.kind {
    case .provide:
      return (
        .provide(manager: row.manager, paymentMethodType: row.type),
        ".provide(manager: .\(row.manager), paymentMethodType: \"\(row.type)\")"
      )
    case .start: return of(.start, ".start")
    case .submit: return of(.submit, ".submit")
    case .cancel: return (.cancel(reason: nil), ".cancel(reason: nil)")
    case .enter:
      guard choice < row.entries.count else { return nil }
      let entry = row.entries[choice]
      return of(
        .update(.object([.init(entry.field, .string(entry.value))])),
        ".update([\"\(entry.field)\": \"\(entry.value)\"])")
    case .decide:
      let id = cell?.openDecision?.id ?? "d1"
      if case .continueWithNewClientToken = Client.decisions[choice] {
        return (
          .decide(id: id, .continueWithNewClientToken(row.actionToken)),
          ".decide(id: \"\(id)\", .continueWithNewClientToken(\(row.actionTokenText)))"
        )
      }
      let decision = Client.decisions[choice]
      return (.decide(id: id, decision), ".decide(id: \"\(id)\", \(decision.text))")
    case .reportRedirect:
      let isDismissed = choice == 1
      return of(
        .reportRedirect(dismissed: isDismissed), ".reportRedirect(dismissed: \(isDismissed))")
    case .reportBankAccount:
      let report = Client.reports[choice]
      return of(.reportBankAccount(report), ".reportBankAccount(\(report.text))")
    case .decideMandate:
      return of(
        .decideMandate(isAccepted: choice == 1), ".decideMandate(isAccepted: \(choice == 1))")
    default: return nil
    }
  }

  // MARK: Upstream

  /// What a request is answered with, and how a test of the core writes that.
  func result(
    of flight: Flight, _ move: Move
  ) -> (Result<Answer, OperationFailure>, String)? {
    let payment = Self.paymentID(flight.key)
    if let (failure, text) = move.reply.failure(payment: payment) {
      return (.failure(failure), text)
    }
    guard let (answer, text) = answer(to: flight, move, payment) else { return nil }
    return (.success(answer), text)
  }

  private func answer(
    to flight: Flight, _ move: Move, _ payment: String
  ) -> (Answer, String)? {
    switch (flight.kind, move.reply) {
    case (.configuration, .ok), (.actions, .ok):
      return (.configuration(row.configuration), ".configuration(\(row.configurationText))")
    case (.banks, .ok): return (.banks(Sample.banks), ".banks(Sample.banks)")
    case (.banks, .other): return (.banks([]), ".banks([])")
    case (.tokenize, .ok):
      return (.instrument(Sample.instrument), ".instrument(Sample.instrument)")
    case (.tokenize, .other):
      return (
        .instrument(PaymentInstrument(token: nil)), ".instrument(PaymentInstrument(token: nil))"
      )
    case (.validate, .ok), (.complete, .ok): return (.acknowledged, ".acknowledged")
    case (.poll, .pollPending): return (.redirectStatus(.pending), ".redirectStatus(.pending)")
    case (.poll, .pollComplete):
      let token = "res-\(move.choice >> 3)"
      return (
        .redirectStatus(.complete(resumeToken: token)),
        ".redirectStatus(.complete(resumeToken: \"\(token)\"))"
      )
    case (.poll, .pollUnknown):
      return (.redirectStatus(.unknown("LOST")), ".redirectStatus(.unknown(\"LOST\"))")
    case (.create, .action), (.resume, .action):
      return (
        Sample.payment(.pending, id: payment, action: row.actionToken),
        "Sample.payment(.pending, id: \"\(payment)\", action: \(row.actionTokenText))"
      )
    case (.create, .success), (.resume, .success):
      return (Sample.payment(.success, id: payment), "Sample.payment(.success, id: \"\(payment)\")")
    case (.create, .failed), (.resume, .failed):
      return (Sample.payment(.failed, id: payment), "Sample.payment(.failed, id: \"\(payment)\")")
    case (.create, .pending), (.resume, .pending):
      return (Sample.payment(.pending, id: payment), "Sample.payment(.pending, id: \"\(payment)\")")
    default: return nil
    }
  }
}

extension Decision {
  /// How a test of the core writes it.
  fileprivate var text: String {
    switch self {
    case .continue(let key):
      ".continue(idempotencyKey: " + (key.map { "\"\($0)\"" } ?? "nil") + ")"
    case .abort(_, let payment):
      payment == nil
        ? ".abort(message: nil)"
        : ".abort(message: nil, payment: Payment(id: \"own-1\", status: \"FAILED\"))"
    case .continueWithNewClientToken: ""
    case .complete(let payment):
      payment == nil
        ? ".complete(nil)" : ".complete(Payment(id: \"own-1\", status: \"SUCCESS\"))"
    }
  }
}

extension BankAccountReport {
  /// How a test of the core writes it.
  fileprivate var text: String {
    switch self {
    case .succeeded: ".succeeded"
    case .pendingVerification: ".pendingVerification"
    case .failed: ".failed(errorID: \"collector-own\", description: nil)"
    case .cancelled: ".cancelled"
    }
  }
}
