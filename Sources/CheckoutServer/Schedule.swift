import Checkout

/// What a ``Schedule`` asks of the deadlines of one part.
protocol DeadlineList: AnyObject {
  /// Whether the process must be there when they come.
  var holdsDaemon: Bool { get }
  /// The next one.
  var nearest: UInt64? { get }
  /// Takes out the next one and does what it is for.
  func fire()
}

/// Every deadline of the server, each in the list of the part that set it.
final class Schedule {
  private let clock: ServerClock
  private var lists: [any DeadlineList] = []
  private var hasChanged = false

  init(_ clock: ServerClock) { self.clock = clock }

  /// The deadline after a span.
  func deadline(after span: Milliseconds) -> UInt64 { clock.deadline(after: span) }

  /// Takes in the list of a part.
  func add(_ list: any DeadlineList) { lists.append(list) }

  /// Takes note that the nearest deadline may be another.
  func noteChange() { hasChanged = true }

  /// Whether a deadline is set that the process must be there for.
  var holdsDaemon: Bool { lists.contains { $0.holdsDaemon && $0.nearest != nil } }

  /// The nearest deadline, if it may have changed since this was last asked.
  func takeChange() -> (nearest: UInt64?, hasChanged: Bool) {
    guard hasChanged else { return (nil, false) }
    hasChanged = false
    return (nearest?.deadline, true)
  }

  private var nearest: (list: any DeadlineList, deadline: UInt64)? {
    var nearest: (list: any DeadlineList, deadline: UInt64)?
    for list in lists {
      guard let deadline = list.nearest, deadline < nearest?.deadline ?? .max else { continue }
      nearest = (list, deadline)
    }
    return nearest
  }

  /// Does what is due, in the order of the deadlines, 256 at most: the rest is for the next turn,
  /// after the clients have had theirs.
  func fireDue() {
    hasChanged = true
    let now = clock.boot
    for _ in 0..<256 {
      guard let (list, deadline) = nearest, deadline <= now else { return }
      list.fire()
    }
  }
}

/// The deadlines of one part and kind, by key.
final class Alarms<Key: Hashable>: DeadlineList {
  private unowned let schedule: Schedule
  private var queue = TimerQueue<Key>()
  private var action: (Key) -> Void = { _ in }
  private let isHolding: Bool

  /// Makes a list without deadlines.
  ///
  /// - Parameters:
  ///   - schedule: Where it belongs.
  ///   - holdsDaemon: Whether the process must be there when they come.
  init(in schedule: Schedule, holdsDaemon: Bool) {
    self.schedule = schedule
    isHolding = holdsDaemon
    schedule.add(self)
  }

  /// Says what is done when a deadline comes.
  func whenDue(_ action: @escaping (Key) -> Void) { self.action = action }

  var holdsDaemon: Bool { isHolding }
  var nearest: UInt64? { queue.nearest() }

  func fire() {
    guard let key = queue.popExpired(at: .max) else { return }
    action(key)
  }

  /// Sets a key's deadline, instead of the one it had.
  func set(_ key: Key, at deadline: UInt64) {
    queue.set(key, at: deadline)
    schedule.noteChange()
  }

  /// Sets a key's deadline after a span, instead of the one it had.
  func set(_ key: Key, after span: Milliseconds) { set(key, at: schedule.deadline(after: span)) }

  /// Forgets a key.
  func clear(_ key: Key) {
    queue.clear(key)
    schedule.noteChange()
  }
}

/// The deadline of one part.
final class Alarm: DeadlineList {
  private unowned let schedule: Schedule
  private var deadline: UInt64?
  private var action: () -> Void = {}
  private let isHolding: Bool

  /// Makes an alarm that is not set.
  ///
  /// - Parameters:
  ///   - schedule: Where it belongs.
  ///   - holdsDaemon: Whether the process must be there when it comes.
  init(in schedule: Schedule, holdsDaemon: Bool) {
    self.schedule = schedule
    isHolding = holdsDaemon
    schedule.add(self)
  }

  /// Says what is done when the deadline comes.
  func whenDue(_ action: @escaping () -> Void) { self.action = action }

  var holdsDaemon: Bool { isHolding }
  var nearest: UInt64? { deadline }
  var isSet: Bool { deadline != nil }

  func fire() {
    deadline = nil
    action()
  }

  /// Sets the deadline after a span, instead of the one there was.
  func set(after span: Milliseconds) {
    deadline = schedule.deadline(after: span)
    schedule.noteChange()
  }

  /// Forgets the deadline.
  func clear() {
    guard deadline != nil else { return }
    deadline = nil
    schedule.noteChange()
  }
}
