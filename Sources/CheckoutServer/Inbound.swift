import JSON
import JSONRPC
import LinuxSystem

/// What all connections of a server read into, and what runs their lines.
@safe  // the memory is made here and lives as long as this
final class Inbound {
  /// Where one read goes, and the padding that a parser asks for.
  private let memory: UnsafeMutableRawBufferPointer
  private let dispatcher: Dispatcher<Session>

  private static let readByteCount = 65_536

  init(_ methods: MethodTable<Session>, _ limits: Limits) {
    dispatcher = Dispatcher(
      methods, maximumLineByteCount: limits.line, maximumDepth: limits.nesting,
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

  /// What was counted so far.
  var counters: RPCCounters { dispatcher.counters }

  /// Reads once.
  ///
  /// - Parameters:
  ///   - descriptor: Where from.
  ///   - body: Gets what was read, with the padding behind it.
  /// - Returns: What came of it.
  func receive(
    from descriptor: borrowing FileDescriptor, _ body: (UnsafeRawBufferPointer) -> Void
  ) -> ReceiveResult {
    let result = unsafe descriptor.receive(
      into: UnsafeMutableRawBufferPointer(rebasing: memory[..<Self.readByteCount]))
    if case .bytes(let count) = result {
      unsafe body(UnsafeRawBufferPointer(rebasing: memory[..<count]))
    }
    return result
  }

  /// Runs a line.
  ///
  /// - Returns: Whether all of it has begun; if not, what is left of a batch waits for ``resume(_:)``.
  func dispatch(_ line: UnsafeRawBufferPointer, for session: Session) -> Bool {
    unsafe dispatcher.dispatch(line, from: session.output, in: session)
  }

  /// Goes on with a batch that was stopped, if there is one.
  ///
  /// - Returns: Whether all of it has begun.
  func resume(_ session: Session) -> Bool { dispatcher.resume(session.output, in: session) }

  /// Refuses what is left of a batch that was stopped.
  func abandon(_ session: Session, with error: RPCError) {
    dispatcher.abandon(session.output, with: error)
  }
}
