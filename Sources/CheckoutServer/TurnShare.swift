/// How much of a visit one connection has had.
final class TurnShare {
  private let clock: ServerClock
  private var count = 0
  private var began: UInt64 = 0

  private static let microseconds: UInt64 = 500

  init(_ clock: ServerClock) { self.clock = clock }

  /// Begins a visit.
  func begin() { count = 0 }

  /// Counts a line, or a member of a batch.
  ///
  /// The time begins after the second, since most clients send one at a time.
  ///
  /// - Returns: Whether the connection has had its share: the others wait.
  func isUsedUp() -> Bool {
    count &+= 1
    if count == 2 { began = clock.monotonic }
    return count & 3 == 0 && clock.monotonic &- began > Self.microseconds
  }
}
