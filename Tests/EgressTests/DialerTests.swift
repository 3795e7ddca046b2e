import Glibc
import LinuxSystem
import Testing
import Upstream

@testable import Egress

@Suite(.timeLimit(.minutes(1))) struct DialerTests {
  /// A listener on an address of this machine's.
  private final class Server {
    let port: UInt16
    private let socket: FileDescriptor

    init(_ address: String, port: UInt16 = 0, backlog: Int32 = 16) throws {
      let number = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
      socket = FileDescriptor(owning: number)
      var place = sockaddr_in()
      place.sin_family = sa_family_t(AF_INET)
      place.sin_port = port.bigEndian
      _ = unsafe inet_pton(AF_INET, address, &place.sin_addr)
      var length = socklen_t(MemoryLayout<sockaddr_in>.size)
      let isBound = unsafe withUnsafeMutablePointer(to: &place) { pointer in
        unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { place in
          unsafe bind(number, place, length) == 0 && listen(number, backlog) == 0
            && getsockname(number, place, &length) == 0
        }
      }
      self.port = isBound ? UInt16(bigEndian: place.sin_port) : 0
    }
  }

  private static func address(_ text: String) throws -> NetworkAddress {
    try #require(NetworkAddress(text: text))
  }

  private struct Outcome {
    var peer: String?
    var failure: DialFailure?
    var milliseconds: UInt64
  }

  /// Races to some addresses.
  private func race(
    _ texts: [String], port: UInt16, patience: UInt64 = 5_000_000, client: Int32? = nil
  ) throws -> Outcome {
    let link = try Pipe()
    let began = Clock.bootMicroseconds()
    let dialer = Dialer(
      rules: Rules(policy: try UpstreamPolicy()), host: .name("x.example"), port: port,
      client: client ?? link.reading.rawValue, deadline: began + patience)
    var outcome = Outcome(milliseconds: 0)
    do throws(DialFailure) {
      let addresses = texts.compactMap(NetworkAddress.init(text:))
      let connection = try dialer.race(addresses[...])
      outcome.peer = Self.peer(of: connection)
    } catch { outcome.failure = error }
    outcome.milliseconds = (Clock.bootMicroseconds() - began) / 1000
    return outcome
  }

  private static func peer(of connection: borrowing FileDescriptor) -> String? {
    var place = sockaddr_in()
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    return unsafe withUnsafeMutablePointer(to: &place) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { place in
        guard unsafe getpeername(connection.rawValue, place, &length) == 0 else { return nil }
        return unsafe NetworkAddress.endpoint(of: place)?.address.text
      }
    }
  }

  /// Fills the queue of a listener that has none, so that whoever comes next waits.
  private func fill(_ address: String, port: UInt16) throws -> [Int32] {
    let place = try Self.address(address)
    return try (0..<4).map { _ in try TCPSocket.begin(to: place, port: port).release() }
  }

  @Test func `the first address that answers is taken`() throws {
    let server = try Server("127.0.0.2")
    #expect(try race(["127.0.0.2", "127.0.0.3"], port: server.port).peer == "127.0.0.2")
  }

  @Test func `one that refuses is followed by the next at once`() throws {
    let server = try Server("127.0.0.2")
    let outcome = try race(["127.0.0.4", "127.0.0.3", "127.0.0.2"], port: server.port)
    #expect(outcome.peer == "127.0.0.2" && outcome.milliseconds < 200)
  }

  @Test func `one that does not answer is given a head start, and no more`() throws {
    let silent = try Server("127.0.0.3", backlog: 0)
    let server = try Server("127.0.0.2", port: silent.port)
    let waiting = try fill("127.0.0.3", port: silent.port)
    defer { for number in waiting { _ = close(number) } }
    let outcome = try race(["127.0.0.3", "127.0.0.2"], port: server.port)
    #expect(outcome.peer == "127.0.0.2" && (240..<2000).contains(outcome.milliseconds))
  }

  @Test func `none that answers in time is a time-out`() throws {
    let silent = try Server("127.0.0.3", backlog: 0)
    let waiting = try fill("127.0.0.3", port: silent.port)
    defer { for number in waiting { _ = close(number) } }
    let outcome = try race(["127.0.0.3"], port: silent.port, patience: 300_000)
    #expect(outcome.failure?.reply == .hostUnreachable && outcome.milliseconds >= 300)
  }

  @Test func `all that refuse are a refusal`() throws {
    let port = try Server("127.0.0.2").port
    #expect(try race(["127.0.0.2", "127.0.0.3"], port: port).failure?.reply == .connectionRefused)
  }

  @Test func `a client that has gone is not waited for`() throws {
    let silent = try Server("127.0.0.3", backlog: 0)
    let waiting = try fill("127.0.0.3", port: silent.port)
    defer { for number in waiting { _ = close(number) } }
    var ends: [Int32] = [-1, -1]
    try #require(unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
    let client = FileDescriptor(owning: ends[0])
    _ = close(ends[1])
    let outcome = try race(["127.0.0.3"], port: silent.port, client: client.rawValue)
    #expect(outcome.failure == .abandoned && outcome.milliseconds < 1000)
  }

  @Test(
    arguments: [
      (ECONNREFUSED, .connectionRefused), (ENETUNREACH, .networkUnreachable),
      (EAFNOSUPPORT, .networkUnreachable), (EHOSTUNREACH, .hostUnreachable),
      (ETIMEDOUT, .hostUnreachable), (EPERM, .notAllowed), (EMFILE, .generalFailure),
    ] as [(Int32, SocksReply)])
  func `a failure is told as SOCKS has it`(code: Int32, reply: SocksReply) {
    #expect(DialFailure.failed(Errno(code: code, call: "connect")).reply == reply)
  }
}
