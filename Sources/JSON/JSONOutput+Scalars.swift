extension JSONOutput {
  /// Appends a whole number.
  package func append(_ number: Int) { append(Int64(number)) }

  /// Appends a whole number.
  package func append(_ number: Int64) {
    if number < 0 { append(byte: UInt8(ascii: "-")) }
    append(number.magnitude)
  }

  /// Appends a whole number.
  package func append(_ number: UInt64) {
    if number < 10 { return append(byte: UInt8(ascii: "0") + UInt8(number)) }
    var digits = [20 of UInt8](repeating: 0)
    var first = 20
    var rest = number
    repeat {
      let (quotient, remainder) = rest.quotientAndRemainder(dividingBy: 10)
      first -= 1
      digits[first] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: remainder)
      rest = quotient
    } while rest > 0
    let place = unsafe extend(by: 20 - first)
    for offset in 0..<(20 - first) {
      unsafe place.storeBytes(of: digits[first + offset], toByteOffset: offset, as: UInt8.self)
    }
  }

  /// Appends a double, so that it reads back as the same double and never as a whole number.
  ///
  /// - Parameter number: JSON has no word for infinities and what is not a number: they become
  ///   `null`.
  package func append(_ number: Double) {
    guard number.isFinite else { return append("null") }
    for byte in number.description.utf8 { append(byte: byte) }
  }

  /// Appends `true` or `false`.
  package func append(_ flag: Bool) {
    if flag { append("true") } else { append("false") }
  }
}
