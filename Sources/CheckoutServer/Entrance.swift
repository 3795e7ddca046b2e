import CheckoutProtocol
import JSON
import JSONRPC
import LinuxSystem
import ValueTree

/// Decides who is taken in, and tells those who are not.
struct Entrance {
  private let clients: Clients
  private let counters: Counters
  private let journal: Journal
  private let limits: CurrentLimits
  private let clock: ServerClock
  private let users: UserTable
  private let serverUserID: UInt32
  private let descriptors: DescriptorBudget

  init(
    _ clients: Clients, _ users: UserTable, _ counters: Counters, _ journal: Journal,
    _ limits: CurrentLimits, _ clock: ServerClock, serverUserID: UInt32,
    descriptors: DescriptorBudget
  ) {
    self.clients = clients
    self.users = users
    self.counters = counters
    self.journal = journal
    self.limits = limits
    self.clock = clock
    self.serverUserID = serverUserID
    self.descriptors = descriptors
  }

  /// Takes in a client that was accepted, or says why not.
  ///
  /// - Parameters:
  ///   - client: The client.
  ///   - isByAdministratorsDoor: Whether it has come by the socket that only administrators can use.
  func admit(_ client: consuming FileDescriptor, isByAdministratorsDoor: Bool) {
    let credentials: PeerCredentials
    do throws(Errno) {
      credentials = try PeerCredentials(of: client)
    } catch {
      journal.error("cannot learn who has connected: \(error)")
      return
    }
    // A user that this namespace does not know: whoever it is, it is not who it seems.
    guard !credentials.isOverflowUser else { return refuse(client, RPCError(.permissionDenied)) }
    admit(
      client, as: Caller(credentials, serverUserID: serverUserID),
      isByAdministratorsDoor: isByAdministratorsDoor)
  }

  /// Takes in a client of whom it is known who it is, or says why not.
  func admit(
    _ client: consuming FileDescriptor, as caller: Caller, isByAdministratorsDoor: Bool = false
  ) {
    let user = users.user(caller.userID)
    if let refusal = refusal(of: user, isByAdministratorsDoor) { return refuse(client, refusal) }
    clients.admit(client, caller, of: user)
  }

  /// Why one more connection of a user must be refused, if so.
  ///
  /// A user manager's daemon has one user, who administers it: there only the administrators' socket
  /// tells what is kept for administration from what programs may fill.
  private func refusal(of user: User, _ isByAdministratorsDoor: Bool) -> RPCError? {
    let limits = limits.value
    let kept = limits.administratorConnections
    let isKept = isByAdministratorsDoor || user.id == 0
    let most = limits.connections - (isKept ? 0 : kept)
    guard clients.count < most else {
      return .quotaExceeded("connections", limits.connections, used: clients.count)
    }
    let clientDescriptors = descriptors.forClients - (isKept ? 0 : kept)
    guard clients.count < clientDescriptors else {
      return .quotaExceeded("descriptors", clientDescriptors, used: clients.count)
    }
    let now = clock.boot
    users.sweep(now: now)
    return user.refusal(limits, more: isByAdministratorsDoor ? kept : 0, now: now)
  }

  /// Goes on with a client that the last run of the daemon has left.
  ///
  /// - Returns: The client's session, unless it cannot be had.
  func resume(_ client: consuming FileDescriptor, _ state: ConnectionState) -> Session? {
    let credentials: PeerCredentials
    do throws(Errno) {
      // Of the one who connected, whoever holds the connection now.
      credentials = try PeerCredentials(of: client)
    } catch {
      journal.error("cannot learn who has connected: \(error)", id: MessageID.leftOver)
      return nil
    }
    let caller = Caller(credentials, serverUserID: serverUserID)
    return clients.admit(client, caller, of: users.user(caller.userID), state)
  }

  /// Says that there are no descriptors left.
  func refuseForDescriptors(_ client: consuming FileDescriptor) {
    refuse(client, .quotaExceeded("descriptors", clients.count, used: clients.count))
  }

  private func refuse(_ client: consuming FileDescriptor, _ error: RPCError) {
    counters.countRefusal(error.quota ?? error.errorId ?? "refused")
    Self.tell(client, error)
  }

  /// Takes note that clients cannot be accepted.
  func noteFailure(_ reason: String) {
    counters.countRefusal("accept")
    journal.warning("cannot accept connections: \(reason)", id: MessageID.accepting)
  }

  /// Takes note that a listener cannot be watched.
  func noteFailure(_ error: Errno) {
    journal.error("cannot watch a listener: \(error)", id: MessageID.accepting)
  }

  /// Says why, once, and closes.
  static func tell(_ client: consuming FileDescriptor, _ error: RPCError) {
    let output = JSONOutput(capacity: 512)
    output.append(#"{"jsonrpc":"2.0","id":null,"error":"#)
    output.append(error)
    output.append("}\n")
    unsafe output.withUnsafeBytes { bytes in _ = unsafe client.send(bytes) }
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
