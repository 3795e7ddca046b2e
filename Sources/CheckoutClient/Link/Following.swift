import JSONRPC
import ValueTree

/// The events of one checkout after a place, each once and in order.
///
/// A place is an epoch of the daemon's state and the number of an event. Where the state is another
/// one than before, numbers mean other events: then all of them are told, from the first.
struct Following: Follower {
  /// After which event somebody goes on.
  struct Place: Sendable, Equatable {
    /// The daemon's state that the number is of; nil for the one that is there.
    var epoch: String?
    /// The number of an event; 0 before the first.
    var seq: Int64

    init(epoch: String? = nil, seq: Int64) {
      self.epoch = epoch
      self.seq = max(0, seq)
    }
  }

  /// What the last call was for.
  private enum Question { case epoch, subscription, end }

  private let checkoutID: String
  /// After which event it goes on.
  private(set) var place: Place
  private(set) var hasEnded = false
  private var asked: (number: Int, question: Question)?
  private var lastNumber = 0
  private var unsent: [Ask] = []
  private var untold: [Told] = []
  /// Until the reply, events are those of the subscription before: the replay brings them again.
  private var isSubscribed = false
  /// Up to here events come from the store: what is missing among them is kept no longer.
  private var replayEnd: Int64 = 0
  /// The last event that can come, once that is known.
  private var end: Int64?

  init(_ checkoutID: String, after place: Place) {
    self.checkoutID = checkoutID
    self.place = place
  }

  mutating func open() {
    unsent = []
    isSubscribed = false
    ask("system.hello", .object([]), .epoch)
  }

  /// Begins anew with a daemon whose epoch is known.
  mutating func open(in epoch: String) {
    unsent = []
    if let known = place.epoch, known != epoch { place.seq = 0 }
    place.epoch = epoch
    subscribe()
  }

  mutating func takeAsks() -> [Ask] {
    defer { unsent = [] }
    return unsent
  }

  mutating func takeTold() -> [Told] {
    defer { untold = [] }
    return untold
  }

  mutating func take(
    _ answer: Result<Value, RPCError>, to number: Int
  ) throws(ClientError) {
    guard let asked, asked.number == number, !hasEnded else { return }
    self.asked = nil
    let result: Value
    do throws(RPCError) { result = try answer.get() } catch { throw .remote(error) }
    switch asked.question {
    case .epoch:
      guard let epoch = result["epoch"]?.string else { throw .missing("epoch") }
      open(in: epoch)
    case .subscription: try begin(result)
    case .end:
      guard let isOver = result["ended"]?.bool else { throw .missing("ended") }
      hasEnded = isOver && result["events"]?.array?.isEmpty == true
    }
  }

  private mutating func begin(_ subscription: Value) throws(ClientError) {
    guard let last = subscription["to"]?.integer else { throw .missing("to") }
    isSubscribed = true
    replayEnd = last
    guard let isOver = subscription["ended"]?.bool else {
      // A daemon that does not say so with the subscription is asked.
      if last <= place.seq { ask("events.read", params([.init("limit", 1)]), .end) }
      return
    }
    end = isOver ? last : nil
    guard isOver, last <= place.seq else { return }
    if let gone = subscription["trimmedTo"]?.integer, gone > place.seq { tellLost(gone) }
    hasEnded = true
  }

  mutating func hear(_ event: ClientEvent) {
    guard isSubscribed, !hasEnded, event.checkoutID == checkoutID else { return }
    let isLoss = event.method == "events.lost"
    guard let seq = event.params[isLoss ? "to" : "seq"]?.integer, seq > place.seq else { return }
    let isGap = isLoss || seq - place.seq > 1
    guard !isGap || seq <= replayEnd else { return subscribe() }
    if isLoss {
      tellLost(seq)
    } else {
      untold.append(.event(event))
      place.seq = seq
    }
    hasEnded = event.isTerminal || end.map { seq >= $0 } ?? false
  }

  private mutating func tellLost(_ seq: Int64) {
    untold.append(.lost(checkoutID: checkoutID, seqs: place.seq + 1...seq))
    place.seq = seq
  }

  private mutating func subscribe() {
    isSubscribed = false
    ask("events.subscribe", params(), .subscription)
  }

  private func params(_ more: [Value.Member] = []) -> Value {
    .object(
      [.init("checkoutId", .string(checkoutID)), .init("after", .integer(place.seq))] + more)
  }

  private mutating func ask(_ method: String, _ params: Value, _ question: Question) {
    lastNumber += 1
    asked = (lastNumber, question)
    unsent.append(Ask(number: lastNumber, method: method, params: params))
  }
}

extension ClientError {
  /// Says that a result lacks what it must have.
  static func missing(_ name: String) -> ClientError {
    .protocolViolation("a result without \(name)")
  }
}
