/// The number of a checkout, unique for as long as the state directory lives.
///
/// The text form is used at the edge only: `co_` and sixteen hexadecimal digits.
package struct CheckoutID: Hashable, Sendable, Comparable {
  /// The number itself, drawn at random.
  package let rawValue: UInt64

  /// Makes an id from its number.
  package init(_ rawValue: UInt64) { self.rawValue = rawValue }

  /// Reads the text form.
  ///
  /// - Returns: `nil` for anything but `co_` and sixteen lower-case hexadecimal digits.
  package init?(text: String) {
    var text = text
    let number = text.withUTF8 { bytes in
      bytes.count == 19 ? unsafe hexadecimal(bytes, after: "co_") : nil
    }
    guard let number else { return nil }
    rawValue = number
  }

  /// The text form: `co_0123456789abcdef`.
  package var text: String { "co_" + hexadecimal(rawValue) }

  /// Whether one number is below another.
  package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// Names one component of one checkout: the checkout's number and the component's place in it.
///
/// The text form is `cm_`, the checkout's sixteen digits, `_` and the place, so that a component is
/// found without an index of components.
package struct ComponentID: Hashable, Sendable {
  /// The checkout that the component belongs to.
  package let checkout: CheckoutID
  /// The component's place among those of the checkout, from 0.
  package let index: Int

  /// Makes an id from its parts.
  package init(checkout: CheckoutID, index: Int) {
    self.checkout = checkout
    self.index = index
  }

  /// Reads the text form.
  ///
  /// Anything but the exact text form gives `nil`; a place has at most two digits.
  ///
  /// - Parameter bytes: UTF-8.
  package init?(utf8 bytes: UnsafeBufferPointer<UInt8>) {
    guard bytes.count == 21 || bytes.count == 22, unsafe bytes[19] == UInt8(ascii: "_"),
      let number = unsafe hexadecimal(bytes, after: "cm_")
    else { return nil }
    var index = 0
    for place in 20..<bytes.count {
      let digit = unsafe bytes[place]
      guard (0x30...0x39).contains(digit) else { return nil }
      index = index * 10 + Int(digit - 0x30)
    }
    // No digit may be there that the text form does not have.
    guard bytes.count == 21 || index >= 10 else { return nil }
    self.init(checkout: CheckoutID(number), index: index)
  }

  /// Reads the text form.
  ///
  /// - Returns: `nil` for anything but the exact text form.
  package init?(text: String) {
    var text = text
    guard let id = text.withUTF8({ unsafe ComponentID(utf8: $0) }) else { return nil }
    self = id
  }

  /// The text form: `cm_0123456789abcdef_0`.
  package var text: String { "cm_" + hexadecimal(checkout.rawValue) + "_" + String(index) }
}

/// Names an upstream operation within its checkout.
package typealias OperationID = UInt32

/// Milliseconds since 1970-01-01T00:00:00Z by the wall clock; by the steady one, about that.
///
/// The steady clock begins with the wall clock when the state is new, and is never set. A checkout
/// stores and compares its times alone; how far the wall clock is ahead of it at the moment makes a
/// text of one.
package typealias WallTime = Int64

/// A span of milliseconds.
package typealias Milliseconds = Int64

extension Milliseconds {
  /// The sum, or the last moment of all if it lies beyond.
  func adding(_ span: Milliseconds) -> WallTime {
    let (sum, overflows) = addingReportingOverflow(span)
    return overflows ? (span < 0 ? .min : .max) : sum
  }

  /// The span from another moment to this one, or the longest there is.
  func since(_ earlier: WallTime) -> Milliseconds {
    let (span, overflows) = subtractingReportingOverflow(earlier)
    return overflows ? (earlier < 0 ? .max : .min) : span
  }
}

/// When an input came in, and what it may use: the core has no clock, no generator and no library.
package struct Moment: Sendable {
  /// The steady clock, which nobody sets: what is stored and compared.
  package let now: WallTime
  /// How far the wall clock is ahead of the steady one at this moment.
  package let wallOffset: Milliseconds
  /// Whether upstream may be asked what became of a payment.
  package let asksQuestions: Bool
  private let digest: @Sendable (String) -> String
  private var state: UInt64

  /// Makes a moment.
  ///
  /// - Parameters:
  ///   - now: The steady clock.
  ///   - wallOffset: How far the wall clock is ahead of it.
  ///   - entropy: 64 unpredictable bits, new for each input.
  ///   - asksQuestions: Whether upstream may be asked what became of a payment.
  ///   - digest: The name-based UUID (version 5) of a name, in the namespace of payment keys.
  package init(
    now: WallTime, wallOffset: Milliseconds = 0, entropy: UInt64, asksQuestions: Bool = true,
    digest: @escaping @Sendable (String) -> String
  ) {
    self.now = now
    self.wallOffset = wallOffset
    self.asksQuestions = asksQuestions
    self.digest = digest
    state = entropy
  }

  /// The wall clock.
  package var wall: WallTime { now.adding(wallOffset) }

  /// A time as the wall clock has it now, as text.
  func text(of time: WallTime) -> String { Timestamp(time.adding(wallOffset)).text }

  /// The digest of a name.
  func digest(of name: String) -> String { digest(name) }

  /// The next 64 bits (SplitMix64 over the entropy given).
  package mutating func bits() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// A new random UUID in its text form (RFC 9562, version 4).
  package mutating func uuid() -> String {
    let high = (bits() & 0xFFFF_FFFF_FFFF_0FFF) | 0x4000
    let low = (bits() & 0x3FFF_FFFF_FFFF_FFFF) | 0x8000_0000_0000_0000
    let digits = Array((hexadecimal(high) + hexadecimal(low)).utf8)
    var text: [UInt8] = []
    text.reserveCapacity(36)
    for (place, digit) in digits.enumerated() {
      if place == 8 || place == 12 || place == 16 || place == 20 { text.append(UInt8(ascii: "-")) }
      text.append(digit)
    }
    return String(decoding: text, as: UTF8.self)
  }
}

private func hexadecimal(_ number: UInt64) -> String {
  let digits = String(number, radix: 16)
  return String(repeating: "0", count: 16 - digits.utf8.count) + digits
}

/// Reads three letters and sixteen lower-case hexadecimal digits.
private func hexadecimal(_ bytes: UnsafeBufferPointer<UInt8>, after prefix: StaticString) -> UInt64?
{
  guard bytes.count >= 19 else { return nil }
  for place in 0..<3 where unsafe bytes[place] != prefix.utf8Start[place] { return nil }
  var number: UInt64 = 0
  for place in 3..<19 {
    let byte = unsafe bytes[place]
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): number = number << 4 | UInt64(byte &- 48)
    case UInt8(ascii: "a")...UInt8(ascii: "f"): number = number << 4 | UInt64(byte &- 87)
    default: return nil
    }
  }
  return number
}
