internal import JSON

/// The methods a server has: each one row and one handler, found by the bytes of the name.
package struct MethodTable<Context: AnyObject> {
  /// What a method does: it says how its call is answered, and never touches the call itself.
  ///
  /// The parameters are valid until it returns, and in the closures of what it returns.
  package typealias Handler = (Context, Parameters) throws(RPCError) -> Reply

  /// The rows in the order given.
  package let rows: [MethodRow]
  let methods: Methods

  /// Makes a table.
  ///
  /// - Parameter methods: Rows with their handlers, each name once.
  package init(_ methods: [(row: MethodRow, handler: Handler)]) {
    rows = methods.map(\.row)
    self.methods = Methods(
      methods.map { row, handler in
        Method(row) { context, parameters throws(RPCError) in
          // The dispatcher of this table takes contexts of this type alone.
          try handler(unsafe unsafeDowncast(context, to: Context.self), parameters)
        }
      })
  }
}

/// One method, its context's type forgotten: what runs for every call is not generic.
final class Method {
  typealias Handler = (AnyObject, Parameters) throws(RPCError) -> Reply

  let name: StaticString
  let shape: Parameters.Shape
  let handler: Handler

  init(_ row: MethodRow, _ handler: @escaping Handler) {
    name = row.name
    shape = Parameters.Shape(row)
    self.handler = handler
  }
}

/// Methods by the bytes of their names.
final class Methods {
  private let methods: [Method]
  private let index: NameIndex

  init(_ methods: [Method]) {
    self.methods = methods
    index = NameIndex(methods.map(\.name))
  }

  /// The method of that name.
  func method(named name: JSONView) -> Method? {
    guard let place = index.place(of: name) else { return nil }
    return methods[place]
  }
}

/// Finds names in a fixed set by their bytes, without allocating.
struct NameIndex {
  private let names: [StaticString]
  /// Places in `names`, or −1; at least half are free.
  private var slots: [Int16]

  init(_ names: [StaticString]) {
    self.names = names
    var size = 4
    while size < 2 * names.count { size *= 2 }
    slots = Array(repeating: -1, count: size)
    for (place, name) in names.enumerated() {
      var slot =
        unsafe Self.hash(
          UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)) & (size - 1)
      while slots[slot] >= 0 {
        precondition(!names[Int(slots[slot])].isSame(as: name), "two methods have one name")
        slot = (slot + 1) & (size - 1)
      }
      slots[slot] = Int16(place)
    }
  }

  func place(of name: JSONView) -> Int? {
    guard let hash = unsafe name.withUTF8({ unsafe Self.hash($0) }) else { return nil }
    var slot = hash & (slots.count - 1)
    while slots[slot] >= 0 {
      let place = Int(slots[slot])
      if name.equals(names[place]) { return place }
      slot = (slot + 1) & (slots.count - 1)
    }
    return nil
  }

  /// Mixes length and last eight bytes: the names are ours, so a sender cannot make them collide.
  private static func hash(_ bytes: UnsafeBufferPointer<UInt8>) -> Int {
    var tail = UInt64(truncatingIfNeeded: bytes.count)
    for index in max(0, bytes.count - 8)..<bytes.count {
      tail = unsafe (tail &* 31) &+ UInt64(bytes[index])
    }
    return Int(truncatingIfNeeded: (tail &* 0x9E37_79B9_7F4A_7C15) >> 40)
  }
}
