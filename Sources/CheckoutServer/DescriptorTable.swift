/// Connections by their descriptors, so that who is ready is found without a hash.
///
/// An array in a property would do the same, but each look at it would be checked for a change under
/// way.
@safe  // the memory is made and freed here, and every place is checked against the capacity
final class DescriptorTable {
  private var memory: UnsafeMutablePointer<Connection?>
  private var capacity: Int

  init() {
    capacity = 64
    unsafe memory = .allocate(capacity: 64)
    unsafe memory.initialize(repeating: nil, count: 64)
  }

  deinit {
    unsafe memory.deinitialize(count: capacity)
    unsafe memory.deallocate()
  }

  /// The connection that has a descriptor.
  subscript(descriptor: Int32) -> Connection? {
    get {
      let place = Int(descriptor)
      return place >= 0 && place < capacity ? unsafe memory[place] : nil
    }
    set {
      let place = Int(descriptor)
      precondition(place >= 0)
      if place >= capacity { grow(beyond: place) }
      unsafe memory[place] = newValue
    }
  }

  private func grow(beyond place: Int) {
    var larger = capacity
    while larger <= place { larger *= 2 }
    let next = UnsafeMutablePointer<Connection?>.allocate(capacity: larger)
    unsafe next.moveInitialize(from: memory, count: capacity)
    unsafe (next + capacity).initialize(repeating: nil, count: larger - capacity)
    unsafe memory.deallocate()
    unsafe memory = next
    capacity = larger
  }
}
