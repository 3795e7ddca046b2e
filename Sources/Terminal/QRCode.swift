import CQREncode

/// A QR code.
package struct QRCode: Sendable, Equatable {
  /// How many modules it has a side.
  package let size: Int
  private let modules: [Bool]

  /// How many light modules must be around it, for cameras to find it.
  package static let quietZone = 4

  /// Encodes a text; nil if it is empty, or too long for any code.
  ///
  /// - Parameter text: The text, encoded as its bytes in UTF-8.
  package init?(_ text: String) {
    let bytes = Array(text.utf8)
    // A screen has no scratches: the least redundancy makes the smallest code.
    guard let count = Int32(exactly: bytes.count),
      let code = unsafe QRcode_encodeData(count, bytes, 0, QR_ECLEVEL_L)
    else { return nil }
    defer { unsafe QRcode_free(code) }
    let size = unsafe Int(code.pointee.width)
    guard let data = unsafe code.pointee.data else { return nil }
    self.size = size
    // The lowest bit of a byte is the module's colour.
    modules = (0..<size * size).map { unsafe data[$0] & 1 == 1 }
  }

  /// Makes a code of modules that are known.
  ///
  /// - Parameter rows: The rows, of as many modules as there are rows; true is dark.
  init(rows: [[Bool]]) {
    size = rows.count
    modules = rows.flatMap { $0 }
  }

  /// Whether a module is dark; those around the code are light.
  package subscript(row: Int, column: Int) -> Bool {
    let range = 0..<size
    guard range.contains(row), range.contains(column) else { return false }
    return modules[row * size + column]
  }

  /// How large it is as text, its quiet zone included.
  package var textSize: ScreenSize {
    let side = size + 2 * Self.quietZone
    return ScreenSize(columns: side, rows: (side + 1) / 2)
  }

  /// The code as text: two modules above each other in a character, the dark ones drawn.
  package var halfBlocks: [String] {
    let range = -Self.quietZone..<size + Self.quietZone
    return stride(from: range.lowerBound, to: range.upperBound, by: 2).map { row in
      range.map { column in
        switch (self[row, column], self[row + 1, column]) {
        case (true, true): "█"
        case (true, false): "▀"
        case (false, true): "▄"
        case (false, false): " "
        }
      }.joined()
    }
  }
}
