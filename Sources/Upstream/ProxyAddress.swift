/// Where an HTTP proxy listens, as its URL says it to libcurl.
package struct ProxyAddress: Sendable, Equatable {
  /// Its host.
  package let host: Host
  /// Its port.
  package let port: UInt16

  /// Reads `[http[s]://][USER[:PASSWORD]@]HOST[:PORT]`; whatever follows a slash says nothing.
  ///
  /// Without a port it is 1080, or 443 for `https`, as libcurl has it. Other schemes are refused, and
  /// what is no host or no port.
  package init?(_ url: String) {
    var rest = url[...]
    var standardPort: UInt16 = 1080
    if let colon = url.firstIndex(of: ":"), url[colon...].hasPrefix("://") {
      switch url[..<colon].lowercased() {
      case "http": break
      case "https": standardPort = 443
      default: return nil
      }
      rest = url[colon...].dropFirst(3)
    }
    rest = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
    if let at = rest.lastIndex(of: "@") { rest = rest[at...].dropFirst() }
    let (hostText, portText) = UpstreamEntry.split(rest)
    guard let host = Host(String(hostText)) else { return nil }
    self.host = host
    guard let portText else {
      port = standardPort
      return
    }
    guard let port = UpstreamEntry.port(portText) else { return nil }
    self.port = port
  }
}
