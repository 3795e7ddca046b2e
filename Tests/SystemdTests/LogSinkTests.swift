import Glibc
import LinuxSystem
import Testing

@testable import Systemd

/// A receiver of datagrams, as the journal is one.
private final class Receiver {
  let path: String
  private var descriptor: FileDescriptor?

  init() throws {
    path = "/tmp/checkoutd-journal-\(getpid())-\(UInt32.random(in: 0...UInt32.max))"
    try open()
  }

  /// Begins to receive, with another socket than before.
  func open() throws {
    close()
    let type = Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    let socket = FileDescriptor(owning: socket(AF_UNIX, type, 0))
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
    let length = socklen_t(MemoryLayout<sockaddr_un>.size)
    let result = unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe bind(socket.rawValue, $0, length)
      }
    }
    try #require(result == 0)
    descriptor = consume socket
  }

  func close() {
    descriptor = nil
    _ = unsafe unlink(path)
  }

  /// What has come, without waiting: the messages of all entries.
  func messages() -> [String] {
    var messages: [String] = []
    var bytes = [UInt8](repeating: 0, count: 70_000)
    while let count = receive(&bytes) {
      let text = String(decoding: bytes[..<count], as: UTF8.self)
      messages += text.split(separator: "\n").filter { $0.hasPrefix("MESSAGE=") }
        .map { String($0.dropFirst(8)) }
    }
    return messages
  }

  private func receive(_ bytes: inout [UInt8]) -> Int? {
    let number = descriptor?.rawValue ?? -1
    let count = unsafe recv(number, &bytes, bytes.count, 0)
    return count < 0 ? nil : count
  }

  deinit { close() }
}

