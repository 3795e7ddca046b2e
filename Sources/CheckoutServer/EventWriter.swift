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

  /// Appends an event.
  ///
  /// - Parameters:
  ///   - record: The event.
  ///   - live: Its checkout.
  ///   - isRedacted: Whether what an observer may not see is left out.
  ///   - form: How it stands there.
  ///   - output: Where to.
  func write(
    _ record: EventRecord, of live: LiveCheckout, isRedacted: Bool, as form: Form,
    to output: JSONOutput
  ) {
    let event = record.event
    switch form {
    case .notification: output.append(#"{"jsonrpc":"2.0","method":""#)
    case .element: output.append(#"{"method":""#)
    }
    output.append(event.kind.name)
    output.append(#"","params":{"checkoutId":"#)
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
  }

  private func text(of time: WallTime) -> String {
    if time != lastTime {
      lastTime = time
      lastText = Timestamp(time).text
    }
    return lastText
  }
}
