import Checkout

/// A state: everything at one moment, small enough to be kept in millions.
struct World {
  /// What processes have: the checkouts of this machine, and their copies on another.
  var cells = InlineArray<4, UInt32>(repeating: 0)
  /// What the store has flushed of this machine's, and a copy of it that was taken.
  var copies = InlineArray<4, UInt32>(repeating: 0)
  /// Upstream's truth, by the number of the payment's key.
  var payments = InlineArray<16, Payment>(repeating: Payment())
  /// Requests whose answer nobody awaits any more, and which upstream may yet carry out.
  var late = InlineArray<4, LateRequest>(repeating: LateRequest())
  /// What a request under way has come to upstream, by slot; its answer is on its way.
  var arrived = InlineArray<4, UInt8>(repeating: 0)
  /// How much of each kind may still happen.
  var budgets = InlineArray<8, UInt8>(repeating: 0)
  /// How the state went back in time.
  var history: History = []

  /// How the state went back in time.
  struct History: OptionSet {
    let rawValue: UInt32
    /// A copy was restored, and the daemon knows.
    static let isRestored = History(rawValue: 1)
    /// A copy was put in the state's place by hand.
    static let isReplaced = History(rawValue: 2)
    /// Another machine goes on with a copy.
    static let isDoubled = History(rawValue: 4)
    /// Upstream was found to treat keys as it should not.
    static let isAlarmed = History(rawValue: 8)
    /// A record that is gone said that the payment of that key was settled here.
    static func hasForgotten(_ key: Int) -> History { History(rawValue: 1 << UInt32(16 + key)) }
  }

  /// What upstream has of a key.
  struct Payment {
    var bits: UInt16 = 0

    enum Status: UInt16 { case pending, success, failed }
    enum Page: UInt16 { case hidden, shown, approved, declined }

    private func field(_ place: UInt16, _ width: UInt16) -> UInt16 {
      bits >> place & (1 << width - 1)
    }
    private mutating func set(_ place: UInt16, _ width: UInt16, _ value: UInt16) {
      bits = bits & ~((1 << width - 1) << place) | value << place
    }

    /// Whether there is a payment.
    var exists: Bool {
      get { field(0, 1) == 1 }
      set { set(0, 1, newValue ? 1 : 0) }
    }
    var status: Status {
      get { Status(rawValue: field(1, 2)) ?? .pending }
      set { set(1, 2, newValue.rawValue) }
    }
    /// What the shopper has seen and done.
    var page: Page {
      get { Page(rawValue: field(3, 2)) ?? .hidden }
      set { set(3, 2, newValue.rawValue) }
    }
    /// How many of its resume tokens have been used, 3 for more.
    var usedTokens: Int {
      get { Int(field(5, 2)) }
      set { set(5, 2, UInt16(min(3, newValue))) }
    }
    /// Whether it was completed.
    var isCompleted: Bool {
      get { field(7, 1) == 1 }
      set { set(7, 1, newValue ? 1 : 0) }
    }
    /// Whether that slot has asked for it.
    func isAsked(by slot: Int) -> Bool { field(8 + UInt16(slot), 1) == 1 }
    mutating func markAsked(by slot: Int) { set(8 + UInt16(slot), 1, 1) }
    /// The slot whose request made it.
    var maker: Int {
      get { Int(field(12, 2)) }
      set { set(12, 2, UInt16(newValue)) }
    }

    /// Whether a checkout here ended without its money moving.
    var isSettledHere: Bool {
      get { field(14, 1) == 1 }
      set { set(14, 1, newValue ? 1 : 0) }
    }

    /// Whether another program made it.
    var isForeign: Bool {
      get { field(15, 1) == 1 }
      set { set(15, 1, newValue ? 1 : 0) }
    }

    /// Whether money can move without anyone's doing here.
    var canMove: Bool {
      exists && (status == .success || status == .pending && (page != .hidden || isCompleted))
    }
  }

  /// A request that may yet be carried out.
  struct LateRequest {
    var bits: UInt32 = 0

    init() {}

    init(_ kind: Flight.Kind, key: Int, token: Int, slot: Int, left: Milliseconds) {
      bits =
        UInt32(clamping: left) | UInt32(key) << 20 | UInt32(token & 3) << 24
        | UInt32(kind.rawValue) << 26 | UInt32(slot) << 30
    }

