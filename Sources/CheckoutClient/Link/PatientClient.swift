import Glibc
import LinuxSystem
package import ValueTree

/// Calls and events over a connection to the daemon that comes back by itself, for one thread.
///
/// Nothing here waits but ``wait(until:watching:)``. When the daemon is away, as while it is
/// restarted, it is sought again: a call that has no answer is made once more, and events go on after
/// the last that arrived. A daemon that has never answered is not sought twice.
package final class PatientClient {
  /// What has come.
  package enum News {
    /// The answer to the call of that number.
    case answer(Int64, Result<Value, ClientError>)
    /// A follower has something to tell.
    case told(String, Told)
    /// A follower ends; with an error if there was more to come.
    case ended(String, ClientError?)
  }

  private let path: String
  private var exchange: Exchange
  private var connection: Connection?

  private final class Connection {
    let socket: FileDescriptor
    let reader = MessageReader()
    var pending: ArraySlice<UInt8> = []

    init(path: String) throws(ClientError) {
      do throws(UnixSocketError) {
        socket = try UnixSocket.connect(to: path)
      } catch { throw .cannotConnect(error) }
      do throws(Errno) {
        try FileDescriptor.setNonBlockingAndCloseOnExec(socket.rawValue)
      } catch { throw .failed(error) }
    }
  }

  /// Makes a client, which connects when it has something to ask.
  ///
  /// - Parameters:
  ///   - path: Where the daemon listens.
  ///   - patience: How long a daemon that was there may be away, in milliseconds.
  ///   - isKnown: Whether it was there, as somebody else has found.
  package init(path: String, patience: Int64, isKnown: Bool = false) {
    self.path = path
    exchange = Exchange(patience: patience, isKnown: isKnown)
  }

  // MARK: What is wanted

  /// Makes a call.
  ///
  /// - Parameters:
  ///   - method: The method's name.
  ///   - params: An array or an object, or nil.
  ///   - repeats: Whether it is made again when its answer was lost.
  /// - Returns: The number that the answer comes with.
  package func call(_ method: String, _ params: Value? = nil, _ repeats: Repeats) -> Int64 {
    exchange.add(method, params, repeats)
  }

  /// Follows a checkout after an event, in place of whoever followed it before; the follower is called by
  /// the checkout's id.
  package func follow(_ checkoutID: String, after seq: Int64) {
    exchange.add(Following(checkoutID, after: .init(seq: seq)), as: checkoutID)
  }

  /// Follows many checkouts from now on; the follower has no name.
  ///
  /// - Parameters:
  ///   - reach: Whose, as `events.subscribe` takes it.
  ///   - client: What the daemon is to call this client.
  package func followAll(_ reach: [Value.Member], client: String) {
    exchange.add(FollowingAll(reach: reach, client: client), as: "")
  }

  /// Lets go of a follower.
  package func leave(_ follower: String) { exchange.remove(follower) }

  // MARK: What comes

  /// Whether the daemon has gone away, and is sought.
  package var isSeeking: Bool { exchange.isSeeking }

  /// The socket to wait for; negative while there is none.
  package var descriptor: Int32 { connection?.socket.rawValue ?? -1 }

  /// What to wait for at the socket, as `poll` takes it.
  package var pollEvents: Int16 {
    Int16(POLLIN | (connection?.pending.isEmpty == false ? POLLOUT : 0))
  }

  /// In how many milliseconds to go on though there is nothing at the socket; −1 for never.
  package var pollTimeout: Int32 {
    guard let next = exchange.nextRetry else { return -1 }
    let now = Clock.monotonicMicroseconds()
    return next > now ? Int32(clamping: (next - now + 999) / 1000) : 0
  }

  /// Connects before there is something to ask.
  ///
  /// - Throws: Why nobody can be reached.
  package func connect() throws(ClientError) {
    connection = try Connection(path: path)
    exchange.connect()
  }

  /// Connects, sends and receives what can be, without waiting.
  ///
  /// - Returns: What has come of it, in order.
  package func goOn() -> [News] {
    let now = Clock.monotonicMicroseconds()
    do throws(ClientError) {
      if exchange.wantsConnection(at: now) { try connect() }
      exchange.repeatHeld(at: now)
      try send()
      try receive(now)
      try send()
    } catch {
      connection = nil
      exchange.disconnect(error, at: Clock.monotonicMicroseconds())
    }
    return exchange.takeNews()
  }

  private func send() throws(ClientError) {
    guard let connection else { return }
    connection.pending += exchange.takeOutput()
    while !connection.pending.isEmpty {
      switch unsafe connection.pending.withUnsafeBytes({ unsafe connection.socket.send($0) }) {
      case .bytes(let count): connection.pending = connection.pending.dropFirst(count)
      case .wouldBlock: return
      // Why it has gone may be what it said at last, so that reading must find the end.
      case .peerGone: connection.pending = []
      case .failed(let error): throw .failed(error)
      }
    }
    connection.pending = []
  }

  private func receive(_ now: UInt64) throws(ClientError) {
    guard let connection else { return }
    let ending = connection.reader.receive(from: connection.socket) { exchange.take($0, at: now) }
    if let ending { throw ending }
  }

  /// Waits until there may be news.
  ///
  /// - Parameters:
  ///   - deadline: When to give up.
  ///   - output: A descriptor that the caller writes to: when nobody reads it any more, waiting ends,
  ///     which a caller that only writes when something happens would not notice until then.
  /// - Throws: ``ClientError/timedOut``, ``ClientError/outputClosed`` or ``ClientError/failed(_:)``.
  package func wait(until deadline: Deadline, watching output: Int32) throws(ClientError) {
    var entries = [
      pollfd(fd: descriptor, events: pollEvents, revents: 0),
      pollfd(fd: output, events: 0, revents: 0),
    ]
    let (left, own) = (deadline.pollTimeout, pollTimeout)
    let timeout = own < 0 || (left >= 0 && left < own) ? left : own
    let count = unsafe poll(&entries, nfds_t(entries.count), timeout)
    guard count >= 0 || errno == EINTR else { throw .failed(Errno(code: errno, call: "poll")) }
    if count > 0, entries[1].revents != 0 { throw .outputClosed }
    if count == 0, deadline.pollTimeout == 0 { throw .timedOut }
  }
}
