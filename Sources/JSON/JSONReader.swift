internal import CSimdJSON
package import ValueTree

/// Reads strict JSON: UTF-8 without a byte-order mark, one text, no extensions, bounded depth.
///
/// It owns one parser and its memory, so one reader serves many texts, one after the other.
@safe package final class JSONReader {
  // Made in `init`, freed in `deinit`, never handed out; nil if there was no memory for it.
  private let parser: OpaquePointer?
  private let maximumByteCount: Int
  private let maximumDepth: Int
  private var isLarge = false

  /// Texts above this size leave no memory behind once the reader is trimmed.
  private static let largeByteCount = 256 * 1024

  /// Whether the text last parsed has an object that names a member twice.
  package var foundDuplicateMember: Bool { foundDuplicate }
  private var foundDuplicate = false

  /// Makes a reader.
  ///
  /// - Parameters:
  ///   - maximumByteCount: The longest text taken.
  ///   - maximumDepth: How many arrays and objects may be nested.
  package init(maximumByteCount: Int = 16 * 1024 * 1024, maximumDepth: Int = 64) {
    unsafe parser = csimdjson_parser_new(maximumByteCount, maximumDepth)
    self.maximumByteCount = maximumByteCount
    self.maximumDepth = maximumDepth
  }

  deinit { if let parser = unsafe parser { unsafe csimdjson_parser_free(parser) } }

  /// Parses one text in place.
  ///
  /// Duplicate members are not an error here, since only the caller knows what they mean where
  /// they are: see ``foundDuplicateMember`` and ``JSONView/containsDuplicateMember``.
  ///
  /// - Parameter text: The bytes of the text, followed by ``PaddedBuffer/padding`` readable ones.
  /// - Returns: The text's value, valid until the next call of this reader.
  /// - Throws: Every case of ``JSONError`` but ``JSONError/duplicateMember``.
  package func parse(padded text: UnsafeRawBufferPointer) throws(JSONError) -> JSONView {
    guard let parser = unsafe parser else { throw .outOfMemory }
    guard let start = text.baseAddress, unsafe !text.isEmpty else { throw .notJSON }
    isLarge = isLarge || text.count > Self.largeByteCount
    var document = unsafe csimdjson_document()
    switch unsafe csimdjson_parser_parse(parser, start, text.count, &document) {
    case CSIMDJSON_OK: break
    case CSIMDJSON_TOO_DEEP: throw .tooDeep(limit: maximumDepth)
    case CSIMDJSON_TOO_LARGE: throw .tooLarge(limit: maximumByteCount)
    case CSIMDJSON_NO_MEMORY: throw .outOfMemory
    default: throw .notJSON
    }
    guard let tape = unsafe document.tape, let strings = unsafe document.strings else {
      throw .outOfMemory
    }
    // Word 0 is the document's own.
    let view = unsafe JSONView(tape: tape, strings: strings, index: 1)
    let scan = TapeScan(view)
    foundDuplicate = scan.hasDuplicateMember
    guard scan.depth <= maximumDepth else { throw .tooDeep(limit: maximumDepth) }
    return view
  }

  /// Gives back the memory a large text took; views of the last text are no longer valid.
  package func trim() {
    guard isLarge, let parser = unsafe parser else { return }
    unsafe csimdjson_parser_trim(parser)
    isLarge = false
  }
}

extension JSONReader {
  /// Parses a copy of one text and lends its value; an object that names a member twice is
  /// refused.
  ///
  /// - Parameters:
  ///   - text: The bytes of the text, with nothing asked of what follows them.
  ///   - body: Gets the text's value, valid inside it alone.
  /// - Returns: What the closure returned.
  /// - Throws: ``JSONError`` for the text.
  package func read<R>(
    _ text: UnsafeRawBufferPointer, _ body: (JSONView) -> R
  ) throws(JSONError) -> R {
    let copy = unsafe PaddedBuffer(copying: text)
    defer { trim() }
    return unsafe try copy.withUnsafeBytes { bytes throws(JSONError) in
      let view = unsafe try parse(padded: bytes)
      guard !foundDuplicateMember else { throw .duplicateMember }
      return body(view)
    }
  }

  /// Reads one whole text as a tree; an object that names a member twice is refused.
  ///
  /// - Parameter text: The bytes of the text, with nothing asked of what follows them.
  /// - Returns: The text's value.
  /// - Throws: ``JSONError`` for the text.
  package func value(of text: UnsafeRawBufferPointer) throws(JSONError) -> Value {
    unsafe try read(text) { Value($0) }
  }

  /// Reads one whole text as a tree; an object that names a member twice is refused.
  ///
  /// - Parameter text: The bytes of the text.
  /// - Returns: The text's value.
  /// - Throws: ``JSONError`` for the text.
  package func value(of text: [UInt8]) throws(JSONError) -> Value {
    unsafe try text.withUnsafeBufferPointer { bytes throws(JSONError) in
      unsafe try value(of: UnsafeRawBufferPointer(bytes))
    }
  }

  /// Reads one whole text as a tree; an object that names a member twice is refused.
  ///
  /// - Parameter text: The text.
  /// - Returns: The text's value.
  /// - Throws: ``JSONError`` for the text.
  package func value(of text: String) throws(JSONError) -> Value {
    try value(of: Array(text.utf8))
  }
}
