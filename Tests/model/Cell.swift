import Checkout
import ValueTree

/// A request under way.
struct Flight {
  /// The calls of Primer's API.
  enum Kind: UInt8 {
    case configuration, actions, banks, tokenize, validate, create, poll, resume, complete

    init(_ request: Operation.Request) {
      self =
        switch request {
        case .fetchConfiguration: .configuration
        case .performActions: .actions
        case .fetchBanks: .banks
        case .tokenize: .tokenize
        case .validateClientToken: .validate
        case .createPayment: .create
        case .poll: .poll
        case .resume: .resume
        case .complete: .complete
        }
    }

    var isAboutMoney: Bool { self == .create || self == .resume || self == .complete }

    /// When libcurl gives up.
    var timeout: Milliseconds {
      switch self {
      case .create: 100_000
      case .resume, .complete, .banks: 60_000
      case .poll: 30_000
      case .configuration, .actions, .tokenize, .validate: 15_000
      }
    }
  }

  let operation: Operation
  let kind: Kind
  /// The number of the payment's key.
  let key: Int
  /// Which of the payment's resume tokens it uses.
  let token: Int
  /// Whether it asks about a payment, and must not make one.
  let isQuestion: Bool
  /// Whether nothing was sent for it before.
  let isFirstSending: Bool
  let sentAt: WallTime

  var timesOutAt: WallTime { sentAt + kind.timeout }
}

/// One checkout in one process: its value, and what the process holds for it.
struct Cell {
  /// 0 and 1 are the checkouts of this machine, 2 and 3 their copies on another.
  let slot: Int
  /// Whether it was started with `allowRepeat`.
  let allowsRepeat: Bool
  /// How many of its processes had a state that was known to be an earlier one.
  var restoreCount = 0
  var checkout: Checkout
  /// The clock.
  var now: WallTime
  /// When each timer runs out, the first one first.
  var timers: [(id: TimerID, at: WallTime)] = []
  /// What is under way, in the order it was sent.
  var flights: [Flight] = []
  /// When the polls for the page are over, if it is shown.
  var pollsUntil: WallTime?
  /// What calls wait for.
  var awaited: Set<Awaited> = []

  /// The time of an input, and its randomness.
  ///
  /// It is always the same, since a state is no other for having drawn another number. What must
  /// differ between checkouts or after a restore does.
  func moment(asksQuestions: Bool = true) -> Moment {
    Core.moment(
      now: now, entropy: UInt64(slot) << 8 | UInt64(restoreCount), asksQuestions: asksQuestions)
  }

  /// When a timer or a time-out is due first; `nil` if nothing is to come.
  var nextDeadline: WallTime? {
    let timeOut = flights.map(\.timesOutAt).min()
    guard let timer = timers.first?.at else { return timeOut }
    return min(timer, timeOut ?? timer)
  }

  /// The same as it was at some time, later.
  func aged(by span: Milliseconds) -> Cell {
    var cell = self
    cell.now += span
    return cell
  }

  /// The same without what only a process has, and as its row reads back.
  func stripped() -> Cell? {
    guard let checkout = Core.Stored(checkout).checkout(like: self) else { return nil }
    var cell = self
    cell.checkout = checkout
    cell.timers = []
    cell.flights = []
    cell.awaited = []
    return cell
  }

  mutating func set(_ timer: TimerID, at time: WallTime) {
    clear(timer)
    let place = timers.firstIndex { ($0.at, $0.id.order) > (time, timer.order) } ?? timers.count
    timers.insert((timer, time), at: place)
  }

  mutating func clear(_ timer: TimerID) { timers.removeAll { $0.id == timer } }

  /// What it is told apart from others by.
  ///
  /// How many events were published does not count: nothing looks at it, and each step is checked to
  /// number its own without a gap.
  var digest: UInt64 {
    var digest = Digest()
    digest.add(slot)
    digest.add(allowsRepeat ? 1 : 0)
    digest.add(restoreCount)
    if let outcome = checkout.outcome {
      addEnd(outcome, &digest)
      if flights.isEmpty, timers.isEmpty { return digest.value }
    }
    // No moment matters to what has ended.
    let reference = checkout.isEnded ? .max : now
    let stored = Core.Stored(checkout)
    digest.add(compact: stored.hot, from: reference, skipping: 1)
    // Its owner is always the same, and when it was made counts no more once it has begun.
    digest.add(compact: stored.fixed, from: reference, skipping: 2)
    for part in stored.parts { digest.add(compact: part, from: reference) }
    for timer in timers {
      digest.add(timer.id.order)
      digest.add(timer.at, from: now)
    }
    for flight in flights {
      digest.add(flight.operation.id)
      digest.add(flight.sentAt, from: now)
    }
    digest.add(awaited.count)
    return digest.value
  }

  /// What has ended is told apart by what it came to and by what it does when its session is wanted:
  /// nothing else can come of it.
  private func addEnd(_ outcome: Outcome, _ digest: inout Digest) {
    digest.add(outcome.rawValue)
    digest.add(payment?.id ?? "")
    digest.add(payment?.status ?? "")
    digest.add(checkout.holdsSession ? 1 : 0)
    digest.add(checkout.chosenKey ?? "")
    var copy = checkout
    let effects = Core.handle(&copy, .happened(.sessionIsWanted), at: moment()).effects
    for case .perform(let operation) in effects {
      digest.add(Core.key(of: operation.request) ?? "")
    }
  }

  /// The payment as the checkout knows it.
  var payment: Payment? { checkout.outcomeRecord?.payment }

  /// The number of the key of the payment that the checkout knows, while it is under way.
  var knownPayment: String? { checkout.shortSnapshot(wallOffset: 0)["payment"]?["id"]?.string }

  /// The decision that is open.
  var openDecision: (id: String, event: String)? {
    for awaited in checkout.shortSnapshot(wallOffset: 0)["awaiting"]?.array ?? [] {
      guard let id = awaited["decisionId"]?.string, let event = awaited["event"]?.string else {
        continue
      }
      return (id, event)
    }
    return nil
  }
}

extension TimerID {
  /// A number of its own.
  var order: Int {
    switch self {
    case .expiry: 0
    case .decision: 1
    case .poll: 2
    case .repeat(let operation): 3 + Int(operation)
    }
  }
}
