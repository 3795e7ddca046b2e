/// Deadlines by key, the nearest first.
///
/// A binary heap whose entries may be stale: setting a key anew leaves the old entry behind, and it
/// is skipped when its turn comes. Stale entries are swept when they outnumber the rest.
struct TimerQueue<Key: Hashable> {
  private struct Entry {
    let deadline: UInt64
    let key: Key
  }

  private var heap: [Entry] = []
  private var deadlines: [Key: UInt64] = [:]

  /// Sets a key's deadline, instead of the one it had.
  mutating func set(_ key: Key, at deadline: UInt64) {
    deadlines[key] = deadline
    heap.append(Entry(deadline: deadline, key: key))
    rise(from: heap.count - 1)
    if heap.count > 64 && heap.count > 3 * deadlines.count { sweep() }
  }

  /// Forgets a key.
  mutating func clear(_ key: Key) { deadlines[key] = nil }

  /// Whether a deadline is set for a key like that.
  func contains(where isMeant: (Key) -> Bool) -> Bool { deadlines.keys.contains(where: isMeant) }

  /// Whether the key has a deadline.
  func contains(_ key: Key) -> Bool { deadlines[key] != nil }

  /// The nearest deadline.
  mutating func nearest() -> UInt64? {
    while let first = heap.first {
      if deadlines[first.key] == first.deadline { return first.deadline }
      removeFirst()
    }
    return nil
  }

  /// Takes out one key whose deadline has passed.
  mutating func popExpired(at now: UInt64) -> Key? {
    guard let deadline = nearest(), deadline <= now else { return nil }
    let key = heap[0].key
    deadlines[key] = nil
    removeFirst()
    return key
  }

  private mutating func sweep() {
    let current = heap.filter { deadlines[$0.key] == $0.deadline }
    heap = []
    for entry in current {
      heap.append(entry)
      rise(from: heap.count - 1)
    }
  }

  private mutating func rise(from index: Int) {
    var child = index
    while child > 0 {
      let parent = (child - 1) / 2
      guard heap[child].deadline < heap[parent].deadline else { return }
      heap.swapAt(child, parent)
      child = parent
    }
  }

  private mutating func removeFirst() {
    heap.swapAt(0, heap.count - 1)
    heap.removeLast()
    var parent = 0
    while true {
      var least = parent
      for child in [2 * parent + 1, 2 * parent + 2]
      where child < heap.count && heap[child].deadline < heap[least].deadline {
        least = child
      }
      guard least != parent else { return }
      heap.swapAt(parent, least)
      parent = least
    }
  }
}
