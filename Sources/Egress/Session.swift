import Glibc
import LinuxSystem
import Systemd
import Upstream

/// One client's connection, from its first byte to its last, in a thread of its own.
struct Session {
  let book: RuleBook
  let notes: Notes

  /// How long a client has to say where to connect to, in microseconds.
  private static let handshakeSpan: UInt64 = 10_000_000
  /// How long it may take until a connection stands: less than the daemon's 15 s, so that it hears
  /// the reason.
  private static let connectSpan: UInt64 = 12_000_000

  /// Serves a client until the end.
  func run(_ client: consuming FileDescriptor) {
    guard let request = readRequest(from: client) else { return }
    let rules = book.rules()
    guard rules.permits(request.host, port: request.port) else {
      notes.refused(request.text, "not on the list of what may be called", level: .warning)
      return Self.send(SocksReply.notAllowed.bytes, to: client)
    }
    let dialer = Dialer(
      rules: rules, host: request.host, port: request.port, client: client.rawValue,
      deadline: Clock.bootMicroseconds() + Self.connectSpan)
    do throws(DialFailure) {
      let upstream = try dialer.connect()
      notes.connected(request.text)
      Self.send(SocksReply.succeeded.bytes, to: client)
      Relay().run(between: client, and: upstream)
    } catch {
      tell(error, of: request)
      Self.send(error.reply.bytes, to: client)
    }
  }

  private func tell(_ failure: DialFailure, of request: SocksRequest) {
    switch failure {
    case .notAllowed(let address):
      notes.refused(
        request.text,
        "it leads to \(address?.text ?? "no address"), which is not public and not on the list",
        level: .warning)
    case .noAddress(let reason): notes.refused(request.text, reason, level: .notice)
    case .failed(let error): notes.refused(request.text, error.description, level: .notice)
    case .abandoned: break
    }
  }

  /// Reads both messages of a client, and answers what is none.
  private func readRequest(from client: borrowing FileDescriptor) -> SocksRequest? {
    let deadline = Clock.bootMicroseconds() + Self.handshakeSpan
    var bytes: [UInt8] = []
    do throws(SocksError) {
      while case let missing = try SocksGreeting.missingCount(in: bytes), missing > 0 {
        guard Self.read(missing, into: &bytes, from: client, until: deadline) else { return nil }
      }
    } catch {
      if error == .noMethod { Self.send([Socks.version, Socks.noAcceptableMethod], to: client) }
      return nil
    }
    Self.send([Socks.version, Socks.noAuthentication], to: client)
    bytes = []
    do throws(SocksError) {
      while true {
        switch try SocksRequest.read(bytes) {
        case .whole(let request): return request
        case .needs(let missing):
          guard Self.read(missing, into: &bytes, from: client, until: deadline) else { return nil }
        }
      }
    } catch {
      Self.send(error.reply.bytes, to: client)
      return nil
    }
  }

  /// Reads at most that many bytes, at least one.
  ///
  /// - Returns: Whether some came: not if the client has ended, or the time is over.
  private static func read(
    _ count: Int, into bytes: inout [UInt8], from client: borrowing FileDescriptor,
    until deadline: UInt64
  ) -> Bool {
    var buffer = [UInt8](repeating: 0, count: count)
    while Clock.bootMicroseconds() < deadline {
      switch unsafe buffer.withUnsafeMutableBytes({ unsafe client.receive(into: $0) }) {
      case .bytes(let count):
        bytes += buffer.prefix(count)
        return true
      case .wouldBlock:
        var entries = [pollfd(fd: client.rawValue, events: Int16(POLLIN), revents: 0)]
        Poll.wait(&entries, until: deadline)
      case .endOfInput, .peerGone, .failed: return false
      }
    }
    return false
  }

  /// Sends one of the two messages that a client gets before the first byte from upstream.
  ///
  /// They find room in any socket; a client that does not listen any more misses them.
  private static func send(_ bytes: [UInt8], to client: borrowing FileDescriptor) {
    _ = unsafe bytes.withUnsafeBytes { unsafe client.send($0) }
  }
}

extension SocksError {
  /// What a client is told whose request it is.
  fileprivate var reply: SocksReply {
    switch self {
    case .malformed, .noMethod: .generalFailure
    case .command: .commandNotSupported
    case .addressType: .addressTypeNotSupported
    case .destination: .notAllowed
    }
  }
}
