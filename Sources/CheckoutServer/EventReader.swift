import Checkout
import CheckoutProtocol
import CheckoutStore
import JSON

/// Reads the events that are kept.
struct EventReader {
  private let store: CheckoutStore
  private let journal: Journal
  private let limits: CurrentLimits
  private var writer = EventWriter()

  init(_ store: CheckoutStore, _ journal: Journal, _ limits: CurrentLimits) {
    self.store = store
    self.journal = journal
    self.limits = limits
  }

  /// Hands out kept events; what cannot be read is told of in the journal.
  ///
  /// - Returns: Whether they could be read.
  func forEach(
    of live: LiveCheckout, after seq: Int64, _ body: (EventRecord) -> Bool
  ) -> Bool {
    do throws(StoreError) {
      try store.readEvents(of: live.id, after: seq, body)
      return true
    } catch {
      journal.error(
        "\(error)", id: MessageID.storeFailed, fields: [("CHECKOUT_ID", live.idText)])
      return false
    }
  }

  /// Whether an event of those kinds is kept after a number.
  func hasEvent(of live: LiveCheckout, after: Int64, _ filter: EventFilter) -> Bool {
    var isThere = false
    _ = forEach(of: live, after: after) { record in
      isThere = filter.contains(record.event.kind)
      return !isThere
    }
    return isThere
  }

  /// Writes the result of `events.read`; as much as a line holds.
  mutating func write(
    of live: LiveCheckout, after: Int64, filter: EventFilter, limit: Int, isRedacted: Bool,
    to output: JSONOutput
  ) {
    let room = limits.value.lineOut - 4096
    let start = output.count
    var next = after
    var count = 0
    output.append(#"{"events":["#)
    _ = forEach(of: live, after: after) { record in
      guard filter.contains(record.event.kind) else {
        next = record.seq
        return true
      }
      guard count < limit else { return false }
      let end = output.count
      if count > 0 { output.append(byte: UInt8(ascii: ",")) }
      writer.write(record, of: live, isRedacted: isRedacted, as: .element, to: output)
      guard output.count - start < room || count == 0 else {
        output.truncate(to: end)
        return false
      }
      next = record.seq
      count += 1
      return true
    }
    output.append(#"],"next":"#)
    output.append(next)
    output.append(#","ended":"#)
    output.append(live.checkout.isEnded && (next >= live.checkout.seq || count == 0))
    if let trimmed = store.trimmedTo(live.id) {
      output.append(#","trimmedTo":"#)
      output.append(trimmed)
    }
    output.append("}")
  }
}
