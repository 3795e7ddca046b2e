import LinuxSystem

/// A connection that has something to do.
struct Visit {
  /// Which.
  let tag: UInt64
  /// What the kernel says it is ready for; nothing if it only goes on with what was left.
  let events: EpollEvents
}

/// Whose turn it is: one connection of each user after another, however many connections a user has.
///
/// With a single user this is the order in which the connections came.
struct Rotation {
  private var ring: [User] = []
  private var next = 0

  /// Whether nobody has anything to do.
  var isEmpty: Bool { ring.isEmpty }

  /// Adds a visit behind the others of its user.
  mutating func add(_ visit: Visit, of user: User) {
    if user.add(visit) { ring.append(user) }
  }

  /// Takes out the visit whose turn it is.
  mutating func take() -> Visit? {
    guard next < ring.count else { return nil }
    let user = ring[next]
    next += 1
    let (visit, hasMore) = user.takeVisit()
    if hasMore { ring.append(user) }
    if next == ring.count {
      ring.removeAll(keepingCapacity: true)
      next = 0
    } else if next > 1024 {
      ring.removeFirst(next)
      next = 0
    }
    return visit
  }
}
