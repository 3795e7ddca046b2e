import Checkout
import Testing

/// One row of a validation table: the reference's number, an input, whether it passes here, and why
/// that differs where it does.
struct InputRow: Sendable, CustomTestStringConvertible {
  let number: Int
  let text: String
  let isValid: Bool
  let difference: String?

  init(_ number: Int, _ text: String, _ isValid: Bool, difference: String? = nil) {
    self.number = number
    self.text = text
    self.isValid = isValid
    self.difference = difference
  }

  var testDescription: String { "row \(number): \(text.prefix(40).debugDescription)" }
}

@Suite struct NameValidationTests {
  static let people = "people are called that"

  static let rows = [
    InputRow(1, "John", true),
    InputRow(2, "J", true),
    InputRow(3, "", false),
    InputRow(4, "   ", false, difference: "blank is no name"),
    InputRow(5, " John ", true),
    InputRow(6, "Mary Ann", true),
    InputRow(7, "Mary\tAnn", true),
    InputRow(8, "Mary\nAnn", false),
    InputRow(9, "Mary\u{A0}Ann", true),
    InputRow(10, "Mary\u{3000}Ann", true),
    InputRow(11, "Mary\u{2009}Ann", true),
    InputRow(12, "Jean-Luc", true, difference: people),
    InputRow(13, "O'Brien", true, difference: people),
    InputRow(14, "O\u{2019}Brien", true, difference: people),
    InputRow(15, "\u{2BB}Okina", true),
    InputRow(16, "Kal\u{101}kaua", true),
    InputRow(17, "Jos\u{E9}", true),
    InputRow(18, "Jose\u{301}", true),
    InputRow(19, "\u{301}", false, difference: "a mark alone is no name"),
    InputRow(20, "Müller", true),
    InputRow(20, "Łukasz", true),
    InputRow(20, "Čapek", true),
    InputRow(21, "Straße", true),
    InputRow(22, "李小龙", true),
    InputRow(23, "محمد", true),
    InputRow(24, "สมชาย", true),
    InputRow(25, "राम", true),
    InputRow(26, "John3", false),
    InputRow(27, "3", false),
    InputRow(28, "J.", true, difference: people),
    InputRow(28, "Jr.", true, difference: people),
    InputRow(29, "John_", false),
    InputRow(30, "John, Jr", false),
    InputRow(31, "<b>", false),
    InputRow(32, "John \u{1F600}", false),
    InputRow(33, "X\u{2163}", false),
    InputRow(34, "²", false),
    InputRow(35, "Jo\u{200D}hn", false),
    InputRow(36, "Jo\u{200B}hn", false, difference: "an invisible character is no space"),
    InputRow(37, "\u{FEFF}John", false),
    InputRow(38, "Mary\u{2028}Ann", false),
    InputRow(39, "ＡＢ", true),
    InputRow(40, "\u{10400}", true),
    InputRow(41, "john", true),
  ]

  @Test(arguments: rows)
  func `a name is judged as in the table`(row: InputRow) {
    #expect(Validation.isName(row.text) == row.isValid, "\(row.difference ?? "as the reference")")
  }

  @Test(
    arguments: [
      ("\u{2BC}", false), ("'", false), (".", false), ("-", false), ("\t", false), ("' .-", false),
      ("d\u{2BC}Arc", true), ("Anne\u{2010}Marie", true), ("Anne\u{2011}Marie", true),
      ("Anne\u{2013}Marie", true), ("Anne\u{2014}Marie", true), ("St. John", true),
      ("a\u{0}b", false), ("a/b", false),
      ("a\r\nb", false), ("\u{85}a", false), ("a\u{202E}b", false),
    ])
  func `what joins names is no name by itself`(text: String, isValid: Bool) {
    #expect(Validation.isName(text) == isValid)
  }

  @Test(
    arguments: [
      ("Gal\u{B7}la", true), ("Gal\u{387}la", true), ("ジャン\u{30FB}リュック", true),
      ("ｼﾞｬﾝ\u{FF65}ﾘｭｯｸ", true), ("阿卜杜拉\u{B7}买买提", true),
      ("O\u{B4}Brien", true), ("O`Brien", true), ("O\u{2018}Brien", true), ("O\u{2032}Brien", true),
      ("O\u{FF07}Brien", true), ("O\u{2B9}Brien", true), ("Գ\u{55A}Ա", true),
      ("ג\u{5F3}ורג", true), ("רמב\u{5F4}ם", true), ("בן\u{5BE}גוריון", true),
      ("བསྟན\u{F0B}འཛིན", true), ("ኃይለ\u{1361}ሥላሴ", true),
      ("Anne\u{FF0D}Marie", true), ("Ա\u{58A}Բ", true), ("Jean\u{2212}Luc", false),
      ("علی\u{200C}رضا", true), ("क\u{94D}\u{200D}ष", true), ("ᠠ\u{180E}ᠠ", true),
      ("\u{200C}علی", false), ("علی \u{200C}رضا", false), ("علی\u{200C}\u{200C}رضا", false),
      ("Jo\u{200C}hn", false), ("é\u{200D}a", false), ("\u{B7}", false), ("\u{30FB}", false),
      ("\u{5F3}", false), ("\u{F0B}", false), ("\u{2013}", false), ("`", false),
    ])
  func `a name has what its script spells words with`(text: String, isValid: Bool) {
    #expect(Validation.isName(text) == isValid)
  }

  @Test func `a name has at most 255 scalars, counted without reading on`() {
    #expect(Validation.isName(String(repeating: "a", count: 255)))
    #expect(!Validation.isName(String(repeating: "a", count: 256)))
    #expect(Validation.isName("a" + String(repeating: "\u{301}", count: 254)))
    #expect(!Validation.isName("a" + String(repeating: "\u{301}", count: 255)))
    #expect(!Validation.isName(String(repeating: "李", count: 4_000_000)))
  }

  @Test(
    arguments: [
      ("test://shop.example.com", true), ("https://x", true), ("a:", true),
      ("urlscheme://valid", true), ("a+b-c.d1:", true), ("primer", false), ("", false),
      (":", false),
      ("urlscheme./", false), ("!@£$%^&*()", false), ("1a:", false), ("é:", false), (" a:", false),
      ("a b:", false),
    ])
  func `S178: a return address begins with a scheme`(text: String, isValid: Bool) {
    #expect(Validation.hasScheme(text) == isValid)
  }
}