    var isNone: Bool { bits == 0 }
    /// How long it may still take.
    var left: Milliseconds { Milliseconds(bits & 0xF_FFFF) }
    var key: Int { Int(bits >> 20 & 15) }
    var token: Int { Int(bits >> 24 & 3) }
    var kind: Flight.Kind { Flight.Kind(rawValue: UInt8(bits >> 26 & 15)) ?? .create }
    /// Whose it was.
    var slot: Int { Int(bits >> 30) }
  }

  /// Adds a late request, in their order: which was sent first does not matter.
  ///
  /// - Returns: Whether there was room.
  mutating func add(_ request: LateRequest) -> Bool {
    guard let place = late.indices.first(where: { late[$0].isNone }) else { return false }
    late[place] = request
    sortLate()
    return true
  }

  /// Lets time pass for the late requests.
  mutating func passTime(_ span: Milliseconds) {
    guard span > 0 else { return }
    for place in late.indices where !late[place].isNone {
      let request = late[place]
      late[place] =
        request.left > span
        ? LateRequest(
          request.kind, key: request.key, token: request.token, slot: request.slot,
          left: request.left - span)
        : LateRequest()
    }
    sortLate()
  }

  mutating func sortLate() {
    for place in 1..<4 {
      var place = place
      while place > 0, late[place].bits > late[place - 1].bits {
        (late[place], late[place - 1]) = (late[place - 1], late[place])
        place -= 1
      }
    }
  }

  /// What it is told apart from others by.
  func digest(withBudgets: Bool) -> UInt64 {
    var digest = Digest()
    for place in stride(from: 0, to: 4, by: 2) {
      digest.add(UInt64(cells[place]) << 32 | UInt64(cells[place + 1]))
    }
    for place in stride(from: 0, to: 16, by: 4) {
      digest.add(
        UInt64(payments[place].bits) << 48 | UInt64(payments[place + 1].bits) << 32
          | UInt64(payments[place + 2].bits) << 16 | UInt64(payments[place + 3].bits))
    }
    for place in stride(from: 0, to: 4, by: 2) {
      digest.add(UInt64(late[place].bits) << 32 | UInt64(late[place + 1].bits))
    }
    var rest = UInt64(history.rawValue)
    for place in arrived.indices { rest = rest << 8 | UInt64(arrived[place]) }
    digest.add(rest)
    guard withBudgets else { return digest.value }
    for place in stride(from: 0, to: 4, by: 2) {
      digest.add(UInt64(copies[place]) << 32 | UInt64(copies[place + 1]))
    }
    var left: UInt64 = 0
    for place in budgets.indices { left = left << 8 | UInt64(budgets[place]) }
    digest.add(left)
    return digest.value
  }
}

/// How much may happen on one path.
struct Bounds: Sendable {
  /// Inputs in all.
  var inputs: Int
  /// Answers that are lost, refused or make no sense.
  var faults = 1
  /// Deaths of a process, by a kill or a power cut.
  var deaths = 1
  /// Restorations of a copy.
  var restores = 0
  /// Other machines that go on with a copy.
  var copies = 0
  /// Checkouts of the session beyond the first.
  var starts = 1

  /// Where each is counted.
  enum Kind: Int { case faults, deaths, restores, copies, starts }

  /// The budgets of the first state.
  var budgets: InlineArray<8, UInt8> {
    var budgets = InlineArray<8, UInt8>(repeating: 0)
    for (kind, count) in [
      (Kind.faults, faults), (.deaths, deaths), (.restores, restores), (.copies, copies),
      (.starts, starts),
    ] {
      budgets[kind.rawValue] = UInt8(count)
    }
    return budgets
  }
}

extension World {
  /// How often something may still happen.
  func left(_ kind: Bounds.Kind) -> UInt8 { budgets[kind.rawValue] }

  /// Counts that it has happened.
  ///
  /// - Returns: Whether it might.
  mutating func spend(_ kind: Bounds.Kind) -> Bool {
    guard budgets[kind.rawValue] > 0 else { return false }
    budgets[kind.rawValue] -= 1
    return true
  }
}
