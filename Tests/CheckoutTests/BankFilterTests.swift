import Checkout
import Testing

/// A query, a bank's name, and whether the one finds the other.
struct FilterRow: Sendable, CustomTestStringConvertible {
  let query: String
  let name: String
  let finds: Bool
  let difference: String?

  init(_ query: String, _ name: String, _ finds: Bool, difference: String? = nil) {
    self.query = query
    self.name = name
    self.finds = finds
    self.difference = difference
  }

  var testDescription: String { "\(query.debugDescription) in \(name.debugDescription)" }
}

@Suite struct BankFilterTests {
  static let stroke = "readers take the letter for its plain look"

  static let rows = [
    FilterRow("credit", "Crédit", true),
    FilterRow("crédit", "Credit", true),
    FilterRow("cre\u{301}dit", "Cr\u{E9}dit", true),
    FilterRow("BUNQ", "bunq", true),
    FilterRow("bunq", "BUNQ", true),
    FilterRow("İNG", "ING", true),
    FilterRow("ing", "İNG", true),
    FilterRow("и", "Й Bank", true),
    FilterRow("й", "И Bank", true),
    FilterRow(" ", "ING Bank", true),
    FilterRow(" ", "ING", false),
    FilterRow(" ing", "ING", false),
    FilterRow("ing ", "ING", false),
    FilterRow("g b", "ING Bank", true),
    FilterRow("nk", "Bank", true),
    FilterRow("Bank of", "Bank", false),
    FilterRow("strasse", "Straße", true, difference: "ß is spelt ss"),
    FilterRow("STRASSE", "STRAẞE", true, difference: "ß is spelt ss"),
    FilterRow("straße", "Strasse", true, difference: "ß is spelt ss"),
    FilterRow("lodz", "Łódź", true, difference: stroke),
    FilterRow("oresund", "Øresund", true, difference: stroke),
    FilterRow("aeon", "Æon", true, difference: stroke),
    FilterRow("Łódź", "lodz", true, difference: stroke),
    FilterRow("isbank", "ışbank", true, difference: stroke),
    FilterRow("fi", "ﬁnance", false),
    FilterRow("ﬁ", "ﬁnance", true),
    FilterRow("ing", "ＩNG", false),
    FilterRow("ｉ", "ＩNG", true),
    FilterRow("\u{301}", "Crédit", false),
    FilterRow("\u{301}", "Cre\u{301}dit", false),
    FilterRow("银行", "中国银行", true),
    FilterRow("0", "Bank_0", true),
    FilterRow("a", "", false),
  ]

  @Test(arguments: rows)
  func `a bank is found without regard to case and diacritics`(row: FilterRow) {
    #expect(
      FoldedText(row.name).contains(FoldedText(row.query)) == row.finds,
      "\(row.difference ?? "as the reference")")
    var bench = Bench(at: .startingComponent)
    bench.answer("banks", .banks([IssuingBank(id: "0", name: row.name)]))
    let lines = bench.update("bankFilterText", row.query)
    #expect(lines.last == "= valid banks " + (row.finds ? "0" : ""))
  }

  @Test func `the matches keep the server's order, and a disabled bank is among them`() {
    var bench = Bench(at: .chosen)
    #expect(bench.update("bankFilterText", "bank").last == "= valid banks 0,1,2,3")
    #expect(bench.update("bankFilterText", "_").last == "= valid banks 0,1")
    #expect(bench.update("bankFilterText", "closed").last == "= valid banks 3")
  }

  @Test func `the choice outlives a filter that hides it`() {
    var bench = Bench(at: .chosen)
    bench.update("bankFilterText", "filtered")
    #expect(bench.call(.submit).last == "= {}")
  }
}
