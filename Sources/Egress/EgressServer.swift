import Glibc
package import LinuxSystem
package import Systemd

/// Accepts clients and serves each in a thread, until it is told to stop or has nothing to do.
package final class EgressServer {
  /// Why a server has come to its end.
  package enum Ending: Sendable, Equatable {
    /// A signal told it to.
    case stopped
    /// Nobody has been there for a while.
    case idle
  }

  private let listener: FileDescriptor
  private let isShared: Bool
  private let log: Log
  private let session: Session
  /// Gets a byte whenever a client has been served.
  private let served: Pipe
  /// How many clients are being served.
  private var liveCount = 0
  /// Until when nobody is accepted, after that has failed.
  private var pausedUntil: UInt64 = 0
  private var hasFailed = false

  /// How many clients are served at once; further ones wait in the socket.
  ///
  /// The daemon has at most 64 requests under way, and keeps 16 connections.
  private static let connectionLimit = 128
  private static let never = UInt64.max / 2

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
    session = Session(book: book, notes: Notes(log))
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
      if entries[0].revents != 0, signals.next() != nil { return .stopped }
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

  /// How many more have been served.
  private func noticeCount() -> Int {
    var bytes = [UInt8](repeating: 0, count: Self.connectionLimit)
    return max(0, unsafe read(served.reading.rawValue, &bytes, bytes.count))
  }

  private func accept() {
    switch UnixSocket.acceptConnection(on: listener) {
    case .accepted(let client): serve(client)
    case .wouldBlock: break
    case .peerGone: break
    case .outOfDescriptors: pause("out of descriptors")
    case .outOfMemory: pause("out of memory")
    case .failed(let error): pause(error.description)
    }
  }

  private func serve(_ client: consuming FileDescriptor) {
    let (session, served) = (session, served.writing.rawValue)
    let number = client.release()
    do throws(Errno) {
      try Thread.start {
        session.run(FileDescriptor(owning: number))
        var notice: UInt8 = 0
        _ = unsafe write(served, &notice, 1)
      }
      liveCount += 1
      hasFailed = false
    } catch {
      _ = FileDescriptor(owning: number)
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
