import JSONRPC
import LinuxSystem
import Systemd
import ValueTree

/// Every connection: reads what clients send, and sends what they are owed.
final class Clients {
  private let epoll: Epoll
  private let inbound: Inbound
  private let outbound: Outbound
  private let users: UserTable
  private let directory: SessionDirectory
  private let hub: EventHub
  private let turn: Turn
  private let clock: ServerClock
  private let counters: Counters
  private let journal: Journal
  private let limits: CurrentLimits
  private let slowReaders: Alarms<UInt64>
  /// By their descriptors, so that who is ready is found without a hash.
  private let connections = UncheckedList<Connection?>()
  private var lastNumber: UInt64 = 0
  /// Whose input was left because enough was under way, and may go on.
  private var waiting: [UInt64] = []
  /// Who is to be visited, user by user.
  private var rotation = Rotation()
  private var couldWait = true
  /// Whether a commit costs so much that others may share it.
  private let commitIsCostly: Bool

  init(
    _ inbound: Inbound, _ outbound: Outbound, _ users: UserTable, _ directory: SessionDirectory,
    _ hub: EventHub, _ turn: Turn, _ clock: ServerClock, _ counters: Counters,
    _ journal: Journal, _ limits: CurrentLimits, _ schedule: Schedule, commitIsCostly: Bool
  ) throws(Errno) {
    epoll = try Epoll()
    self.inbound = inbound
    self.outbound = outbound
    self.users = users
    self.directory = directory
    self.hub = hub
    self.turn = turn
    self.clock = clock
    self.counters = counters
    self.journal = journal
    self.limits = limits
    self.commitIsCostly = commitIsCostly
    slowReaders = Alarms(in: schedule, holdsDaemon: true)
    slowReaders.whenDue { [unowned self] tag in checkProgress(tag) }
  }

  /// A descriptor that is readable when a client is ready.
  var rawValue: Int32 { epoll.rawValue }

  /// Whether the clients could be waited for when that was done last.
  var canServe: Bool { couldWait }

  /// How many there are.
  var count: Int { users.connectionCount }

  private subscript(tag: UInt64) -> Connection? {
    let place = Connection.descriptor(of: tag)
    guard place < connections.count, let found = connections[place], found.tag == tag else {
      return nil
    }
    return found
  }

  private var all: [Connection] {
    connections.all.compactMap(\.self).sorted { $0.number < $1.number }
  }

  // MARK: Coming and going

  /// Takes in a client.
  ///
  /// - Parameters:
  ///   - descriptor: Where it is.
  ///   - caller: Who it is.
  ///   - user: What is held for that user.
  ///   - state: How the last run of the daemon has left it, if one did.
  /// - Returns: Its session, unless the kernel refuses to watch it.
  @discardableResult
  func admit(
    _ descriptor: consuming FileDescriptor, _ caller: Caller, of user: User,
    _ state: ConnectionState? = nil
  ) -> Session? {
    let raw = descriptor.rawValue
    let tag = Connection.tag(lastNumber + 1, raw)
    do throws(Errno) {
      try epoll.add(raw, .readable, tag: tag)
    } catch {
      journal.error("cannot watch a connection: \(error)")
      return nil
    }
    lastNumber += 1
    let limits = limits.value
    let session = Session(
      caller, of: user,
      to: ConnectionOutput(to: outbound, tag: tag, of: user, limits, counters, clock))
    let connection = Connection(
      descriptor, tag: tag, session, ConnectionInput(inbound, for: session, limits))
    let place = Connection.descriptor(of: tag)
    while connections.count <= place { connections.append(nil) }
    connections[place] = connection
    directory.add(session, lastNumber)
    user.addConnection()
    counters.countAccepted()
    if let state { connection.resume(state) }
    return session
  }

  /// Lets go of a connection, and of everything that is only for it.
  private func close(_ connection: Connection) {
    let place = Connection.descriptor(of: connection.tag)
    guard connections[place] === connection else { return }
    connections[place] = nil
    slowReaders.clear(connection.tag)
    do throws(Errno) {
      try epoll.remove(connection.rawValue)
    } catch {
      journal.error("cannot let go of a connection: \(error)")
    }
    connection.close()
    hub.leave(connection.session)
    directory.remove(connection.number)
    connection.session.user.removeConnection()
  }

  // MARK: Input

