package import Glibc

/// What became of reading from a socket.
package enum ReceiveResult: Sendable, Equatable {
  /// That many bytes are in the buffer, at least one.
  case bytes(Int)

  /// Nothing is there now.
  case wouldBlock

  /// The peer has sent all that it will send.
  case endOfInput

  /// The connection was cut.
  case peerGone

  /// Something else failed.
  case failed(Errno)
}

/// What became of writing to a socket.
package enum SendResult: Sendable, Equatable {
  /// The kernel took that many bytes, which may be fewer than were offered.
  case bytes(Int)

  /// The kernel takes nothing now.
  case wouldBlock

  /// The peer reads no more.
  case peerGone

  /// Something else failed.
  case failed(Errno)

  /// Reads the answer of one of the send calls.
  fileprivate init(_ count: Int, _ call: StaticString) {
    guard count < 0 else {
      self = .bytes(count)
      return
    }
    switch errno {
    case EAGAIN: self = .wouldBlock
    case EPIPE, ECONNRESET: self = .peerGone
    case let code: self = .failed(Errno(code: code, call: call))
    }
  }
}

extension FileDescriptor {
  /// Reads what a connected socket holds.
  ///
  /// Whether it waits for the first byte is the descriptor's own mode. Descriptors that the peer
  /// sends along never reach this process: `recv` has no room for them, so the kernel drops them.
  ///
  /// - Parameter buffer: Where the bytes go; not empty, for an empty one looks like the end.
  /// - Returns: What happened.
  package borrowing func receive(into buffer: UnsafeMutableRawBufferPointer) -> ReceiveResult {
    while true {
      let count = unsafe recv(rawValue, buffer.baseAddress, buffer.count, 0)
      guard count < 0 else { return count > 0 ? .bytes(count) : .endOfInput }
      switch errno {
      case EINTR: continue
      case EAGAIN: return .wouldBlock
      case ECONNRESET: return .peerGone
      case let code: return .failed(Errno(code: code, call: "recv"))
      }
    }
  }

  /// Offers bytes to a connected socket; never waits and raises no SIGPIPE.
  ///
  /// - Parameter bytes: What to send; not empty.
  /// - Returns: What happened.
  package borrowing func send(_ bytes: UnsafeRawBufferPointer) -> SendResult {
    let flags = Int32(MSG_NOSIGNAL | MSG_DONTWAIT)
    while true {
      let count = unsafe Glibc.send(rawValue, bytes.baseAddress, bytes.count, flags)
      if count < 0 && errno == EINTR { continue }
      return SendResult(count, "send")
    }
  }

  /// Offers the bytes of several places as one; never waits and raises no SIGPIPE.
  ///
  /// - Parameter vector: What to send, at most 1024 entries (`IOV_MAX`), not all of them empty.
  /// - Returns: What happened.
  package borrowing func sendVector(_ vector: UnsafeBufferPointer<iovec>) -> SendResult {
    let flags = Int32(MSG_NOSIGNAL | MSG_DONTWAIT)
    var message = unsafe msghdr()
    unsafe message.msg_iov = UnsafeMutablePointer(mutating: vector.baseAddress)
    unsafe message.msg_iovlen = vector.count
    while true {
      let count = unsafe sendmsg(rawValue, &message, flags)
      if count < 0 && errno == EINTR { continue }
      return SendResult(count, "sendmsg")
    }
  }

  /// Sends all of the bytes over a socket that waits; for clients.
  ///
  /// - Parameter bytes: What to send.
  /// - Throws: ``Errno`` of `send`; `EPIPE` or `ECONNRESET` when the peer is gone. Part of the bytes
  ///   may have been sent.
  package borrowing func sendAll(_ bytes: Span<UInt8>) throws(Errno) {
    var sent = 0
    while sent < bytes.count {
      let count = unsafe bytes.withUnsafeBytes { buffer in
        unsafe Glibc.send(
          rawValue, buffer.baseAddress?.advanced(by: sent), buffer.count - sent,
          Int32(MSG_NOSIGNAL))
      }
      if count >= 0 {
        sent += count
      } else if errno != EINTR {
        throw Errno(code: errno, call: "send")
      }
    }
  }

  /// Waits until there is something to read, or the end; for clients.
  ///
  /// - Parameter timeoutMilliseconds: How long to wait at most; negative waits for ever.
  /// - Returns: Whether reading would not wait now; false when the time is over.
  /// - Throws: ``Errno`` of `poll`.
  package borrowing func waitForInput(timeoutMilliseconds: Int32) throws(Errno) -> Bool {
    let start = Clock.monotonicMicroseconds()
    var remaining = timeoutMilliseconds
    while true {
      var entry = pollfd(fd: rawValue, events: Int16(POLLIN), revents: 0)
      let count = unsafe poll(&entry, 1, remaining)
      if count >= 0 { return count > 0 }
      guard errno == EINTR else { throw Errno(code: errno, call: "poll") }
      guard timeoutMilliseconds >= 0 else { continue }
      let elapsed = (Clock.monotonicMicroseconds() - start) / 1000
      remaining = Int32(max(0, Int64(timeoutMilliseconds) - Int64(elapsed)))
    }
  }
}
