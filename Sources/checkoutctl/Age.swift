/// How long ago something was.
enum Age {
  /// The time since a moment, for people; nil if the moment is not in the form of the protocol,
  /// `2026-01-01T09:30:00.123Z`.
  ///
  /// - Parameters:
  ///   - text: The moment.
  ///   - now: Milliseconds since 1970.
  /// - Returns: The two largest units; nothing below a second.
  static func text(since text: String, at now: Int64) -> String? {
    guard let moment = milliseconds(text) else { return nil }
    return StatusTable.span(max(0, now - moment))
  }

  private static func milliseconds(_ text: String) -> Int64? {
    let numbers = text.split { "-T:.Z".contains($0) }.map { Int64($0) ?? -1 }
    guard numbers.count == 7, numbers.allSatisfy({ (0...9999).contains($0) }) else { return nil }
    let days = days(year: numbers[0], month: numbers[1], day: numbers[2])
    return (((days * 24 + numbers[3]) * 60 + numbers[4]) * 60 + numbers[5]) * 1000 + numbers[6]
  }

  /// Days from 1970-01-01 to a Gregorian date; years begin in March, so that leap days end them.
  private static func days(year: Int64, month: Int64, day: Int64) -> Int64 {
    let year = month > 2 ? year : year - 1
    let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
    return 365 * year + year / 4 - year / 100 + year / 400 + dayOfYear - 719_468
  }
}
