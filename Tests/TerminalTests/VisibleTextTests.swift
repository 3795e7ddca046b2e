import Testing

@testable import Terminal

@Suite struct VisibleTextTests {
  @Test(arguments: [
    ("Crédit Zilverduin", "Crédit Zilverduin"), ("李小龙 😀", "李小龙 😀"),
    ("\u{1B}[2Jx", "\u{FFFD}[2Jx"), ("a\u{9B}31mb", "a\u{FFFD}31mb"),
    ("a\r\nb", "a\u{FFFD}\u{FFFD}b"),
    ("\u{202E}knab", "\u{FFFD}knab"), ("a\u{2028}b\u{7}", "a\u{FFFD}b\u{FFFD}"),
    ("می\u{200C}خواهم", "می\u{200C}خواهم"), ("\u{2066}a\u{2069}", "\u{FFFD}a\u{FFFD}"),
    ("\u{E000}", "\u{FFFD}"),
  ])
  func `what steers a terminal is replaced`(_ text: String, _ visible: String) {
    #expect(text.visible.unicodeScalars.elementsEqual(visible.unicodeScalars))
  }

  @Test func `no control character survives`() {
    for value in UInt32(0)...0x9F {
      guard let scalar = Unicode.Scalar(value), value < 0x20 || value >= 0x7F else { continue }
      #expect(String(scalar).visible == "\u{FFFD}")
    }
  }

  @Test(arguments: [
    ("", 0), ("abc", 3), ("é", 1), ("e\u{301}", 1), ("李小龙", 6), ("😀", 2), ("\u{FFFD}", 1),
  ])
  func `columns are counted as a terminal does`(_ text: String, _ count: Int) {
    #expect(text.columnCount == count)
  }

  @Test(arguments: [
    ("abcdef", 6, "abcdef"), ("abcdef", 5, "abcd…"), ("abcdef", 1, "…"), ("abcdef", 0, ""),
    ("李小龙", 5, "李小…"), ("李小龙", 4, "李…"),
  ])
  func `text is cut to what fits`(_ text: String, _ columns: Int, _ fitted: String) {
    #expect(text.fitted(to: columns) == fitted)
    #expect(text.fitted(to: columns).columnCount <= columns)
  }

  @Test(arguments: [
    ("one two three", 7, ["one two", "three"]), ("one two three", 100, ["one two three"]),
    ("abcdefgh", 3, ["abc", "def", "gh"]), ("a abcdefgh b", 4, ["a", "abcd", "efgh", "b"]),
    ("first\nsecond", 20, ["first", "second"]), ("a\n\nb", 5, ["a", "", "b"]), ("", 5, [""]),
    ("a\u{1B}b", 5, ["a\u{FFFD}b"]), ("李小龙", 2, ["李", "小", "龙"]), ("李a", 1, ["李", "a"]),
    ("x", 0, ["x"]),
  ])
  func `text is broken into lines`(_ text: String, _ columns: Int, _ lines: [String]) {
    #expect(text.wrapped(to: columns) == lines)
  }
}
