import Glibc
import JSON
package import JSONRPC
import LinuxSystem
package import ValueTree

/// A connection to the daemon for one thread, whose calls wait.
///
/// Calls and events may be mixed: what arrives while something else is waited for is kept, in its
/// order. After an error other than ``ClientError/remote(_:)`` and ``ClientError/timedOut`` the
/// connection is of no use.
package final class ClientConnection {
  private let socket: FileDescriptor
  private let reader = MessageReader()
  private let output = JSONOutput(capacity: 1024)
  private var inbox: [ClientMessage] = []
  private var unanswered: Set<RequestID> = []
  private var lastNumber: Int64 = 0
  /// Why nothing comes any more, once that is so.
  private var ending: ClientError?

  /// A descriptor that the caller writes to, such as its standard output.
  ///
  /// When nobody reads it any more, waiting ends with ``ClientError/outputClosed``: a caller that
  /// only writes when something happens would otherwise not notice until then.
  package var watchedOutput: Int32?

  /// Connects.
  ///
  /// - Parameter path: Where the daemon listens.
  /// - Throws: ``ClientError/cannotConnect(_:)`` or ``ClientError/failed(_:)``.
  package init(path: String = DefaultSocket.path) throws(ClientError) {
    do throws(UnixSocketError) {
      socket = try UnixSocket.connect(to: path)
    } catch { throw .cannotConnect(error) }
    do throws(Errno) {
      try FileDescriptor.setNonBlockingAndCloseOnExec(socket.rawValue)
    } catch { throw .failed(error) }
  }
}

// MARK: Calls

extension ClientConnection {
  /// Makes a call and waits for its result.
  ///
  /// - Parameters:
  ///   - method: The method's name.
  ///   - params: An array or an object, or nil.
  ///   - deadline: When to give up.
  /// - Returns: The result.
  /// - Throws: ``ClientError``; ``ClientError/remote(_:)`` if the answer is an error.
  package func call(
    _ method: String, _ params: Value? = nil, until deadline: Deadline = .never
  ) throws(ClientError) -> Value {
    let id = try send(method, params, until: deadline)
    return try reply(to: id, until: deadline)
  }

  /// Sends a call.
  ///
  /// - Parameters:
  ///   - method: The method's name.
  ///   - params: An array or an object, or nil.
  ///   - deadline: When to give up.
  /// - Returns: The call's id, made here.
  /// - Throws: ``ClientError``. After ``ClientError/timedOut`` half of the call may have been sent,
  ///   so that no other can follow.
  package func send(
    _ method: String, _ params: Value? = nil, until deadline: Deadline = .never
  ) throws(ClientError) -> RequestID {
    lastNumber += 1
    let id = RequestID.integer(lastNumber)
    output.removeAll()
    output.appendRequest(id: id, method: method, params: params)
    unanswered.insert(id)
    var sent = 0
    while sent < output.count {
      let result = unsafe output.withUnsafeBytes {
        unsafe socket.send(UnsafeRawBufferPointer(rebasing: $0[sent...]))
      }
      switch result {
      case .bytes(let count): sent += count
      case .wouldBlock:
        // The daemon may read nothing until it has been read from.
        if try waitFor(POLLIN | POLLOUT, until: deadline) & ~Int16(POLLOUT) != 0 { receive() }
      case .peerGone:
        // Why it has gone may be what it said at last.
        return try take(until: deadline) { _ -> RequestID? in nil }
      case .failed(let error): throw .failed(error)
      }
    }
    return id
  }

  /// Waits for the answer to a call.
  ///
  /// - Parameters:
  ///   - id: The call's id, from ``send(_:_:until:)``; each is answered once.
  ///   - deadline: When to give up.
  /// - Returns: The result.
  /// - Throws: ``ClientError``; ``ClientError/remote(_:)`` if the answer is an error.
  package func reply(
    to id: RequestID, until deadline: Deadline = .never
  ) throws(ClientError) -> Value {
    let result = try take(until: deadline) { message -> Result<Value, RPCError>? in
      guard case .reply(id, let result) = message else { return nil }
      return result
    }
    do throws(RPCError) { return try result.get() } catch { throw .remote(error) }
  }

