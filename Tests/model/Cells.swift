import Checkout
import ValueTree

/// Every checkout that was met, each once, and what each did with each input: the core is asked but
/// once, however many states of everything else there are around it.
final class Cells {
  let row: Row
  private(set) var pool: [Cell?] = [nil]
  private(set) var facts: [Facts] = [Facts()]
  private var numbers: [UInt64: UInt32] = [:]
  private var steps: [UInt64: Step] = [:]
  private var older: [UInt64: UInt32] = [:]
  private var rows: [UInt32: UInt32] = [:]
  private var keys: [String] = []
  private var lastForm: (number: UInt32, stored: Core.Stored, copy: Checkout?)?
  /// The keys, by number, that may lead to a payment beside the session's.
  private(set) var exemptKeys: UInt16 = 0b11 << 14

  /// Those of them that clients chose.
  private(set) var chosenKeys: UInt16 = 0

  /// The numbers of keys.
  static let keys = 0..<14

  /// The number in the place of a key's for the payment that the client's backend makes.
  static func ownPayment(of slot: Int) -> Int { 14 + slot % 2 }

  /// What is asked of a checkout again and again.
  struct Facts {
    var isEnded = false
    var isLive = false
    /// Whether something may come to it by itself.
    var isActive = false
    var holdsSession = false
    var outcome: Outcome?
    /// The payment of one that has ended without money moving.
    var settledPayment: Int?
    var usesChosenKey = false
    /// The payment that one that goes on can bring about.
    var paymentInReach: Int?
    /// The payment that one that has ended names.
    var payment: Int?
    /// The keys, by number, of creations under way.
    var creating: UInt16 = 0
    /// Those that are sent for the first time.
    var creatingFirst: UInt16 = 0
    var untilDeadline: Milliseconds = .max
    var untilTimer: Milliseconds = .max
    var clientMoves: [Move]?
  }

  init(_ row: Row) { self.row = row }

  /// How many checkouts were met.
  var count: Int { pool.count - 1 }

  /// Keeps the calls that something comes of.
  func keep(_ moves: [Move], of number: UInt32) { facts[Int(number)].clientMoves = moves }

  /// The cell of that number.
  subscript(number: UInt32) -> Cell {
    guard let cell = pool[Int(number)] else { preconditionFailure("there is no such cell") }
    return cell
  }

  /// The number of a cell; one that was not met before gets the next.
  func number(of cell: Cell) -> UInt32 {
    let digest = cell.digest
    if let known = numbers[digest] { return known }
    let number = UInt32(pool.count)
    numbers[digest] = number
    pool.append(cell)
    var fact = Facts()
    fact.isEnded = cell.checkout.isEnded
    fact.isLive = !fact.isEnded
    fact.outcome = cell.checkout.outcome
    fact.isActive = fact.isLive || !cell.flights.isEmpty || !cell.timers.isEmpty
    fact.holdsSession = cell.checkout.holdsSession
    fact.usesChosenKey = cell.checkout.chosenKey != nil
    // One that takes the payment method back ends after that, and shows nobody its payment.
    let isEnding = cell.flights.contains {
      $0.operation.request == .performActions([.unselectPaymentMethod])
    }
    if fact.isLive, !isEnding { fact.paymentInReach = Self.key(ofPayment: cell.knownPayment) }
    if fact.isEnded { fact.payment = Self.key(ofPayment: cell.payment?.id) }
    if fact.outcome == .failed || fact.outcome == .cancelled {
      fact.settledPayment = Self.key(ofPayment: cell.payment?.id)
    }
    for flight in cell.flights where flight.kind == .create && !flight.isQuestion {
      fact.creating |= 1 << UInt16(flight.key)
      if flight.isFirstSending { fact.creatingFirst |= 1 << UInt16(flight.key) }
    }
    if let due = cell.nextDeadline { fact.untilDeadline = max(0, due - cell.now) }
    if let due = cell.timers.first?.at { fact.untilTimer = max(0, due - cell.now) }
    facts.append(fact)
    return number
  }

  /// The same cell at some later time, none of its timers having run out meanwhile.
  func aged(_ number: UInt32, by span: Milliseconds) -> UInt32 {
    guard number != 0, span > 0, facts[Int(number)].isActive else { return number }
    let place = UInt64(number) << 32 | UInt64(span)
    if let known = older[place] { return known }
    let result = self.number(of: self[number].aged(by: span))
    older[place] = result
    return result
  }

  /// The stored form of a cell, and what it reads back to: of the one asked for last it is at hand.
  func form(of number: UInt32) -> (stored: Core.Stored, copy: Checkout?) {
    if let lastForm, lastForm.number == number { return (lastForm.stored, lastForm.copy) }
    let checkout = self[number].checkout
    let stored = Core.Stored(checkout)
    let copy = stored.checkout(like: self[number])
    lastForm = (number, stored, copy)
    return (stored, copy)
  }

