import Checkout
import ValueTree

/// What the store has of a checkout.
struct StoredCheckout {
  var fixed: Value
  var hot: Value
  var parts: [(name: Int, body: Value)]

  /// What one commit writes beside the row.
  init(fixed: Value, parts: [(name: Int, body: Value)]) {
    (self.fixed, hot, self.parts) = (fixed, .null, parts)
  }

  init(_ checkout: Checkout) {
    fixed = checkout.storedFixed
    hot = checkout.storedHot
    parts = (0..<checkout.componentCount).compactMap { index in
      checkout.storedPart(of: index).map { (index, $0) }
    }
  }

  /// The checkout that it is of.
  func checkout(like checkout: Checkout) throws(StoredStateError) -> Checkout {
    try Checkout(
      id: checkout.id, spans: checkout.spans, fixed: fixed, hot: hot, parts: parts)
  }
}

extension StoredCheckout: Equatable {
  static func == (left: Self, right: Self) -> Bool {
    left.fixed == right.fixed && left.hot == right.hot
      && left.parts.map(\.name) == right.parts.map(\.name)
      && left.parts.map(\.body) == right.parts.map(\.body)
  }
}

extension Checkout {
  /// The state that every row has.
  var storedHot: Value {
    let writer = CompactWriter()
    writeHot(to: writer)
    guard let hot = unsafe try? writer.withUnsafeBytes({ unsafe try CompactValue.read($0) }) else {
      preconditionFailure("a state cannot be read")
    }
    return hot
  }

  /// The checkout as the next process reads it.
  func restored() throws(StoredStateError) -> Checkout {
    try StoredCheckout(self).checkout(like: self)
  }

  /// The snapshots where the wall clock is the steady one.
  var snapshot: Value { snapshot(wallOffset: 0) }
  var shortSnapshot: Value { shortSnapshot(wallOffset: 0) }
  /// What a client must do.
  var awaiting: [Value] { snapshot["awaiting"]?.array ?? [] }
}

extension Value {
  /// Every text in the tree.
  var texts: [String] {
    switch self {
    case .string(let text): [text]
    case .array(let elements): elements.flatMap(\.texts)
    case .object(let members): members.flatMap { [$0.name] + $0.value.texts }
    default: []
    }
  }
}
