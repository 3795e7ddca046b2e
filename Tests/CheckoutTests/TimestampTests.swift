import Checkout
import Testing

@Suite struct TimestampTests {
  @Test(
    arguments: [
      (0, "1970-01-01T00:00:00.000Z"), (1, "1970-01-01T00:00:00.001Z"),
      (86_399_999, "1970-01-01T23:59:59.999Z"), (86_400_000, "1970-01-02T00:00:00.000Z"),
      (31_535_999_999, "1970-12-31T23:59:59.999Z"), (68_169_600_000, "1972-02-29T00:00:00.000Z"),
      (951_868_800_000, "2000-03-01T00:00:00.000Z"), (978_307_199_999, "2000-12-31T23:59:59.999Z"),
      (13_574_563_200_000, "2400-02-29T00:00:00.000Z"),
      (4_107_542_399_000, "2100-02-28T23:59:59.000Z"), (-1, "1969-12-31T23:59:59.999Z"),
      (946_684_800_000, "2000-01-01T00:00:00.000Z"), (951_782_400_000, "2000-02-29T00:00:00.000Z"),
      (1_709_164_800_000, "2024-02-29T00:00:00.000Z"),
      (1_767_259_800_123, "2026-01-01T09:30:00.123Z"),
      (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
      (-62_135_596_800_000, "0001-01-01T00:00:00.000Z"),
      (-62_167_219_200_000, "0000-01-01T00:00:00.000Z"),
      (253_402_300_799_999, "9999-12-31T23:59:59.999Z"), (.max, "9999-12-31T23:59:59.999Z"),
      (.min, "0000-01-01T00:00:00.000Z"),
    ] as [(WallTime, String)])
  func `a moment is written in RFC 3339`(time: WallTime, text: String) {
    #expect(Timestamp(time).text == text)
  }

  @Test func `every day of four centuries follows the one before`() {
    let lengths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    var (year, month, day) = (1800, 1, 1)
    for days in Int64(-62_091)..<Int64(-62_091 + 146_097) {
      let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
      func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
      let text = Timestamp(days * 86_400_000 + 1).text
      guard text == "\(year)-\(two(month))-\(two(day))T00:00:00.001Z" else {
        Issue.record("\(text) is not \(year)-\(month)-\(day)")
        return
      }
      day += 1
      if day > lengths[month - 1] + (isLeap && month == 2 ? 1 : 0) { (month, day) = (month + 1, 1) }
      if month > 12 { (year, month) = (year + 1, 1) }
    }
    #expect(year == 2200)
  }
}
