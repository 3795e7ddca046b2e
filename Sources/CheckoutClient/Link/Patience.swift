/// How long, and how often, to seek a daemon that has gone away; times are microseconds.
struct Patience {
  private let span: UInt64
  private var lostAt: UInt64?
  private var pause = first

  private static let first: UInt64 = 20_000
  private static let longest: UInt64 = 1_000_000

  init(milliseconds: Int64) { span = UInt64(max(0, milliseconds)) * 1000 }

  /// The daemon has answered: the next failure is the first.
  mutating func renew() {
    lostAt = nil
    pause = Self.first
  }

  /// How long to wait before the next attempt; nil to give up.
  mutating func nextPause(at now: UInt64) -> UInt64? {
    let start = lostAt ?? now
    lostAt = start
    let passed = now - min(start, now)
    guard passed < span else { return nil }
    defer { pause = min(2 * pause, Self.longest) }
    return min(pause, span - passed)
  }
}
