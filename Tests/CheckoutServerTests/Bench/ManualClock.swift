import Synchronization

@testable import CheckoutServer

/// A clock that goes on when it is told to.
final class ManualClock: Sendable {
  private let microseconds = Mutex<UInt64>(5_000_000_000)
  private let workMicroseconds = Mutex<UInt64>(0)
  /// Half past nine on the first morning of 2026, UTC, less what the machine has been running.
  private static let started: Int64 = 1_767_259_800_000 - 5_000_000

  /// Lets time pass.
  func pass(milliseconds: UInt64) { microseconds.withLock { $0 += milliseconds * 1000 } }

  /// Has as much time pass whenever the server looks how long it has worked.
  func work(microseconds: UInt64) { workMicroseconds.withLock { $0 = microseconds } }

  /// What a server reads.
  var source: ClockSource {
    let now = { @Sendable [self] in microseconds.withLock { $0 } }
    return ClockSource(
      wall: { Self.started + Int64(now() / 1000) }, boot: now,
      monotonic: { [self] in
        let work = workMicroseconds.withLock { $0 }
        return microseconds.withLock { time in
          time += work
          return time
        }
      })
  }
}
