internal import LinuxSystem

/// Where the egress listens, the process that connects to upstream in the daemon's place.
///
/// It speaks SOCKS 5 (RFC 1928) at a Unix socket. Who may be called is checked there once more, and
/// addresses are checked there alone: names are looked up there.
package struct EgressPath: Sendable, Equatable {
  /// The path of its socket.
  package let text: String

  /// What a good path is.
  package static var expectation: String {
    "expected the absolute path of a socket, in ASCII, of at most \(UnixSocket.pathLimit) bytes"
  }

  /// Takes an absolute path that fits a socket's address.
  ///
  /// Only ASCII without control characters: libcurl takes the path for part of a host's name, and
  /// other names have to be translated.
  package init?(_ text: String) {
    guard text.hasPrefix("/"), !text.hasSuffix("/"), text.utf8.count <= UnixSocket.pathLimit,
      text.utf8.allSatisfy({ (0x20..<0x7F).contains($0) })
    else { return nil }
    self.text = text
  }

  /// How libcurl is told of it: a SOCKS proxy that looks names up, on `localhost` and a path.
  var proxyURL: String {
    let segments = text.split(separator: "/", omittingEmptySubsequences: false)
    return "socks5h://localhost"
      + segments.map { percentEncoded(String($0)) }.joined(separator: "/")
  }
}
