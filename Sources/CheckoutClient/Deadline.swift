import LinuxSystem

/// Until when something may take.
package struct Deadline: Sendable {
  /// On the clock that leaves sleep out; nil for no end.
  private let microseconds: UInt64?

  /// No end.
  package static let never = Deadline(microseconds: nil)

  /// A span from now on.
  ///
  /// - Parameter milliseconds: How long, from 0 to ``maximumMilliseconds``.
  /// - Returns: The end of the span.
  package static func after(milliseconds: Int64) -> Deadline {
    precondition((0...maximumMilliseconds).contains(milliseconds))
    return Deadline(microseconds: Clock.monotonicMicroseconds() + UInt64(milliseconds) * 1000)
  }

  /// The longest span: a day.
  package static let maximumMilliseconds: Int64 = 86_400_000

  /// What is left, rounded up, as `poll` takes it: −1 for no end, 0 when it is over.
  package var pollTimeout: Int32 {
    guard let microseconds else { return -1 }
    let now = Clock.monotonicMicroseconds()
    return microseconds > now ? Int32((microseconds - now + 999) / 1000) : 0
  }
}
