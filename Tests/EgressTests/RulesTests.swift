import Testing
import Upstream

@testable import Egress

@Suite struct RulesTests {
  private func rules(_ entries: [String], proxy: String? = nil) throws -> Rules {
    Rules(policy: try UpstreamPolicy(entries: entries), proxy: proxy.flatMap(ProxyAddress.init))
  }

  @Test(
    arguments: [
      ("api.primer.io", 443, true), ("api.primer.io", 80, false), ("primer.io", 443, false),
      ("pay.example.com", 8443, true), ("pay.example.com", 443, false),
      ("proxy.example.net", 3128, true), ("proxy.example.net", 443, false),
      ("10.0.0.5", 8080, true), ("10.0.0.5", 443, false), ("example.org", 443, false),
    ] as [(String, UInt16, Bool)])
  func `what is on the list may be asked for, and the proxy`(
    host: String, port: UInt16, isPermitted: Bool
  ) throws {
    let rules = try rules(
      ["pay.example.com:8443", "10.0.0.5:8080"], proxy: "http://u:p@proxy.example.net:3128")
    #expect(rules.permits(try #require(Host(host)), port: port) == isPermitted)
  }

  @Test func `the proxy may be anywhere, others only where the internet is`() throws {
    let rules = try rules(["pay.example.com"], proxy: "http://proxy.example.net:443")
    let address = try #require(NetworkAddress(text: "10.1.2.3"))
    let proxy = try #require(Host("proxy.example.net"))
    let other = try #require(Host("pay.example.com"))
    #expect(rules.permits(address, of: proxy, port: 443))
    #expect(!rules.permits(address, of: proxy, port: 444))
    #expect(!rules.permits(address, of: other, port: 443))
    #expect(rules.permits(try #require(NetworkAddress(text: "8.8.8.8")), of: other, port: 443))
  }
}
