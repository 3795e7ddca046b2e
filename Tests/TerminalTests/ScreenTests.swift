import Testing

@testable import Terminal

@Suite struct ScreenTests {
  private static let hide = "\u{1B}[?25l"

  private static func rendered(_ screen: Screen, columns: Int = 20, rows: Int = 2) -> String {
    screen.rendered(size: ScreenSize(columns: columns, rows: rows), isColored: true)
  }

  @Test func `every line is put in its place and the rest is cleared`() {
    var screen = Screen()
    screen.add("one")
    #expect(
      Self.rendered(screen) == Self.hide + "\u{1B}[1;1H\u{1B}[2Kone" + "\u{1B}[2;1H\u{1B}[2K")
  }

  @Test func `what does not fit is cut`() {
    var screen = Screen()
    screen.add([TextLine("one two").adding(" three").adding(" four")])
    for _ in 0..<5 { screen.add("more") }
    let text = Self.rendered(screen, columns: 10, rows: 1)
    #expect(text == Self.hide + "\u{1B}[1;1H\u{1B}[2Kone two t…")
  }

  @Test func `looks are turned off again`() {
    let line = TextLine("a", .strong).adding("b").adding("c", .bad)
    #expect(
      line.rendered(columns: 9, isColored: true) == "\u{1B}[1ma\u{1B}[0mb\u{1B}[31mc\u{1B}[0m")
    #expect(
      line.rendered(columns: 9, isColored: false) == "\u{1B}[1ma\u{1B}[0mb\u{1B}[1mc\u{1B}[0m")
    #expect(TextLine("x", .good).rendered(columns: 9, isColored: false) == "x")
  }

  @Test func `no text steers the terminal`() {
    var screen = Screen()
    screen.add("a\u{1B}[2Jb", .strong)
    screen.add([TextLine("x").adding("\u{9B}2J")])
    screen.add([TextLine]("y\u{7}", columns: 5))
    screen.add(TextField("\u{1B}c"), label: "\u{1B}[H", columns: 20)
    let text = screen.lines.map(\.text).joined()
    #expect(text.unicodeScalars.allSatisfy { $0.isVisible })
  }

  @Test func `the cursor is in the field`() {
    var screen = Screen()
    screen.add("first")
    screen.add(TextField("ab"), label: "Bank: ", columns: 20)
    #expect(screen.lines[1].text == "Bank: ab")
    #expect(Self.rendered(screen).hasSuffix("\u{1B}[2;9H\u{1B}[?25h"))
    #expect(!Self.rendered(screen, rows: 1).contains("?25h"))
    #expect(!Self.rendered(screen, columns: 4).contains("?25h"))
  }
}
