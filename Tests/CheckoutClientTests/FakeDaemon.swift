import CheckoutClient
import Glibc
import LinuxSystem
import Testing

/// A listener in a directory of its own, and the one connection made to it.
///
/// A test writes the daemon's lines before the client reads them, so that one thread is enough.
final class FakeDaemon {
  private let directory: String
  private let listener: FileDescriptor
  private var peer: FileDescriptor?

  var path: String { "\(directory)/socket" }

  init() throws {
    var template = Array("/tmp/checkoutd-test-XXXXXX".utf8CString)
    guard unsafe mkdtemp(&template) != nil else { throw Errno(code: errno, call: "mkdtemp") }
    directory = String(decoding: template.dropLast().map(UInt8.init), as: UTF8.self)
    listener = try UnixSocket.listen(at: "\(directory)/socket")
  }

  /// Takes the connection that the client has made.
  func accept() throws {
    guard case .accepted(let peer) = UnixSocket.acceptConnection(on: listener) else {
      throw Errno(code: EAGAIN, call: "accept")
    }
    self.peer = consume peer
  }

  deinit {
    _ = unsafe unlink("\(directory)/socket")
    _ = unsafe rmdir(directory)
  }

  /// Sends a text as it is.
  func say(_ text: String) {
    var text = text
    let result = text.withUTF8 { bytes in
      unsafe peer?.send(UnsafeRawBufferPointer(bytes))
    }
    #expect(result == .bytes(text.utf8.count))
  }

  /// What the client has sent; empty at the end.
  func heard() -> String {
    var bytes = [UInt8](repeating: 0, count: 4096)
    let result = unsafe bytes.withUnsafeMutableBytes { unsafe peer?.receive(into: $0) }
    guard case .bytes(let count)? = result else { return "" }
    return String(decoding: bytes[..<count], as: UTF8.self)
  }

  func hangUp() { peer = nil }
}
