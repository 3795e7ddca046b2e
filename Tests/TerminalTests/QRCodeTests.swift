import Testing

@testable import Terminal

@Suite struct QRCodeTests {
  @Test func `two modules share a character`() {
    let code = QRCode(rows: [
      [true, true, false],
      [true, false, true],
      [false, true, true],
    ])
    let blank = String(repeating: " ", count: 11)
    let left = String(repeating: " ", count: QRCode.quietZone)
    #expect(
      code.halfBlocks == [
        blank, blank, left + "█▀▄" + left, left + " ▀▀" + left, blank, blank,
      ])
    #expect(code.textSize == ScreenSize(columns: 11, rows: 6))
  }

  @Test func `the size is that of the smallest version that fits`() throws {
    #expect(try #require(QRCode("https://a.example")).size == 21)
    let long = try #require(QRCode("https://bank.example/" + String(repeating: "x", count: 200)))
    #expect(long.size == 53)
    let lines = long.halfBlocks
    #expect(lines.count == long.textSize.rows)
    #expect(lines.allSatisfy { $0.columnCount == long.textSize.columns })
  }

  @Test func `the corners are where a camera looks for them`() throws {
    let code = try #require(QRCode("https://bank.example/pay"))
    let last = code.size - 7
    for (top, left) in [(0, 0), (0, last), (last, 0)] {
      for row in 0..<7 {
        for column in 0..<7 {
          let ring = max(abs(row - 3), abs(column - 3))
          #expect(code[top + row, left + column] == (ring != 2))
        }
      }
    }
    #expect(!code[-1, 0])
    #expect(!code[0, code.size])
  }

  @Test func `what cannot be encoded is not`() {
    #expect(QRCode("") == nil)
    #expect(QRCode(String(repeating: "x", count: 3000)) == nil)
  }
}
