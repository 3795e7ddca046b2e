import Glibc
package import LinuxSystem
import Synchronization
package import Systemd

/// Accepts clients and serves each in a thread, until it is told to stop or has nothing to do.
package final class EgressServer {
  /// Why a server has come to its end.
  package enum Ending: Sendable, Equatable {
    /// A signal told it to; its number.
    case stopped(Int32)
    /// Nobody has been there for a while.
    case idle
  }

  private let listener: FileDescriptor
  private let isShared: Bool
  private let log: Log
  private let desk: Desk
  private let session: Session
  private let shares = Shares()
  /// Gets a byte whenever a client has been served.
  private let served: Pipe
  /// How many clients are being served.
  private var liveCount = 0
  /// Until when nobody is accepted, after that has failed.
  private var pausedUntil: UInt64 = 0
  private var hasFailed = false

  /// How many clients are served at once; further ones wait in the socket.
  ///
  /// The daemon has at most 64 requests under way, and keeps 16 connections: less than a user's share.
  private static let connectionLimit = 128
  private static let never = UInt64.max / 2
  /// How long threads have to leave their clients: none of them waits for anything.
  private static let stopSpan: UInt64 = 2_000_000

  /// Makes a server.
  ///
  /// - Parameters:
  ///   - listener: Where clients come; does not block.
  ///   - isShared: Whether it is the service manager's, which starts the program again for the next
  ///     client.
  ///   - book: Who may be called.
  ///   - log: Where it is told why connections were not made.
  /// - Throws: ``Errno`` of `pipe2`.
  package init(
    listener: consuming FileDescriptor, isShared: Bool, book: RuleBook, log: Log
  ) throws(Errno) {
    served = try Pipe()
    self.listener = listener
    self.isShared = isShared
    self.log = log
    desk = try Desk()
    session = Session(book: book, notes: Notes(log), desk: desk)
  }

  /// Goes on with the clients that an earlier run has left.
  ///
  /// - Returns: How many there are.
  package func takeOver(_ left: LeftDescriptors) -> Int {
    var numbers = left.numbers[...]
    let sessions = SessionState.decode(left.description).flatMap { states in
      Self.sessions(states, &numbers)
    }
    for session in sessions ?? [] { serve(session) }
    for number in numbers { FileDescriptor(owning: number).shutDown() }
    return sessions?.count ?? 0
  }

  /// Gives each state its descriptors.
  ///
  /// - Returns: Nothing if there are too many or too few of them.
  private static func sessions(
    _ states: [SessionState], _ numbers: inout ArraySlice<Int32>
  ) -> [LeftSession]? {
    let count = states.reduce(0) { $0 + ($1.stage == .relay ? 2 : 1) }
    guard count == numbers.count else { return nil }
    return states.compactMap { state in
      guard let client = numbers.popFirst() else { return nil }
      let upstream = state.stage == .relay ? numbers.popFirst() : nil
      return LeftSession(state: state, client: client, upstream: upstream)
    }
  }

  /// Leaves all clients to the next run, if the service manager keeps them.
  ///
  /// - Returns: Whether they were left, or there are none.
  package func leave(to service: ServiceManager) -> Bool {
    guard liveCount > 0 else { return true }
    guard service.storeCapacity >= 2 else { return false }
    let lentCount = desk.close()
    let end = Clock.bootMicroseconds() + Self.stopSpan
    while liveCount > lentCount, Clock.bootMicroseconds() < end {
      var entries = [pollfd(fd: served.reading.rawValue, events: Int16(POLLIN), revents: 0)]
      Poll.wait(&entries, until: end)
      if entries[0].revents != 0 { liveCount -= noticeCount() }
    }
    let left = desk.left
    guard !left.isEmpty else { return true }
    let numbers = left.flatMap { [$0.client] + ($0.upstream.map { [$0] } ?? []) }
    let isLeft = service.leave(numbers, describedBy: SessionState.encode(left.map(\.state)))
    if !isLeft { log.error("cannot leave \(left.count) connections to the next run") }
    return isLeft
  }

  /// Waits until all clients have ended; nobody is accepted any more.
  ///
  /// - Parameters:
  ///   - signals: Those that end it at once.
  ///   - seconds: How long it waits at most.
  package func wait(until signals: borrowing SignalDescriptor, seconds: UInt64) {
    let end = Clock.bootMicroseconds() + seconds * 1_000_000
    while liveCount > 0, Clock.bootMicroseconds() < end {
      var entries = [signals.rawValue, served.reading.rawValue].map {
        pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
      }
      Poll.wait(&entries, until: end)
      if entries[0].revents != 0, signals.next() != nil { return }
      if entries[1].revents != 0 { liveCount -= noticeCount() }
    }
  }

  /// Serves; whoever is being served when it returns must be left to the end of the process.
  ///
  /// Who connects after it has decided to end waits in the service manager's socket, which starts the
  /// program again: no client is lost in between.
  ///
  /// - Parameters:
  ///   - signals: Those that end it.
  ///   - idleSeconds: After how long without a client it ends; 0 for never.
  /// - Returns: Why it has ended.
  package func run(until signals: borrowing SignalDescriptor, idleSeconds: UInt64) -> Ending {
    let idleSpan = isShared && idleSeconds > 0 ? idleSeconds * 1_000_000 : Self.never
    var idleSince = Clock.bootMicroseconds()
    while true {
      let idleAt = liveCount == 0 ? idleSince + idleSpan : Self.never
      let isPaused = Clock.bootMicroseconds() < pausedUntil
      let accepts = liveCount < Self.connectionLimit && !isPaused
      var entries = [
        pollfd(fd: signals.rawValue, events: Int16(POLLIN), revents: 0),
        pollfd(fd: served.reading.rawValue, events: Int16(POLLIN), revents: 0),
        pollfd(fd: accepts ? listener.rawValue : -1, events: Int16(POLLIN), revents: 0),
      ]
      Poll.wait(&entries, until: isPaused ? pausedUntil : idleAt)
      if entries[0].revents != 0, let signal = signals.next() { return .stopped(signal) }
      if entries[1].revents != 0 {
        liveCount -= noticeCount()
        idleSince = Clock.bootMicroseconds()
      }
      if entries[2].revents != 0 { accept() }
      if entries.allSatisfy({ $0.revents == 0 }), Clock.bootMicroseconds() >= idleAt {
        return .idle
      }
    }
  }

  /// How many more threads have ended.
  private func noticeCount() -> Int {
    var bytes = [UInt8](repeating: 0, count: 256)
    return max(0, unsafe read(served.reading.rawValue, &bytes, bytes.count))
  }

  private func accept() {
    switch UnixSocket.acceptConnection(on: listener) {
    case .accepted(let client): admit(client)
    case .wouldBlock: break
    case .peerGone: break
    case .outOfDescriptors: pause("out of descriptors")
    case .outOfMemory: pause("out of memory")
    case .failed(let error): pause(error.description)
    }
  }

  private func admit(_ client: consuming FileDescriptor) {
    guard let user = try? PeerCredentials(of: client).userID, shares.has(user) else { return }
    serve(LeftSession(state: SessionState(), client: client.release()))
  }

  /// Serves a client in a thread.
  private func serve(_ left: LeftSession) {
    let (session, shares, served) = (session, shares, served.writing.rawValue)
    let client = FileDescriptor(owning: left.client)
    let user = (try? PeerCredentials(of: client).userID) ?? 0
    _ = client.release()
    shares.take(user)
    do throws(Errno) {
      try Thread.start {
        session.run(left)
        shares.giveBack(user)
        var notice: UInt8 = 0
        _ = unsafe write(served, &notice, 1)
      }
      liveCount += 1
      hasFailed = false
    } catch {
      shares.giveBack(user)
      for number in [left.client, left.upstream].compactMap(\.self) {
        _ = FileDescriptor(owning: number)
      }
      pause(error.description)
    }
  }

  /// Gives up for a while: a client that cannot be taken in would wake the loop again and again.
  private func pause(_ reason: String) {
    if !hasFailed { log.warning("cannot accept connections: \(reason)") }
    hasFailed = true
    pausedUntil = Clock.bootMicroseconds() + 200_000
  }
}

