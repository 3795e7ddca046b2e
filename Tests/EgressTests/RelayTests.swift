import Glibc
import LinuxSystem
import Testing

@testable import Egress

@Suite(.timeLimit(.minutes(1))) struct RelayTests {
  /// Both ends of what a relay stands between.
  private struct Rig: ~Copyable {
    let ends: [Int32]

    init() throws {
      var ends: [Int32] = [-1, -1, -1, -1]
      let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
      for first in [0, 2] {
        var pair: [Int32] = [-1, -1]
        try #require(unsafe socketpair(AF_UNIX, type, 0, &pair) == 0)
        ends[first] = pair[0]
        ends[first + 1] = pair[1]
      }
      self.ends = ends
    }

    /// What the client, and what upstream has.
    var client: Int32 { ends[0] }
    var upstream: Int32 { ends[3] }

    /// Relays until that is over; tells how many milliseconds it took.
    func run(_ relay: Relay) -> UInt64 {
      let began = Clock.bootMicroseconds()
      relay.run(between: FileDescriptor(owning: ends[1]), and: FileDescriptor(owning: ends[2]))
      return (Clock.bootMicroseconds() - began) / 1000
    }

    func text(at end: Int32) -> String {
      var bytes = [UInt8](repeating: 0, count: 100)
      let count = unsafe recv(end, &bytes, bytes.count, 0)
      return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }

    func say(_ text: String, at end: Int32) {
      _ = unsafe Array(text.utf8).withUnsafeBytes { unsafe send(end, $0.baseAddress, $0.count, 0) }
    }

    deinit {
      close(ends[0])
      close(ends[3])
    }
  }

  @Test func `silence is ended`() throws {
    let rig = try Rig()
    rig.say("question", at: rig.client)
    let span = rig.run(Relay(patience: 100_000, patienceAfterEnd: 5_000_000))
    #expect((100..<3000).contains(span))
    #expect(rig.text(at: rig.upstream) == "question")
  }

  @Test func `silence is ended sooner when upstream has ended`() throws {
    let rig = try Rig()
    rig.say("answer", at: rig.upstream)
    shutdown(rig.upstream, Int32(SHUT_WR))
    let span = rig.run(Relay(patience: 5_000_000, patienceAfterEnd: 100_000))
    #expect((100..<3000).contains(span))
    #expect(rig.text(at: rig.client) == "answer")
  }

  @Test func `who has ended and waits for the answer has the longer patience`() throws {
    let rig = try Rig()
    shutdown(rig.client, Int32(SHUT_WR))
    let span = rig.run(Relay(patience: 300_000, patienceAfterEnd: 10_000))
    #expect((300..<3000).contains(span))
  }

  @Test func `both that have ended end it at once`() throws {
    let rig = try Rig()
    for (end, text) in [(rig.client, "question"), (rig.upstream, "answer")] {
      rig.say(text, at: end)
      shutdown(end, Int32(SHUT_WR))
    }
    #expect(rig.run(Relay()) < 1000)
    #expect(rig.text(at: rig.upstream) == "question" && rig.text(at: rig.client) == "answer")
  }
}
