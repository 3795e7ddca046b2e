import Testing

@testable import Upstream

@Suite struct ProxyAddressTests {
  @Test(
    arguments: [
      ("http://proxy.example.com:3128", "proxy.example.com", 3128),
      ("proxy.example.com:3128", "proxy.example.com", 3128),
      ("HTTP://Proxy.Example.com", "proxy.example.com", 1080),
      ("https://proxy.example.com", "proxy.example.com", 443),
      ("http://u:p@proxy.example.com:3128/", "proxy.example.com", 3128),
      ("http://u@e:p@ss@proxy.example.com:3128/x?y#z", "proxy.example.com", 3128),
      ("http://10.0.0.5:8080", "10.0.0.5", 8080), ("[2001:db8::1]:8080", "[2001:db8::1]", 8080),
      ("http://proxy:8080", "proxy", 8080),
    ] as [(String, String, UInt16)])
  func `a proxy is where its URL says`(url: String, host: String, port: UInt16) throws {
    let address = try #require(ProxyAddress(url))
    #expect(address.host == Host(host) && address.port == port)
  }

  @Test(arguments: [
    "", "http://", "socks5://127.0.0.1:1080", "socks5h://localhost/run/x", "ftp://a.example",
    "http://a.example:0", "http://a.example:x", "http://a.example:65536", "http://a b", "://a",
    "http://u:p@", "http://[::1", "/run/socket",
  ])
  func `what is no HTTP proxy is none`(url: String) {
    #expect(ProxyAddress(url) == nil)
  }
}
