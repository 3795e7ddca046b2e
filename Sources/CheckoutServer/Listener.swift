import Glibc
import JSONRPC
package import LinuxSystem
import Systemd

/// A listening socket.
package final class Listener {
  private let descriptor: FileDescriptor
  private let entrance: Entrance
  private let isForAdministrators: Bool
  private let pause: () -> Void
  /// Where it was bound by this process; `nil` if it was passed in.
  private let path: String?
  private var source: IOSource?
  /// Held back for the day when no other is left: a client can then still be told so.
  private var reserve: FileDescriptor?
  /// Whether clients could not be taken in when that was tried last; said once.
  private var hasFailed = false

  /// Begins to accept.
  ///
  /// The path is where the socket was bound by this process, and nil if it was passed in. What is for
  /// administrators nobody else can connect to. When clients
  /// cannot be taken in, `pause` has ``goOn()`` called after a while.
  init(
    _ descriptor: consuming FileDescriptor, path: String?, isForAdministrators: Bool,
    on loop: EventLoop, _ entrance: Entrance, _ pause: @escaping () -> Void
  ) throws(Errno) {
    let number = descriptor.rawValue
    self.descriptor = descriptor
    self.path = path
    self.isForAdministrators = isForAdministrators
    self.entrance = entrance
    self.pause = pause
    reserve = Self.openReserve()
    source = try loop.addIO(number, .readable) { [weak self] _ in self?.accept() }
  }

  /// Takes in clients, at most so many in one turn.
  private func accept() {
    for _ in 0..<64 {
      switch UnixSocket.acceptConnection(on: descriptor) {
      case .accepted(let client):
        hasFailed = false
        if reserve == nil { reserve = Self.openReserve() }
        entrance.admit(client, isByAdministratorsDoor: isForAdministrators)
      case .wouldBlock: return
      case .peerGone: continue
      case .outOfDescriptors:
        switch refuseOne() {
        case .refused: continue
        case .nobodyWaits: return
        case .noReserve: return fail("out of descriptors")
        }
      case .outOfMemory: return fail("out of memory")
      case .failed(let error): return fail(error.description)
      }
    }
  }

  private static func openReserve() -> FileDescriptor? {
    let number = unsafe open("/dev/null", O_RDONLY | O_CLOEXEC)
    return number < 0 ? nil : FileDescriptor(owning: number)
  }

  private enum Refusal { case refused, nobodyWaits, noReserve }

  /// Gives the descriptor held back to one client, to be told that there are no more.
  ///
  /// Left waiting, it would wake the loop again and again.
  private func refuseOne() -> Refusal {
    if reserve == nil { reserve = Self.openReserve() }
    guard reserve.take() != nil else { return .noReserve }
    defer { reserve = Self.openReserve() }
    switch UnixSocket.acceptConnection(on: descriptor) {
    case .accepted(let client):
      entrance.refuseForDescriptors(client)
      return .refused
    case .wouldBlock: return .nobodyWaits
    default: return .noReserve
    }
  }

  /// Gives up for a while: a client that cannot be taken in would wake the loop again and again.
  private func fail(_ reason: String) {
    if !hasFailed {
      hasFailed = true
      entrance.noteFailure(reason)
    }
    watch([])
    pause()
  }

  /// Looks for clients again.
  func goOn() { watch(.readable) }

  private func watch(_ events: EpollEvents) {
    do throws(Errno) {
      try source?.setEvents(events)
    } catch {
      entrance.noteFailure(error)
    }
  }

  /// Whether the service manager has it too: clients that come when this process is gone wait.
  var isShared: Bool { path == nil }

  /// Stops accepting.
  ///
  /// Only the copy here is closed: the service manager keeps its own, and clients
  /// that connect from now on wait for the next instance.
  func stop() {
    source?.cancel()
    source = nil
    if let path { unsafe unlink(path) }
  }

  /// Tells who has waited longest at a socket that nobody will serve them.
  ///
  /// For a daemon that cannot start: left waiting, they would have the service manager start it again
  /// and again, until it gives the socket up.
  ///
  /// - Parameter listener: A socket that listens and does not block; it stays the caller's.
  package static func refuseNext(at listener: borrowing FileDescriptor) {
    if case .accepted(let client) = UnixSocket.acceptConnection(on: listener) {
      Entrance.tell(client, RPCError(.shuttingDown))
    }
  }
}
