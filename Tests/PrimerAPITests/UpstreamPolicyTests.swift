import Testing

@testable import PrimerAPI

@Suite struct UpstreamPolicyTests {
  private static let listed = [
    "pay.example.com", "gw.example.com:8443", "*.eu.example.net", "192.0.2.7:9443",
    "[2001:db8::1]:9443", "127.0.0.1:8080", "http://127.0.0.2:8081", "http://[::1]", "127.0.0.3",
  ]

  private func refusal(_ url: String, _ entries: [String] = []) throws -> URLRefusal? {
    let policy = try UpstreamPolicy(entries: entries)
    do throws(URLRefusal) {
      try policy.check(url)
      return nil
    } catch { return error }
  }

  @Test(arguments: [
    "https://api.primer.io", "https://api.primer.io/", "https://api.primer.io:443/a?b=c",
    "https://a.b.primer.io/x", "https://API.Primer.IO/x", "HTTPS://api.primer.io",
    "https://api%2eprimer.io/", "https://a_b.primer.io/", "https://xn--bcher-kva.primer.io/",
    "https://api.primer.io/a@b", "https://api.primer.io/?u=a@b",
  ])
  func `Primer's own hosts are allowed`(url: String) throws {
    #expect(try refusal(url) == nil)
  }

  @Test(arguments: [
    ("https://primer.io/", URLRefusal.host), ("https://notprimer.io/", .host),
    ("https://api.notprimer.io/", .host), ("https://api.primer.io.evil.com/", .host),
    ("https://evil.com/api.primer.io", .host), ("https://evil.com/?api.primer.io", .host),
    ("https://api.primer.io@evil.com/", .userInfo), ("https://u:p@api.primer.io/", .userInfo),
    ("https://@api.primer.io/", .userInfo), ("https://:@api.primer.io/", .userInfo),
    ("https://evil.com\\@api.primer.io/", .malformed),
    ("https://evil.com\\.primer.io/", .malformed),
    ("https://2130706433/", .host), ("https://0x7f.1/", .host), ("https://0177.0.0.1/", .host),
    ("https://127.0.0.1/", .host), ("https://[::1]/", .host), ("https://[::ffff:7f00:1]/", .host),
    ("https://[fe80::1%25eth0]/", .host), ("https://8.8.8.8/", .host),
    ("https://api.primer.io./", .host), ("https://api.primer.io%2e/", .host),
    ("https://evil.com%2f.primer.io/", .malformed), ("https://evil.com%00.primer.io/", .malformed),
    ("https://a..primer.io/", .host), ("https://.primer.io/", .host),
    ("https://-a.primer.io/", .host), ("https://bücher.primer.io/", .host),
    ("https://api.primer。io/", .host), ("https://api.primer.io:8443/", .port),
    ("https://api.primer.io:80/", .port), ("https://api.primer.io:0/", .port),
    ("https://api.primer.io:65536/", .malformed), ("https://api.primer.io:https/", .malformed),
    ("http://api.primer.io/", .port), ("http://api.primer.io:443/", .scheme),
    ("ftp://api.primer.io/", .scheme), ("file:///etc/passwd", .malformed),
    ("gopher://api.primer.io/", .scheme), ("javascript://api.primer.io/", .scheme),
    ("https://api.primer.io/#f", .fragment), ("https://api.primer.io#@evil.com/", .fragment),
    ("https:///api.primer.io/", .malformed), ("https:/api.primer.io/", .malformed),
    ("https:api.primer.io", .malformed), ("//api.primer.io/", .malformed),
    ("api.primer.io", .malformed), ("", .malformed), ("https://", .malformed),
    (" https://api.primer.io/", .malformed), ("https://api.primer.io/a b", .malformed),
    ("https://api.primer.io/\r\nX: y", .malformed),
    ("https://api.primer.io\u{0}.evil.com/", .malformed),
    ("https://evil.com\t.primer.io/", .malformed),
  ])
  func `what is not on the list is refused for its reason`(
    url: String, reason: URLRefusal
  ) throws {
    #expect(try refusal(url) == reason)
  }

  @Test(arguments: [
    "https://pay.example.com/", "https://gw.example.com:8443/", "https://a.eu.example.net/",
    "https://a.b.eu.example.net/", "https://192.0.2.7:9443/", "https://[2001:db8::1]:9443/",
    "https://[2001:0db8:0:0::1]:9443/", "http://127.0.0.1:8080/", "https://127.0.0.1:8080/",
    "http://2130706433:8080/", "http://127.0.0.2:8081/", "http://[::1]/", "http://[::1]:80/",
    "https://127.0.0.3/", "https://api.primer.io/",
  ])
  func `a listed host is allowed with its port and scheme`(url: String) throws {
    #expect(try refusal(url, Self.listed) == nil)
  }

  @Test(arguments: [
    ("https://a.pay.example.com/", URLRefusal.host), ("https://pay.example.com:8443/", .port),
    ("https://gw.example.com/", .port), ("https://eu.example.net/", .host),
    ("https://192.0.2.7/", .port), ("https://192.0.2.8:9443/", .host),
    ("http://192.0.2.7:9443/", .scheme), ("http://127.0.0.1:8081/", .port),
    ("https://127.0.0.2:8081/", .scheme), ("https://[::1]/", .port), ("http://127.0.0.3/", .port),
    ("http://127.0.0.3:443/", .scheme), ("http://localhost:8080/", .host),
    ("http://[::ffff:127.0.0.9]:8080/", .host),
  ])
  func `a listed host is refused with another port or scheme`(
    url: String, reason: URLRefusal
  ) throws {
    #expect(try refusal(url, Self.listed) == reason)
  }

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
    ("https://bank.example/pay", URLRefusal?.none), ("https://bank.example:8443/#f", nil),
    ("https://127.0.0.1/", nil), ("http://127.0.0.1:8080/page", nil),
    ("http://bank.example/", .host), ("http://127.0.0.1:8082/", .port),
    ("https://u@bank.example/", .userInfo), ("javascript:alert(1)", .malformed),
    ("ftp://bank.example/", .scheme), ("bankapp://pay", .scheme), ("https:///x", .malformed),
  ])
  func `a URL that is only shown needs TLS, and may have any host`(
    url: String, reason: URLRefusal?
  ) throws {
    let policy = try UpstreamPolicy(entries: Self.listed)
    do throws(URLRefusal) {
      try policy.checkDisplayed(url)
      #expect(reason == nil)
    } catch { #expect(error == reason) }
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
