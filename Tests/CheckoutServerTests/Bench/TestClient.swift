import Glibc
import JSON
import LinuxSystem
import ValueTree

/// The other end of a connection: sends lines and reads what came.
final class TestClient {
  private let descriptor: FileDescriptor
  private let reader = JSONReader(maximumByteCount: 16 * 1024 * 1024)
  private var buffer = [UInt8](repeating: 0, count: 65_536)
  private var unread: [UInt8] = []
  /// Whether the server has closed the connection.
  private(set) var hasEnded = false

  /// Makes a connection.
  ///
  /// - Returns: The client, and the server's end.
  static func make() throws -> (client: TestClient, server: Int32) {
    var ends: [Int32] = [-1, -1]
    let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
    guard unsafe socketpair(AF_UNIX, type, 0, &ends) == 0 else {
      throw Errno(code: errno, call: "socketpair")
    }
    return (TestClient(FileDescriptor(owning: ends[0])), ends[1])
  }

  private init(_ descriptor: consuming FileDescriptor) { self.descriptor = descriptor }

  /// Sends a text as it is.
  func send(_ text: String) {
    var text = text
    text.withUTF8 { bytes in _ = unsafe descriptor.send(UnsafeRawBufferPointer(bytes)) }
  }

  /// Goes, as far as the server can tell.
  func close() { _ = shutdown(descriptor.rawValue, Int32(SHUT_RDWR)) }

  /// Says that nothing more will come.
  func halfClose() { _ = shutdown(descriptor.rawValue, Int32(SHUT_WR)) }

  /// Reads every whole line that is there.
  func readLines() throws -> [Value] { try readTexts().map { try reader.value(of: $0) } }

  /// Reads every whole line that is there, as it is.
  func readTexts() -> [[UInt8]] {
    while true {
      let result = unsafe buffer.withUnsafeMutableBytes { unsafe descriptor.receive(into: $0) }
      guard case .bytes(let count) = result else {
        if case .wouldBlock = result { break }
        hasEnded = true
        break
      }
      unread += buffer[..<count]
    }
    var lines: [[UInt8]] = []
    while let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
      lines.append(Array(unread[..<end]))
      unread.removeFirst(end + 1)
    }
    return lines
  }
}
