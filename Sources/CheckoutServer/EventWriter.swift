import Checkout
import CheckoutProtocol
import CheckoutStore
import JSON
import ValueTree

/// Writes events as clients read them.
final class EventWriter {
  /// The time written last: many events have that of the one before.
  private var lastTime: WallTime?
  private var lastText = ""

  /// How an event stands in an output.
  enum Form {
    /// A notification, with its LF.
    case notification
    /// An element of `events.read`.
    case element
  }

  /// An event in an output: where it stands, and what a line must hold to hold it.
  struct Written {
    let range: Range<Int>
    /// How deep it is nested.
    let depth: Int
  }

  /// Appends an event.
  ///
  /// - Parameters:
  ///   - record: The event.
  ///   - live: Its checkout.
  ///   - isRedacted: Whether what an observer may not see is left out.
  ///   - form: How it stands there.
  ///   - output: Where to.
  /// - Returns: What was appended.
  func write(
    _ record: EventRecord, of live: LiveCheckout, isRedacted: Bool, as form: Form,
    to output: JSONOutput
  ) -> Written {
    let event = record.event
    let start = output.count
    output.deepestValue = 0
    switch form {
    case .notification: output.append(#"{"jsonrpc":"2.0","method":"#)
    case .element: output.append(#"{"method":"#)
    }
    output.append(plain: event.kind.rawValue)
    output.append(#","params":{"checkoutId":"#)
    output.append(plain: live.idText)
    output.append(#","seq":"#)
    output.append(record.seq)
    output.append(#","time":"#)
    output.append(plain: text(of: record.time))
    if let component = event.component {
      output.append(#","componentId":"#)
      output.append(plain: live.componentText(component))
    }
    for member in isRedacted ? Redaction.redact(event.members) : event.members {
      output.append(byte: UInt8(ascii: ","))
      output.append(string: member.name)
      output.append(byte: UInt8(ascii: ":"))
      output.append(value: member.value)
    }
    output.append("}}")
    if form == .notification { output.appendLineFeed() }
    // Around the members are the event and its parameters.
    return Written(range: start..<output.count, depth: output.deepestValue + 2)
  }

  private func text(of time: WallTime) -> String {
    if time != lastTime {
      lastTime = time
      lastText = Timestamp(time).text
    }
    return lastText
  }
}
