import LinuxSystem
import Testing

// The scanner's state is the C library's, one for the whole process.
@Suite(.serialized) struct CommandLineTests {
  private let table = [
    CommandLineOption("socket", letter: "s", takesValue: true),
    CommandLineOption("ephemeral"), CommandLineOption("help", letter: "h"),
    CommandLineOption("state-directory", takesValue: true),
  ]

  @Test func `options and operands may be mixed`() throws {
    let line = try scan("one", "--socket", "/a", "-h", "two", "--socket=/b", "-s/c", "--ephemeral")
    #expect(line.options.map(\.index) == [0, 2, 0, 0, 1])
    #expect(line.options.map(\.value) == ["/a", nil, "/b", "/c", nil])
    #expect(line.operands == ["one", "two"])
  }

  @Test func `a command line without the command's name is an empty one`() throws {
    let line = try CommandLineArguments([], options: table)
    #expect(line.options.isEmpty && line.operands.isEmpty)
  }

  @Test func `two dashes end the options and one is an operand`() throws {
    let line = try scan("-", "--", "--help", "-s")
    #expect(line.options.isEmpty)
    #expect(line.operands == ["-", "--help", "-s"])
  }

  @Test func `a name may be shortened while it is clear`() throws {
    #expect(try scan("--eph").options.map(\.index) == [1])
    #expect(throws: CommandLineError.unknown("--s")) { try scan("--s", "x") }
  }

  @Test(
    arguments: [
      (["--nothing"], .unknown("--nothing")), (["--nothing=secret"], .unknown("--nothing")),
      (["-x"], .unknown("-x")), (["-hx"], .unknown("-x")),
      (["--socket"], .missingValue("--socket")), (["-s"], .missingValue("--socket")),
      (["--help=secret"], .unexpectedValue("--help")),
    ] as [([String], CommandLineError)])
  func `an argument that does not fit is named without its value`(
    arguments: [String], expected: CommandLineError
  ) {
    #expect(throws: expected) {
      try CommandLineArguments(["command"] + arguments, options: table)
    }
  }

  @Test func `an empty value and an empty operand are kept`() throws {
    let line = try scan("--socket=", "", "--state-directory", "")
    #expect(line.options.map(\.value) == ["", ""])
    #expect(line.operands == [""])
  }

  @discardableResult
  private func scan(_ arguments: String...) throws -> CommandLineArguments {
    try CommandLineArguments(["command"] + arguments, options: table)
  }
}
