import Checkout
import LinuxSystem
import Systemd

extension Server {
  // MARK: Leaving

  /// Leaves the clients to the next run of the daemon, if the service manager keeps them.
  ///
  /// Their connections stay open: what they send is read by the next run, or answered with the end of
  /// the connection if there is none.
  ///
  /// - Returns: Whether they were left.
  func leaveConnections() -> Bool {
    guard service.storeCapacity >= 2, !connections.isEmpty else { return false }
    let all = connections.values.sorted { $0.number < $1.number }
    let generation = Random.uint64()
    let bytes = Handover.write(
      all.map { state(of: $0) }, generation: generation, bootID: bootID)
    do throws(Errno) {
      let carrier = try DescriptorCarrier.pack(
        all.map { $0.descriptor.rawValue }, label: generation)
      let file = try SealedFile.make(named: "checkoutd-handover", holding: bytes)
      // The file last: with it what came before is whole.
      if service.store([carrier.rawValue], named: Handover.connectionsName),
        service.store([file.rawValue], named: Handover.fileName), service.synchronize()
      {
        return true
      }
      log.warning("the service manager does not answer", id: MessageID.leftOver)
      for name in [Handover.connectionsName, Handover.fileName] {
        service.removeStored(named: name)
      }
      return false
    } catch {
      log.error("cannot leave the connections: \(error)", id: MessageID.leftOver)
      return false
    }
  }

  private func state(of connection: Connection) -> ConnectionState {
    var state = connection.state
    state.subscriptions = connection.subscriptions.values.map {
      ConnectionState.Narrow(
        id: $0.id, checkout: $0.live.id, filter: $0.filter,
        after: $0.replayedTo ?? $0.live.writtenSeq)
    }
    state.wide = connection.wideSubscription.map {
      ConnectionState.Wide(id: $0.id, filter: $0.filter, reach: $0.reach)
    }
    return state
  }

  // MARK: Going on

  /// Goes on with the clients that the last run of the daemon has left.
  ///
  /// To be called when the checkouts are there and before anything happens to them, so that nobody
  /// misses an event.
  func takeOver(_ handover: inout Handover) {
    var count = 0
    handover.takeAll { descriptor, state in
      count += takeOver(descriptor, state) ? 1 : 0
    }
    guard count > 0 else { return }
    log.notice("going on with \(count) connections", id: MessageID.resumed)
  }

  private func takeOver(
    _ descriptor: consuming FileDescriptor, _ state: ConnectionState
  ) -> Bool {
    let credentials: PeerCredentials
    do throws(Errno) {
      // Of the one who connected, whoever holds the connection now.
      credentials = try PeerCredentials(of: descriptor)
    } catch {
      log.error("cannot learn who has connected: \(error)", id: MessageID.leftOver)
      return false
    }
    let caller = Caller(credentials, serverUserID: serverUserID)
    guard let connection = admit(descriptor, caller: caller) else { return false }
    connection.resume(state)
    if state.wantsNews { connection.notify("system.resumed", []) }
    for narrow in state.subscriptions { resume(narrow, of: connection) }
    if let wide = state.wide, wide.reach != .all || caller.isAdministrator {
      let subscription = WideSubscription(
        id: wide.id, connection: connection, filter: wide.filter, reach: wide.reach)
      connection.wideSubscription = subscription
      wideSubscriptions = wideSubscriptions + [subscription]
    }
    return true
  }

  /// Goes on with a subscription after the last event that was sent.
  private func resume(_ narrow: ConnectionState.Narrow, of connection: Connection) {
    guard let live = checkouts[narrow.checkout], let access = connection.caller.access(to: live)
    else { return }
    let subscription = Subscription(
      id: narrow.id, connection: connection, live: live, filter: narrow.filter,
      isRedacted: access == .observe, after: narrow.after)
    connection.subscriptions[live.id] = subscription
    live.subscriptions = live.subscriptions + [subscription]
    replaying.append(subscription)
  }
}
