import JSONRPC
import ValueTree

/// What the server counts while it runs.
final class Counters {
  private var published: Int64 = 0
  private var lost: Int64 = 0
  private var accepted: Int64 = 0
  private var calls: () -> RPCCounters? = { nil }
  /// Refused or closed connections, by the reason they were told.
  private var refusals = Tally()
  /// Refused calls, likewise.
  private var refusedCalls = Tally()

  /// Says who counts the lines that come.
  func setCalls(_ calls: @escaping () -> RPCCounters?) { self.calls = calls }

  /// What was counted of the lines that came.
  var callCounters: RPCCounters? { calls() }

  /// Counts events that were published, and committed.
  func countPublished(_ count: Int) { published += Int64(count) }

  /// Counts events that a slow reader was not sent.
  func countLost(_ count: Int) { lost += Int64(count) }

  /// Counts a connection that was taken in.
  func countAccepted() { accepted += 1 }

  var eventsPublished: Int64 { published }
  var eventsLost: Int64 { lost }
  var connectionsAccepted: Int64 { accepted }

  /// Counts a refused or closed connection.
  func countRefusal(_ reason: String) { refusals.count(reason) }

  /// Counts a refused call.
  func countRefusedCall(_ reason: String) { refusedCalls.count(reason) }

  /// How many connections were refused or closed.
  var refusalCount: Int64 { refusals.sum }

  /// The refusals as `system.status` shows them.
  var refusalsValue: Value { refusals.value }

  /// The refused calls, likewise.
  var refusedCallsValue: Value { refusedCalls.value }
}

/// Counts by a word, in the order in which the words came up.
private struct Tally {
  private var entries: [(word: String, count: Int64)] = []

  mutating func count(_ word: String) {
    if let place = entries.firstIndex(where: { $0.word == word }) {
      entries[place].count += 1
    } else {
      entries.append((word, 1))
    }
  }

  var sum: Int64 { entries.reduce(0) { $0 + $1.count } }

  var value: Value { .object(entries.map { .init($0.word, .integer($0.count)) }) }
}
