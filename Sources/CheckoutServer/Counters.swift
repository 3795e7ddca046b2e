import Checkout
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

  /// What ended checkouts came to, by payment method and outcome.
  private var outcomes: [OutcomeKey: Int64] = [:]
  /// How long requests took upstream, by operation and whether they were answered.
  private var requests: [RequestKey: Histogram] = [:]
  /// How long commits took.
  private(set) var commits = Histogram(
    microseconds: [100, 250, 500, 1000, 2500, 5000, 10_000, 25_000, 100_000, 1_000_000])

  private struct OutcomeKey: Hashable {
    let paymentMethod: String
    let outcome: Outcome
  }

  private struct RequestKey: Hashable {
    let operation: String
    let isAnswered: Bool
  }

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

  /// Counts what a checkout came to, or takes that back.
  ///
  /// A payment method that no component here is named for counts as `other`, so that there are only
  /// so many.
  func countOutcome(_ outcome: Outcome, of type: String?, by count: Int64) {
    let method = type.map { Self.methods.contains($0) ? $0 : "other" } ?? "none"
    let key = OutcomeKey(paymentMethod: method, outcome: outcome)
    let sum = (outcomes[key] ?? 0) + count
    outcomes[key] = sum == 0 ? nil : sum
  }

  private static let methods = Set(ComponentRow.all.flatMap(\.paymentMethodTypes))

  /// Counts a request upstream.
  func countRequest(_ operation: String, isAnswered: Bool, microseconds: UInt64) {
    let key = RequestKey(operation: operation, isAnswered: isAnswered)
    requests[key, default: Self.requestSpans].count(microseconds: microseconds)
  }

  private static let requestSpans = Histogram(
    microseconds: [
      50_000, 100_000, 250_000, 500_000, 1_000_000, 2_500_000, 5_000_000, 10_000_000, 30_000_000,
      100_000_000,
    ])

  /// Counts a commit.
  func countCommit(microseconds: UInt64) { commits.count(microseconds: microseconds) }

  /// How often checkouts came to what, in a steady order.
  var outcomeCounts: [(paymentMethod: String, outcome: Outcome, count: Int64)] {
    outcomes.map { ($0.key.paymentMethod, $0.key.outcome, $0.value) }
      .sorted { ($0.0, $0.1.rawValue) < ($1.0, $1.1.rawValue) }
  }

  /// How long requests took, likewise.
  var requestTimes: [(operation: String, isAnswered: Bool, spans: Histogram)] {
    requests.map { ($0.key.operation, $0.key.isAnswered, $0.value) }
      .sorted { ($0.0, $0.1 ? 0 : 1) < ($1.0, $1.1 ? 0 : 1) }
  }

  /// Counts a refused or closed connection.
  func countRefusal(_ reason: String) { refusals.count(reason) }

  /// Counts a refused call.
  func countRefusedCall(_ reason: String) { refusedCalls.count(reason) }

  /// How many connections were refused or closed.
  var refusalCount: Int64 { refusals.sum }

  /// How many, by their reasons.
  var refusalCounts: [(word: String, count: Int64)] { refusals.entries }
  var refusedCallCounts: [(word: String, count: Int64)] { refusedCalls.entries }

  /// The refusals as `system.status` shows them.
  var refusalsValue: Value { refusals.value }

  /// The refused calls, likewise.
  var refusedCallsValue: Value { refusedCalls.value }
}

/// Counts by a word, in the order in which the words came up.
private struct Tally {
  private(set) var entries: [(word: String, count: Int64)] = []

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
