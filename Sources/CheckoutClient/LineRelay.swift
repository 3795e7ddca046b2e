import Glibc
import JSONRPC
import LinuxSystem

/// A connection to the daemon over which lines are handed on as they are.
package final class LineRelay {
  private let socket: FileDescriptor
  private var framer = LineFramer(maximumLineByteCount: 17 * 1024 * 1024)
  private var buffer = [UInt8](repeating: 0, count: 64 * 1024)
  private var unsent: ArraySlice<UInt8> = []
  private var isFinishing = false

  /// What a relay can do next.
  package struct Readiness: Sendable {
    /// Whether the input can be read.
    package let canReadInput: Bool
    /// Whether the daemon has said something, or takes something.
    package let canMove: Bool
  }

  /// Connects.
  ///
  /// - Parameter path: Where the daemon listens.
  /// - Throws: ``ClientError/cannotConnect(_:)`` or ``ClientError/failed(_:)``.
  package init(path: String) throws(ClientError) {
    do throws(UnixSocketError) {
      socket = try UnixSocket.connect(to: path)
    } catch { throw .cannotConnect(error) }
    do throws(Errno) {
      try FileDescriptor.setNonBlockingAndCloseOnExec(socket.rawValue)
    } catch { throw .failed(error) }
  }

  /// Whether everything has gone out that was to be sent.
  package var isSent: Bool { unsent.isEmpty }

  /// Takes a line to be sent.
  ///
  /// - Parameter line: The line, without its end.
  package func send(_ line: some Sequence<UInt8>) {
    unsent += line
    unsent.append(UInt8(ascii: "\n"))
  }

  /// Says that no more lines follow, once those before are sent.
  ///
  /// - Throws: ``ClientError/failed(_:)``.
  package func finishSending() throws(ClientError) {
    isFinishing = true
    try sendSome()
  }

  /// Waits until something can be done.
  ///
  /// - Parameters:
  ///   - input: A descriptor that is read as well; nil for none.
  ///   - output: The descriptor that is written to: when nobody reads it any more, waiting ends.
  ///   - deadline: When to give up.
  /// - Returns: What can be done.
  /// - Throws: ``ClientError/timedOut``, ``ClientError/outputClosed`` or ``ClientError/failed(_:)``.
  package func wait(
    input: Int32?, output: Int32, until deadline: Deadline
  ) throws(ClientError) -> Readiness {
    while true {
      let events = POLLIN | (unsent.isEmpty ? 0 : POLLOUT)
      var entries = [
        pollfd(fd: socket.rawValue, events: Int16(events), revents: 0),
        pollfd(fd: output, events: 0, revents: 0),
        pollfd(fd: input ?? -1, events: Int16(POLLIN), revents: 0),
      ]
      let timeout = deadline.pollTimeout
      let count = unsafe poll(&entries, nfds_t(entries.count), timeout)
      if count < 0 {
        guard errno == EINTR else { throw .failed(Errno(code: errno, call: "poll")) }
      } else if entries[1].revents != 0 {
        throw .outputClosed
      } else if count > 0 {
        return Readiness(
          canReadInput: entries[2].revents != 0, canMove: entries[0].revents != 0)
      } else if timeout == 0 {
        throw .timedOut
      }
    }
  }

  /// Sends and receives what can be, without waiting.
  ///
  /// - Parameter deliver: Gets each line of the daemon's, without its end.
  /// - Throws: ``ClientError/closed`` once the daemon has said everything, and others.
  package func move(_ deliver: ([UInt8]) -> Void) throws(ClientError) {
    try sendSome()
    let result = unsafe buffer.withUnsafeMutableBytes { unsafe socket.receive(into: $0) }
    switch result {
    case .bytes(let count): try takeIn(count, deliver)
    case .wouldBlock: break
    case .endOfInput, .peerGone: throw .closed
    case .failed(let error): throw .failed(error)
    }
  }

  private func sendSome() throws(ClientError) {
    while !unsent.isEmpty {
      switch unsafe unsent.withUnsafeBytes({ unsafe socket.send($0) }) {
      case .bytes(let count): unsent = unsent.dropFirst(count)
      // Why the daemon has gone may be what it said at last.
      case .wouldBlock, .peerGone: return
      case .failed(let error): throw .failed(error)
      }
    }
    unsent = []
    guard isFinishing else { return }
    isFinishing = false
    // If the daemon has gone already, what it said before that can still be read.
    guard shutdown(socket.rawValue, Int32(SHUT_WR)) == 0 || errno == ENOTCONN else {
      throw .failed(Errno(code: errno, call: "shutdown"))
    }
  }

  private func takeIn(
    _ count: Int, _ deliver: ([UInt8]) -> Void
  ) throws(ClientError) {
    var isBroken = false
    unsafe buffer.withUnsafeBytes { memory in
      unsafe framer.feed(UnsafeRawBufferPointer(rebasing: memory[..<count])) { event in
        guard case .line(let line) = event else {
          isBroken = true
          return false
        }
        unsafe deliver(Array(line))
        return true
      }
    }
    if isBroken { throw .protocolViolation("a line without end") }
  }
}
