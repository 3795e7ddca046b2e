/// The segments of a turn, in one run of memory that is kept for the next.
///
/// An array in a property would do the same, but each look at it would be checked for a change under
/// way, several times for each line.
@safe  // the memory is made and freed here, and every place is checked against the count
final class SegmentBuffer {
  private var memory: UnsafeMutablePointer<Outbound.Segment>
  private var capacity = 1024
  private(set) var count = 0

  init() { unsafe memory = .allocate(capacity: 1024) }

  deinit { unsafe memory.deallocate() }

  subscript(place: Int) -> Outbound.Segment {
    get {
      precondition(place >= 0 && place < count)
      return unsafe memory[place]
    }
    set {
      precondition(place >= 0 && place < count)
      unsafe memory[place] = newValue
    }
  }

  func append(_ segment: Outbound.Segment) {
    if count == capacity { grow() }
    unsafe memory[count] = segment
    count += 1
  }

  func removeAll() { count = 0 }

  private func grow() {
    let larger = UnsafeMutablePointer<Outbound.Segment>.allocate(capacity: 2 * capacity)
    unsafe larger.update(from: memory, count: count)
    unsafe memory.deallocate()
    unsafe memory = larger
    capacity *= 2
  }
}
