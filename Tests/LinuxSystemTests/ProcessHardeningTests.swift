import Glibc
import LinuxSystem
import Testing

@Suite struct ProcessHardeningTests {
  @Test func `a process that forbids dumps has no core limit and says so`() async {
    await #expect(processExitsWith: .success) {
      try ProcessHardening.forbidDumps()
      var limit = rlimit()
      _ = unsafe getrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
      #expect(limit.rlim_cur == 0 && limit.rlim_max == 0)
    }
  }

  @Test func `the limit of open files is raised and never lowered`() async {
    await #expect(processExitsWith: .success) {
      let before = try ProcessHardening.raiseOpenFileLimit(to: 0)
      #expect(before > 0)
      let after = try ProcessHardening.raiseOpenFileLimit(to: before + 1)
      #expect(after == before || after == before + 1)
      #expect(try ProcessHardening.raiseOpenFileLimit(to: .max) >= after)
    }
  }

  @Test func `writing to a pipe that nobody reads is an error of the call`() async {
    await #expect(processExitsWith: .success) {
      ProcessHardening.ignoreBrokenPipes()
      let writing = try Pipe().closeReading()
      let count = unsafe write(writing.rawValue, "x", 1)
      #expect(count == -1 && errno == EPIPE)
    }
  }
}
