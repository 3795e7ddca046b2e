import Glibc
import LinuxSystem
import Systemd

/// A server on the loop under test that takes requests and leaves the answers to the test: there
/// is no second thread, so nothing has to be waited for.
final class TestServer {
  /// One connection; a request is answered on the one it came by.
  final class Connection {
    private(set) var fd: Int32
    fileprivate var source: IOSource?
    fileprivate var received: [UInt8] = []

    fileprivate init(_ fd: Int32) { self.fd = fd }

    /// Sends text as it is.
    func send(_ text: String) {
      var bytes = Array(text.utf8)[...]
      while !bytes.isEmpty {
        let count = unsafe bytes.withUnsafeBytes { bytes in
          unsafe Glibc.send(fd, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
        }
        guard count > 0 else { return }
        bytes = bytes.dropFirst(count)
      }
    }

    /// Sends a whole answer and keeps the connection.
    func answer(_ status: Int = 200, _ body: String = "{}", headers: String = "") {
      send("HTTP/1.1 \(status) X\r\nContent-Length: \(body.utf8.count)\r\n\(headers)\r\n\(body)")
    }

    /// Closes the connection.
    func close() {
      guard fd >= 0 else { return }
      source?.cancel()
      source = nil
      _ = Glibc.close(fd)
      fd = -1
    }

    /// Breaks the connection with a reset.
    func reset() {
      var option = linger(l_onoff: 1, l_linger: 0)
      _ = unsafe setsockopt(
        fd, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
      close()
    }
  }

  /// A request that has come in whole.
  struct Request {
    let line: String
    let headers: [String]
    let body: String
    let connection: Connection
  }

  /// Called for each request.
  var onRequest: ((Request) -> Void)?
  /// Called, if set, for what comes in, which then is not read as HTTP.
  var onRawBytes: ((Connection) -> Void)?
  /// Where it listens.
  private(set) var port: UInt16 = 0
  /// How many connections were made.
  private(set) var connectionCount = 0
  /// Every request there was.
  private(set) var requests: [Request] = []

  private let loop: EventLoop
  private var listener: FileDescriptor?
  private var source: IOSource?
  private var connections: [Connection] = []

  init(on loop: EventLoop) throws {
    self.loop = loop
    let fd = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    listener = FileDescriptor(owning: fd)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    unsafe withUnsafeMutablePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        _ = unsafe bind(fd, address, length)
        _ = listen(fd, 128)
        _ = unsafe getsockname(fd, address, &length)
      }
    }
    port = UInt16(bigEndian: address.sin_port)
    source = try loop.addIO(fd, .readable) { [unowned self] _ in accept() }
  }

  deinit {
    source?.cancel()
    for connection in connections { connection.close() }
  }

  /// Closes the port.
  func stopListening() {
    source?.cancel()
    listener = nil
  }

  private func accept() {
    guard let fd = listener?.rawValue else { return }
    let connection = Connection(Glibc.accept(fd, nil, nil))
    connectionCount += 1
    connections.append(connection)
    connection.source = try? loop.addIO(connection.fd, .readable) { [unowned self] _ in
      receive(connection)
    }
  }

  private func receive(_ connection: Connection) {
    var buffer = [UInt8](repeating: 0, count: 65536)
    let count = unsafe recv(connection.fd, &buffer, buffer.count, 0)
    guard count > 0 else { return connection.close() }
    if let onRawBytes { return onRawBytes(connection) }
    connection.received += buffer.prefix(count)
    let text = String(decoding: connection.received, as: UTF8.self)
    guard let end = text.firstRange(of: "\r\n\r\n") else { return }
    let lines = text[..<end.lowerBound].split(separator: "\r\n").map(String.init)
    let prefix = "Content-Length: "
    let length = lines.first { $0.hasPrefix(prefix) }.flatMap { Int($0.dropFirst(prefix.count)) }
    let body = String(text[end.upperBound...])
    guard body.utf8.count >= length ?? 0 else { return }
    connection.received = []
    let request = Request(
      line: lines[0], headers: Array(lines.dropFirst()), body: body, connection: connection)
    requests.append(request)
    onRequest?(request)
  }
}
