import LinuxSystem
import PrimerAPI
import Systemd

@testable import CheckoutServer

/// What clients come in by, joined to the other parts without a server.
final class PartsWithClients {
  let parts: Parts
  let directory = SessionDirectory()
  let clients: Clients

  init(_ limits: Limits = Limits(), _ handlers: (Parts) -> [Handler] = { _ in [] }) throws {
    parts = Parts(limits)
    clients = try Clients(
      parts.inbound(handlers(parts)), parts.outbound, parts.users, directory, parts.hub,
      parts.turn, parts.clock, parts.counters, parts.journal, parts.limits, parts.schedule,
      commitIsCostly: false)
  }

  /// What decides who is taken in, of a process that may have so many descriptors.
  func entrance(descriptors: Int = 1024) -> Entrance {
    Entrance(
      clients, parts.users, parts.counters, parts.journal, parts.limits, parts.clock,
      serverUserID: 900, descriptors: DescriptorBudget(limit: descriptors))
  }

  /// What ends the process; `exit` is told how.
  func lifetime(
    _ doors: Doors, isDurable: Bool = true, exit: @escaping (Int32) -> Void
  ) -> Lifetime {
    let service = ServiceManager()
    return Lifetime(
      clients, parts.checkouts, parts.hub,
      Backups(parts.store, parts.clock, parts.journal, parts.schedule), parts.turn, doors,
      parts.upstream, parts.schedule, ServiceReport(service, parts.journal, parts.schedule),
      parts.journal, HandoverWriter(service, parts.journal, bootID: 1), isDurable: isDurable,
      exit: exit)
  }

  /// Connects a client, whoever may be taken in.
  func connect(as user: UInt32 = 1000) throws -> (client: TestClient, session: Session) {
    let (client, other) = try TestClient.make()
    let caller = Caller(userID: user, groupID: user)
    let session = clients.admit(
      FileDescriptor(owning: other), caller, of: parts.users.user(user))
    guard let session else { throw Errno(code: 0, call: "admit") }
    return (client, session)
  }

  /// Serves who is ready, and sends what was said.
  func turn() {
    clients.serve()
    clients.endTurn()
  }
}
