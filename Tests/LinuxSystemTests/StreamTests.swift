import Glibc
import LinuxSystem
import Testing

@Suite struct StreamTests {
  @Test func `an empty socket would block and a closed one is at its end`() throws {
    let far: FileDescriptor
    do {
      let pair = try SocketPair()
      #expect(pair.near.receiveText().result == .wouldBlock)
      far = FileDescriptor(owning: dup(pair.far.rawValue))
    }
    #expect(far.receiveText().result == .endOfInput)
    #expect(far.sendText("x") == .peerGone)
  }

  @Test func `a connection cut with bytes unread is a peer that is gone`() throws {
    let far: FileDescriptor
    do {
      let pair = try SocketPair()
      far = FileDescriptor(owning: dup(pair.far.rawValue))
      #expect(far.sendText("unread") == .bytes(6))
    }
    #expect(far.receiveText().result == .peerGone)
  }

  @Test func `a full socket takes what fits and then would block`() throws {
    let pair = try SocketPair()
    let chunk = [UInt8](repeating: 1, count: 1 << 16)
    var results: [SendResult] = []
    while results.last != .wouldBlock && results.count < 1000 {
      results.append(unsafe chunk.withUnsafeBytes { unsafe pair.near.send($0) })
    }
    #expect(results.count > 1 && results.last == .wouldBlock)
    #expect(results.dropLast().allSatisfy { if case .bytes = $0 { true } else { false } })
  }

  @Test func `the parts of a vector arrive as one`() throws {
    let pair = try SocketPair()
    var bytes = [UInt8]("one,two;three".utf8)
    let result = unsafe bytes.withUnsafeMutableBytes { buffer in
      let base = buffer.baseAddress
      let vector = unsafe [
        iovec(iov_base: base, iov_len: 3), iovec(iov_base: base?.advanced(by: 8), iov_len: 5),
      ]
      return unsafe vector.withUnsafeBufferPointer { unsafe pair.near.sendVector($0) }
    }
    #expect(result == .bytes(8))
    #expect(pair.far.receiveText().text == "onethree")
  }

  @Test func `descriptors sent along are dropped and the bytes arrive`() throws {
    let pair = try SocketPair()
    let pipe = try Pipe()
    #expect(pair.near.send("bytes", with: pipe.writing.rawValue) == 5)
    let reader = pipe.closeWriting()
    try FileDescriptor.setNonBlockingAndCloseOnExec(reader.rawValue)
    // As long as somebody holds the writing end the pipe is not at its end.
    #expect(reader.readState() == .open)
    let received = pair.far.receiveText()
    #expect(received.result == .bytes(5))
    #expect(received.text == "bytes")
    #expect(reader.readState() == .ended)
  }

  @Test func `waiting for input ends with its time`() throws {
    let pair = try SocketPair()
    #expect(try !pair.near.waitForInput(timeoutMilliseconds: 1))
    #expect(pair.far.sendText("x") == .bytes(1))
    #expect(try pair.near.waitForInput(timeoutMilliseconds: -1))
  }

  @Test func `an error names its call and its reason and equals its code`() {
    let error = Errno(code: EADDRINUSE, call: "bind")
    #expect(error.description == "bind: Address already in use")
    #expect(error == Errno(code: EADDRINUSE, call: "listen"))
    #expect(Errno(code: 4095, call: "bind").description == "bind: Unknown error")
  }

  @Test func `a released descriptor stays open and a closed one does not`() throws {
    let pair = try SocketPair()
    let number = FileDescriptor(owning: dup(pair.near.rawValue)).release()
    #expect(fcntl(number, F_GETFD) >= 0)
    try FileDescriptor(owning: number).close()
  }
}

private enum PipeState { case open, ended, other }

extension FileDescriptor {
  fileprivate func readState() -> PipeState {
    var byte: UInt8 = 0
    let count = unsafe read(rawValue, &byte, 1)
    if count == 0 { return .ended }
    return count < 0 && errno == EAGAIN ? .open : .other
  }

  /// Sends text and a descriptor with it (`SCM_RIGHTS`).
  fileprivate func send(_ text: String, with descriptor: Int32) -> Int {
    var bytes = [UInt8](text.utf8)
    // struct cmsghdr on a 64-bit machine: length, level, type; then the descriptor.
    var control: [UInt64] = [
      20, UInt64(SOL_SOCKET) | UInt64(SCM_RIGHTS) << 32, UInt64(descriptor),
    ]
    return unsafe bytes.withUnsafeMutableBytes { bytes in
      unsafe control.withUnsafeMutableBytes { control in
        var part = unsafe iovec(iov_base: bytes.baseAddress, iov_len: bytes.count)
        return unsafe withUnsafeMutablePointer(to: &part) { part in
          var message = unsafe msghdr()
          unsafe message.msg_iov = unsafe part
          unsafe message.msg_iovlen = 1
          unsafe message.msg_control = control.baseAddress
          unsafe message.msg_controllen = 24
          return unsafe sendmsg(rawValue, &message, 0)
        }
      }
    }
  }
}
