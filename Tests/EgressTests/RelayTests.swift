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
    func run(_ relay: Relay, from state: SessionState = SessionState(stage: .relay)) -> UInt64 {
      let began = Clock.bootMicroseconds()
      let left = relay.run(
        between: FileDescriptor(owning: ends[1]), and: FileDescriptor(owning: ends[2]), from: state)
      #expect(left == nil)
      return (Clock.bootMicroseconds() - began) / 1000
    }

    /// Relays until it is told to stop, with what is there already; the ends stay open.
    func stop(_ relay: Relay, from state: SessionState) throws -> SessionState {
      let bell = try Pipe()
      var relay = relay
      relay.bell = bell.closeWriting().release()
      let client = FileDescriptor(owning: ends[1])
      let upstream = FileDescriptor(owning: ends[2])
      let left = relay.run(between: client, and: upstream, from: state)
      for number in [client.release(), upstream.release()] { #expect(number >= 0) }
      close(relay.bell)
      return try #require(left)
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

  @Test func `a client that says nothing is not waited for`() throws {
    let rig = try Rig()
    let span = rig.run(Relay(patienceAtFirst: 100_000))
    #expect(span >= 100)
  }

  @Test(arguments: [("GET / HTTP/1.1", false), ("\u{16}\u{3}\u{1}", true), ("CONNECT a:443", true)])
  func `only a relay that speaks TLS may last`(first: String, isTLS: Bool) throws {
    let rig = try Rig()
    rig.say(first, at: rig.client)
    let span = rig.run(Relay(patience: 400_000, spanWithoutTLS: 50_000))
    #expect(isTLS ? span >= 400 : span < 400)
    #expect(rig.text(at: rig.upstream) == first)
  }

  @Test func `told to stop it leaves what it holds, and the next goes on with that`() throws {
    let rig = try Rig()
    rig.say(" of the client", at: rig.client)
    rig.say(" of upstream", at: rig.upstream)
    for end in [rig.client, rig.upstream] { shutdown(end, Int32(SHUT_WR)) }
    let held = SessionState(
      stage: .relay, out: SessionState.Flow(held: Array("question".utf8)),
      back: SessionState.Flow(held: Array("answer".utf8)), isTLS: true)
    // It looks for that first, so that nothing is read any more.
    let left = try rig.stop(Relay(), from: held)
    #expect(left == held)
    let decoded = try #require(SessionState.decode(SessionState.encode([left])))
    #expect(rig.run(Relay(), from: decoded[0]) < 1000)
    #expect(rig.text(at: rig.upstream) == "question of the client")
    #expect(rig.text(at: rig.client) == "answer of upstream")
  }
}
