import Glibc
import LinuxSystem
import Testing

@testable import Systemd

@Suite struct LogTests {
  let pipe: WatchedPipe

  init() throws { pipe = try WatchedPipe() }

  @Test func `a line for the service manager begins with its level`() {
    let log = Log(minimumLevel: .debug, form: .prefixed, descriptor: pipe.writing)
    for level in Log.Level.allCases { log.log(level, "message") }
    #expect(pipe.read() == (0...7).map { "<\($0)>message\n" }.joined())
  }

  @Test func `each shorthand has its level`() {
    let log = Log(minimumLevel: .debug, form: .prefixed, descriptor: pipe.writing)
    log.error("a")
    log.warning("b")
    log.notice("c")
    log.info("d")
    log.debug("e")
    #expect(pipe.read() == "<3>a\n<4>b\n<5>c\n<6>d\n<7>e\n")
  }

  @Test func `a line for a person has no level and names the fields`() {
    let log = Log(form: .plain, descriptor: pipe.writing)
    log.info("started", fields: [("CHECKOUT_ID", "co_1"), ("PEER_UID", "1000")])
    #expect(pipe.read() == "started CHECKOUT_ID=co_1 PEER_UID=1000\n")
  }

  @Test func `what matters too little is not even made`() {
    var log = Log(minimumLevel: .warning, form: .plain, descriptor: pipe.writing)
    let made = Recorder()
    func message() -> String {
      made.add("made")
      return "message"
    }
    log.notice(message())
    #expect(made.entries.isEmpty && pipe.read().isEmpty)
    log.minimumLevel = .notice
    log.notice(message())
    #expect(made.entries == ["made"] && pipe.read() == "message\n")
  }

  @Test(arguments: [
    ("two\nlines", "two\\nlines"), ("\r<0>forged", "\\u{d}<0>forged"),
    ("\u{1B}[2J", "\\u{1b}[2J"), ("\u{9B}2J", "\\u{9b}2J"), ("a\u{2028}b", "a\\u{2028}b"),
    ("tab\t, nul\0", "tab\\u{9}, nul\\u{0}"), ("Kalākaua 李小龙", "Kalākaua 李小龙"),
  ])
  func `nothing in a message begins a line or steers a terminal`(message: String, line: String) {
    let log = Log(form: .plain, descriptor: pipe.writing)
    log.info(message, fields: [("FIELD", message)])
    #expect(pipe.read() == "\(line) FIELD=\(line)\n")
  }

  @Test func `the form follows from where standard error leads`() {
    var status = stat()
    #expect(unsafe fstat(pipe.writing, &status) == 0)
    let itself = "\(status.st_dev):\(status.st_ino)"
    #expect(Log.Form.of(pipe.writing, journalStream: nil) == .prefixed)
    #expect(Log.Form.of(pipe.writing, journalStream: "1:1") == .prefixed)
    #expect(Log.Form.of(pipe.writing, journalStream: "") == .prefixed)
    #expect(Log.Form.of(pipe.writing, journalStream: itself) == .journal)
  }

  @Test func `at a terminal the form is plain`() throws {
    let terminal = FileDescriptor(
      owning: unsafe open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC))
    #expect(Log.Form.of(terminal.rawValue, journalStream: "1:1") == .plain)
  }
}
