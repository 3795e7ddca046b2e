import Glibc
import JSON
import JSONRPC
package import LinuxSystem
import Systemd
import ValueTree

/// A listening socket.
package final class Listener {
  private let descriptor: FileDescriptor
  /// Held back for the day when no other is left: a client can then still be told so.
  private var reserve: FileDescriptor?
  private let source: IOSource
  /// Whether clients could not be taken in when that was tried last; said once.
  private var hasFailed = false
  /// Where it was bound by this process; `nil` if it was passed in.
  private let path: String?

  init(
    _ descriptor: consuming FileDescriptor, path: String?, of server: Server
  ) throws(Errno) {
    let number = descriptor.rawValue
    self.descriptor = descriptor
    self.path = path
    reserve = Self.openReserve()
    weak var me: Listener?
    source = try server.loop.addIO(number, .readable) { [unowned server] _ in
      me?.accept(for: server)
    }
    me = self
  }

  /// Takes in clients, at most so many in one turn.
  private func accept(for server: Server) {
    for _ in 0..<64 {
      switch UnixSocket.acceptConnection(on: descriptor) {
      case .accepted(let client):
        hasFailed = false
        if reserve == nil { reserve = Self.openReserve() }
        admit(client, to: server)
      case .wouldBlock: return
      case .peerGone: continue
      case .outOfDescriptors:
        switch refuseOne(server) {
        case .refused: continue
        case .nobodyWaits: return
        case .noReserve: return fail("out of descriptors", server)
        }
      case .outOfMemory: return fail("out of memory", server)
      case .failed(let error): return fail(error.description, server)
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
  private func refuseOne(_ server: Server) -> Refusal {
    if reserve == nil { reserve = Self.openReserve() }
    guard reserve.take() != nil else { return .noReserve }
    defer { reserve = Self.openReserve() }
    switch UnixSocket.acceptConnection(on: descriptor) {
    case .accepted(let client):
      server.counters.countRefusal("descriptors")
      let limit = server.connections.count
      Self.refuse(client, .quotaExceeded("descriptors", limit, used: limit))
      return .refused
    case .wouldBlock: return .nobodyWaits
    default: return .noReserve
    }
  }

  /// Gives up for a while: a client that cannot be taken in would wake the loop again and again.
  private func fail(_ reason: String, _ server: Server) {
    if !hasFailed {
      hasFailed = true
      server.counters.countRefusal("accept")
      server.log.warning("cannot accept connections: \(reason)", id: MessageID.accepting)
    }
    watch([], server)
    server.timers.set(.accept, at: Clock.bootMicroseconds() + 200_000)
  }

  /// Looks for clients again.
  func goOn(_ server: Server) { watch(.readable, server) }

  private func watch(_ events: EpollEvents, _ server: Server) {
    do throws(Errno) {
      try source.setEvents(events)
    } catch {
      server.log.error("cannot watch a listener: \(error)", id: MessageID.accepting)
    }
  }

  private func admit(_ client: consuming FileDescriptor, to server: Server) {
    let credentials: PeerCredentials
    do throws(Errno) {
      credentials = try PeerCredentials(of: client)
    } catch {
      server.log.error("cannot learn who has connected: \(error)")
      return
    }
    let caller = Caller(credentials, serverUserID: server.serverUserID)
    if let refusal = refusal(of: credentials, by: server) {
      server.counters.countRefusal(refusal.quota ?? refusal.errorId ?? "refused")
      return Self.refuse(client, refusal)
    }
    server.admit(client, caller: caller)
  }

  private func refusal(of credentials: PeerCredentials, by server: Server) -> RPCError? {
    if credentials.isOverflowUser {
      // A user that this namespace does not know: whoever it is, it is not who it seems.
      return RPCError(.permissionDenied)
    }
    let limits = server.limits
    if server.connections.count >= limits.connections {
      return .quotaExceeded("connections", limits.connections, used: server.connections.count)
    }
    let user = credentials.userID
    let used = server.connectionCounts[user] ?? 0
    if used >= limits.connectionsPerUser {
      return .quotaExceeded(
        "connectionsPerUid", limits.connectionsPerUser, used: used, by: user)
    }
    let isInTime = server.connectionRates.admit(
      user, rate: limits.connectionRate, now: Clock.bootMicroseconds())
    guard isInTime else {
      return .quotaExceeded(
        "connectionRate", limits.connectionRate, used: limits.connectionRate, by: user)
    }
    return nil
  }

  /// Tells who has waited longest at a socket that nobody will serve them.
  ///
  /// For a daemon that cannot start: left waiting, they would have the service manager start it again
  /// and again, until it gives the socket up.
  ///
  /// - Parameter listener: A socket that listens and does not block; it stays the caller's.
  package static func refuseNext(at listener: borrowing FileDescriptor) {
    if case .accepted(let client) = UnixSocket.acceptConnection(on: listener) {
      refuse(client, RPCError(.shuttingDown))
    }
  }

  /// Says why, once, and closes.
  private static func refuse(_ client: consuming FileDescriptor, _ error: RPCError) {
    let line = Array(
      (Value.object([
        .init("jsonrpc", "2.0"), .init("id", .null),
        .init(
          "error",
          [
            "code": .integer(Int64(error.code.rawValue)), "message": .string(error.message),
            "data": error.data ?? .null,
          ]),
      ]).jsonText + "\n").utf8)
    unsafe line.withUnsafeBytes { bytes in _ = unsafe client.send(bytes) }
  }

  /// Whether the service manager has it too: clients that come when this process is gone wait.
  var isShared: Bool { path == nil }

  /// Stops accepting.
  ///
  /// Only the copy here is closed: the service manager keeps its own, and clients
  /// that connect from now on wait for the next instance.
  func stop() {
    source.cancel()
    if let path { unsafe unlink(path) }
  }
}

extension RPCError {
  /// The error for a quota that is full.
  ///
  /// - Parameters:
  ///   - name: Which, as in `system.hello`'s `limits`.
  ///   - limit: How much there is.
  ///   - used: How much of it is used.
  ///   - user: Who uses it, if it is a user's.
  /// - Returns: The error.
  static func quotaExceeded(
    _ name: String, _ limit: Int, used: Int, by user: UInt32? = nil
  ) -> RPCError {
    RPCError(
      .quotaExceeded,
      [
        .init("quota", .string(name)), .init("limit", .integer(Int64(limit))),
        .init("used", .integer(Int64(used))),
      ] + (user.map { [.init("uid", .integer(Int64($0)))] } ?? []))
  }

  /// The quota that is full, or the reason for closing.
  var quota: String? { data?["quota"]?.string ?? data?["reason"]?.string }
}
