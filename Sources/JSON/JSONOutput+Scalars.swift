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
    var count = 1
    var above: UInt64 = 10
    while number >= above {
      count += 1
      let (next, overflows) = above.multipliedReportingOverflow(by: 10)
      if overflows { break }
      above = next
    }
    let place = unsafe extend(by: count)
    var rest = number
    for offset in stride(from: count - 1, through: 0, by: -1) {
      let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
      unsafe place.storeBytes(
        of: UInt8(ascii: "0") + UInt8(truncatingIfNeeded: digit), toByteOffset: offset,
        as: UInt8.self)
      rest = quotient
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
