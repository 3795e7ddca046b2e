import Glibc
import LinuxSystem
import Systemd
import Testing

@Suite struct EventLoopTests {
  let loop: EventLoop

  init() throws { loop = try EventLoop() }

  @Test func `the loop returns the code it was ended with`() throws {
    try loop.addTimer { [loop] in loop.exit(7) }.arm(atBootMicroseconds: 0)
    #expect(try loop.run() == 7)
  }

  @Test func `timers fire once each and none before its time`() throws {
    let log = Recorder()
    let end = try makeEnd()
    let now = Clock.bootMicroseconds()
    for due in [now + 3000, now + 1000, now + 2000] {
      let timer = try loop.addTimer {
        log.add(Clock.bootMicroseconds() >= due ? "due" : "early")
        if log.entries.count == 3 { end() }
      }
      timer.arm(atBootMicroseconds: due)
    }
    #expect(try loop.run() == 0)
    #expect(log.entries == ["due", "due", "due"])
  }

  @Test func `a timer that is due turns before another fires first`() throws {
    let log = Recorder()
    let end = try makeEnd()
    let second = try loop.addTimer {
      log.add("second")
      end()
    }
    let first = try loop.addTimer {
      log.add("first")
      second.arm(atBootMicroseconds: Clock.bootMicroseconds() + 1000)
    }
    second.arm(atBootMicroseconds: .max)
    first.arm(atBootMicroseconds: 0)
    #expect(try loop.run() == 0)
    #expect(log.entries == ["first", "second"])
  }

  @Test func `a timer that its handler arms again fires again`() throws {
    let log = Recorder()
    let box = Box<Timer>()
    box.value = try loop.addTimer { [loop] in
      log.add("tick")
      log.entries.count < 3 ? box.value?.arm(atBootMicroseconds: 0) : loop.exit(0)
    }
    box.value?.arm(atBootMicroseconds: 0)
    #expect(try loop.run() == 0)
    #expect(log.entries == ["tick", "tick", "tick"])
  }

  @Test func `a disarmed timer does not fire and can be armed again`() throws {
    let log = Recorder()
    let end = try makeEnd()
    let first = try loop.addTimer { log.add("first") }
    let second = try loop.addTimer {
      log.add("second")
      end()
    }
    first.arm(atBootMicroseconds: 0)
    first.disarm()
    second.arm(atBootMicroseconds: .max)
    second.disarm()
    second.arm(atBootMicroseconds: 0)
    #expect(try loop.run() == 0)
    #expect(log.entries == ["second"])
  }

  @Test func `a descriptor's handler learns what it is ready for`() throws {
    let pipe = try WatchedPipe()
    let log = Recorder()
    try loop.addIO(pipe.reading, .readable) { [loop] events in
      log.add(events == .readable ? pipe.read() : "other")
      loop.exit(0)
    }
    pipe.write("bytes")
    #expect(try loop.run() == 0)
    #expect(log.entries == ["bytes"])
  }

  @Test func `a source may be watched for nothing and for something again`() throws {
    let pipe = try WatchedPipe()
    let log = Recorder()
    let end = try makeEnd()
    let source = try loop.addIO(pipe.reading, .readable) { _ in
      log.add(pipe.read())
      end()
    }
    pipe.write("late")
    try source.setEvents([])
    let timer = try loop.addTimer {
      log.add("timer")
      try? source.setEvents(.readable)
    }
    timer.arm(atBootMicroseconds: 0)
    #expect(try loop.run() == 0)
    #expect(log.entries == ["timer", "late"])
  }

  @Test func `a handler that cancels its own source is not called again`() throws {
    let pipe = try WatchedPipe()
    let log = Recorder()
    let end = try makeEnd()
    let box = Box<IOSource>()
    box.value = try loop.addIO(pipe.reading, .readable) { _ in
      box.value?.cancel()
      box.value = nil
      log.add("once")
      end()
    }
    pipe.write("unread")
    #expect(try loop.run() == 0)
    #expect(log.entries == ["once"])
  }

