import Glibc
import Synchronization
import Systemd
import Upstream

/// Tells why connections were not made: each reason once for a destination, until one is made to it.
///
/// Who asks may ask for anything, so that there is an end to what is remembered, and told.
final class Notes: Sendable {
  private let log: Log
  private let told = Mutex<[String: Set<String>]>([:])
  private static let limit = 256

  /// Begins with nothing told.
  init(_ log: Log) { self.log = log }

  /// Tells why there is no connection to a destination.
  func refused(_ destination: String, _ reason: String, level: Log.Level) {
    let isNew = told.withLock { told in
      guard told[destination] != nil || told.count < Self.limit else { return false }
      return told[destination, default: []].insert(reason).inserted
    }
    guard isNew else { return }
    log.log(level, "\(destination): \(reason)", id: MessageID.notConnected)
  }

  /// Forgets what was told of a destination.
  func connected(_ destination: String) {
    told.withLock { $0[destination] = nil }
  }
}

extension SocksRequest {
  /// The destination as people write it.
  var text: String {
    switch host {
    case .name(let name): "\(name):\(port)"
    case .address(let address):
      address.isV6 ? "[\(address.text)]:\(port)" : "\(address.text):\(port)"
    }
  }
}
