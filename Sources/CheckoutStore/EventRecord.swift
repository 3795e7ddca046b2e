package import Checkout
import ValueTree

/// An event as it is kept.
package struct EventRecord: Sendable {
  /// Its number.
  package let seq: Int64
  /// When it was published.
  package let time: WallTime
  /// What happened.
  package let event: Event

  /// The places that a component can have; more than any checkout has of them.
  private static let components: Range<Int64> = 0..<65_536

  /// Makes a record.
  package init(seq: Int64, time: WallTime, event: Event) {
    self.seq = seq
    self.time = time
    self.event = event
  }

  /// Appends the form in a row: `[kind, time, component, members]`; the number follows from the
  /// row's.
  func append(to writer: CompactWriter) {
    writer.beginArray(count: 4)
    writer.append(event.kind.code)
    writer.append(time)
    writer.append(event.component.map(Int64.init))
    writer.append(event.members)
  }

  init(_ value: Value, seq: Int64) throws(CompactValue.Malformed) {
    guard let parts = value.array, parts.count == 4, let code = parts[0].integer,
      let kind = EventKind(code: code), let time = parts[1].integer,
      let members = parts[3].object
    else { throw CompactValue.Malformed() }
    let component: Int?
    switch parts[2] {
    case .null: component = nil
    case .integer(let index):
      guard Self.components.contains(index) else { throw CompactValue.Malformed() }
      component = Int(index)
    default: throw CompactValue.Malformed()
    }
    self.seq = seq
    self.time = time
    event = Event(kind, component: component, members)
  }

  /// Whether the event is of the checkout as a whole; those are kept whatever their number.
  var isOfCheckout: Bool { event.kind.isOfCheckout }
}

extension EventKind {
  /// The number that stands for it in rows.
  fileprivate var code: Int64 { Int64(place) + 1 }

  fileprivate init?(code: Int64) {
    guard code > 0 else { return nil }
    self.init(place: code - 1)
  }
}
