import Glibc
import LinuxSystem

/// What the service manager keeps for the next start of the daemon.
extension ServiceManager {
  /// Leaves descriptors with the service manager, which gets copies.
  ///
  /// It says nothing when it cannot keep them: stay within ``storeCapacity``, and see
  /// ``synchronize(timeoutMilliseconds:)``.
  ///
  /// - Parameters:
  ///   - descriptors: What to keep, even if a peer hangs up meanwhile.
  ///   - name: What to hand them back as; may have no colon.
  /// - Returns: Whether they were sent.
  package func store(_ descriptors: [Int32], named name: String) -> Bool {
    var rest = descriptors[...]
    while !rest.isEmpty {
      let part = Array(rest.prefix(DatagramSocket.maximumDescriptorCount))
      guard send(["FDSTORE=1", "FDNAME=\(name)", "FDPOLL=0"], with: part) else { return false }
      rest = rest.dropFirst(part.count)
    }
    return true
  }

  /// Has all descriptors of a name let go.
  package func removeStored(named name: String) {
    send(["FDSTOREREMOVE=1", "FDNAME=\(name)"])
  }

  /// Waits until the service manager has read everything that it was told.
  ///
  /// - Parameter timeoutMilliseconds: How long to wait at most.
  /// - Returns: Whether it has; true without a service manager, for nothing was told.
  package func synchronize(timeoutMilliseconds: Int32 = 5000) -> Bool {
    guard isPresent else { return true }
    do throws(Errno) {
      let pipe = try Pipe()
      guard send(["BARRIER=1"], with: [pipe.writing.rawValue]) else { return false }
      // Ours closed, the service manager's is the last: when it is done, the pipe ends.
      return try pipe.closeWriting().waitForInput(timeoutMilliseconds: timeoutMilliseconds)
    } catch { return false }
  }
}
