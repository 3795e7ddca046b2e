import Glibc
import Testing

@testable import Systemd

@Suite struct LogBacklogTests {
  private func entry(
    _ level: Log.Level, _ message: String, _ fields: [Log.Field] = [], isKept: Bool = false
  ) -> LogEntry { LogEntry(level, message, fields: fields, isKept: isKept) }

  private func add(_ entry: LogEntry, to backlog: inout LogBacklog) {
    backlog.append(
      EncodedEntry(entry, as: .prefixed),
      rank: LogBacklog.Rank.of(entry.level, isKept: entry.isKept))
  }

  /// Takes everything out.
  private func lines(_ backlog: inout LogBacklog) -> [String] {
    var lines: [String] = []
    while let bytes = backlog.first {
      lines.append(String(decoding: bytes, as: UTF8.self))
      backlog.removeFirst()
    }
    return lines
  }

  @Test func `entries come out as they went in, whatever they matter`() {
    var backlog = LogBacklog()
    let levels: [Log.Level] = [.info, .error, .debug, .warning, .notice, .critical, .info]
    for (number, level) in levels.enumerated() {
      add(entry(level, "m", [("N", "\(number)")]), to: &backlog)
    }
    #expect(
      lines(&backlog) == levels.enumerated().map { "<\($1.rawValue)>m N=\($0)\n" })
    #expect(backlog.isEmpty && backlog.byteCount == 0 && backlog.droppedCount == 0)
  }

  @Test func `what entries have in common is kept once`() {
    var backlog = LogBacklog()
    let message = String(repeating: "m", count: 1000)
    for number in 0..<1000 { add(entry(.info, message, [("N", "\(number)")]), to: &backlog) }
    #expect(backlog.byteCount < 20_000 && backlog.droppedCount == 0)
    #expect(lines(&backlog).count == 1000)
    // And no longer than there are such entries.
    #expect(backlog.byteCount == 0)
  }

  @Test func `five thousand outcomes find room for the journal`() {
    var backlog = LogBacklog()
    for number in 0..<5000 {
      let id = "co_" + String(UInt64(number) | 1 << 63, radix: 16)
      let outcome = number % 2 == 0 ? "success" : "failed"
      for (message, isKept) in [("checkout started", false), ("checkout ended: \(outcome)", true)] {
        let entry = LogEntry(
          .info, message, id: "2f0f5d3a9c1b4e57a1d1b0c4c7a6e804", fields: [("CHECKOUT_ID", id)],
          isKept: isKept, file: "CheckoutServer/Housekeeping.swift", line: 155)
        backlog.append(
          EncodedEntry(entry, as: .journal),
          rank: LogBacklog.Rank.of(entry.level, isKept: isKept))
      }
    }
    #expect(backlog.byteCount <= LogBacklog.capacity)
    let ended = lines(&backlog).filter { $0.contains("MESSAGE=checkout ended") }
    #expect(ended.count == 5000 && Set(ended).count == 5000)
    #expect(backlog.droppedCount > 0)
  }

  @Test func `what matters least goes first, and the oldest of it`() {
    var backlog = LogBacklog()
    let filler = String(repeating: "x", count: 2000)
    let levels: [(Log.Level, Bool)] = [
      (.debug, false), (.info, false), (.info, true), (.notice, false), (.error, false),
      (.warning, false),
    ]
    for round in 0..<40 {
      for (level, isKept) in levels {
        add(entry(level, "m", [("N", "\(round)"), ("X", filler)], isKept: isKept), to: &backlog)
      }
    }
    // Of 240 entries of 2 kB about 130 have room: outcomes, errors, warnings, and a few notices.
    #expect(backlog.byteCount <= LogBacklog.capacity)
    let dropped = backlog.droppedCount
    let left = lines(&backlog)
    #expect(left.count + dropped == 240)
    func rounds(_ prefix: String) -> [Int] {
      left.filter { $0.hasPrefix(prefix) }.compactMap { line in
        line.split(separator: " ")[1].split(separator: "=").last.flatMap { Int($0) }
      }
    }
    #expect(rounds("<3>") == Array(0..<40))
    #expect(rounds("<4>") == Array(0..<40) && rounds("<7>").isEmpty)
    #expect(rounds("<6>") == Array(0..<40), "the outcomes, and no other information")
    // The newest of the notices.
    let notices = rounds("<5>")
    #expect((1..<40).contains(notices.count) && notices == Array((40 - notices.count)..<40))
  }

  @Test func `what finds only more important ones is dropped itself`() {
    var backlog = LogBacklog()
    let filler = String(repeating: "x", count: 2000)
    while backlog.droppedCount == 0 { add(entry(.error, "e", [("X", filler)]), to: &backlog) }
    let before = backlog
    add(entry(.warning, "w", [("X", filler)]), to: &backlog)
    #expect(backlog.droppedCount == before.droppedCount + 1)
    #expect(backlog.first == before.first && backlog.byteCount == before.byteCount)
    // One that is as important takes the place of the oldest.
    add(entry(.error, "new", [("X", filler)]), to: &backlog)
    #expect(lines(&backlog).last?.hasPrefix("<3>new ") == true)
  }

  @Test(arguments: [0, 100, 4000, 5000, 200_000])
  func `a line is never longer than a pipe takes as one`(count: Int) {
    let text = String(repeating: "é", count: count)
    let line = EncodedEntry(entry(.info, text, [("FIELD", text)]), as: .prefixed)
    let bytes = line.head + line.tail
    #expect(bytes.count <= Int(PIPE_BUF) && bytes.last == UInt8(ascii: "\n"))
    #expect(String(validating: bytes, as: UTF8.self) != nil)
  }

  @Test func `an entry is never longer than a datagram may be`() {
    let text = String(repeating: "é\n", count: 100_000)
    let fields = (0..<20).map { _ in (name: "FIELD" as StaticString, value: text) }
    let encoded = EncodedEntry(entry(.info, text, fields), as: .journal)
    #expect(encoded.head.count + encoded.tail.count <= EncodedEntry.entryLimit)
    #expect(encoded.tail.count > 16_000)
  }

  @Test func `a value of several lines has its length before it`() {
    let encoded = EncodedEntry(entry(.info, "m", [("FIELD", "a\nb")]), as: .journal)
    #expect(encoded.tail == Array("FIELD\n\u{3}\0\0\0\0\0\0\0a\nb\n".utf8))
  }
}
