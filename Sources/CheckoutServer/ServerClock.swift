import Checkout
import LinuxSystem

/// The clocks that a server reads; a test has its own.
package struct ClockSource: Sendable {
  /// Milliseconds of the wall clock, which may be set.
  let wall: @Sendable () -> Int64
  /// Microseconds since the machine started, sleep included.
  let boot: @Sendable () -> UInt64
  /// Microseconds since the machine started, sleep left out.
  let monotonic: @Sendable () -> UInt64

  /// The system's.
  package static let system = ClockSource(
    wall: Clock.wallMilliseconds, boot: Clock.bootMicroseconds,
    monotonic: Clock.monotonicMicroseconds)
}

/// The time.
final class ServerClock {
  private let source: ClockSource
  /// What the wall clock was ahead of the other when the server started.
  private let offset: Int64
  private let startedAt: UInt64

  init(_ source: ClockSource) {
    self.source = source
    startedAt = source.boot()
    offset = source.wall() - Int64(startedAt / 1000)
  }

  /// The wall clock as it was when the server started, carried on by a clock that nobody sets: spans
  /// measured with it are right whatever happens to the wall clock.
  var now: WallTime { offset + bootMilliseconds }

  /// The wall clock.
  var wall: WallTime { source.wall() }

  /// Microseconds of the clock of every deadline.
  var boot: UInt64 { source.boot() }

  /// Milliseconds of the clock of every deadline.
  var bootMilliseconds: Milliseconds { Int64(source.boot() / 1000) }

  /// Microseconds of the clock that measures work.
  var monotonic: UInt64 { source.monotonic() }

  /// How long the server has been there.
  var uptime: Milliseconds { Int64((source.boot() - startedAt) / 1000) }

  /// The deadline after a span; one that is longer than any clock counts is the last there is.
  func deadline(after span: Milliseconds) -> UInt64 {
    let (microseconds, isBeyond) = UInt64(max(0, span)).multipliedReportingOverflow(by: 1000)
    let (deadline, isLater) = boot.addingReportingOverflow(microseconds)
    return isBeyond || isLater ? .max : deadline
  }
}
