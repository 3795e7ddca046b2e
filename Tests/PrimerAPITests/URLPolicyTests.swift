import Testing
import Upstream

@testable import PrimerAPI

@Suite struct URLPolicyTests {
  private static let listed = [
    "pay.example.com", "gw.example.com:8443", "*.eu.example.net", "192.0.2.7:9443",
    "[2001:db8::1]:9443", "127.0.0.1:8080", "http://127.0.0.2:8081", "http://[::1]", "127.0.0.3",
  ]

  private func refusal(_ url: String, _ entries: [String] = []) throws -> URLRefusal? {
    let policy = try UpstreamPolicy(entries: entries)
    do throws(URLRefusal) {
      _ = try policy.called(url)
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
    ("https://api.primer.io/#", .fragment), ("https://api.primer.io/?#", .fragment),
    ("https://api.primer.io#", .fragment),
    ("https:///api.primer.io/", .malformed), ("https:/api.primer.io/", .malformed),
    ("https:api.primer.io", .malformed), ("//api.primer.io/", .malformed),
    ("api.primer.io", .malformed), ("", .malformed), ("https://", .malformed),
    (" https://api.primer.io/", .malformed), ("https://api primer.io/", .malformed),
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
    ("https://api.primer.io/a b", "https://api.primer.io/a%20b"),
    ("https://api.primer.io/é?x=\u{202E}", "https://api.primer.io/%c3%a9?x=%e2%80%ae"),
    ("https://api.primer.io/a%20b?c+d", "https://api.primer.io/a%20b?c+d"),
    ("https://api.primer.io?a b", "https://api.primer.io?a%20b"),
  ])
  func `what is called and shown is ASCII`(url: String, encoded: String) throws {
    let policy = try UpstreamPolicy()
    #expect(try policy.called(url) == encoded && policy.shown(url) == encoded)
    #expect(try policy.called(encoded) == encoded && policy.shown(encoded) == encoded)
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
    ("https://bank.example/pay", URLRefusal?.none), ("https://bank.example:8443/#f", nil),
    ("https://127.0.0.1/", nil), ("http://127.0.0.1:8080/page", nil),
    ("http://bank.example/", .host), ("http://127.0.0.1:8082/", .port),
    ("https://u@bank.example/", .userInfo), ("javascript:alert(1)", .malformed),
    ("https://bank.example/a b?c d#e", nil), ("https://bank.example/#", nil),
    ("https://b\u{202E}ank.example/", .host), ("https://b%e2%80%aeank.example/", .host),
    ("https://b\u{430}nk.example/", .host), ("https://bank。example/", .host),
    ("https://ban k.example/", .malformed), ("https://bank.example/\u{7}", .malformed),
    ("ftp://bank.example/", .scheme), ("bankapp://pay", .scheme), ("https:///x", .malformed),
  ])
  func `a URL that is only shown needs TLS, and may have any host`(
    url: String, reason: URLRefusal?
  ) throws {
    let policy = try UpstreamPolicy(entries: Self.listed)
    do throws(URLRefusal) {
      _ = try policy.shown(url)
      #expect(reason == nil)
    } catch { #expect(error == reason) }
  }
}
