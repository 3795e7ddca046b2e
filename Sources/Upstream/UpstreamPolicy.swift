/// Which URLs may be called.
///
/// Client tokens come from untrusted local processes and name the URLs to call, so that every URL
/// is checked, wherever it comes from. The rule depends on scheme, host and port alone: kept
/// connections are shared by all requests, and must not be reached by one that another rule
/// would have refused.
package struct UpstreamPolicy: Sendable, Equatable {
  /// What is allowed, Primer's own hosts first.
  package let entries: [UpstreamEntry]

  /// Makes a policy; `*.primer.io` by `https` on port 443 is always part of it.
  ///
  /// An entry is `HOST`, `*.HOST`, an IPv4 address or an IPv6 address in brackets, each with `:PORT`
  /// or without (443), and is about `https`. A loopback address with a port admits plain `http` as
  /// well; `http://` before a loopback address admits plain `http` alone (80 without a port).
  /// An address that is not public is connected to only if an entry has that very address and port,
  /// also when it is what a listed name resolves to.
  ///
  /// - Parameter entries: What is allowed beside Primer's own hosts.
  /// - Throws: ``UpstreamEntryProblem`` for the first entry that is malformed.
  package init(entries: [String] = []) throws(UpstreamEntryProblem) {
    var all: [UpstreamEntry] = [.primer]
    for entry in entries { all.append(try UpstreamEntry(entry)) }
    self.entries = all
  }

  /// Whether a host may be called on a port, by `https` or by plain `http`.
  package func permits(_ host: Host, port: UInt16) -> Bool {
    entries.contains { $0.port == port && $0.hosts.contains(host) }
  }

  /// Whether a connection may be made to an address: it is public, or an entry has it.
  package func permits(_ address: NetworkAddress, port: UInt16) -> Bool {
    address.isPublic
      || entries.contains { $0.port == port && $0.hosts == .address(address) }
  }
}