  /// What the store has of a cell.
  func stored(_ number: UInt32) -> UInt32 {
    guard number != 0 else { return 0 }
    if let known = rows[number] { return known }
    guard let stripped = self[number].stripped() else {
      preconditionFailure("a step with such a result is a violation")
    }
    let result = self.number(of: stripped)
    rows[number] = result
    return result
  }

  // MARK: Keys

  /// The number of a key; new ones are counted.
  private func number(ofKey text: String, isExempt: Bool) -> Int {
    if let known = keys.firstIndex(of: text) { return known }
    keys.append(text)
    let number = keys.count - 1
    let isChosen = !text.hasPrefix("checkoutd-")
    if isChosen { chosenKeys |= 1 << UInt16(number) }
    if isExempt || isChosen { exemptKeys |= 1 << UInt16(number) }
    return number
  }

  /// The id of the payment that a key leads to.
  static func paymentID(_ key: Int) -> String { key < 14 ? "pay-\(key + 1)" : "own-\(key - 13)" }

  static func key(ofPayment id: String?) -> Int? {
    guard let id else { return nil }
    guard let number = Int(id.dropFirst(4)) else { return nil }
    return id.hasPrefix("own-") ? number + 13 : number - 1
  }

  private func flight(_ operation: Operation, of cell: Cell) -> Flight {
    let kind = Flight.Kind(operation.request)
    var key = 0
    var token = 0
    switch operation.request {
    case .createPayment(_, let text):
      key = number(ofKey: text, isExempt: cell.allowsRepeat)
    case .resume(let payment, let resumeToken):
      key = Self.key(ofPayment: payment) ?? Self.ownPayment(of: cell.slot)
      token = resumeToken.last?.wholeNumberValue ?? 0
    case .poll, .complete:
      key = Self.key(ofPayment: cell.knownPayment) ?? Self.ownPayment(of: cell.slot)
    default: break
    }
    let creation: (isQuestion: Bool, sentCount: Int64) =
      kind == .create ? Core.creation(operation, of: cell.checkout) : (false, 1)
    return Flight(
      operation: operation, kind: kind, key: key, token: token, isQuestion: creation.isQuestion,
      isFirstSending: creation.sentCount == 1, sentAt: cell.now)
  }

  // MARK: Steps

  /// What a new checkout does first.
  func begin(slot: Int, number: Int, allowsRepeat: Bool, at now: WallTime) -> Step {
    let moment = Core.moment(now: now, entropy: UInt64(slot) << 8, asksQuestions: true)
    let (checkout, effects) = Core.begin(
      number: number, row, allowsRepeat: allowsRepeat, at: moment)
    var cell = Cell(slot: slot, allowsRepeat: allowsRepeat, checkout: checkout, now: now)
    var step = Step()
    take(effects, &cell, &step)
    step.next = self.number(of: cell)
    return step
  }

  /// What a process does first with a checkout that it finds.
  ///
  /// - Parameters:
  ///   - number: What the store has of it.
  ///   - slot: Whose it becomes.
  ///   - isRestored: Whether the process knows that the state has gone back in time.
  ///   - mark: What it is told apart by from what was there before, if it is a copy.
  ///   - asksQuestions: Whether upstream may be asked.
  /// - Returns: What it does.
  func takeUp(
    _ number: UInt32, slot: Int, isRestored: Bool, mark: Int?, asksQuestions: Bool
  ) -> Step {
    let flags: UInt64 = (isRestored ? 1 : 0) | (asksQuestions ? 2 : 0)
    let place =
      UInt64(number) << 32 | 0xFF << 24 | UInt64(slot) << 16 | UInt64(mark ?? 0xFF) << 8 | flags
    if let known = steps[place] { return known }
    var cell = Cell(copyOf: self[number], slot: slot)
    if let mark { cell.restoreCount = mark }
    var step = Step()
    let before = cell.checkout
    let effects = Core.takeUp(
      &cell.checkout, isRestored: isRestored, at: cell.moment(asksQuestions: asksQuestions))
    step.isFlushed = Core.isFlushed(nil, nil, effects)
    take(effects, &cell, &step)
    check(effects, cell, before.seq, before.isEnded, &step)
    step.next = self.number(of: cell)
    steps[place] = step
    return step
  }

  /// What a checkout does with a move.
  func step(_ number: UInt32, _ move: Move, _ around: Around = []) -> Step {
    let place = UInt64(number) << 32 | UInt64(move.local | UInt32(around.rawValue) << 20)
    if let known = steps[place] { return known }
    let step = run(number, move, around)
    steps[place] = step
    return step
  }