@Suite(.timeLimit(.minutes(1))) struct LogSinkTests {
  @Test func `a journal that takes nothing is not waited for, and gets everything later`() throws {
    let journal = try Receiver()
    let log = Log(form: .journal, journal: journal.path)
    for number in 0..<1000 { log.info("\(number)") }
    #expect(log.sink.isHolding)
    var heard: [String] = []
    while log.sink.isHolding {
      heard += journal.messages()
      log.sink.drain()
    }
    heard += journal.messages()
    #expect(heard == (0..<1000).map(String.init))
  }

  @Test func `drops are told in the first entry after`() throws {
    let journal = try Receiver()
    let log = Log(form: .journal, journal: journal.path)
    let filler = String(repeating: "x", count: 10_000)
    for number in 0..<200 { log.info("\(number)", fields: [("X", filler)]) }
    log.error("the last")
    var heard: [String] = []
    while log.sink.isHolding {
      heard += journal.messages()
      log.sink.drain()
    }
    heard += journal.messages()
    let place = try #require(heard.firstIndex { $0.hasSuffix("could not be written in time") })
    let dropped = try #require(Int(heard[place].prefix { $0.isNumber }))
    // What the socket itself held, what was told, what was left: nothing else is missing.
    #expect(heard[..<place] == ArraySlice((0..<place).map(String.init)))
    #expect(heard[(place + 1)...].first == "\(place + dropped)")
    #expect(heard.count - 1 + dropped == 201 && heard.last == "the last")
  }

  @Test func `a journal that was started anew is found again`() throws {
    let journal = try Receiver()
    let log = Log(form: .journal, journal: journal.path)
    log.info("first")
    #expect(journal.messages() == ["first"])
    journal.close()
    log.info("meanwhile")
    #expect(log.sink.isHolding)
    try journal.open()
    log.info("after")
    #expect(journal.messages() == ["meanwhile", "after"])
  }

  @Test func `without a journal there are lines`() throws {
    let pipe = try WatchedPipe()
    let log = Log(form: .journal, descriptor: pipe.writing, journal: "/nowhere/journal")
    log.info("here")
    #expect(pipe.read() == "<6>here\n")
  }

  @Test func `a pipe that nobody reads is not waited for, and its mode is left alone`() throws {
    let pipe = try Pipe()
    let log = Log(form: .prefixed, descriptor: pipe.writing.rawValue)
    for number in 0..<5000 { log.info("line \(number)") }
    #expect(log.sink.isHolding)
    #expect(fcntl(pipe.writing.rawValue, F_GETFL) & O_NONBLOCK == 0)
    try FileDescriptor.setNonBlockingAndCloseOnExec(pipe.reading.rawValue)
    var text = ""
    while log.sink.isHolding {
      text += readText(from: pipe.reading.rawValue)
      log.sink.drain()
    }
    while case let more = readText(from: pipe.reading.rawValue), !more.isEmpty { text += more }
    #expect(text == (0..<5000).map { "<6>line \($0)\n" }.joined())
  }

  @Test func `a stream that takes part of a line gets the rest of it first`() throws {
    var ends: [Int32] = [-1, -1]
    let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    try #require(unsafe socketpair(AF_UNIX, type, 0, &ends) == 0)
    let near = FileDescriptor(owning: ends[0])
    let far = FileDescriptor(owning: ends[1])
    try FileDescriptor.setNonBlockingAndCloseOnExec(far.rawValue)
    let log = Log(form: .prefixed, descriptor: near.rawValue)
    let filler = String(repeating: "x", count: 3000)
    let lines = (0..<120).map { "\($0) \(filler)" }
    for line in lines { log.notice(line) }
    #expect(log.sink.isHolding)
    var text = ""
    while log.sink.isHolding {
      text += readText(from: far.rawValue)
      log.sink.drain()
    }
    while case let more = readText(from: far.rawValue), !more.isEmpty { text += more }
    let heard = text.split(separator: "\n")
    #expect(heard.allSatisfy { $0.hasPrefix("<5>") || $0.hasPrefix("<4>") })
    #expect(heard.last == "<5>119 \(filler)")
    #expect(fcntl(near.rawValue, F_GETFL) & O_NONBLOCK == 0)
  }

  @Test func `a terminal that was stopped is not waited for`() throws {
    var (first, second): (Int32, Int32) = (-1, -1)
    try #require(unsafe openpty(&first, &second, nil, nil, nil) == 0)
    let near = FileDescriptor(owning: first)
    let far = FileDescriptor(owning: second)
    let log = Log(form: .plain, descriptor: far.rawValue)
    // Nobody reads it.
    for number in 0..<20_000 { log.info("line \(number)") }
    #expect(log.sink.isHolding)
    #expect(fcntl(far.rawValue, F_GETFL) & O_NONBLOCK == 0)
    #expect(near.rawValue >= 0)
  }

  @Test func `the loop writes what was held as soon as there is room, and then rests`() throws {
    let journal = try Receiver()
    let log = Log(form: .journal, journal: journal.path)
    let loop = try EventLoop()
    try LogPump(on: loop, log)
    let heard = Recorder()
    let reader = try loop.addTimer { log.info("looks") }
    let again = Box<Timer>()
    again.value = try loop.addTimer {
      for message in journal.messages() { heard.add(message) }
      if heard.entries.last == "looks" && !log.sink.isHolding { return loop.exit(0) }
      again.value?.arm(atBootMicroseconds: Clock.bootMicroseconds() + 1000)
    }
    for number in 0..<300 { log.info("\(number)") }
    reader.arm(atBootMicroseconds: 0)
    again.value?.arm(atBootMicroseconds: 0)
    #expect(try loop.run() == 0)
    #expect(heard.entries == (0..<300).map(String.init) + ["looks"])
    again.value = nil
  }

  @Test func `at the end there is a last try, and no long one`() throws {
    let journal = try Receiver()
    let log = Log(form: .journal, journal: journal.path)
    for number in 0..<1000 { log.info("\(number)") }
    log.finish(within: 50)
    #expect(log.sink.isHolding)
    _ = journal.messages()
  }
}