  /// Waits for the next event.
  ///
  /// - Parameter deadline: When to give up.
  /// - Returns: The event that came first of those not yet taken.
  /// - Throws: ``ClientError``; ``ClientError/remote(_:)`` if the daemon ends the connection.
  package func nextEvent(until deadline: Deadline = .never) throws(ClientError) -> ClientEvent {
    try take(until: deadline) { message in
      guard case .event(let event) = message else { return nil }
      return event
    }
  }

  /// Says that no more calls follow: what was called is still answered, and events go on as long as
  /// there is a subscription; then the daemon closes the connection.
  ///
  /// - Throws: ``ClientError/failed(_:)``.
  package func finishSending() throws(ClientError) {
    guard shutdown(socket.rawValue, Int32(SHUT_WR)) != 0 else { return }
    // The daemon has gone already; what it said before that can still be read.
    guard errno != ENOTCONN else { return }
    throw .failed(Errno(code: errno, call: "shutdown"))
  }
}

// MARK: Waiting elsewhere

extension ClientConnection {
  /// The socket, for a caller who waits for other things as well: when there is something to read,
  /// ``arrivedMessage()`` takes it.
  package var descriptor: Int32 { socket.rawValue }

  /// Takes the next message of those that have come, without waiting.
  ///
  /// - Returns: The message; nil if none has come.
  /// - Throws: ``ClientError``; ``ClientError/remote(_:)`` if the daemon ends the connection.
  package func arrivedMessage() throws(ClientError) -> ClientMessage? {
    if inbox.isEmpty, ending == nil { receive() }
    guard let message = inbox.first else {
      if let ending { throw ending }
      return nil
    }
    inbox.removeFirst()
    if case .refusal(let error) = message { throw .remote(error) }
    return message
  }
}

// MARK: Lines

extension ClientConnection {
  /// Takes the first message that is wanted; the others wait for their turn.
  private func take<T>(
    until deadline: Deadline, _ wanted: (ClientMessage) -> T?
  ) throws(ClientError) -> T {
    var seen = 0
    while true {
      while seen < inbox.count {
        if let taken = wanted(inbox[seen]) {
          inbox.remove(at: seen)
          return taken
        }
        if case .refusal(let error) = inbox[seen] {
          inbox.remove(at: seen)
          throw .remote(error)
        }
        seen += 1
      }
      if let ending { throw ending }
      _ = try waitFor(POLLIN, until: deadline)
      receive()
    }
  }

  /// Waits for the socket, or for the end of the watched output.
  ///
  /// - Returns: What the socket is ready for, not zero.
  private func waitFor(_ events: Int32, until deadline: Deadline) throws(ClientError) -> Int16 {
    while true {
      var entries = [
        pollfd(fd: socket.rawValue, events: Int16(events), revents: 0),
        pollfd(fd: watchedOutput ?? -1, events: 0, revents: 0),
      ]
      let timeout = deadline.pollTimeout
      let count = unsafe poll(&entries, nfds_t(entries.count), timeout)
      if count < 0 {
        guard errno == EINTR else { throw .failed(Errno(code: errno, call: "poll")) }
      } else if entries[1].revents != 0 {
        throw .outputClosed
      } else if count > 0 {
        return entries[0].revents
      } else if timeout == 0 {
        throw .timedOut
      }
    }
  }

  /// Reads what there is, without waiting.
  private func receive() {
    ending = reader.receive(from: socket) { message in
      if case .reply(let id, _) = message, unanswered.remove(id) == nil {
        return .protocolViolation("a reply to a call that was not made")
      }
      inbox.append(message)
      return nil
    }
  }
}
