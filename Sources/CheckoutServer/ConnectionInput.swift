import JSONRPC
import LinuxSystem
import ValueTree

/// What one connection has sent: the lines that are not whole, and those that wait their turn.
final class ConnectionInput {
  private let inbound: Inbound
  private let session: Session
  private let lineLimit: Int
  private var framer: LineFramer
  /// Whether lines were left because enough is under way.
  private var isStopped = false
  /// Whether the peer has closed its half: nothing more will come.
  private var hasEnded = false

  /// What came of a read.
  enum Received {
    case something
    case nothing
    case end
    case gone
  }

  /// Makes the input of a connection; the limits are those of when the client comes.
  init(_ inbound: Inbound, for session: Session, _ limits: Limits) {
    self.inbound = inbound
    self.session = session
    lineLimit = limits.line
    framer = LineFramer(maximumLineByteCount: limits.line)
  }

  /// Whether something is to be read.
  var isWanted: Bool { !hasEnded && !isStopped }

  /// Whether lines wait that have come.
  var isWaiting: Bool { isStopped }

  /// Whether nothing more will come.
  var isOver: Bool { hasEnded && !isStopped }

  /// What is held of it.
  var heldByteCount: Int { framer.heldByteCount }

  /// Reads once, and runs the calls that came.
  func receive(from descriptor: borrowing FileDescriptor) -> Received {
    session.output.beginShare()
    let result = unsafe inbound.receive(from: descriptor) { bytes in
      unsafe framer.feed(bytes) { take($0) }
    }
    switch result {
    case .bytes: break
    case .endOfInput:
      hasEnded = true
      framer.finish { take($0) }
    case .wouldBlock: return .nothing
    case .peerGone, .failed: return .gone
    }
    isStopped = framer.isStopped
    return hasEnded ? .end : .something
  }

  /// Goes on with what was left because enough was under way.
  func resume() {
    guard isStopped, session.output.hasRoom else { return }
    session.output.beginShare()
    // What was left of a batch may have taken all the room there was.
    guard inbound.resume(session), session.output.mayGoOn() else { return }
    framer.resume { take($0) }
    isStopped = framer.isStopped
  }

  /// Lets go of what nobody will read.
  func drop() {
    guard framer.heldByteCount > 0 else { return }
    framer = LineFramer(maximumLineByteCount: lineLimit)
    isStopped = false
  }

  /// Refuses what is left of a batch that was stopped.
  func abandonBatch(with error: RPCError) { inbound.abandon(session, with: error) }

  /// Runs a line.
  ///
  /// A handler must not touch the framer: it is lent while it delivers.
  ///
  /// - Returns: Whether to go on with the next.
  private func take(_ event: LineEvent) -> Bool {
    let output = session.output
    switch event {
    case .line(let line):
      if unsafe isHTTP(line) {
        output.closeSaying(RPCError(.closing, [.init("reason", "http")]))
        return false
      }
      guard unsafe inbound.dispatch(line, for: session) else { return false }
    case .tooLong: output.report(.lineTooLarge(limit: lineLimit))
    case .flood:
      output.closeSaying(RPCError(.closing, [.init("reason", "line-flood")]))
      return false
    }
    return output.mayGoOn()
  }

  /// A browser, or something else that speaks HTTP, must not be able to make calls from a body.
  private func isHTTP(_ line: UnsafeRawBufferPointer) -> Bool {
    guard line.count >= 14, let first = unsafe line.first, first >= 0x41, first <= 0x5A else {
      return false
    }
    let text = unsafe String(decoding: line.prefix(4096), as: UTF8.self)
    return text.split(separator: " ").last?.hasPrefix("HTTP/1.") == true
  }

  // MARK: Restarts

  /// Writes down what the next run of the daemon has to know.
  func write(to state: inout ConnectionState) { state.input = framer.held }

  /// Goes on where the last run of the daemon has left it; what was held is delivered upon
  /// ``resume()``.
  func resume(_ state: ConnectionState) {
    framer = LineFramer(continuing: state.input, maximumLineByteCount: lineLimit)
    isStopped = true
  }
}
