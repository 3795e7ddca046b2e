package import Checkout

/// The events a client wants: a set of kinds.
package struct EventFilter: Sendable, Equatable {
  private var bits: UInt32

  /// Every event.
  package static let all = EventFilter(bits: .max)

  private init(bits: UInt32) { self.bits = bits }

  /// Makes a filter of names of events, or prefixes that end in a period; nil if no event has one of
  /// them.
  init?(words: [String]) {
    bits = 0
    for word in words {
      let kinds = EventKind.allCases.filter { kind in
        word == kind.rawValue || word.hasSuffix(".") && kind.rawValue.hasPrefix(word)
      }
      guard !kinds.isEmpty else { return nil }
      for kind in kinds { bits |= kind.bit }
    }
  }

  /// Makes a filter of the names of events; names that no event has are left out.
  ///
  /// - Parameter names: The names; nil for every event, those to come included.
  package init(names: [String]?) {
    guard let names else {
      self = .all
      return
    }
    bits = 0
    for kind in EventKind.allCases where names.contains(kind.rawValue) { bits |= kind.bit }
  }

  /// The names of the events that are wanted; nil for every event.
  package var names: [String]? {
    self == .all ? nil : EventKind.allCases.filter { contains($0) }.map(\.rawValue)
  }

  /// Whether an event of a component may be among them.
  package var wantsComponents: Bool {
    EventKind.allCases.contains { !$0.isOfCheckout && contains($0) }
  }

  /// Whether events of that kind are wanted.
  package func contains(_ kind: EventKind) -> Bool { contains(kind.bit) }

  /// Whether events of the kind with that bit are wanted.
  package func contains(_ bit: UInt32) -> Bool { bits & bit != 0 }
}

extension EventKind {
  /// What stands for it in a set of kinds.
  package var bit: UInt32 { 1 << UInt32(place) }
}
