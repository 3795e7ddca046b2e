import Glibc
import LinuxSystem
import Testing

@Suite struct UnixSocketTests {
  let directory: TemporaryDirectory
  var path: String { directory.file("socket") }

  init() throws { directory = try TemporaryDirectory() }

  @Test func `a client that connects is accepted and both sides talk`() throws {
    let listener = try UnixSocket.listen(at: path)
    let client = try UnixSocket.connect(to: path)
    guard case .accepted(let server) = UnixSocket.acceptConnection(on: listener) else {
      Issue.record("nobody was accepted")
      return
    }
    try client.sendAll([UInt8]("hello".utf8).span)
    #expect(try server.waitForInput(timeoutMilliseconds: 5000))
    #expect(server.receiveText().text == "hello")
    #expect(server.sendText("world") == .bytes(5))
    #expect(client.receiveText().text == "world")
  }

  @Test func `a listener has nobody when nobody connects`() throws {
    let listener = try UnixSocket.listen(at: path)
    switch UnixSocket.acceptConnection(on: listener) {
    case .wouldBlock: break
    default: Issue.record("somebody was accepted")
    }
  }

  @Test func `what a listener accepts does not block and is closed by exec`() throws {
    let listener = try UnixSocket.listen(at: path)
    let client = try UnixSocket.connect(to: path)
    guard case .accepted(let server) = UnixSocket.acceptConnection(on: listener) else {
      Issue.record("nobody was accepted")
      return
    }
    for number in [listener.rawValue, server.rawValue] {
      #expect(fcntl(number, F_GETFL) & O_NONBLOCK != 0)
      #expect(fcntl(number, F_GETFD) & FD_CLOEXEC != 0)
    }
    #expect(fcntl(client.rawValue, F_GETFL) & O_NONBLOCK == 0)
    #expect(fcntl(client.rawValue, F_GETFD) & FD_CLOEXEC != 0)
  }

  @Test func `the socket file has mode 0660`() throws {
    let listener = try UnixSocket.listen(at: path)
    #expect(mode(at: path) == S_IFSOCK | 0o660)
    _ = consume listener
  }

  @Test func `a socket that nobody listens on is replaced`() throws {
    do { _ = try UnixSocket.listen(at: path) }
    #expect(mode(at: path) & S_IFMT == S_IFSOCK)
    let listener = try UnixSocket.listen(at: path)
    _ = try UnixSocket.connect(to: path)
    _ = consume listener
  }

  @Test func `a socket that somebody listens on is left alone`() throws {
    let first = try UnixSocket.listen(at: path)
    #expect(throws: UnixSocketError.addressInUse(path)) {
      _ = try UnixSocket.listen(at: path)
    }
    _ = try UnixSocket.connect(to: path)
    _ = consume first
  }

  @Test func `a file that is not a socket is never removed`() throws {
    let number = unsafe creat(path, 0o600)
    try FileDescriptor(owning: number).close()
    #expect(throws: UnixSocketError.notASocket(path)) { _ = try UnixSocket.listen(at: path) }
    #expect(mode(at: path) & S_IFMT == S_IFREG)
  }

  @Test func `a link to a dead socket is not followed and not removed`() throws {
    let target = directory.file("target")
    do { _ = try UnixSocket.listen(at: target) }
    #expect(unsafe symlink(target, path) == 0)
    #expect(throws: UnixSocketError.notASocket(path)) { _ = try UnixSocket.listen(at: path) }
    #expect(mode(at: path) & S_IFMT == S_IFLNK)
  }

  @Test func `a path of 107 bytes fits and one of 108 does not`() throws {
    let fill = String(repeating: "x", count: 107 - directory.path.utf8.count - 1)
    let longest = directory.file(fill)
    _ = try UnixSocket.listen(at: longest)
    let tooLong = UnixSocketError.pathTooLong(longest + "x", limit: 107)
    #expect(throws: tooLong) { _ = try UnixSocket.listen(at: longest + "x") }
    #expect(throws: tooLong) { _ = try UnixSocket.connect(to: longest + "x") }
    #expect(tooLong.description.contains("at most 107 bytes, this one has 108"))
  }

  @Test func `an empty path is no place for a socket`() {
    let missing = UnixSocketError.failed(Errno(code: ENOENT, call: "bind"), path: "")
    #expect(throws: missing) { _ = try UnixSocket.listen(at: "") }
  }

  @Test func `the directory around a socket is made with mode 0755 when asked for`() throws {
    let inner = directory.file("run/socket")
    let missing = UnixSocketError.failed(Errno(code: ENOENT, call: "bind"), path: inner)
    #expect(throws: missing) { _ = try UnixSocket.listen(at: inner) }
    _ = try UnixSocket.listen(at: inner, createsParent: true)
    #expect(mode(at: directory.file("run")) == S_IFDIR | 0o755)
  }

  @Test func `a directory that exists keeps its mode`() throws {
    #expect(unsafe mkdir(directory.file("run"), 0o700) == 0)
    _ = try UnixSocket.listen(at: directory.file("run/socket"), createsParent: true)
    #expect(mode(at: directory.file("run")) == S_IFDIR | 0o700)
  }

  @Test func `connecting says whether there is no socket or nobody listens`() throws {
    #expect(connectFailure() == Errno.noEntry)
    do { _ = try UnixSocket.listen(at: path) }
    #expect(connectFailure() == Errno.connectionRefused)
  }

  private func connectFailure() -> Int32? {
    do throws(UnixSocketError) {
      _ = try UnixSocket.connect(to: path)
      return nil
    } catch {
      guard case .failed(let reason, _) = error else { return nil }
      return reason.code
    }
  }
}
