import Checkout
import FuzzServer
import FuzzSupport
import ValueTree

@testable import CheckoutStore

/// Rows of the store, damaged and not.
///
/// A damaged one is refused, or taken for a checkout that can go on; another is taken as it was
/// written.
@main enum FuzzRows {
  static func main() {
    Fuzzer.run { bytes in
      var input = FuzzInput(bytes)
      let choice = input.byte()
      if choice >= 128 {
        takeOver(&input)
      } else if choice % 4 == 3 {
        readBytes(input.remainder())
      } else {
        restore(&input)
      }
    }
  }

  /// A whole server that has got somewhere, its rows damaged or not, and another that takes over.
  private static func takeOver(_ input: inout FuzzInput) {
    let play = ServerPlay()
    for _ in 0..<input.number(below: 32) { play.step(&input, Sample.answer) }
    if input.chance(oneIn: 3) {
      play.takeOver()
    } else {
      let places = (0...input.number(below: 3)).map { _ in Int(input.byte()) }
      let isTakenUp = play.takeOver(
        damage: { kept in
          var damage = Damage(kept)
          damage.strike(&input)
          return damage.value
        }, at: places)
      guard isTakenUp else { return }
    }
    for _ in 0..<64 where !input.isEmpty { play.step(&input, Sample.answer) }
    play.finish(&input, Sample.answer)
  }

  /// Bytes as they come.
  private static func readBytes(_ bytes: [UInt8]) {
    guard let value = read(bytes) else { return }
    require(compact(value) == bytes, "what is read is what is written")
    let row = StoredRow(value: value)
    if let hot = try? row.hot(), let events = try? row.events(endingAt: 1),
      value.array?.count == 2
    {
      let writer = CompactWriter()
      RowBody.begin(in: writer)
      writer.append(hot)
      writer.beginArray(count: events.count)
      for event in events { event.append(to: writer) }
      require(writer.bytes == bytes, "a row is kept")
    }
    if let record = try? OutcomeRecord(value) {
      require((try? OutcomeRecord(record.stored)) == record, "a record is kept")
    }
    var none = FuzzInput([])
    restore(value, &none)
  }

  /// A checkout that has got somewhere, kept, damaged, and taken up again.
  private static func restore(_ input: inout FuzzInput) {
    var play = Play(Sample.settings(input.number(below: 3)), json: nil)
    for _ in 0..<input.number(below: 24) { play.step(&input, Sample.answer) }
    let kept = stored(play.checkout)
    var damage = Damage(kept)
    for _ in 0..<input.number(below: 4) { damage.strike(&input) }
    var bytes = compact(damage.value)
    if input.chance(oneIn: 8) {
      for _ in 0...input.number(below: 3) {
        bytes[(Int(input.byte()) << 8 | Int(input.byte())) % bytes.count] = input.byte()
      }
    }
    guard let value = read(bytes) else {
      return require(bytes != compact(kept), "what was written can be read")
    }
    let checkout = restore(value, &input)
    guard value == kept else { return }
    require(checkout.map(stored) == kept, "what was kept is taken up as it was")
  }

  @discardableResult
  private static func restore(_ value: Value, _ input: inout FuzzInput) -> Checkout? {
    guard let parts = value.array, parts.count == 3, let bodies = parts[2].array else { return nil }
    let restored = try? Checkout(
      id: CheckoutID(0xC0FFEE), spans: Spans(), fixed: parts[0], hot: parts[1],
      parts: bodies.enumerated().filter { $0.element != .null }.map { ($0.offset, $0.element) })
    guard let restored else { return nil }
    if let record = restored.outcomeRecord { _ = record.stored }
    var play = Play(resuming: restored)
    for _ in 0..<64 where !input.isEmpty { play.step(&input, Sample.answer) }
    _ = stored(play.checkout)
    return restored
  }

  private static func stored(_ checkout: Checkout) -> Value {
    let bodies = (0..<checkout.componentCount).map { checkout.storedPart(of: $0) ?? .null }
    let writer = CompactWriter()
    checkout.writeHot(to: writer)
    guard let hot = read(writer.bytes) else { preconditionFailure("a state cannot be read") }
    return [checkout.storedFixed, hot, .array(bodies)]
  }

  private static func compact(_ value: Value) -> [UInt8] {
    let writer = CompactWriter()
    writer.append(value)
    return writer.bytes
  }

  private static func read(_ bytes: [UInt8]) -> Value? {
    unsafe bytes.withUnsafeBytes { unsafe try? CompactValue.read($0) }
  }
}
