import Testing

@testable import CheckoutServer

@Suite struct ScheduleTests {
  private let time = ManualClock()

  @Test func `what is due comes in order, whosever it is`() {
    let schedule = Schedule(ServerClock(time.source))
    let first = Alarms<Int>(in: schedule, holdsDaemon: true)
    let second = Alarm(in: schedule, holdsDaemon: false)
    var log: [Int] = []
    first.whenDue { log.append($0) }
    second.whenDue { log.append(0) }
    first.set(3, after: 30)
    second.set(after: 20)
    first.set(1, after: 10)
    first.set(2, after: 10)
    first.clear(2)
    time.pass(milliseconds: 20)
    schedule.fireDue()
    #expect(log == [1, 0])
    time.pass(milliseconds: 20)
    schedule.fireDue()
    #expect(log == [1, 0, 3])
  }

  @Test func `the nearest is told when it may have changed`() {
    let clock = ServerClock(time.source)
    let schedule = Schedule(clock)
    let alarm = Alarm(in: schedule, holdsDaemon: true)
    #expect(!schedule.takeChange().hasChanged)
    alarm.set(after: 5)
    #expect(schedule.takeChange() == (clock.boot + 5000, true))
    #expect(!schedule.takeChange().hasChanged)
    alarm.clear()
    #expect(schedule.takeChange() == (nil, true))
  }

  @Test func `the daemon stays for what it must be there for`() {
    let schedule = Schedule(ServerClock(time.source))
    let (needed, idle) = (
      Alarm(in: schedule, holdsDaemon: true), Alarm(in: schedule, holdsDaemon: false)
    )
    idle.set(after: 5)
    #expect(!schedule.holdsDaemon)
    needed.set(after: 5)
    #expect(schedule.holdsDaemon)
  }

  @Test func `no span is too long`() {
    let clock = ServerClock(time.source)
    #expect(clock.deadline(after: .max) == .max)
    #expect(clock.deadline(after: .max / 1000) == clock.boot + UInt64(Int64.max / 1000) * 1000)
    #expect(clock.deadline(after: .min) == clock.boot)
  }
}