  @Test func `a handler may cancel another source that is ready too`() throws {
    let log = Recorder()
    let end = try makeEnd()
    // Which of two timers due in one turn fires first is not said; it keeps the other from it.
    let timers = [Box<Timer>(), Box<Timer>()]
    for (timer, other) in zip(timers, timers.reversed()) {
      timer.value = try loop.addTimer {
        other.value?.cancel()
        log.add("fired")
        end()
      }
      timer.value?.arm(atBootMicroseconds: 0)
    }
    #expect(try loop.run() == 0)
    #expect(log.entries == ["fired"])
  }

  @Test func `a source may be used after its end, to no effect`() throws {
    let timer = try loop.addTimer { Issue.record("a cancelled timer fired") }
    timer.cancel()
    timer.cancel()
    timer.arm(atBootMicroseconds: 0)
    let end = try makeEnd()
    end()
    #expect(try loop.run() == 0)
    timer.arm(atBootMicroseconds: 0)
  }

  @Test func `what a cancelled source's handler holds is let go`() throws {
    weak var held: Recorder?
    let timer: Timer
    do {
      let log = Recorder()
      held = log
      timer = try loop.addTimer { log.add("never") }
    }
    #expect(held != nil)
    timer.cancel()
    #expect(held == nil)
  }

  @Test func `the turn ends once after each dispatched source`() throws {
    let pipe = try WatchedPipe()
    let log = Recorder()
    loop.endOfTurn = { log.add("end") }
    let timer = try loop.addTimer { [loop] in
      log.add("timer")
      loop.exit(0)
    }
    let source = Box<IOSource>()
    source.value = try loop.addIO(pipe.reading, .readable) { _ in
      log.add("io")
      source.value?.cancel()
      timer.arm(atBootMicroseconds: 0)
    }
    pipe.write("x")
    #expect(try loop.run() == 0)
    #expect(log.entries == ["io", "end", "timer", "end"])
  }

  @Test func `a signal is handled by the loop`() throws {
    let log = Recorder()
    try loop.addSignal(SIGUSR1) { [loop] in
      log.add("signal")
      loop.exit(0)
    }
    #expect(raise(SIGUSR1) == 0)
    #expect(try loop.run() == 0)
    #expect(log.entries == ["signal"])
  }

  @Test func `a set of descriptors is one source`() throws {
    let pipes = try (0..<3).map { _ in try WatchedPipe() }
    let set = try ConnectionSet()
    for (tag, pipe) in pipes.enumerated() {
      try set.epoll.add(pipe.reading, .readable, tag: UInt64(tag))
      pipe.write("x")
    }
    let log = Recorder()
    try loop.addIO(set.epoll.rawValue, .readable) { [loop] _ in
      log.add(set.readyTags().sorted().map { "\($0)" }.joined(separator: ","))
      loop.exit(0)
    }
    #expect(try loop.run() == 0)
    #expect(log.entries == ["0,1,2"])
  }

  @Test func `a descriptor that cannot be watched is refused`() throws {
    #expect(throws: Errno(code: EBADF, call: "sd_event_add_io")) {
      try loop.addIO(1 << 20, .readable) { _ in }
    }
  }

  /// Makes a function that ends the loop some turns later, when all that is ready had its turn.
  private func makeEnd() throws -> () -> Void {
    let timer = Box<Timer>()
    let turns = Recorder()
    timer.value = try loop.addTimer { [loop] in
      turns.add("turn")
      turns.entries.count < 4 ? timer.value?.arm(atBootMicroseconds: 0) : loop.exit(0)
    }
    return { timer.value?.arm(atBootMicroseconds: 0) }
  }
}

/// A set of descriptors as a server has it.
private final class ConnectionSet {
  var epoll: Epoll

  init() throws { epoll = try Epoll() }

  func readyTags() -> [UInt64] {
    let count = (try? epoll.wait()) ?? 0
    return (0..<count).map { epoll.ready($0).tag }
  }
}
