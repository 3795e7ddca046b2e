import Checkout
import ValueTree

/// When a state was written, by two clocks: the wall clock, which may be set, and the one that
/// counts from the start of the machine, which may not.
struct StoredMoment {
  /// The server's steady clock.
  let now: WallTime
  /// Milliseconds since the machine started.
  let boot: Milliseconds
  /// Tells one start of the machine from another.
  let bootID: Int64
  /// The wall clock.
  let wall: WallTime

  var stored: Value { [.integer(now), .integer(boot), .integer(bootID), .integer(wall)] }

  /// Appends what ``stored`` is.
  func write(to row: CompactWriter) {
    row.beginArray(count: 4)
    row.append(now)
    row.append(boot)
    row.append(bootID)
    row.append(wall)
  }

  init(now: WallTime, boot: Milliseconds, bootID: Int64, wall: WallTime) {
    self.now = now
    self.boot = boot
    self.bootID = bootID
    self.wall = wall
  }

  init?(_ value: Value) {
    // In version 1 each process began its steady clock with the wall clock.
    guard let parts = value.array, 3...4 ~= parts.count, let now = parts[0].integer,
      let boot = parts[1].integer, let bootID = parts[2].integer,
      let wall = parts[parts.count == 3 ? 0 : 3].integer,
      // Beyond any clock; differences of what is within cannot overflow.
      now.magnitude < 1 << 60, boot.magnitude < 1 << 60, wall.magnitude < 1 << 60
    else { return nil }
    self.init(now: now, boot: boot, bootID: bootID, wall: wall)
  }

  /// How long ago it was, at most: of the two clocks the one that says less, so that a clock that is
  /// set by years does not end what is waiting.
  func elapsed(until later: StoredMoment) -> Milliseconds {
    var elapsed = later.wall - wall
    if bootID == later.bootID { elapsed = min(elapsed, later.boot - boot) }
    return max(0, elapsed)
  }
}
