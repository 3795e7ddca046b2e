extension JSONOutput {
  /// Appends a string with its quotes, escaped where it must be.
  ///
  /// Control characters are escaped, those beyond ASCII too, which a terminal would obey, and U+2028
  /// and U+2029, which some readers take for line ends; `/` is not.
  ///
  /// - Parameter text: The unescaped text.
  package func append(string text: String) {
    let isWritten: Void? = unsafe text.utf8.withContiguousStorageIfAvailable {
      unsafe append(stringBytes: $0)
    }
    guard isWritten == nil else { return }
    var copy = text
    copy.withUTF8 { unsafe append(stringBytes: $0) }
  }

  /// Appends a string with its quotes as it stands.
  ///
  /// - Parameter text: A text of our own in which nothing needs to be escaped.
  package func append(plain text: String) {
    append(byte: UInt8(ascii: "\""))
    var text = text
    text.withUTF8 { unsafe append(bytes: UnsafeRawBufferPointer($0)) }
    append(byte: UInt8(ascii: "\""))
  }

  /// Appends a string with its quotes, escaped where it must be.
  ///
  /// - Parameter text: The unescaped text.
  package func append(string text: StaticString) {
    unsafe append(
      stringBytes: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  /// Appends a string with its quotes, escaped where it must be.
  ///
  /// - Parameter bytes: The unescaped text, valid UTF-8; not from this output.
  package func append(stringBytes bytes: UnsafeBufferPointer<UInt8>) {
    append(byte: UInt8(ascii: "\""))
    var start = 0
    var index = 0
    while index < bytes.count {
      let byte = unsafe bytes[index]
      // 0xC2 and 0xE2 may begin one of those that are escaped beyond ASCII.
      if byte >= 0x20, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\"),
        byte != 0x7F, byte != 0xC2, byte != 0xE2
      {
        index += 1
        continue
      }
      guard let (scalar, length) = unsafe Self.escaped(in: bytes, at: index) else {
        index += 1
        continue
      }
      unsafe append(
        bytes: UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: bytes[start..<index])))
      append(escape: scalar)
      index += length
      start = index
    }
    unsafe append(bytes: UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: bytes[start...])))
    append(byte: UInt8(ascii: "\""))
  }

  /// The scalar at that place and its length, if it must be escaped.
  private static func escaped(
    in bytes: UnsafeBufferPointer<UInt8>, at index: Int
  ) -> (scalar: UInt16, length: Int)? {
    let byte = unsafe bytes[index]
    switch byte {
    case 0xC2:
      guard index + 1 < bytes.count, unsafe bytes[index + 1] < 0xA0 else { return nil }
      return (UInt16(unsafe bytes[index + 1]), 2)
    case 0xE2:
      guard index + 2 < bytes.count, unsafe bytes[index + 1] == 0x80 else { return nil }
      let last = unsafe bytes[index + 2]
      return last == 0xA8 || last == 0xA9 ? (0x2000 | UInt16(last & 0x3F), 3) : nil
    default: return (UInt16(byte), 1)
    }
  }

  private func append(escape scalar: UInt16) {
    switch scalar {
    case 0x08: append("\\b")
    case 0x09: append("\\t")
    case 0x0A: append("\\n")
    case 0x0C: append("\\f")
    case 0x0D: append("\\r")
    case 0x22: append("\\\"")
    case 0x5C: append("\\\\")
    default:
      append("\\u")
      for shift in stride(from: UInt16(12), through: 0, by: -4) {
        let digit = UInt8(truncatingIfNeeded: (scalar >> shift) & 0xF)
        append(byte: digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
      }
    }
  }
}