/// How many clients each user has.
private final class Shares: Sendable {
  private let counts = Mutex<[UInt32: Int]>([:])

  /// How many of the clients may be one user's, so that another still finds room.
  private static let limit = 96

  /// Whether a user may have one more.
  func has(_ user: UInt32) -> Bool { counts.withLock { $0[user, default: 0] < Self.limit } }

  /// Notes one more client.
  func take(_ user: UInt32) { counts.withLock { $0[user, default: 0] += 1 } }

  /// Notes one client less.
  func giveBack(_ user: UInt32) {
    counts.withLock { counts in
      let count = counts[user, default: 0] - 1
      counts[user] = count == 0 ? nil : count
    }
  }
}

/// A thread that nobody waits for.
private enum Thread {
  /// Enough for the C library's look-up of names.
  private static let stackSize = 256 * 1024

  private final class Work {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }

  /// Starts one.
  ///
  /// - Throws: ``Errno`` of `pthread_create`.
  static func start(_ body: @escaping @Sendable () -> Void) throws(Errno) {
    var attributes = pthread_attr_t()
    var thread = pthread_t()
    _ = unsafe pthread_attr_init(&attributes)
    defer { _ = unsafe pthread_attr_destroy(&attributes) }
    _ = unsafe pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    _ = unsafe pthread_attr_setstacksize(&attributes, stackSize)
    let work = unsafe Unmanaged.passRetained(Work(body))
    let code = unsafe pthread_create(
      &thread, &attributes,
      { context in
        guard let context = unsafe context else { return nil }
        unsafe Unmanaged<Work>.fromOpaque(context).takeRetainedValue().body()
        return nil
      }, work.toOpaque())
    guard code == 0 else {
      unsafe work.release()
      throw Errno(code: code, call: "pthread_create")
    }
  }
}
