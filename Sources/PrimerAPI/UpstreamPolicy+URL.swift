internal import CCurl
package import Upstream

/// Why a URL is refused.
package enum URLRefusal: Error, Sendable, Equatable {
  /// Not an absolute URL.
  case malformed
  /// Not `https` (or `http` where the list has it).
  case scheme
  /// It names a user.
  case userInfo
  /// It has a fragment.
  case fragment
  /// The host is not on the list, or is no plain ASCII name or address.
  case host
  /// The host is on the list, the port is not.
  case port
  /// libcurl, whose parser decides, cannot be loaded.
  case libraryMissing
}

/// The rules for whole URLs, which libcurl's parser takes apart.
extension UpstreamPolicy {
  /// Checks a URL that will be called.
  ///
  /// - Returns: The URL in ASCII: what else it has after the host is percent-encoded.
  /// - Throws: ``URLRefusal`` if it is not allowed.
  package func called(_ url: String) throws(URLRefusal) -> String {
    let encoded = percentEncodedAfterHost(url)
    _ = try parsed(encoded)
    return encoded
  }

  /// Checks a URL that is only shown to people and never called by the daemon: `https`, or `http`
  /// as listed, on any host, without a user.
  ///
  /// A host in other letters than ASCII's is refused: it may look like another one, or turn round
  /// how the rest is read.
  ///
  /// - Returns: The URL in ASCII: what else it has after the host is percent-encoded.
  /// - Throws: ``URLRefusal`` if it is not allowed.
  package func shown(_ url: String) throws(URLRefusal) -> String {
    let encoded = percentEncodedAfterHost(url)
    let parsed = try CurlURL(parsing: encoded)
    try checkUser(parsed)
    switch parsed.part(CURLUPART_SCHEME) {
    case "https": break
    case "http": try checkList(parsed)
    default: throw .scheme
    }
    guard let host = parsed.part(CURLUPART_HOST), host.utf8.allSatisfy({ $0 < 0x80 }) else {
      throw .host
    }
    return encoded
  }

  /// The host that a URL names, if people can read it: ASCII, and no longer than a name may be.
  package func host(of url: String) -> String? {
    guard let parsed = try? CurlURL(parsing: percentEncodedAfterHost(url)),
      let host = parsed.part(CURLUPART_HOST), host.utf8.allSatisfy({ 0x21..<0x7F ~= $0 }),
      1...255 ~= host.utf8.count
    else { return nil }
    return host
  }

  /// Checks a URL that will be called, and hands over what was checked.
  ///
  /// An empty fragment, which libcurl drops, is one as well.
  func parsed(_ text: String) throws(URLRefusal) -> CurlURL {
    let url = try CurlURL(parsing: text)
    try checkUser(url)
    guard !text.utf8.contains(UInt8(ascii: "#")) else { throw .fragment }
    try checkList(url)
    return url
  }

  private func checkUser(_ url: borrowing CurlURL) throws(URLRefusal) {
    guard url.part(CURLUPART_USER) == nil, url.part(CURLUPART_PASSWORD) == nil,
      url.part(CURLUPART_OPTIONS) == nil
    else { throw .userInfo }
  }

  private func checkList(_ url: borrowing CurlURL) throws(URLRefusal) {
    let isPlain: Bool
    switch url.part(CURLUPART_SCHEME) {
    case "https": isPlain = false
    case "http": isPlain = true
    default: throw .scheme
    }
    guard let text = url.part(CURLUPART_HOST), let host = Host(text),
      url.part(CURLUPART_ZONEID) == nil
    else { throw .host }
    let forHost = entries.filter { $0.hosts.contains(host) }
    guard !forHost.isEmpty else { throw .host }
    let forPort = forHost.filter { $0.port == url.port }
    guard !forPort.isEmpty else { throw .port }
    guard forPort.contains(where: { isPlain ? $0.allowsPlain : $0.allowsTLS }) else {
      throw .scheme
    }
  }
}
