import Checkout
import Testing

@Suite struct EmailValidationTests {
  static let atom = "an atom of RFC 5322; providers hand such addresses out"
  static let numeric = "no top-level domain is a number"
  static let underscore = "a host name has no underscore"

  static let rows = [
    InputRow(1, "john@doe.com", true),
    InputRow(2, "JOHN@DOE.COM", true),
    InputRow(3, "john.doe@mail.example.com", true),
    InputRow(4, "john+tag@doe.com", true),
    InputRow(5, "john+@doe.com", true, difference: atom),
    InputRow(6, "john..doe@x.com", false),
    InputRow(7, ".john@x.com", false),
    InputRow(8, "john.@x.com", false),
    InputRow(9, "o'brien@x.ie", true),
    InputRow(10, "o\u{2019}brien@x.ie", false),
    InputRow(11, "j@d.c", false),
    InputRow(12, "j@d.co", true),
    InputRow(13, "john@doe", false),
    InputRow(14, "john@.com", false),
    InputRow(15, "@doe.com", false),
    InputRow(15, "john@", false),
    InputRow(16, "", false),
    InputRow(16, "   ", false),
    InputRow(17, " john@doe.com", false),
    InputRow(18, "john@doe.com ", false),
    InputRow(19, "john doe@x.com", false),
    InputRow(20, "john@doe.com\n", false),
    InputRow(21, "john@do-e.com", true),
    InputRow(22, "john@-doe.com", false),
    InputRow(22, "john@doe-.com", false),
    InputRow(23, "john_doe@x.com", true),
    InputRow(23, "_@x.com", true),
    InputRow(24, "1@2.34", false, difference: numeric),
    InputRow(25, "john@123.45.67.89", false, difference: numeric),
    InputRow(26, "john@[127.0.0.1]", false),
    InputRow(27, "\"john\"@x.com", false),
    InputRow(28, "john%a@x.com", true, difference: atom),
    InputRow(28, "john#a@x.com", true, difference: atom),
    InputRow(29, "john=a@x.com", true, difference: atom),
    InputRow(29, "john/a@x.com", true, difference: atom),
    InputRow(30, "jos\u{E9}@x.com", true),
    InputRow(30, "jose\u{301}@x.com", true),
    InputRow(31, "john@münchen.de", true),
    InputRow(32, "john@xn--mnchen-3ya.de", true, difference: "that is how row 31 is registered"),
    InputRow(33, "用户@例子.公司", true),
    InputRow(34, "用户@例子.中", true, difference: "one ideograph is a word"),
    InputRow(35, "john@x.com.", false),
    InputRow(36, "john@x..com", false),
    InputRow(37, "john@x_y.com", false, difference: underscore),
    InputRow(38, "john@x.c_m", false, difference: underscore),
    InputRow(39, "john@doe.com,jane@doe.com", false),
    InputRow(40, "john@@doe.com", false),
    InputRow(41, "john@doe@x.com", false),
    InputRow(42, "john@doe.co.uk", true),
    InputRow(43, "john--a@x.com", true, difference: atom),
    InputRow(44, "john-a@x.com", true),
    InputRow(45, "a@b.cd.e", false, difference: "no top-level domain is one letter"),
    InputRow(46, "a@b.c.d", false),
    InputRow(46, "a@bc.d", false),
    InputRow(47, "a@bb.c-d", false),
    InputRow(48, "john@doe.a-b", false),
    InputRow(49, "john@doe.c1", true),
    InputRow(50, "john@doe.technology", true),
    InputRow(51, "\u{1F600}@x.com", false),
    InputRow(52, "jo\u{200D}hn@x.com", true),
    InputRow(52, "john@e\u{200D}x.com", true),
    InputRow(53, "test-invalid", false),
    InputRow(
      54, String(repeating: "a", count: 5000) + "@x.com", false,
      difference: "longer than any mailbox, RFC 5321"),
    InputRow(55, "a@b.cd", true),
  ]

  @Test(arguments: rows)
  func `an e-mail address is judged as in the table`(row: InputRow) {
    #expect(
      Validation.isEmailAddress(row.text) == row.isValid, "\(row.difference ?? "as the reference")")
  }

  @Test(
    arguments: [
      ("john@doe.xn--p1ai", true), ("john@doe.XN--P1AI", true), ("john@doe.\u{661}\u{662}", false),
      ("a@b.\u{301}com", false), ("john@doe.com\r\n", false), ("john\u{0}@doe.com", false),
      ("john@doe\u{3002}com", false), ("jo\\hn@doe.com", false), ("<john@doe.com>", false),
      ("john(x)@doe.com", false), ("john@do\u{1F600}e.com", false),
    ])
  func `other spellings are judged by the same rule`(text: String, isValid: Bool) {
    #expect(Validation.isEmailAddress(text) == isValid)
  }

  @Test(
    arguments: [
      (" john@doe.com ", "john@doe.com"), ("\tjohn@doe.com\r\n", "john@doe.com"),
      ("\u{A0}\u{3000}john@doe.com\u{2028}", "john@doe.com"), ("john @doe.com", "john @doe.com"),
      ("   ", ""), ("", ""), (" \u{301} ", "\u{301}"),
    ])
  func `white space around an address goes, and none within it`(text: String, trimmed: String) {
    #expect(Validation.trimmed(text).unicodeScalars.elementsEqual(trimmed.unicodeScalars))
  }

  @Test func `an address, its local part and its labels have the lengths of RFC 5321`() {
    let local = String(repeating: "l", count: 64)
    let label = String(repeating: "d", count: 63)
    #expect(Validation.isEmailAddress(local + "@x.com"))
    #expect(!Validation.isEmailAddress(local + "l@x.com"))
    #expect(Validation.isEmailAddress("a@\(label).com"))
    #expect(!Validation.isEmailAddress("a@\(label)d.com"))
    let longest = "\(local)@\(label).\(label).\(String(repeating: "d", count: 57)).com"
    #expect(longest.utf8.count == 254)
    #expect(Validation.isEmailAddress(longest))
    #expect(!Validation.isEmailAddress("\(local)@\(label).\(label).\(label.dropLast(5)).com"))
  }

  @Test(.timeLimit(.minutes(1)), arguments: [300, 10_000, 1_000_000])
  func `a domain of many labels costs no more than its length`(count: Int) {
    let text = "a@" + String(repeating: "ab.", count: count) + "ab!"
    #expect(!Validation.isEmailAddress(text))
  }
}
