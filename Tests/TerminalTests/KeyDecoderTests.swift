import Terminal
import Testing

@Suite struct KeyDecoderTests {
  private static func keys(_ text: String) -> [Key] {
    var decoder = KeyDecoder()
    return decoder.feed(text.utf8) + decoder.settle()
  }

  @Test(arguments: [
    ("a", [Key.character("a")]), ("é€😀", [.character("é"), .character("€"), .character("😀")]),
    ("\r", [.enter]), ("\n", [.enter]), ("\t", [.tab]), ("\u{7F}\u{08}", [.backspace, .backspace]),
    ("\u{01}\u{15}", [.control("a"), .control("u")]), ("\u{1B}", [.escape]),
    ("\u{1B}\u{1B}", [.escape, .escape]),
    ("\u{1B}[A\u{1B}[B\u{1B}[C\u{1B}[D", [.up, .down, .right, .left]),
    ("\u{1B}OA\u{1B}OB\u{1B}OF\u{1B}OH", [.up, .down, .end, .home]),
    ("\u{1B}[H\u{1B}[F\u{1B}[1~\u{1B}[4~", [.home, .end, .home, .end]),
    ("\u{1B}[3~\u{1B}[5~\u{1B}[6~\u{1B}[Z", [.delete, .pageUp, .pageDown, .backTab]),
    ("\u{1B}[1;5A", [.up]), ("\u{1B}[3;2~", [.delete]),
  ])
  func `keys are told from what they send`(_ sent: String, _ keys: [Key]) {
    #expect(Self.keys(sent) == keys)
  }

  @Test(arguments: ["\u{1B}[15~x", "\u{1B}[12;40Rx", "\u{1B}[?1;2cx", "\u{1B}Pqx", "\u{0}\u{1C}x"])
  func `of what is not known nothing is left over`(_ sent: String) {
    #expect(Self.keys(sent).suffix(1) == [.character("x")])
    #expect(Self.keys(sent).count <= 2)
  }

  @Test func `bytes may come one by one`() {
    var decoder = KeyDecoder()
    var keys: [Key] = []
    for byte in "é\u{1B}[5~\u{1B}OPz".utf8 { keys += decoder.feed([byte]) }
    #expect(keys == [.character("é"), .pageUp, .character("z")])
    #expect(!decoder.isInDoubt)
  }

  @Test func `escape is in doubt until nothing follows`() {
    var decoder = KeyDecoder()
    #expect(decoder.feed([0x1B]).isEmpty)
    #expect(decoder.isInDoubt)
    #expect(decoder.settle() == [.escape])
    #expect(!decoder.isInDoubt)
    #expect(decoder.settle().isEmpty)
  }

  @Test func `a sequence that is never completed presses nothing`() {
    var decoder = KeyDecoder()
    #expect(decoder.feed("\u{1B}[1".utf8).isEmpty)
    #expect(decoder.settle().isEmpty)
    #expect(decoder.feed("a".utf8) == [.character("a")])
    #expect(decoder.feed("\u{1B}[".utf8 + [UInt8](repeating: 0x31, count: 100)).isEmpty)
    #expect(!decoder.isInDoubt)
  }

  @Test func `bytes that are no text are left out`() {
    var decoder = KeyDecoder()
    let bytes: [UInt8] = [0xFF, 0x61, 0xC3, 0x28, 0xED, 0xA0, 0x80, 0x62, 0xC2, 0x9B, 0x63]
    #expect(
      decoder.feed(bytes) == [
        .character("a"), .character("("), .character("b"), .character("c"),
      ])
  }

  @Test func `whatever comes the decoder goes on and gives no control character`() {
    var state: UInt64 = 1
    var decoder = KeyDecoder()
    for _ in 0..<20_000 {
      // Knuth's generator; its high bits are good enough, and the same in every run.
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      let byte = UInt8(truncatingIfNeeded: state >> 40)
      for key in decoder.feed([state >> 60 == 0 ? 0x1B : byte]) {
        guard case .character(let scalar) = key else { continue }
        #expect(scalar.properties.generalCategory != .control)
      }
    }
    _ = decoder.feed("\u{1B}[201~".utf8)
    _ = decoder.feed(Array(repeating: 0x40, count: 64))
    #expect(decoder.feed("z".utf8).last == .character("z"))
  }

  @Test func `what is pasted presses no keys`() {
    let pasted = "\u{1B}[200~Mila\r\n\t\u{03}\u{1B}[A\u{1B}Verhoeven\u{1B}[201~\r"
    let text = "Milaerhoeven".unicodeScalars.map(Key.character)
    #expect(Self.keys(pasted) == text + [.enter])
  }
}
