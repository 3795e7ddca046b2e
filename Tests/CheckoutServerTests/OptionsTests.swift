import PrimerAPI
import Testing

@testable import CheckoutServer

@Suite struct OptionRowTests {
  @Test func `names are their own, and as GNU has them`() {
    let names = OptionRow.all.map(\.name)
    #expect(Set(names).count == names.count)
    for name in names {
      #expect(name.allSatisfy { $0.isLowercase || $0 == "-" } && name.first != "-", "\(name)")
    }
    let letters = OptionRow.all.compactMap(\.letter)
    #expect(Set(letters).count == letters.count)
  }

  @Test func `each says what it is for and what a good value is`() {
    for row in OptionRow.all {
      #expect(!row.summary.isEmpty && row.summary.utf8.count <= 80, "\(row.name)")
      #expect(row.expectation.hasPrefix("expected "), "\(row.name)")
    }
  }

  @Test func `what is wrong is told without the value`() {
    let secret = "confidential-4711"
    // What takes any text can be set to this one as well.
    let free = ["expected a value", "expected 1 to 64 visible characters, in ASCII"]
    for row in OptionRow.all where !free.contains(row.expectation) {
      var options = Options()
      let error = #expect(throws: OptionError.self) { try options.set(row, to: secret) }
      #expect(error?.message == "--\(row.name): \(row.expectation)")
    }
  }

  @Test func `an empty value is refused`() {
    for row in OptionRow.all {
      var options = Options()
      #expect(throws: OptionError.self, "\(row.name)") { try options.set(row, to: "") }
    }
  }

  @Test func `numbers are within their ranges, the ends included`() throws {
    for row in OptionRow.all {
      let numbers = row.expectation.split(separator: " ").compactMap { Int($0) }
      guard numbers.count == 2, row.expectation.contains(" from ") else { continue }
      var options = Options()
      try options.set(row, to: String(numbers[0]))
      try options.set(row, to: String(numbers[1]))
      for text in [
        String(numbers[0] - 1), String(numbers[1] + 1), "1.5", " 1", "1e3", "0x10", "١٢",
        "9999999999999999999999",
      ] {
        #expect(throws: OptionError.self, "\(row.name) \(text)") { try options.set(row, to: text) }
      }
    }
  }

  @Test func `what an option is by itself is what holds if nobody sets it`() throws {
    for row in OptionRow.all {
      guard let initial = row.initial else { continue }
      var options = Options()
      #expect(row.apply(initial, &options), "\(row.name)")
      #expect("\(options)" == "\(Options())", "\(row.name)")
    }
    #expect(OptionRow.all.count { $0.initial != nil } > 25)
  }

  @Test func `limits are options and members of hello, with the defaults of the contract`() {
    let limits = Limits()
    #expect(limits.line == 1_048_576 && limits.lineOut == 1_048_576 && limits.nesting == 64)
    #expect(limits.batch == 64 && limits.inFlight == 64 && limits.waiting == 16)
    #expect(limits.connections == 4096 && limits.connectionsPerUser == 256)
    #expect(limits.checkoutsPerUser == 1000 && limits.queue == 4_194_304)
  }
}

@Suite struct ConfigurationFileTests {
  private static func read(_ text: String) throws -> Options {
    var options = Options()
    try options.read(configuration: text, of: "/etc/till.conf")
    return options
  }

  @Test(arguments: [
    "max-batch=7", "max-batch = 7\n", "\tmax-batch\t=\t7 \n", "# max-batch = 8\nmax-batch = 7\n",
    "\n\nmax-batch = 7\n\n", "max-batch = 8\nmax-batch = 7", "  # x = y\nmax-batch = 7",
    "max-batch = 7\r\n", "\r\nmax-batch = 7\r\n# end\r\n",
  ])
  func `an option is a line`(text: String) throws {
    #expect(try Self.read(text).limits.batch == 7)
  }

  @Test func `nothing in it changes nothing`() throws {
    for text in ["", "\n", "#", " \t\n# only a comment"] {
      #expect(try Self.read(text).limits == Limits(), "\(text)")
    }
  }

  @Test func `lists grow, in their order`() throws {
    let options = try Self.read(
      """
      socket = /run/a
      upstream-allow = example.com
      socket = /run/b = c
      upstream-allow = *.example.com:8443
      """)
    #expect(options.sockets == ["/run/a", "/run/b = c"])
    #expect(options.upstreamAllow == ["example.com", "*.example.com:8443"])
  }

  @Test func `upstream may be told another name, version and platform`() throws {
    #expect(Options().client.name == "CHECKOUTD" && Options().client.platform == "WEB")
    let options = try Self.read("sdk-client = KIOSK\nsdk-version = 9.1\nsdk-platform = TILL")
    #expect(options.client.name == "KIOSK" && options.client.version == "9.1")
    #expect(options.client.platform == "TILL")
    for text in ["", "a b", "caf\u{E9}", String(repeating: "x", count: 65)] {
      #expect(throws: OptionError.self) { try Self.read("sdk-client = \(text)") }
    }
  }

  @Test func `a switch is yes or no`() throws {
    #expect(try Self.read("ephemeral = yes").isEphemeral)
    #expect(throws: OptionError.self) { try Self.read("ephemeral =") }
    #expect(try !Self.read("ephemeral = yes\nephemeral = no").isEphemeral)
  }

  @Test(arguments: [
    ("max-batch 7", 1, "expected option = value"), ("\n= 7", 2, "there is no such option"),
    (
      "max-batch = 7\n\nMax-Batch = 7", 3,
      "there is no such option: Max-Batch; did you mean max-batch?"
    ),
    ("--max-batch = 7", 1, "there is no such option: --max-batch; did you mean max-batch?"),
    ("max-bach = 7", 1, "there is no such option: max-bach; did you mean max-batch?"),
    ("upstream_allow = x", 1, "there is no such option; did you mean upstream-allow?"),
    ("http://till:geheim-47=11@host", 1, "there is no such option"),
    ("caffeine = 7", 1, "there is no such option: caffeine"),
    ("max-batch = 7 # seven", 1, "--max-batch: expected a whole number from 1 to 10000"),
    ("\r\nmax-batch = none\r\n", 2, "--max-batch: expected a whole number from 1 to 10000"),
    ("ephemeral = perhaps", 1, "--ephemeral: expected yes or no"),
    ("config = other", 1, "there is no such option: config"),
  ])
  func `what is wrong is told by its line`(text: String, line: Int, message: String) {
    let error = #expect(throws: OptionError.self) { try Self.read(text) }
    #expect(error?.message == "/etc/till.conf: line \(line): \(message)")
    #expect(error?.line == line)
    #expect(
      error?.option
        == (message.hasPrefix("--") ? String(message.dropFirst(2).prefix { $0 != ":" }) : nil))
  }
}
