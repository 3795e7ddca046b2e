import Glibc
import LinuxSystem
import Testing

@Suite struct SubprocessTests {
  /// All that comes until the program has closed its end.
  private static func text(of descriptor: borrowing FileDescriptor) throws -> String {
    var text: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 4096)
    while try descriptor.waitForInput(timeoutMilliseconds: 10_000) {
      let count = unsafe read(descriptor.rawValue, &piece, piece.count)
      guard count > 0 else { break }
      text += piece[..<count]
    }
    return String(decoding: text, as: UTF8.self)
  }

  private static func end(of program: Subprocess) -> Subprocess.End? {
    for _ in 0..<10_000 {
      if let end = program.end() { return end }
      usleep(1000)
    }
    return nil
  }

  @Test func `a program reads what it is told and is read from`() throws {
    let program = try Subprocess(
      ["sh", "-c", "cat; echo \"$1\" >&2; exit 3", "sh", "word"], input: "told\n")
    #expect(try Self.text(of: program.output) == "told\n")
    #expect(try Self.text(of: program.errors) == "word\n")
    #expect(Self.end(of: program) == .exited(3))
    #expect(program.end() == nil)
  }

  @Test func `reading from a program that says nothing does not wait`() throws {
    let program = try Subprocess(["sh", "-c", "exec sleep 60"], input: "")
    var byte: UInt8 = 0
    #expect(unsafe read(program.output.rawValue, &byte, 1) == -1)
    #expect(errno == EAGAIN)
    #expect(program.end() == nil)
    program.terminate()
    #expect(Self.end(of: program) == .signalled(SIGTERM))
  }

  @Test func `a program that is not there is an error`() {
    #expect(throws: Errno(code: ENOENT, call: "posix_spawnp")) {
      try Subprocess(["checkoutd-no-such-program"], input: "")
    }
  }

  @Test func `a program that reads nothing does no harm`() throws {
    ProcessHardening.ignoreBrokenPipes()
    let program = try Subprocess(["true"], input: "told\n")
    #expect(Self.end(of: program) == .exited(0))
  }

  @Test func `a program gets no signal held back or ignored`() throws {
    ProcessHardening.ignoreBrokenPipes()
    let signals = try SignalDescriptor([SIGUSR1])
    let program = try Subprocess(["grep", "-E", "^Sig(Blk|Ign)", "/proc/self/status"], input: "")
    let masks = try Self.text(of: program.output).split(separator: "\n").map { line in
      UInt64(line.split(separator: "\t").last ?? "", radix: 16)
    }
    // One that nobody asks after would hide the ends of others from the tests of exits.
    #expect(Self.end(of: program) == .exited(0))
    #expect(masks.count == 2)
    #expect(masks.first == 0)
    #expect(masks.last.flatMap { $0 }.map { $0 >> (UInt64(SIGPIPE) - 1) & 1 } == 0)
    #expect(signals.next() == nil)
  }
}

@Suite struct SignalDescriptorTests {
  @Test func `a signal is read and does nothing else`() throws {
    let signals = try SignalDescriptor([SIGUSR2, SIGWINCH])
    #expect(signals.next() == nil)
    raise(SIGUSR2)
    raise(SIGWINCH)
    #expect(
      [signals.next(), signals.next()].compactMap { $0 }.sorted() == [SIGUSR2, SIGWINCH].sorted())
    #expect(signals.next() == nil)
  }

  @Test func `a number that is no signal's is an error`() {
    #expect(throws: Errno(code: EINVAL, call: "signalfd")) {
      _ = try SignalDescriptor([12_345])
    }
  }
}