  /// What a step depends on beside the checkout and the input.
  struct Around: OptionSet {
    let rawValue: UInt8
    /// Upstream is not to be asked questions any more.
    static let isAlarmed = Around(rawValue: 1)
    /// The payment that an answer names is that of a checkout here that ended without money moving.
    static let isSettledHere = Around(rawValue: 2)
  }

  private func run(_ number: UInt32, _ move: Move, _ around: Around) -> Step {
    var cell = self[number]
    var step = Step()
    step.isNothing = true
    step.next = number
    guard let input = input(move, around, &cell, &step) else { return step }
    let answered: Flight? =
      move.kind == .answer ? cell.flights.remove(at: Int(move.choice & 7)) : nil
    let before = cell
    let (reply, effects) = Core.handle(
      &cell.checkout, input, at: cell.moment(asksQuestions: !around.contains(.isAlarmed)))
    take(reply, &cell, &step)
    take(effects, &cell, &step)
    if case .failure? = reply, effects.isEmpty {
      // Most calls are refused in most states, and leave everything as it was.
      if Core.hot(cell.checkout) != form(of: number).stored.hot {
        step.violation = "a refused call changes the state"
        step.isNothing = false
      }
      return step
    }
    step.isFlushed = Core.isFlushed(input, answered, effects)
    check(effects, cell, before.checkout.seq, before.checkout.isEnded, &step)
    step.answersFirstSending = answered?.kind == .create && answered?.isFirstSending == true
    if let answered { checkPolls(answered, move.reply, before, cell, &step) }
    step.isNothing = false
    checkFuture(of: before, number, input, around, effects, cell, &step)
    step.next = self.number(of: cell)
    if step.next == number, effects.allSatisfy(\.isAnswer), step.violation == nil {
      step.isNothing = true
    }
    if effects.contains(where: { if case .removed = $0 { true } else { false } }) {
      step.next = 0
    }
    return step
  }

  /// Notes what a command was answered.
  private func take(
    _ reply: Result<CommandReply, CheckoutError>?, _ cell: inout Cell, _ step: inout Step
  ) {
    switch reply {
    case .success(.later(let awaited))?:
      if !cell.awaited.insert(awaited).inserted { step.violation = "two calls wait for one thing" }
    case .failure(let error)?:
      if error.id.code == nil, error.foreignID == nil {
        step.violation = "a call is refused with an error that has no code"
      }
    case .success(.value)?, nil: break
    }
  }

  /// Does to the cell what the effects say.
  private func take(_ effects: [Effect], _ cell: inout Cell, _ step: inout Step) {
    for effect in effects {
      switch effect {
      case .publish(let event): note(event, &cell, &step)
      case .settled(let awaited, _): cell.awaited.remove(awaited)
      case .perform(let operation):
        let flight = flight(operation, of: cell)
        cell.flights.append(flight)
        if flight.kind.isAboutMoney { step.sent.append(Step.Request(flight, at: cell.now)) }
      case .abandon(let id):
        guard let place = cell.flights.firstIndex(where: { $0.operation.id == id }) else {
          continue
        }
        let flight = cell.flights.remove(at: place)
        if flight.kind.isAboutMoney { step.abandoned.append(Step.Request(flight, at: cell.now)) }
      case .setTimer(let timer, let span): cell.set(timer, at: cell.now + max(0, span))
      case .clearTimer(let timer): cell.clear(timer)
      case .ended(let outcome):
        step.outcome = outcome
        step.payment = Self.key(ofPayment: cell.payment?.id)
      case .secondPayment: step.isAlarming = true
      case .removed, .questionSettled: break
      }
    }
  }

  private func note(_ event: Event, _ cell: inout Cell, _ step: inout Step) {
    switch event.kind {
    case .didReceiveStep where event.showsPayment:
      cell.pollsUntil = min(cell.now + Core.spans.poll, row.actionToken.expiresAt)
      step.shownPayment = Self.key(ofPayment: cell.knownPayment) ?? Self.ownPayment(of: cell.slot)
    case .didTokenizePaymentMethod where row.isManual: step.asksBackend = true
    default: break
    }
  }
}

extension Event {
  /// Whether the shopper has from now on what the payment is made with.
  fileprivate var showsPayment: Bool {
    switch self["step"]?["name"]?.string {
    case "awaitingCode", "awaitingConfirmation": true
    default: self["step"]?["url"] != nil
    }
  }
}

extension Cell {
  /// A copy in another slot.
  init(copyOf other: Cell, slot: Int) {
    self.init(
      slot: slot, allowsRepeat: other.allowsRepeat, checkout: other.checkout, now: other.now)
    restoreCount = other.restoreCount
    timers = other.timers
    flights = other.flights
    awaited = other.awaited
    pollsUntil = other.pollsUntil
  }
}
