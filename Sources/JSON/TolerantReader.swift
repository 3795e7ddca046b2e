package import ValueTree

/// What could be read of a text.
package struct TolerantText: Sendable, Equatable {
  /// The text's value, or as much of it as stood before what made no sense.
  package var value: Value
  /// Whether that is all there was.
  package var isWhole: Bool
}

/// Reads JSON that a server sent and that is to be understood as far as it can be.
///
/// simdjson reads the usual text. It refuses a whole text for one thing that it cannot hold, wherever
/// it stands: a number beyond 64 bits or a double, half a surrogate pair, a byte that is no UTF-8.
/// It has no mode that passes over those: its on-demand reader, too, checks all of the encoding first
/// and cannot replace half a pair. So what it refuses is read once more, by ``TolerantScan``.
@safe package final class TolerantReader {
  private let strict: JSONReader
  private let maximumDepth: Int

  /// Makes a reader.
  ///
  /// - Parameters:
  ///   - maximumByteCount: The longest text there can be.
  ///   - maximumDepth: What is nested deeper is read as `null`.
  package init(maximumByteCount: Int, maximumDepth: Int = 32) {
    strict = JSONReader(maximumByteCount: maximumByteCount, maximumDepth: maximumDepth)
    self.maximumDepth = maximumDepth
  }

  /// Reads a text; of a text that is cut or broken, what comes before that.
  ///
  /// A number that no double can hold and a word that JSON does not have become `null`, what is no
  /// UTF-8 and half a surrogate pair become U+FFFD, of members with the same name the first stays, and
  /// a byte-order mark is passed over.
  package func read(_ text: [UInt8]) -> TolerantText {
    do {
      return TolerantText(value: try strict.value(of: text), isWhole: true)
    } catch {
      var scan = TolerantScan(text, maximumDepth: maximumDepth)
      return scan.read()
    }
  }
}
