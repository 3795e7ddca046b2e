package import Upstream

/// Who may be called.
package struct Rules: Sendable, Equatable {
  /// The allow list.
  package var policy: UpstreamPolicy
  /// The proxy that an administrator has named, which may be anywhere.
  package var proxy: ProxyAddress?

  /// Makes rules.
  package init(policy: UpstreamPolicy, proxy: ProxyAddress? = nil) {
    self.policy = policy
    self.proxy = proxy
  }

  /// Whether somebody may ask for a host and a port.
  package func permits(_ host: Host, port: UInt16) -> Bool {
    isProxy(host, port) || policy.permits(host, port: port)
  }

  /// Whether a connection may be made to an address that the host has.
  package func permits(_ address: NetworkAddress, of host: Host, port: UInt16) -> Bool {
    isProxy(host, port) || policy.permits(address, port: port)
  }

  private func isProxy(_ host: Host, _ port: UInt16) -> Bool {
    proxy.map { $0.host == host && $0.port == port } ?? false
  }
}
