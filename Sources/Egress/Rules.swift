import Upstream

/// Who may be called.
struct Rules: Sendable, Equatable {
  /// The allow list.
  var policy: UpstreamPolicy
  /// The proxy that an administrator has named, which may be anywhere.
  var proxy: ProxyAddress?

  /// Makes rules.
  init(policy: UpstreamPolicy, proxy: ProxyAddress? = nil) {
    self.policy = policy
    self.proxy = proxy
  }

  /// Whether somebody may ask for a host and a port.
  func permits(_ host: Host, port: UInt16) -> Bool {
    isProxy(host, port) || policy.permits(host, port: port)
  }

  /// Whether a connection may be made to an address that the host has.
  func permits(_ address: NetworkAddress, of host: Host, port: UInt16) -> Bool {
    isProxy(host, port) || policy.permits(address, port: port)
  }

  private func isProxy(_ host: Host, _ port: UInt16) -> Bool {
    proxy.map { $0.host == host && $0.port == port } ?? false
  }
}
