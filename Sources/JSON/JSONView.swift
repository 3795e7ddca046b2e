/// One value of a parsed text, read in place from the parser's tape.
///
/// A view is three words and costs nothing to copy. It is valid until its ``JSONReader`` parses
/// another text or is trimmed: whatever has to live longer is taken out as a `String`, a number
/// or a `Value`.
@safe package struct JSONView {
  /// What a value is.
  package enum Kind: Sendable {
    /// An object.
    case object
    /// An array.
    case array
    /// A string.
    case string
    /// A whole number within 64 signed bits, written without fraction and exponent.
    case integer
    /// A whole number above `Int64.max` within 64 unsigned bits.
    case unsigned
    /// A number written with a fraction or an exponent.
    case number
    /// `true` or `false`.
    case bool
    /// `null`.
    case null
  }

  // Both belong to the reader's parser. Every index used comes from the tape itself, which the
  // parser wrote, so no read leaves it.
  let tape: UnsafePointer<UInt64>
  let strings: UnsafePointer<UInt8>
  /// Where this value stands on the tape: what ``at(_:)`` takes, and smaller to keep than a view.
  package let index: Int

  @inline(__always)
  init(tape: UnsafePointer<UInt64>, strings: UnsafePointer<UInt8>, index: Int) {
    unsafe self.tape = unsafe tape
    unsafe self.strings = unsafe strings
    self.index = index
  }

  /// Another value of the same text.
  ///
  /// - Parameter index: The ``index`` of a view of this text; anything else is a mistake that is
  ///   not checked.
  /// - Returns: A view of that value.
  @inline(__always)
  package func at(_ index: Int) -> JSONView {
    unsafe JSONView(tape: tape, strings: strings, index: index)
  }

  @inline(__always) var word: TapeWord { unsafe TapeWord(tape[index]) }

  /// The place of the first tape word after this value.
  @inline(__always) var endIndex: Int {
    switch word.tag {
    case .object, .array: word.target
    case .integer, .unsigned, .number: index + 2
    default: index + 1
    }
  }

  /// What this value is.
  package var kind: Kind {
    switch word.tag {
    case .object: .object
    case .array: .array
    case .string: .string
    case .integer: .integer
    case .unsigned: .unsigned
    case .number: .number
    case .true, .false: .bool
    default: .null
    }
  }

  /// Whether this is `null`.
  package var isNull: Bool { word.tag == .null }

  /// The Boolean, if this is one.
  package var bool: Bool? {
    switch word.tag {
    case .true: true
    case .false: false
    default: nil
    }
  }

  /// The whole number, if this is one within 64 signed bits (so not `1.0`, not `1e2`).
  package var integer: Int64? {
    guard word.tag == .integer else { return nil }
    return unsafe Int64(bitPattern: tape[index + 1])
  }

  /// The whole number, however it is written: `10`, `10.0` or `1e1`.
  ///
  /// With a fraction or an exponent it must be below 2^53: beyond, a double may have been rounded.
  package var wholeNumber: Int64? {
    guard word.tag == .number else { return integer }
    let number = unsafe Double(bitPattern: tape[index + 1])
    return number.magnitude < 0x1p53 ? Int64(exactly: number) : nil
  }

  /// The whole number, if this is one from zero to `UInt64.max`.
  package var unsigned: UInt64? {
    switch word.tag {
    case .unsigned: unsafe tape[index + 1]
    case .integer: unsafe UInt64(exactly: Int64(bitPattern: tape[index + 1]))
    default: nil
    }
  }

  /// The number as a double, if this is one; whole numbers beyond 2^53 are rounded.
  package var number: Double? {
    switch word.tag {
    case .number: unsafe Double(bitPattern: tape[index + 1])
    case .integer: unsafe Double(Int64(bitPattern: tape[index + 1]))
    case .unsigned: unsafe Double(tape[index + 1])
    default: nil
    }
  }
}

extension JSONView {
  /// The string's unescaped bytes; only for strings.
  @inline(__always) var utf8: UnsafeBufferPointer<UInt8> {
    let record = unsafe strings + word.payload
    let count = unsafe Int(UnsafeRawPointer(record).loadUnaligned(as: UInt32.self))
    return unsafe UnsafeBufferPointer(start: record + 4, count: count)
  }

  /// The string, if this is one.
  package var string: String? {
    guard word.tag == .string else { return nil }
    return unsafe String(decoding: utf8, as: UTF8.self)
  }

  /// The number of bytes of the unescaped string, if this is one.
  package var stringByteCount: Int? {
    word.tag == .string ? unsafe utf8.count : nil
  }

  /// Lends the unescaped bytes of a string.
  ///
  /// - Parameter body: Gets the bytes; they must not be kept.
  /// - Returns: What the closure returned, or nil if this is no string.
  /// - Throws: What the closure throws.
  package func withUTF8<R, E>(
    _ body: (UnsafeBufferPointer<UInt8>) throws(E) -> R
  ) throws(E) -> R? {
    guard word.tag == .string else { return nil }
    return unsafe try body(utf8)
  }

  /// A string of at most seven bytes as one number, which no other string has; zero for what is
  /// longer, or no string.
  package var shortString: UInt64 {
    guard word.tag == .string else { return 0 }
    let record = unsafe UnsafeRawPointer(strings + word.payload)
    let count = unsafe UInt64(record.loadUnaligned(as: UInt32.self))
    guard count <= 7 else { return 0 }
    // Readable whatever the length: the string buffer is padded.
    let bytes = unsafe (record + 4).loadUnaligned(as: UInt64.self)
    return (bytes & ((1 << (8 * count)) - 1)) | (count + 1) << 56
  }

  /// What ``shortString`` is for a string.
  ///
  /// - Parameter text: A string of at most seven bytes.
  /// - Returns: The number.
  package static func shortString(_ text: StaticString) -> UInt64 {
    precondition(text.utf8CodeUnitCount <= 7)
    return text.withUTF8Buffer { bytes in
      let packed = unsafe bytes.reversed().reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
      return packed | UInt64(bytes.count + 1) << 56
    }
  }

  /// Whether this is exactly that string, compared by its bytes.
  ///
  /// - Parameter text: What to compare with; nothing is allocated.
  /// - Returns: Whether the bytes are the same; false if this is no string.
  @inline(__always)
  package func equals(_ text: StaticString) -> Bool {
    guard word.tag == .string else { return false }
    let bytes = unsafe utf8
    guard bytes.count == text.utf8CodeUnitCount else { return false }
    return unsafe equalBytes(bytes.baseAddress, text.utf8Start, bytes.count)
  }

  /// Whether this is exactly that string, compared by its bytes.
  ///
  /// - Parameter text: What to compare with; nothing is allocated.
  /// - Returns: Whether the bytes are the same; false if this is no string.
  package func equals(string text: String) -> Bool {
    guard word.tag == .string else { return false }
    let bytes = unsafe utf8
    guard bytes.count == text.utf8.count else { return false }
    return unsafe text.utf8.withContiguousStorageIfAvailable {
      unsafe equalBytes(bytes.baseAddress, $0.baseAddress, bytes.count)
    } ?? text.utf8.elementsEqual(bytes)
  }
}
