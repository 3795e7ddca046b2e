import Checkout
import CheckoutProtocol
import CheckoutStore
import JSON
import JSONRPC

/// Reads the events that are kept.
struct EventReader {
  private let store: CheckoutStore
  private let journal: Journal
  /// How many kept events one call may look at: whoever asks for kinds that hardly occur must not keep
  /// everybody else waiting.
  static let walkCount = 1000
  private let writer = EventWriter()
  private let page = JSONOutput()

  init(_ store: CheckoutStore, _ journal: Journal) {
    self.store = store
    self.journal = journal
  }

  /// Hands out kept events.
  ///
  /// - Throws: `store-failed` where one cannot be read: it must not look as if it had not happened. The
  ///   journal has the reason.
  func forEach(
    of live: LiveCheckout, after seq: Int64, _ body: (EventRecord) -> Bool
  ) throws(RPCError) {
    do throws(StoreError) {
      try store.readEvents(of: live.id, after: seq, body)
    } catch {
      journal.error(
        "\(error)", id: MessageID.storeFailed, fields: [("CHECKOUT_ID", live.idText)])
      throw RPCError(.storeFailed)
    }
  }

  /// The highest number of an event that is kept no longer.
  func trimmedTo(_ live: LiveCheckout) -> Int64? {
    live.isArchived ? live.checkout.seq : store.trimmedTo(live.id)
  }

  /// Whether a page after a number has something to tell: an event of those kinds, or that the walk
  /// ended before the last event.
  func hasNews(
    of live: LiveCheckout, after: Int64, _ filter: EventFilter
  ) throws(RPCError) -> Bool {
    var hasNews = false
    var walked = 0
    try forEach(of: live, after: after) { record in
      hasNews = walked == Self.walkCount || filter.contains(record.event.kind)
      walked += 1
      return !hasNews
    }
    return hasNews
  }

  /// The result of `events.read`: as much as a line holds, of ``walkCount`` events at most.
  ///
  /// An event that no line holds is passed over as if it were kept no longer: it was taken in when
  /// lines could be longer.
  ///
  /// - Returns: One JSON text, which stays until the next one is asked for.
  func page(
    of live: LiveCheckout, after: Int64, filter: EventFilter, limit: Int, isRedacted: Bool,
    for client: ConnectionOutput
  ) throws(RPCError) -> JSONOutput {
    let output = page
    output.removeAll()
    let room = client.pageByteCount
    var next = after
    var count = 0
    var walked = 0
    var isAtEnd = true
    var passedOver: Int64?
    var deepest = 0
    output.append(#"{"events":["#)
    try forEach(of: live, after: after) { record in
      guard walked < Self.walkCount else {
        isAtEnd = false
        return false
      }
      walked += 1
      guard filter.contains(record.event.kind) else {
        next = record.seq
        return true
      }
      guard count < limit else {
        isAtEnd = false
        return false
      }
      let end = output.count
      if count > 0 { output.append(byte: UInt8(ascii: ",")) }
      let written = writer.write(
        record, of: live, isRedacted: isRedacted, as: .element, to: output)
      // Around an event are the reply, its result and the list.
      guard written.range.count <= room, written.depth + 3 <= client.maximumReplyDepth else {
        output.truncate(to: end)
        passedOver = record.seq
        next = record.seq
        return true
      }
      guard output.count <= room || count == 0 else {
        output.truncate(to: end)
        isAtEnd = false
        return false
      }
      deepest = max(deepest, written.depth)
      next = record.seq
      count += 1
      return true
    }
    output.append(#"],"next":"#)
    output.append(next)
    output.append(#","ended":"#)
    output.append(live.checkout.isEnded && isAtEnd)
    if let trimmed = [trimmedTo(live), passedOver].compactMap(\.self).max() {
      output.append(#","trimmedTo":"#)
      output.append(trimmed)
    }
    output.append("}")
    output.deepestValue = deepest
    return output
  }
}
