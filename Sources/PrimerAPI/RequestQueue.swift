internal import Checkout

/// What a request is for, as far as its place in the queue goes.
enum RequestClass: Sendable, CaseIterable {
  /// Creations, resumptions, completions and tokenizations: somebody pays.
  case paying
  /// Status polls.
  case polling
  /// Configurations, bank lists, session actions and token validations.
  case reading

  /// The class of a request.
  init(_ request: Operation.Request) {
    self =
      switch request {
      case .tokenize, .createPayment, .resume, .complete: .paying
      case .poll: .polling
      case .fetchConfiguration, .performActions, .fetchBanks, .validateClientToken: .reading
      }
  }
}

/// Who waits for one of the gateway's slots, and who has one.
///
/// Each class has its own limit, and a few slots are kept so that payments find one whatever else is
/// under way, and all else whatever is being paid. Within a class users take turns. One user may have
/// all that nobody else waits for, and half of the class where others do.
struct RequestQueue {
  private struct User {
    /// In the order in which they came.
    var waiting: [UInt64] = []
    var takenCount = 0
  }

  private struct Lane {
    let limit: Int
    var takenCount = 0
    var users: [UInt32: User] = [:]
    /// The users who wait, in the order of their turns.
    var turns: [UInt32] = []

    /// The place, among the turns, of the user whose turn it is.
    var next: Int? {
      guard takenCount < limit else { return nil }
      guard turns.count > 1 else { return turns.indices.first }
      let share = max(1, limit / 2)
      return turns.firstIndex { users[$0]?.takenCount ?? 0 < share }
    }
  }

  private let shares: SlotShares
  private var lanes: [RequestClass: Lane]
  /// How many have a slot.
  private(set) var takenCount = 0
  /// How many wait for one.
  private(set) var waitingCount = 0

  /// Makes an empty queue.
  init(_ shares: SlotShares) {
    self.shares = shares
    lanes = [
      .paying: Lane(limit: max(1, shares.all - shares.kept)),
      .polling: Lane(limit: shares.polling), .reading: Lane(limit: shares.reading),
    ]
  }

  /// Puts a request at the end of its user's.
  mutating func append(_ number: UInt64, _ kind: RequestClass, of uid: UInt32) {
    guard var user = lanes[kind]?.users[uid, default: User()] else { return }
    if user.waiting.isEmpty { lanes[kind]?.turns.append(uid) }
    user.waiting.append(number)
    lanes[kind]?.users[uid] = user
    waitingCount += 1
  }

  /// Takes out a request that waits; one that does not is left alone.
  mutating func remove(_ number: UInt64, _ kind: RequestClass, of uid: UInt32) {
    guard let place = lanes[kind]?.users[uid]?.waiting.firstIndex(of: number) else { return }
    take(place, kind, of: uid)
  }

  private mutating func take(_ place: Int, _ kind: RequestClass, of uid: UInt32) {
    lanes[kind]?.users[uid]?.waiting.remove(at: place)
    waitingCount -= 1
    guard lanes[kind]?.users[uid]?.waiting.isEmpty == true else { return }
    lanes[kind]?.turns.removeAll { $0 == uid }
    forgetIfIdle(uid, kind)
  }

  private mutating func forgetIfIdle(_ uid: UInt32, _ kind: RequestClass) {
    guard let user = lanes[kind]?.users[uid], user.waiting.isEmpty, user.takenCount == 0 else {
      return
    }
    lanes[kind]?.users[uid] = nil
  }

  /// Gives the next slot to whose turn it is.
  ///
  /// - Returns: The request, or `nil` if no slot is free for anybody who waits.
  mutating func next() -> UInt64? {
    guard waitingCount > 0 else { return nil }
    // Payments first; what is kept for each side keeps the others from waiting for ever.
    for kind in RequestClass.allCases where hasRoom(for: kind) {
      guard let place = lanes[kind]?.next, let uid = lanes[kind]?.turns[place],
        let number = lanes[kind]?.users[uid]?.waiting.first
      else { continue }
      lanes[kind]?.users[uid]?.takenCount += 1
      lanes[kind]?.takenCount += 1
      takenCount += 1
      take(0, kind, of: uid)
      if let place = lanes[kind]?.turns.firstIndex(of: uid) {
        lanes[kind]?.turns.remove(at: place)
        lanes[kind]?.turns.append(uid)
      }
      return number
    }
    return nil
  }

  private func hasRoom(for kind: RequestClass) -> Bool {
    guard takenCount < shares.all else { return false }
    guard kind != .paying else { return true }
    let others = takenCount - (lanes[.paying]?.takenCount ?? 0)
    return others < max(1, shares.all - shares.kept)
  }

  /// Frees the slot of a request.
  mutating func release(_ kind: RequestClass, of uid: UInt32) {
    guard let user = lanes[kind]?.users[uid], user.takenCount > 0 else { return }
    lanes[kind]?.users[uid]?.takenCount -= 1
    lanes[kind]?.takenCount -= 1
    takenCount -= 1
    forgetIfIdle(uid, kind)
  }
}
