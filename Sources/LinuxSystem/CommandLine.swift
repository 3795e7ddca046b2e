import CLinux
import Glibc

/// An option that a command takes.
package struct CommandLineOption: Sendable {
  /// Its long name, without dashes.
  package let name: String

  /// Its short name, an ASCII letter, if it has one.
  package let letter: Character?

  /// Whether a value must follow.
  package let takesValue: Bool

  /// Describes an option.
  ///
  /// - Parameters:
  ///   - name: Its long name, without dashes.
  ///   - letter: Its short name, an ASCII letter, if it has one.
  ///   - takesValue: Whether a value must follow.
  package init(_ name: String, letter: Character? = nil, takesValue: Bool = false) {
    self.name = name
    self.letter = letter
    self.takesValue = takesValue
  }
}

/// What is wrong with a command line.
package enum CommandLineError: Error, Sendable, Equatable, CustomStringConvertible {
  /// No option has that name, or the short form of it fits several.
  case unknown(String)

  /// The option needs a value.
  case missingValue(String)

  /// The option takes no value.
  case unexpectedValue(String)

  /// A line for people, which never shows a value.
  package var description: String {
    switch self {
    case .unknown(let option): "unknown option \(option)"
    case .missingValue(let option): "option \(option) needs a value"
    case .unexpectedValue(let option): "option \(option) takes no value"
    }
  }
}

/// A command line, taken apart as GNU commands do it (`getopt_long`).
///
/// Options and operands may be mixed, `--` ends the options, a long name may be shortened as long as
/// it is clear.
package struct CommandLineArguments: Sendable {
  /// The options in the order given: an index into the table, and the value if it takes one.
  package let options: [(index: Int, value: String?)]

  /// What is not an option.
  package let operands: [String]

  /// Takes a command line apart.
  ///
  /// - Parameters:
  ///   - arguments: The command's name and its arguments.
  ///   - table: The options there are.
  /// - Throws: ``CommandLineError`` at the first argument that does not fit.
  package init(_ arguments: [String], options table: [CommandLineOption]) throws(CommandLineError) {
    let result = unsafe withCStrings(arguments + table.map(\.name)) { strings in
      let names = unsafe strings[arguments.count...]
      return unsafe Self.scan(strings[..<arguments.count], names, table)
    }
    (options, operands) = try result.get()
  }

  private typealias Scanned = (options: [(index: Int, value: String?)], operands: [String])

  /// Entries' numbers begin above the letters, so that both kinds of answer can be told apart.
  private static let firstEntry: Int32 = 256

  private static func scan(
    _ arguments: ArraySlice<UnsafeMutablePointer<CChar>>,
    _ names: ArraySlice<UnsafeMutablePointer<CChar>>, _ table: [CommandLineOption]
  ) -> Result<Scanned, CommandLineError> {
    var argv = unsafe arguments.map { unsafe Optional($0) } + [nil]
    var entries = unsafe zip(names, table).enumerated().map { index, pair in
      unsafe option(
        name: pair.0, has_arg: pair.1.takesValue ? required_argument : no_argument, flag: nil,
        val: firstEntry + Int32(index))
    }
    unsafe entries.append(option())
    // The colon in front makes a missing value an answer of its own.
    let letters = table.reduce(into: ":") { letters, option in
      guard let letter = option.letter else { return }
      letters += option.takesValue ? "\(letter):" : "\(letter)"
    }
    let argumentCount = unsafe Int32(arguments.count)
    var options: [(index: Int, value: String?)] = []
    clinux_option_reset()
    while true {
      let answer = unsafe clinux_option_next(argumentCount, &argv, letters, entries)
      switch answer {
      case -1:
        // Past the command's name even if there is none.
        let first = unsafe min(Int(clinux_option_position()), arguments.count)
        let operands = unsafe argv[first..<arguments.count].map { word in
          unsafe word.map { unsafe String(cString: $0) } ?? ""
        }
        return .success((options, operands))
      case Int32(UInt8(ascii: "?")), Int32(UInt8(ascii: ":")):
        let word = unsafe argv[Int(clinux_option_position()) - 1]
        return .failure(
          refusal(answer, of: unsafe word.map { unsafe String(cString: $0) } ?? "", table))
      default:
        guard let index = index(of: answer, in: table) else { continue }
        let value = table[index].takesValue ? unsafe clinux_option_value() : nil
        options.append((index, unsafe value.map { unsafe String(cString: $0) }))
      }
    }
  }

  private static func index(of answer: Int32, in table: [CommandLineOption]) -> Int? {
    guard answer < firstEntry else { return Int(answer - firstEntry) }
    return table.firstIndex { option in
      option.letter?.asciiValue.map { Int32($0) == answer } ?? false
    }
  }

  private static func refusal(
    _ answer: Int32, of word: String, _ table: [CommandLineOption]
  ) -> CommandLineError {
    let refused = clinux_option_refused()
    let known = index(of: refused, in: table).map { "--\(table[$0].name)" }
    if answer == Int32(UInt8(ascii: ":")) { return .missingValue(known ?? word) }
    if refused >= firstEntry, let known { return .unexpectedValue(known) }
    if let letter = UInt8(exactly: refused), letter != 0 {
      return .unknown("-\(Character(Unicode.Scalar(letter)))")
    }
    return .unknown(String(word.prefix { $0 != "=" }))
  }
}

/// Lends C copies of strings to a function.
private func withCStrings<Result>(
  _ strings: [String], _ body: ([UnsafeMutablePointer<CChar>]) -> Result
) -> Result {
  var characters: [CChar] = []
  var starts: [Int] = []
  for string in strings {
    starts.append(characters.count)
    characters += string.utf8CString
  }
  return unsafe characters.withUnsafeMutableBufferPointer { buffer in
    unsafe body(starts.compactMap { unsafe buffer.baseAddress?.advanced(by: $0) })
  }
}
