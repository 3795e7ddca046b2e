import Glibc
import LinuxSystem
import Systemd
import Upstream

/// One client's connection, from its first byte to its last, in a thread of its own.
struct Session {
  let book: RuleBook
  let notes: Notes
  let desk: Desk

  /// How long a client has to say where to connect to, in microseconds.
  private static let handshakeSpan: UInt64 = 10_000_000
  /// How long it may take until a connection stands: less than the daemon's 15 s, so that it hears
  /// the reason.
  private static let connectSpan: UInt64 = 12_000_000

  /// Why a client is not served any further.
  private enum Interruption: Error {
    /// It is over.
    case over
    /// The thread is to stop.
    case stopped
    /// The thread was to stop, and the client is somebody else's.
    case taken
  }

  /// Serves a client until the end, or leaves it to the next run.
  func run(_ session: LeftSession) {
    let client = FileDescriptor(owning: session.client)
    if let upstream = session.upstream {
      return relay(client, FileDescriptor(owning: upstream), session.state)
    }
    var state = session.state
    do throws(Interruption) {
      let request = try readRequest(from: client, &state)
      let upstream = try connect(client, as: request, state)
      relay(client, upstream, SessionState(stage: .relay))
    } catch {
      switch error {
      case .over: break
      case .stopped: desk.leave(LeftSession(state: state, client: client.release()))
      case .taken: _ = client.release()
      }
    }
  }

  private func relay(
    _ client: consuming FileDescriptor, _ upstream: consuming FileDescriptor,
    _ state: SessionState
  ) {
    let relay = Relay(bell: desk.rawValue)
    guard let left = relay.run(between: client, and: upstream, from: state) else { return }
    desk.leave(
      LeftSession(state: left, client: client.release(), upstream: upstream.release()))
  }

  /// Connects to where a client has asked for, and tells it so.
  private func connect(
    _ client: borrowing FileDescriptor, as request: SocksRequest, _ state: SessionState
  ) throws(Interruption) -> FileDescriptor {
    let rules = book.rules()
    guard rules.permits(request.host, port: request.port) else {
      notes.refused(request.text, "not on the list of what may be called", level: .warning)
      Self.send(SocksReply.notAllowed.bytes, to: client)
      throw .over
    }
    let dialer = Dialer(
      rules: rules, host: request.host, port: request.port, client: client.rawValue,
      deadline: Clock.bootMicroseconds() + Self.connectSpan,
      lending: (desk, LeftSession(state: state, client: client.rawValue)))
    do throws(DialFailure) {
      let upstream = try dialer.connect()
      notes.connected(request.text)
      Self.send(SocksReply.succeeded.bytes, to: client)
      return upstream
    } catch {
      if error == .stopped { throw .stopped }
      if error == .taken { throw .taken }
      tell(error, of: request)
      Self.send(error.reply.bytes, to: client)
      throw .over
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
    case .abandoned, .stopped, .taken: break
    }
  }

  /// Reads both messages of a client, and answers what is none; the state notes what has come.
  private func readRequest(
    from client: borrowing FileDescriptor, _ state: inout SessionState
  ) throws(Interruption) -> SocksRequest {
    let deadline = Clock.bootMicroseconds() + Self.handshakeSpan
    while true {
      switch state.progress {
      case .needs(let count): try read(count, into: &state.message, from: client, until: deadline)
      case .chosen:
        Self.send([Socks.version, Socks.noAuthentication], to: client)
        state = SessionState(stage: .request)
      case .whole(let request): return request
      case .refused(let reply):
        if !reply.isEmpty { Self.send(reply, to: client) }
        throw .over
      }
    }
  }

  /// Reads at most that many bytes, at least one.
  private func read(
    _ count: Int, into bytes: inout [UInt8], from client: borrowing FileDescriptor,
    until deadline: UInt64
  ) throws(Interruption) {
    var buffer = [UInt8](repeating: 0, count: count)
    while Clock.bootMicroseconds() < deadline {
      switch unsafe buffer.withUnsafeMutableBytes({ unsafe client.receive(into: $0) }) {
      case .bytes(let count):
        bytes += buffer.prefix(count)
        return
      case .wouldBlock:
        var entries = [client.rawValue, desk.rawValue].map {
          pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
        }
        Poll.wait(&entries, until: deadline)
        if entries[1].revents != 0 { throw .stopped }
      case .endOfInput, .peerGone, .failed: throw .over
      }
    }
    throw .over
  }

  /// Sends one of the two messages that a client gets before the first byte from upstream.
  ///
  /// They find room in any socket; a client that does not listen any more misses them.
  private static func send(_ bytes: [UInt8], to client: borrowing FileDescriptor) {
    _ = unsafe bytes.withUnsafeBytes { unsafe client.send($0) }
  }
}
