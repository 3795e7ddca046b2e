import JSON
import JSONRPC

/// What all connections of a server read into, and what runs the lines.
@safe  // the memory is made here and lives as long as this
final class Inbound {
  /// The methods, run line by line.
  let dispatcher: Dispatcher<Connection>

  private let memory: UnsafeMutableRawBufferPointer

  private static let readByteCount = 65_536

  init(_ limits: Limits) {
    dispatcher = Dispatcher(
      Handlers.table(), maximumLineByteCount: limits.line, maximumDepth: limits.nesting,
      maximumBatchCount: limits.answerableBatch)
    unsafe memory = .allocate(
      byteCount: Self.readByteCount + PaddedBuffer.padding, alignment: 64)
  }

  deinit { unsafe memory.deallocate() }

  /// Takes other limits into force, for the lines to come.
  func setLimits(_ limits: Limits) {
    dispatcher.setLimits(
      maximumLineByteCount: limits.line, maximumDepth: limits.nesting,
      maximumBatchCount: limits.answerableBatch)
  }

  /// Where one read goes.
  var buffer: UnsafeMutableRawBufferPointer {
    unsafe UnsafeMutableRawBufferPointer(rebasing: memory[..<Self.readByteCount])
  }

  /// What was read, followed by the padding that a parser asks for.
  func read(_ byteCount: Int) -> UnsafeRawBufferPointer {
    unsafe UnsafeRawBufferPointer(rebasing: memory[..<byteCount])
  }
}
