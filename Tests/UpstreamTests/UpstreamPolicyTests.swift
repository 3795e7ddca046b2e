import Testing

@testable import Upstream

@Suite struct UpstreamPolicyTests {
  @Test(arguments: [
    ("", UpstreamEntryProblem.Reason.host), ("*", .host), ("*.com", .wildcard), ("*.", .host),
    ("a.*.com", .host), ("https://pay.example.com", .port), ("pay.example.com/x", .host),
    ("pay.example.com.", .host), ("bücher.example", .host), ("u@pay.example.com", .host),
    ("0x7f.1", .host), ("2130706433", .host), ("::1", .host), ("[::1", .host),
    ("[127.0.0.1]", .host),
    ("a b", .host), ("pay.example.com:", .port), ("pay.example.com:0", .port),
    ("pay.example.com:65536", .port), ("pay.example.com:+1", .port), ("pay.example.com:08", .port),
    ("[::1]:x", .port), ("http://pay.example.com", .plainHTTP), ("http://10.0.0.1:80", .plainHTTP),
    ("http://localhost:8080", .plainHTTP), ("http://*.example.com", .plainHTTP),
  ])
  func `a malformed entry is named`(entry: String, reason: UpstreamEntryProblem.Reason) {
    #expect(throws: UpstreamEntryProblem(entry: entry, reason: reason)) {
      try UpstreamPolicy(entries: ["pay.example.com", entry])
    }
  }

  @Test(arguments: [
    ("0.0.0.0", false), ("10.1.2.3", false), ("100.63.255.255", true), ("100.64.0.1", false),
    ("100.128.0.1", true), ("127.0.0.1", false), ("127.255.0.1", false), ("128.0.0.1", true),
    ("169.254.169.254", false), ("172.15.0.1", true), ("172.16.0.1", false),
    ("172.31.255.255", false), ("172.32.0.1", true), ("192.168.1.1", false), ("192.0.2.1", false),
    ("198.18.0.1", false), ("224.0.0.1", false), ("255.255.255.255", false), ("8.8.8.8", true),
    ("::", false), ("::1", false), ("::ffff:10.0.0.1", false), ("::ffff:8.8.8.8", true),
    ("::10.0.0.1", false), ("fe80::1", false), ("fec0::1", false), ("fc00::1", false),
    ("fd12::1", false), ("ff02::1", false), ("64:ff9b::8.8.8.8", true),
    ("64:ff9b::10.0.0.1", false), ("64:ff9b:1::8.8.8.8", false), ("2002:a00:1::1", false),
    ("2002:808:808::1", true), ("2001::1", false), ("2001:db8::1", false), ("2001:4860::1", true),
    ("2606:4700::1", true),
  ])
  func `only public addresses are connected to unasked`(text: String, isPublic: Bool) throws {
    let address = try #require(NetworkAddress(text: text))
    #expect(address.isPublic == isPublic)
    #expect(try UpstreamPolicy().permits(address, port: 443) == isPublic)
  }

  @Test func `an address that is not public needs an entry with it and its port`() throws {
    let policy = try UpstreamPolicy(entries: ["10.0.0.5:8443", "gw.example.com:8443", "[::1]:9"])
    let address = try #require(NetworkAddress(text: "10.0.0.5"))
    #expect(policy.permits(address, port: 8443))
    #expect(!policy.permits(address, port: 443))
    #expect(policy.permits(try #require(NetworkAddress(text: "::ffff:10.0.0.5")), port: 8443))
    #expect(!policy.permits(try #require(NetworkAddress(text: "10.0.0.6")), port: 8443))
    #expect(policy.permits(try #require(NetworkAddress(text: "::1")), port: 9))
  }
}
