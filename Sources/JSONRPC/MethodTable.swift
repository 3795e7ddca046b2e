package import JSON

/// The methods a server has: each one row and one handler, found by the bytes of the name.
package struct MethodTable<Context: AnyObject> {
  /// A method with what it does.
  package struct Entry {
    /// The method.
    package let key: any AnyMethodKey
    let run: (Context, JSONView?) throws(RPCError) -> Reply

    /// Makes an entry.
    ///
    /// - Parameters:
    ///   - key: The method.
    ///   - handler: Says how a call is answered, and never touches the call itself.
    package init<P>(
      _ key: MethodKey<P>, _ handler: @escaping (Context, P) throws(RPCError) -> Reply
    ) {
      self.key = key
      run = { context, params throws(RPCError) in try handler(context, try key.read(params)) }
    }

    /// Makes an entry of any method.
    ///
    /// - Parameters:
    ///   - key: The method.
    ///   - handler: The same, given the parameters as they were sent; they are valid until it
    ///     returns, and in the closures of what it returns.
    package init(
      unread key: any AnyMethodKey,
      _ handler: @escaping (Context, JSONView?) throws(RPCError) -> Reply
    ) {
      self.key = key
      run = { context, params throws(RPCError) in
        try key.check(params)
        return try handler(context, params)
      }
    }
  }

  /// The rows in the order given.
  package let rows: [MethodRow]
  let methods: Methods

  /// Makes a table.
  ///
  /// - Parameters:
  ///   - rows: The methods there must be.
  ///   - entries: Each of them once, in any order; anything else is a mistake that ends the process.
  ///   - willCall: Runs before each call.
  package init(
    _ rows: [MethodRow], _ entries: [Entry], willCall: @escaping (Context) -> Void = { _ in }
  ) {
    let findings = MethodLint.findings(rows: rows, handled: entries.map(\.key.row))
    precondition(findings.isEmpty, findings.joined(separator: "; "))
    self.rows = rows
    methods = Methods(
      entries.map { entry in
        Method(entry.key) { context, params throws(RPCError) in
          // The dispatcher of this table takes contexts of this type alone.
          let context = unsafe unsafeDowncast(context, to: Context.self)
          willCall(context)
          return try entry.run(context, params)
        }
      })
  }
}

/// One method, its types forgotten: what runs for every call is not generic.
final class Method {
  typealias Handler = (AnyObject, JSONView?) throws(RPCError) -> Reply

  let name: StaticString
  let key: any AnyMethodKey
  let handler: Handler

  init(_ key: any AnyMethodKey, _ handler: @escaping Handler) {
    name = key.row.name
    self.key = key
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
