import ValueTree

/// What the server counts while it runs.
final class Counters {
  var eventsPublished: Int64 = 0
  var eventsLost: Int64 = 0
  var connectionsAccepted: Int64 = 0
  /// Refused or closed connections, by the reason they were told.
  private var refusals = Tally()
  /// Refused calls, likewise.
  private var refusedCalls = Tally()

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

/// How many connections each user has made of late: a bucket that fills by so many a second and
/// holds twice as many.
struct ConnectionRates {
  private struct Bucket {
    var tokens: Double
    var filledAt: UInt64
  }

  private var buckets: [UInt32: Bucket] = [:]

  /// Takes note of one more connection.
  ///
  /// - Parameters:
  ///   - user: Whose.
  ///   - rate: How many are allowed in a second.
  ///   - now: Microseconds of a clock that nobody sets.
  /// - Returns: Whether it is allowed.
  mutating func admit(_ user: UInt32, rate: Int, now: UInt64) -> Bool {
    let capacity = Double(2 * rate)
    var bucket = buckets[user] ?? Bucket(tokens: capacity, filledAt: now)
    bucket.tokens = min(
      capacity, bucket.tokens + Double(now - bucket.filledAt) * Double(rate) / 1_000_000)
    bucket.filledAt = now
    defer { buckets[user] = bucket }
    guard bucket.tokens >= 1 else { return false }
    bucket.tokens -= 1
    // Users who have been away for long need no bucket: it would be full.
    if buckets.count > 1024 { buckets = [:] }
    return true
  }
}
