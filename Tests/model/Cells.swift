import Checkout
import ValueTree

/// What a checkout did with one input, as far as others have to do with it.
struct Step {
  /// A request that is sent, or given up, and has to do with money.
  struct Request {
    var kind: Flight.Kind
    var key: Int
    var token: Int
    var isQuestion: Bool
    /// How long ago it was sent.
    var age: Milliseconds

    init(_ flight: Flight, at now: WallTime) {
      kind = flight.kind
      key = flight.key
      token = flight.token
      isQuestion = flight.isQuestion
      age = now - flight.sentAt
    }
  }

  /// The number of what it became; 0 if it is gone.
  var next: UInt32 = 0
  /// How far the clock went.
  var elapsed: Milliseconds = 0
  /// What was sent.
  var sent: [Request] = []
  /// What was given up.
  var abandoned: [Request] = []
  /// What it came to, if it ended, and the number of the payment's key.
  var outcome: Outcome?
  var payment: Int?
  /// The payment whose page was shown.
  var shownPayment: Int?
  /// Whether the client's backend was given what it may make a payment with.
  var asksBackend = false
  /// Whether its commit is flushed.
  var isFlushed = false
  /// Whether nothing came of it.
  var isNothing = false
  /// What is wrong with it.
  var violation: String?
}

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

  /// The numbers of keys.
  static let keys = 0..<14

  /// The number in the place of a key's for the payment that the client's backend makes.
  static func ownPayment(of slot: Int) -> Int { 14 + slot % 2 }

  /// What is asked of a checkout again and again.
  struct Facts {
    var isEnded = false
    var isLive = false
    var outcome: Outcome?
    /// The keys, by number, of creations under way.
    var creating: UInt16 = 0
    var untilDeadline: Milliseconds = .max
    var untilTimer: Milliseconds = .max
    var hasMoneyFlight = false
    var clientMoves: [Move]?
  }

  init(_ row: Row) { self.row = row }

  /// Keeps the calls that something comes of.
  func keep(_ moves: [Move], of number: UInt32) { facts[Int(number)].clientMoves = moves }

  subscript(number: UInt32) -> Cell {
    guard let cell = pool[Int(number)] else { preconditionFailure("there is no such cell") }
    return cell
  }

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
    for flight in cell.flights where flight.kind == .create && !flight.isQuestion {
      fact.creating |= 1 << UInt16(flight.key)
    }
    fact.hasMoneyFlight = cell.flights.contains { $0.kind.isAboutMoney }
    if let due = cell.nextDeadline { fact.untilDeadline = max(0, due - cell.now) }
    if let due = cell.timers.first?.at { fact.untilTimer = max(0, due - cell.now) }
    facts.append(fact)
    return number
  }

  /// The same cell at some later time, none of its timers having run out meanwhile.
  func aged(_ number: UInt32, by span: Milliseconds) -> UInt32 {
    guard number != 0, span > 0, !facts[Int(number)].isEnded else { return number }
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
    let copy = stored.checkout(like: checkout)
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
    if isExempt || !text.hasPrefix("checkoutd-") { exemptKeys |= 1 << UInt16(number) }
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
    return Flight(
      operation: operation, kind: kind, key: key, token: token,
      isQuestion: Core.isQuestion(operation, of: cell.checkout), sentAt: cell.now)
  }

  // MARK: Steps

  /// What a new checkout does first.
  func begin(slot: Int, number: Int, allowsRepeat: Bool, at now: WallTime) -> Step {
    let moment = Moment(now: now, entropy: UInt64(slot) << 8, digest: { $0 })
    let (checkout, effects) = Core.begin(
      number: number, row, allowsRepeat: allowsRepeat, at: moment)
    var cell = Cell(slot: slot, allowsRepeat: allowsRepeat, checkout: checkout, now: now)
    var step = Step()
    take(effects, &cell, &step)
    step.next = self.number(of: cell)
    return step
  }

  /// What a process does first with a checkout that it finds.
  func takeUp(_ number: UInt32, slot: Int, _ restart: Core.Restart, mark: Int?) -> Step {
    let choice = (restart.isOtherBoot ? 1 : 0) | (restart.isRestored ? 2 : 0)
    let place =
      UInt64(number) << 32 | 0xFF << 24 | UInt64(slot) << 16 | UInt64(mark ?? 0xFF) << 8
      | UInt64(choice)
    if let known = steps[place] { return known }
    var cell = Cell(copyOf: self[number], slot: slot)
    if let mark { cell.restoreCount = mark }
    var step = Step()
    let seqBefore = cell.checkout.seq
    let wasEnded = cell.checkout.isEnded
    if !wasEnded {
      let effects = Core.takeUp(&cell.checkout, restart, at: cell.moment)
      step.isFlushed = Core.isFlushed(nil, nil, effects)
      take(effects, &cell, &step)
      check(effects, cell, seqBefore, wasEnded, &step)
    }
    step.next = self.number(of: cell)
    steps[place] = step
    return step
  }

  /// What a checkout does with a move.
  func step(_ number: UInt32, _ move: Move) -> Step {
    let place = UInt64(number) << 32 | UInt64(move.local)
    if let known = steps[place] { return known }
    let step = run(number, move)
    steps[place] = step
    return step
  }

  private func run(_ number: UInt32, _ move: Move) -> Step {
    var cell = self[number]
    var step = Step()
    step.isNothing = true
    step.next = number
    guard let input = input(move, &cell, &step) else { return step }
    let answered: Flight? =
      move.kind == .answer ? cell.flights.remove(at: Int(move.choice & 7)) : nil
    let before = cell
    let (reply, effects) = Core.handle(&cell.checkout, input, at: cell.moment)
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
    step.isNothing = false
    checkFuture(of: before, number, input, effects, cell, &step)
    step.next = self.number(of: cell)
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
      case .publish(let event): note(event, cell, &step)
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
      case .removed, .secondPayment, .questionSettled: break
      }
    }
  }

  private func note(_ event: Event, _ cell: Cell, _ step: inout Step) {
    switch event.kind {
    case .didReceiveStep where event["step"]?["url"] != nil:
      step.shownPayment = Self.key(ofPayment: cell.knownPayment) ?? Self.ownPayment(of: cell.slot)
    case .didTokenizePaymentMethod where row.isManual: step.asksBackend = true
    default: break
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
  }
}
