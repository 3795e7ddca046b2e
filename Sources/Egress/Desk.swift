import Glibc
import LinuxSystem
import Synchronization

/// A client's connection that is not being served: its state, and its descriptors.
struct LeftSession: Sendable, Equatable {
  var state: SessionState
  let client: Int32
  /// What is upstream, in a relay.
  var upstream: Int32?
}

/// Where threads leave their clients when they are told to stop, for the next run.
///
/// A thread that asks for a name cannot be interrupted: it lends its client for so long, which is then
/// taken without it.
final class Desk: Sendable {
  private struct State {
    var isClosed = false
    var left: [LeftSession] = []
    var lent: [Int32: LeftSession] = [:]
  }

  private let state = Mutex(State())
  /// Becomes readable, for good, when threads are to stop.
  private let bell: Pipe

  /// Makes a desk.
  ///
  /// - Throws: ``Errno`` of `pipe2`.
  init() throws(Errno) { bell = try Pipe() }

  /// What to wait for beside everything else: it becomes readable when threads are to stop.
  var rawValue: Int32 { bell.reading.rawValue }

  /// Leaves a client, and its descriptors, to the next run.
  func leave(_ session: LeftSession) { state.withLock { $0.left.append(session) } }

  /// Lends a client, to be taken when threads are to stop.
  ///
  /// - Returns: Whether it was lent: not if they are to stop already.
  func lend(_ session: LeftSession) -> Bool {
    state.withLock { state in
      guard !state.isClosed else { return false }
      state.lent[session.client] = session
      return true
    }
  }

  /// Takes a client back.
  ///
  /// - Returns: Whether it is still the caller's.
  func takeBack(_ client: Int32) -> Bool {
    state.withLock { state in
      guard !state.isClosed else { return false }
      state.lent[client] = nil
      return true
    }
  }

  /// Tells threads to stop, and takes what was lent.
  ///
  /// - Returns: How many threads will not notice.
  func close() -> Int {
    let count = state.withLock { state in
      state.isClosed = true
      state.left += state.lent.values
      return state.lent.count
    }
    var sound: UInt8 = 0
    _ = unsafe write(bell.writing.rawValue, &sound, 1)
    return count
  }

  /// The clients that were left.
  var left: [LeftSession] { state.withLock { $0.left } }
}
