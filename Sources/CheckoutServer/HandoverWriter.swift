import LinuxSystem
import Systemd

/// Leaves the clients to the next run of the daemon.
struct HandoverWriter {
  private let service: ServiceManager
  private let journal: Journal
  private let bootID: Int64

  init(_ service: ServiceManager, _ journal: Journal, bootID: Int64) {
    self.service = service
    self.journal = journal
    self.bootID = bootID
  }

  /// Leaves the clients to the next run, if the service manager keeps them.
  ///
  /// Their connections stay open: what they send is read by the next run, or answered with the end of
  /// the connection if there is none.
  ///
  /// - Returns: Whether they were left.
  func leave(_ clients: Clients) -> Bool {
    guard service.storeCapacity >= 2, clients.count > 0 else { return false }
    let (descriptors, states) = clients.states
    let generation = Random.uint64()
    let bytes = Handover.write(states, generation: generation, bootID: bootID)
    do throws(Errno) {
      let carrier = try DescriptorCarrier.pack(descriptors, label: generation)
      let file = try SealedFile.make(named: "checkoutd-handover", holding: bytes)
      // The file last: with it what came before is whole.
      if service.store([carrier.rawValue], named: Handover.connectionsName),
        service.store([file.rawValue], named: Handover.fileName), service.synchronize()
      {
        return true
      }
      journal.warning("the service manager does not answer", id: MessageID.leftOver)
      for name in [Handover.connectionsName, Handover.fileName] {
        service.removeStored(named: name)
      }
      return false
    } catch {
      journal.error("cannot leave the connections: \(error)", id: MessageID.leftOver)
      return false
    }
  }
}
