import LinuxSystem

/// A command line, taken apart.
struct GivenOptions {
  let operands: [String]
  private let values: [(option: Option, value: String?)]

  /// Takes a command line apart; a client token anywhere in it is refused first of all.
  init(_ arguments: [String]) throws(Failure) {
    guard !arguments.contains(where: Secrets.holdsToken) else { throw Secrets.refusal }
    do throws(CommandLineError) {
      let parsed = try CommandLineArguments(arguments, options: Option.allCases.map(\.row))
      operands = parsed.operands
      values = parsed.options.compactMap { index, value in
        Option(rawValue: index).map { ($0, value) }
      }
    } catch { throw .usage(error.description) }
  }

  /// The value of the last such option.
  subscript(option: Option) -> String? { values.last { $0.option == option }?.value }

  func has(_ option: Option) -> Bool { values.contains { $0.option == option } }

  /// The first option that is none of these.
  func other(than options: [Option]) -> Option? {
    values.first { !options.contains($0.option) }?.option
  }

  /// The value of an option that is a whole number.
  ///
  /// - Parameters:
  ///   - option: The option.
  ///   - range: What its value may be.
  ///   - unit: What it counts.
  /// - Returns: The number; nil if the option is not given.
  /// - Throws: A usage failure if it is something else.
  func number(
    _ option: Option, in range: ClosedRange<Int64>, unit: String
  ) throws(Failure) -> Int64? {
    guard let text = self[option] else { return nil }
    guard let number = Int64(text), range.contains(number) else {
      throw .usage(
        "--\(option.row.name): expected \(unit) from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }
}
