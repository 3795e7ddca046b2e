/// A moment in the form of RFC 3339, UTC, with milliseconds: `2026-01-01T09:30:00.123Z`.
package struct Timestamp: Sendable {
  /// Milliseconds since 1970.
  package let wallTime: WallTime

  /// Makes a timestamp; years outside 0 to 9999 are shown as the nearest of them.
  package init(_ wallTime: WallTime) {
    self.wallTime = min(max(wallTime, -62_167_219_200_000), 253_402_300_799_999)
  }

  /// The text, 24 bytes.
  package var text: String {
    let (days, time) = wallTime.flooredDivision(by: 86_400_000)
    let date = Self.civil(days)
    return unsafe String(unsafeUninitializedCapacity: 24) { buffer in
      var place = 0
      func put(_ number: Int64, digits: Int, _ separator: UInt8) {
        var number = number
        for offset in stride(from: digits - 1, through: 0, by: -1) {
          unsafe buffer[place + offset] = UInt8(48 + number % 10)
          number /= 10
        }
        unsafe buffer[place + digits] = separator
        place += digits + 1
      }
      put(date.year, digits: 4, UInt8(ascii: "-"))
      put(date.month, digits: 2, UInt8(ascii: "-"))
      put(date.day, digits: 2, UInt8(ascii: "T"))
      put(time / 3_600_000, digits: 2, UInt8(ascii: ":"))
      put(time / 60_000 % 60, digits: 2, UInt8(ascii: ":"))
      put(time / 1000 % 60, digits: 2, UInt8(ascii: "."))
      put(time % 1000, digits: 3, UInt8(ascii: "Z"))
      return place
    }
  }

  /// The beginning, in UTC, of the day with which a text begins, as in `2026-12-04T06:12:00`.
  ///
  /// - Parameter text: Whatever follows the day is not looked at; upstream leaves out the zone.
  /// - Returns: `nil` for a text that begins with no day of the years 1 to 9999.
  static func day(of text: String) -> WallTime? {
    let bytes = Array(text.utf8.prefix(10))
    guard bytes.count == 10, bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-") else {
      return nil
    }
    func number(_ places: Range<Int>) -> Int64? {
      var number: Int64 = 0
      for byte in bytes[places] {
        guard (0x30...0x39).contains(byte) else { return nil }
        number = number * 10 + Int64(byte - 0x30)
      }
      return number
    }
    guard let year = number(0..<4), let month = number(5..<7), let day = number(8..<10), year > 0,
      (1...12).contains(month), (1...31).contains(day)
    else { return nil }
    // Years begin with March, so that the leap day is the last.
    let shifted = month > 2 ? year : year - 1
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let (era, yearOfEra) = (shifted / 400, shifted % 400)
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return (era * 146_097 + dayOfEra - 719_468) * 86_400_000
  }

  /// The proleptic Gregorian date of a day counted from 1970-01-01, by eras of 400 years.
  private static func civil(_ days: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let (era, dayOfEra) = (days + 719_468).flooredDivision(by: 146_097)
    let yearOfEra =
      (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shifted = (5 * dayOfYear + 2) / 153
    let month = shifted < 10 ? shifted + 3 : shifted - 9
    return (
      yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shifted + 2) / 5 + 1
    )
  }
}

extension Int64 {
  fileprivate func flooredDivision(by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }
}
