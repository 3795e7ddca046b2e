import LinuxSystem
import Testing

@testable import CheckoutServer

@Suite struct CheckedOptionsTests {
  private static func check(
    _ text: String, memoryLimit: Int? = nil
  ) throws(OptionError) -> CheckedOptions {
    var options = Options()
    try options.read(configuration: text, of: "/etc/till.conf")
    return try CheckedOptions(options, memoryLimit: memoryLimit)
  }

  @Test(arguments: [
    ("proxy = banana", "proxy", 1), ("\nproxy = http://proxy.example.com:99999", "proxy", 2),
    ("proxy = http://", "proxy", 1), ("proxy = ftp://proxy.example.com", "proxy", 1),
    ("proxy = https://proxy.example.com:0", "proxy", 1), ("proxy = http:proxy", "proxy", 1),
    ("proxy = socks5://127.0.0.1\negress = /run/egress", "proxy", 1),
    ("upstream-allow = a.example.com\nupstream-allow = b.example.com:99999", "upstream-allow", 2),
    ("upstream-allow = http://example.com", "upstream-allow", 1),
    ("max-batch = 7\nca-file = /nowhere/certificates.pem", "ca-file", 2),
    ("ca-file = /", "ca-file", 1),
  ])
  func `what a start would stumble over is refused with its option and line`(
    text: String, option: String, line: Int
  ) {
    let error = #expect(throws: OptionError.self) { try Self.check(text) }
    #expect(error?.option == option && error?.line == line)
    #expect(error?.message.hasPrefix("/etc/till.conf: line \(line): --\(option): ") == true)
  }

  @Test(arguments: [
    "proxy = http://proxy.example.com", "proxy = http://till:geheim@[::1]:3128/",
    "proxy = socks5h://127.0.0.1:1080", "proxy = HTTPS://proxy.example.com:8443",
    "proxy = http://127.0.0.1:1\negress = /run/egress", "upstream-allow = *.example.com:8443",
  ])
  func `what a start takes is good`(text: String) throws {
    _ = try Self.check(text)
  }

  @Test func `a secret is not repeated`() {
    let error = #expect(throws: OptionError.self) {
      try Self.check("proxy = http://till:geheim-4711@proxy.example.com:99999")
    }
    #expect(error?.message.contains("4711") == false)
  }

  @Test func `limits must fit into the memory that there is`() throws {
    let need = Limits().memoryNeed
    _ = try Self.check("", memoryLimit: need)
    let error = #expect(throws: OptionError.self) { try Self.check("", memoryLimit: need - 1) }
    #expect(error?.message.contains("MemoryMax=") == true)
  }

  @Test(arguments: [
    "max-memory = 1048576", "max-checkouts = 1", "max-records = 1", "max-connections = 17",
  ])
  func `whoever lowers one of the limits that the refusal names needs less`(text: String) throws {
    let need = Limits().memoryNeed
    let option = text.prefix { $0 != " " }
    let error = #expect(throws: OptionError.self) { try Self.check("", memoryLimit: need - 1) }
    #expect(error?.message.contains("--\(option)") == true)
    _ = try Self.check(text, memoryLimit: need - 1)
  }

  @Test func `the unit has room for the defaults before it slows the daemon down`() throws {
    let root = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
    let unit = try #require(readFile(root + "/systemd/checkoutd.service"))
    let lines = String(decoding: unit, as: UTF8.self).split(separator: "\n")
    let high = lines.compactMap { $0.wholeMatch(of: /MemoryHigh=([0-9]+)M/)?.1 }.first
    let mebibytes = try #require(high.flatMap { Int($0) })
    #expect(Limits().memoryNeed <= mebibytes << 20)
  }

  @Test(arguments: [
    ("", 110_000), ("create-payment-timeout = 300000", 310_000), ("drain-timeout = 5", 5),
    ("create-payment-timeout = 300000\ndrain-timeout = 0", 0),
  ])
  func `a stop waits as long as a creation may take, unless that is said`(
    text: String, span: Int64
  ) throws {
    #expect(try Self.check(text).options.drainSpan == span)
  }

  @Test func `no limits that may be set are too large to be added up`() throws {
    let rows = OptionRow.all.filter { $0.name.hasPrefix("max-") }
    var options = Options()
    for row in rows {
      let numbers = row.expectation.split(separator: " ").compactMap { Int($0) }
      try options.set(row, to: String(try #require(numbers.last)))
    }
    let most = options
    #expect(throws: OptionError.self) { try CheckedOptions(most, memoryLimit: 1 << 40) }
  }

  @Test func `what waits for a restart is told by name`() throws {
    let running = try Self.check("socket = /run/a\nmax-batch = 7\nephemeral = no")
    for (text, names) in [
      ("socket = /run/a\nmax-batch = 8", []), ("", ["socket"]),
      ("socket = /run/a\nephemeral = yes\nproxy = http://127.0.0.1:1", ["ephemeral", "proxy"]),
      ("socket = /run/a\nsocket = /run/b\ndrain-timeout = 5\nidle-exit = 9", ["socket"]),
    ] as [(String, [String])] {
      #expect(try Self.check(text).needingRestart(after: running) == names, "\(text)")
    }
  }
}
