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
  /// How far the steady clock is ahead of the boot clock.
  private var offset: Int64
  private var anchoredWallOffset: Milliseconds = 0
  private let startedAt: UInt64

  init(_ source: ClockSource) {
    self.source = source
    startedAt = source.boot()
    offset = source.wall() - Int64(startedAt / 1000)
  }

  /// The steady clock: what is stored and compared.
  ///
  /// It began with the wall clock when the state was new, and is carried on by a clock that nobody
  /// sets: spans measured with it are right whatever happens to the wall clock.
  var now: WallTime { offset + bootMilliseconds }

  /// How far the wall clock is ahead of the steady one.
  ///
  /// Only a step of the wall clock changes it: below a second it is the rounding of two clocks, and the
  /// same time must be shown as the same text.
  var wallOffset: Milliseconds {
    let measured = wall - now
    if abs(measured - anchoredWallOffset) >= 1000 { anchoredWallOffset = measured }
    return anchoredWallOffset
  }

  /// Has the steady clock go on from what was written last.
  func goOn(from written: StoredMoment, bootID: Int64) {
    let moment = StoredMoment(now: now, boot: bootMilliseconds, bootID: bootID, wall: wall)
    offset = written.now + written.elapsed(until: moment) - bootMilliseconds
    anchoredWallOffset = written.wall - written.now
  }

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