  /// Serves the clients that are ready or have something left, user by user, for 5 ms.
  func serve() {
    let began = clock.monotonic
    for tag in waiting { plan(tag, []) }
    waiting.removeAll(keepingCapacity: true)
    do throws(Errno) {
      repeat {
        for index in 0..<(try epoll.wait()) {
          let found = epoll.ready(index)
          plan(found.tag, found.events)
        }
        couldWait = true
      } while visitAll(since: began) && sharesCommit(since: began)
    } catch {
      couldWait = false
      journal.error("cannot wait for clients: \(error)")
    }
  }

  /// Plans a visit, unless one is planned: what it is not told of now is still so in the next turn.
  private func plan(_ tag: UInt64, _ events: EpollEvents) {
    guard let connection = self[tag], connection.plan() else { return }
    rotation.add(Visit(tag: tag, events: events), of: connection.session.user)
  }

  /// Visits whose turn it is.
  ///
  /// - Returns: Whether all had their turn, and one at least had something to say.
  private func visitAll(since began: UInt64) -> Bool {
    var hasRead = false
    while let visit = rotation.take() {
      guard let connection = self[visit.tag] else { continue }
      switch connection.visit(visit.events) {
      case .something: hasRead = true
      case .nothing: break
      case .gone: close(connection)
      }
      if clock.monotonic &- began > Self.turnMicroseconds { break }
    }
    return hasRead && rotation.isEmpty
  }

  private static let turnMicroseconds: UInt64 = 5000

  /// Whether those who have come meanwhile are to be served as well, before what the turn has changed
  /// is written: a commit costs as much as many calls.
  private func sharesCommit(since began: UInt64) -> Bool {
    commitIsCostly && turn.hasChanges && clock.monotonic - began < 1000
  }

  /// Whether there is something left for a turn of its own.
  var hasWaitingInput: Bool { !waiting.isEmpty || !rotation.isEmpty }

  // MARK: Output

  /// Takes back what this turn has said to everyone, since it could not be written.
  ///
  /// Who has been said nothing may have something in a batch that is not finished.
  func takeBack() {
    for connection in connections.all { connection?.takeBack() }
  }

  /// Sends what the turn said, and forgets the turn.
  func endTurn() {
    // Flushing may add to the list: a lost event is told of.
    while let tag = outbound.takeDirty() {
      if let connection = self[tag] { flush(connection) }
    }
    outbound.removeAll()
  }

  private func flush(_ connection: Connection) {
    guard connection.flush() else { return close(connection) }
    if connection.canResume { waiting.append(connection.tag) }
    switch connection.watchProgress() {
    case .same: break
    case .stuck: slowReaders.set(connection.tag, after: Int64(limits.value.slowReader))
    case .freed: slowReaders.clear(connection.tag)
    }
    guard let interest = connection.takeInterest() else { return }
    do throws(Errno) {
      try epoll.modify(connection.rawValue, interest, tag: connection.tag)
    } catch {
      journal.error("cannot watch a connection: \(error)")
      close(connection)
    }
  }

  /// Lets a client go that has read nothing since it was found to be owed too much.
  private func checkProgress(_ tag: UInt64) {
    guard let connection = self[tag] else { return }
    guard connection.hasReadNothing() else { return connection.session.output.markDirty() }
    connection.session.output.closeSaying(RPCError(.closing, [.init("reason", "slow-reader")]))
    // Nothing more will fit; what the kernel holds is all that the client will ever read.
    _ = connection.flush()
    close(connection)
  }

  // MARK: Stopping

  /// Tells those who want to know that the daemon stops.
  func announceDrain() {
    for connection in all where connection.session.wantsNews {
      connection.session.output.notify("system.draining", [.init("reason", "stop")])
    }
  }

  /// Refuses what is left of batches.
  func refuseBatches(_ error: RPCError) {
    for connection in all { connection.abandonBatch(with: error) }
  }

  /// Sends what everyone is owed.
  func flushAll() {
    for connection in all where !connection.flush() { close(connection) }
  }

  /// Tells everyone why they are let go.
  func sayGoodbye(_ error: RPCError) {
    for connection in all {
      connection.session.output.closeSaying(error)
      if !connection.flush() { close(connection) }
    }
  }

  /// What the next run of the daemon has to know of each client, and the descriptors.
  var states: (descriptors: [Int32], states: [ConnectionState]) {
    let all = all
    return (all.map(\.rawValue), all.map(\.state))
  }
}
