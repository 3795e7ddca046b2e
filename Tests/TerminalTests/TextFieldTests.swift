import Terminal
import Testing

@Suite struct TextFieldTests {
  private static func field(_ text: String = "", _ keys: [Key]) -> TextField {
    var field = TextField(text)
    for key in keys {
      let isTaken = field.handle(key)
      #expect(isTaken)
    }
    return field
  }

  @Test func `letters go where the cursor is`() {
    #expect(Self.field([.character("a"), .character("b")]).text == "ab")
    #expect(Self.field("ac", [.left, .character("b")]).text == "abc")
    #expect(Self.field("bc", [.home, .character("a"), .end, .character("d")]).text == "abcd")
  }

  @Test func `a mark joins its letter and goes with it`() {
    let typed = Self.field([.character("e"), .character("\u{301}")])
    #expect(typed.text == "é")
    #expect(Self.field("e\u{301}", [.backspace]).text.isEmpty)
  }

  @Test(arguments: [
    (Key.backspace, "one tw"), (.control("u"), ""), (.control("w"), "one "),
    (.control("k"), "one two"),
    (.delete, "one two"), (.control("h"), "one tw"),
  ])
  func `keys remove what they say`(_ key: Key, _ left: String) {
    #expect(Self.field("one two", [key]).text == left)
  }

  @Test func `keys remove from where the cursor is`() {
    #expect(Self.field("abc", [.home, .delete]).text == "bc")
    #expect(Self.field("abc", [.left, .control("u")]).text == "c")
    #expect(Self.field("abc", [.control("a"), .right, .control("k")]).text == "a")
    #expect(Self.field("one two  ", [.control("w")]).text == "one ")
  }

  @Test func `an empty field has nothing to remove`() {
    let keys: [Key] = [
      .backspace, .delete, .left, .right, .home, .end, .control("w"), .control("u"),
    ]
    #expect(Self.field(keys).text.isEmpty)
  }

  @Test func `other keys are not for it`() {
    var field = TextField("a")
    for key in [Key.enter, .escape, .tab, .up, .pageDown, .control("c")] {
      let isTaken = field.handle(key)
      #expect(!isTaken)
    }
    #expect(field.text == "a")
  }

  @Test func `there is an end to what can be typed`() {
    #expect(Self.field(Array(repeating: .character("a"), count: 1000)).text.count == 320)
  }

  @Test func `the window has the cursor in it`() {
    let field = Self.field("abcdefgh", [])
    #expect(field.window(columns: 20) == ("abcdefgh", 8))
    #expect(field.window(columns: 4) == ("fgh", 3))
    let middle = Self.field("abcdefgh", [.home, .right, .right])
    #expect(middle.window(columns: 4) == ("abcd", 2))
    #expect(Self.field("李小龙", []).window(columns: 4) == ("龙", 2))
    #expect(field.window(columns: 0) == ("", 0))
  }
}

extension TextFieldTests {
  private static func field(_ keys: [Key]) -> TextField { field("", keys) }

  @Test func `what is secret is not shown`() {
    var field = TextField(isSecret: true)
    for scalar in "123".unicodeScalars { _ = field.handle(.character(scalar)) }
    _ = field.handle(.left)
    #expect(field.text == "123")
    #expect(field.window(columns: 10) == ("•••", 2))
  }
}
