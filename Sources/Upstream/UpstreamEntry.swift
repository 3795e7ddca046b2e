/// Why an entry of the allow list cannot be understood.
package struct UpstreamEntryProblem: Error, Sendable, Equatable, CustomStringConvertible {
  /// What is wrong with an entry.
  package enum Reason: String, Sendable {
    case host = "not a host name or an address"
    case port = "not a port (1 to 65535)"
    case wildcard = "a wildcard needs two labels after it"
    case plainHTTP = "plain http is for loopback addresses only"
  }

  /// The entry as it was given.
  package let entry: String
  /// What is wrong with it.
  package let reason: Reason

  /// One line for people to read.
  package var description: String { "\(entry): \(reason.rawValue)" }
}

/// One entry of the allow list: schemes, a host or hosts, a port.
package struct UpstreamEntry: Sendable, Equatable {
  /// Which hosts an entry is about.
  package enum Hosts: Sendable, Equatable {
    /// This host, in lower case.
    case name(String)
    /// All names with one or more labels in front of this one, which is in lower case.
    case subdomains(of: String)
    /// This address.
    case address(NetworkAddress)

    /// Whether a host is one of these.
    package func contains(_ host: Host) -> Bool {
      switch (self, host) {
      case (.name(let allowed), .name(let name)): name == allowed
      case (.subdomains(let parent), .name(let name)): name.hasSuffix("." + parent)
      case (.address(let allowed), .address(let address)): address == allowed
      default: false
      }
    }
  }

  /// Which hosts.
  package let hosts: Hosts
  /// Which port.
  package let port: UInt16
  /// Whether `https` may be used.
  package let allowsTLS: Bool
  /// Whether plain `http` may be used.
  package let allowsPlain: Bool

  /// Every host under `primer.io`, by `https`, on port 443.
  static let primer = UpstreamEntry(
    hosts: .subdomains(of: "primer.io"), port: 443, allowsTLS: true, allowsPlain: false)

  /// Reads `HOST`, `*.HOST`, `IPv4` or `[IPv6]`, each with `:PORT` or without (443).
  ///
  /// An entry is about `https`. One that is a loopback address with a port admits plain `http`
  /// beside it, and `http://` before a loopback address admits plain `http` alone (80 without a
  /// port).
  init(_ entry: String) throws(UpstreamEntryProblem) {
    let prefix = "http://"
    let isPlainOnly = entry.hasPrefix(prefix)
    let text = isPlainOnly ? entry.dropFirst(prefix.count) : entry[...]
    let (hostText, portText) = Self.split(text)
    func problem(_ reason: UpstreamEntryProblem.Reason) -> UpstreamEntryProblem {
      UpstreamEntryProblem(entry: entry, reason: reason)
    }

    if hostText.hasPrefix("*.") {
      guard case .name(let parent)? = Host(String(hostText.dropFirst(2))) else {
        throw problem(.host)
      }
      guard parent.contains(".") else { throw problem(.wildcard) }
      hosts = .subdomains(of: parent)
    } else {
      switch Host(String(hostText)) {
      case .name(let name)?: hosts = .name(name)
      case .address(let address)?: hosts = .address(address)
      case nil: throw problem(.host)
      }
    }
    if let portText {
      guard let port = Self.port(portText) else { throw problem(.port) }
      self.port = port
    } else {
      port = isPlainOnly ? 80 : 443
    }
    var isLoopback = false
    if case .address(let address) = hosts { isLoopback = address.isLoopback }
    guard isLoopback || !isPlainOnly else { throw problem(.plainHTTP) }
    allowsTLS = !isPlainOnly
    allowsPlain = isPlainOnly || (isLoopback && portText != nil)
  }

  private init(hosts: Hosts, port: UInt16, allowsTLS: Bool, allowsPlain: Bool) {
    self.hosts = hosts
    self.port = port
    self.allowsTLS = allowsTLS
    self.allowsPlain = allowsPlain
  }

  /// Parts the port, if there is a colon after the host (after the brackets of an IPv6 address).
  static func split(_ text: Substring) -> (host: Substring, port: Substring?) {
    let searched = text.firstIndex(of: "]") ?? text.startIndex
    guard let colon = text[searched...].firstIndex(of: ":") else { return (text, nil) }
    return (text[..<colon], text[colon...].dropFirst())
  }

  static func port(_ text: Substring) -> UInt16? {
    guard let port = UInt16(text), port > 0, String(port) == text else { return nil }
    return port
  }
}
