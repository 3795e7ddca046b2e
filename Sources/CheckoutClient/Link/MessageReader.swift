import JSON
import JSONRPC
import LinuxSystem

/// Cuts what the daemon sends into messages.
final class MessageReader {
  private var framer = LineFramer(maximumLineByteCount: maximumLineByteCount)
  private let reader = JSONReader(
    maximumByteCount: maximumLineByteCount, maximumDepth: maximumDepth)
  private var buffer = [UInt8](repeating: 0, count: chunk + PaddedBuffer.padding)

  private static let chunk = 64 * 1024
  /// Above what the daemon's options allow.
  private static let maximumLineByteCount = 17 * 1024 * 1024
  private static let maximumDepth = 1100

  /// Reads what there is, without waiting.
  ///
  /// - Parameters:
  ///   - socket: A connection that does not block.
  ///   - take: Gets each message, in order; what it returns ends the connection.
  /// - Returns: Why nothing comes any more, once that is so.
  func receive(
    from socket: borrowing FileDescriptor, _ take: (ClientMessage) -> ClientError?
  ) -> ClientError? {
    let result = unsafe buffer.withUnsafeMutableBytes { memory in
      unsafe socket.receive(into: UnsafeMutableRawBufferPointer(rebasing: memory[..<Self.chunk]))
    }
    switch result {
    case .bytes(let count): return feed(count, take)
    case .wouldBlock: return nil
    case .endOfInput, .peerGone: return .closed
    case .failed(let error): return .failed(error)
    }
  }

  /// Takes bytes that came some other way, ``chunk`` at most.
  func feed(_ bytes: [UInt8], _ take: (ClientMessage) -> ClientError?) -> ClientError? {
    buffer.replaceSubrange(..<bytes.count, with: bytes)
    return feed(bytes.count, take)
  }

  /// Takes the first bytes of the buffer.
  private func feed(_ count: Int, _ take: (ClientMessage) -> ClientError?) -> ClientError? {
    var ending: ClientError?
    unsafe buffer.withUnsafeBytes { memory in
      unsafe framer.feed(UnsafeRawBufferPointer(rebasing: memory[..<count])) { line in
        ending = accept(line, take)
        return ending == nil
      }
    }
    return ending
  }

  private func accept(
    _ event: LineEvent, _ take: (ClientMessage) -> ClientError?
  ) -> ClientError? {
    guard case .line(let line) = event else { return .protocolViolation("a line without end") }
    guard let view = try? unsafe reader.parse(padded: line), !reader.foundDuplicateMember else {
      return .protocolViolation("a line is not JSON")
    }
    guard let message = ClientMessage(view) else {
      return .protocolViolation("a line is neither a reply nor an event")
    }
    return take(message)
  }
}
