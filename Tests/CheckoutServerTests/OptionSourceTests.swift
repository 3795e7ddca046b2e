import Systemd
import Testing

@testable import CheckoutServer

/// Options are read again and taken into force without a server.
@Suite struct OptionSourceTests {
  private static func check(_ text: String) throws -> CheckedOptions {
    var options = Options()
    try options.read(configuration: text, of: "/etc/till.conf")
    return try CheckedOptions(options, memoryLimit: nil)
  }

  /// What is read next.
  private let files = UncheckedList<Result<CheckedOptions, OptionError>>()

  private func source(_ started: String) throws -> OptionSource {
    let parts = Parts()
    return OptionSource(
      try Self.check(started),
      { [files] in files.popLast() ?? .failure(OptionError("there is no file")) },
      ServiceReport(ServiceManager(), parts.journal, parts.schedule), parts.journal)
  }

  @Test func `everybody takes what there is, and each time what is read`() throws {
    let source = try source("max-batch = 7")
    var taken: [[Int]] = [[], []]
    for place in taken.indices {
      source.whenRead { taken[place].append($0.limits.batch) }
    }
    #expect(taken == [[7], [7]])
    for size in [8, 9] {
      files.append(.success(try Self.check("max-batch = \(size)")))
      #expect(source.reload() == .success([]))
    }
    #expect(taken == [[7, 8, 9], [7, 8, 9]])
  }

  @Test func `a wrong configuration changes nothing and is told of`() throws {
    let source = try source("max-batch = 7")
    var taken: [Int] = []
    source.whenRead { taken.append($0.limits.batch) }
    let error = OptionError("--max-batch: expected a whole number")
    files.append(.failure(error))
    #expect(source.reload() == .failure(error))
    #expect(taken == [7])
    files.append(.success(try Self.check("max-batch = 8")))
    #expect(source.reload() == .success([]))
    #expect(taken == [7, 8])
  }

  @Test func `what waits for a restart is named each time, by what the daemon was started with`()
    throws
  {
    let source = try source("socket = /run/a\nephemeral = no")
    for (text, names) in [
      ("socket = /run/b\nephemeral = no", ["socket"]),
      ("socket = /run/b\nephemeral = yes", ["socket", "ephemeral"]),
      ("socket = /run/a\nephemeral = no", []),
    ] {
      files.append(.success(try Self.check(text)))
      #expect(try Set(source.reload().get()) == Set(names), "\(text)")
    }
  }
}
