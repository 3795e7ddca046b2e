import Glibc

/// The system's clocks.
package enum Clock {
  /// The time of day in milliseconds since 1970 in UTC; it jumps when the clock is set.
  package static func wallMilliseconds() -> Int64 {
    let time = read(CLOCK_REALTIME)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
  }

  /// Microseconds since the machine started, sleep included; the clock of every deadline.
  package static func bootMicroseconds() -> UInt64 { microseconds(CLOCK_BOOTTIME) }

  /// Microseconds since the machine started, sleep left out.
  package static func monotonicMicroseconds() -> UInt64 { microseconds(CLOCK_MONOTONIC) }

  private static func microseconds(_ clock: clockid_t) -> UInt64 {
    let time = read(clock)
    return UInt64(time.tv_sec) * 1_000_000 + UInt64(time.tv_nsec) / 1000
  }

  private static func read(_ clock: clockid_t) -> timespec {
    var time = timespec()
    let result = unsafe clock_gettime(clock, &time)
    precondition(result == 0, "every clock read here is in every Linux kernel")
    return time
  }
}
