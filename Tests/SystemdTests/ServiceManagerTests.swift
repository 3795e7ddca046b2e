import Glibc
import LinuxSystem
import Testing

@testable import Systemd

// The environment is the whole process's, and is not to change while another test reads it: what
// changes it runs in a process of its own.
@Suite struct ServiceManagerTests {
  @Test func `states and status go out in one datagram each`() async {
    await #expect(processExitsWith: .success) {
      let (service, receiver) = try Self.notified()
      service.notify(.ready, status: "2 checkouts")
      #expect(receiver.read() == "READY=1\nSTATUS=2 checkouts")
      service.notify(.stopping)
      #expect(receiver.read() == "STOPPING=1")
      service.notify(.status, status: "draining\nREADY=1")
      #expect(receiver.read() == "STATUS=draining READY=1")
      service.notify(.watchdog)
      #expect(receiver.read() == "WATCHDOG=1")
      service.notify(.extendTimeout(microseconds: 30_000_000), status: "saving")
      #expect(receiver.read() == "EXTEND_TIMEOUT_USEC=30000000\nSTATUS=saving")
      service.notify(.status)
      #expect(receiver.read().isEmpty)
    }
  }

  @Test func `a reload tells the monotonic time`() async {
    await #expect(processExitsWith: .success) {
      let (service, receiver) = try Self.notified()
      let before = Clock.monotonicMicroseconds()
      service.notify(.reloading)
      let lines = receiver.read().split(separator: "\n")
      #expect(lines.count == 2 && lines.first == "RELOADING=1")
      let time = lines.last?.split(separator: "=").last.flatMap { UInt64($0) } ?? 0
      #expect(time >= before && time <= Clock.monotonicMicroseconds())
    }
  }

  @Test func `an address in the abstract namespace works`() async {
    await #expect(processExitsWith: .success) {
      let (service, receiver) = try Self.notified(isAbstract: true)
      service.notify(.ready)
      #expect(receiver.read() == "READY=1")
    }
  }

  @Test func `the environment is taken, so that no child inherits it`() async {
    await #expect(processExitsWith: .success) {
      Self.set("WATCHDOG_USEC", "2000000")
      Self.set("WATCHDOG_PID", "\(getpid())")
      let (service, _) = try Self.notified()
      #expect(service.watchdogMicroseconds == 2_000_000)
      for name in ["NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"] {
        #expect(unsafe getenv(name) == nil)
      }
    }
  }

  @Test func `a watchdog for another process is not ours`() async {
    await #expect(processExitsWith: .success) {
      Self.set("WATCHDOG_USEC", "2000000")
      Self.set("WATCHDOG_PID", "1")
      #expect(ServiceManager().watchdogMicroseconds == nil)
    }
  }

  @Test func `without a service manager telling does nothing`() async {
    await #expect(processExitsWith: .success) {
      unsafe unsetenv("NOTIFY_SOCKET")
      let service = ServiceManager()
      service.notify(.ready, status: "nobody listens")
      #expect(service.watchdogMicroseconds == nil)
    }
  }

  @Test func `a receiver that is gone or full stops nobody`() async {
    await #expect(processExitsWith: .success) {
      let (service, receiver) = try Self.notified()
      for _ in 0..<2000 { service.notify(.status, status: "x") }
      receiver.close()
      service.notify(.ready)
    }
  }

  @Test func `the watchdog reports from the loop as long as all is well`() async {
    await #expect(processExitsWith: .success) {
      Self.set("WATCHDOG_USEC", "2000")
      Self.set("WATCHDOG_PID", "\(getpid())")
      let (service, receiver) = try Self.notified()
      let loop = try EventLoop()
      let log = Recorder()
      try Watchdog(on: loop, service) {
        log.add("asked")
        if log.entries.count == 4 { loop.exit(0) }
        return log.entries.count != 2
      }
      #expect(try loop.run() == 0)
      #expect(
        (0..<4).map { _ in receiver.read() } == ["WATCHDOG=1", "WATCHDOG=1", "WATCHDOG=1", ""])
    }
  }

  @Test func `without a time to keep there is no watchdog`() async {
    await #expect(processExitsWith: .success) {
      let (service, _) = try Self.notified()
      #expect(try Watchdog(on: EventLoop(), service) == nil)
    }
  }

  @Test func `listeners meant for another process are left alone`() async {
    await #expect(processExitsWith: .success) {
      let unset = try ServiceManager.passedDescriptors()
      #expect(unset == PassedDescriptors())
      Self.set("LISTEN_PID", "1")
      Self.set("LISTEN_FDS", "1")
      let foreign = try ServiceManager.passedDescriptors()
      #expect(foreign == PassedDescriptors())
      #expect(unsafe getenv("LISTEN_FDS") == nil)
    }
  }

  @Test func `what was passed is told apart by its name and its kind`() throws {
    let directory = try NotifySocket(isAbstract: false)
    let listener = try UnixSocket.listen(at: directory.path + ".api")
    defer { _ = unsafe unlink(directory.path + ".api") }
    #expect(fcntl(listener.rawValue, F_SETFL, 0) == 0 && fcntl(listener.rawValue, F_SETFD, 0) == 0)
    var passed = PassedDescriptors()
    try passed.add(listener.rawValue, named: "api")
    #expect(passed.listeners == [ListenDescriptor(name: "api", rawValue: listener.rawValue)])
    #expect(fcntl(listener.rawValue, F_GETFL) & O_NONBLOCK != 0)
    #expect(fcntl(listener.rawValue, F_GETFD) & FD_CLOEXEC != 0)

    var ends: [Int32] = [-1, -1]
    try #require(unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
    try passed.add(ends[0], named: "handover")
    #expect(passed.stored == [StoredDescriptor(name: "handover", rawValue: ends[0])])
    #expect(passed.unusable == nil)

    var pipe: [Int32] = [-1, -1]
    try #require(unsafe Glibc.pipe(&pipe) == 0)
    let file = unsafe open("/dev/null", O_RDONLY)
    let others: [(Int32, String)] = [
      (ends[1], "a connection, as Accept=yes passes it"), (pipe[0], "a pipe"),
      (try Self.socket(SOCK_STREAM, AF_UNIX), "a socket that does not listen"),
      (try Self.socket(SOCK_DGRAM, AF_UNIX), "a socket for messages"),
      (try Self.socket(SOCK_STREAM, AF_INET), "a socket of another family"),
      (file, "a file or a device"),
    ]
    for (number, kind) in others {
      var passed = PassedDescriptors()
      try passed.add(number, named: "api")
      #expect(passed == PassedDescriptors(unusable: UnusableDescriptor(name: "api", kind: kind)))
      close(number)
    }
    for number in [ends[0], pipe[1]] { close(number) }
  }

  private static func socket(_ type: __socket_type, _ family: Int32) throws -> Int32 {
    let number = Glibc.socket(family, Int32(type.rawValue), 0)
    try #require(number >= 0)
    return number
  }

  @Test func `a boot has one id of 32 digits`() throws {
    let id = try ServiceManager.bootID()
    #expect(id.count == 32 && id.allSatisfy(\.isHexDigit))
    #expect(try ServiceManager.bootID() == id)
  }

  private static func notified(isAbstract: Bool = false) throws -> (ServiceManager, NotifySocket) {
    let receiver = try NotifySocket(isAbstract: isAbstract)
    set("NOTIFY_SOCKET", receiver.address)
    return (ServiceManager(), receiver)
  }

  private static func set(_ name: String, _ value: String) { unsafe setenv(name, value, 1) }
}
