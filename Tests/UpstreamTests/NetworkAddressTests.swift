import Testing

@testable import Upstream

@Suite struct NetworkAddressTests {
  @Test(arguments: [
    "127.0.0.1\u{0}", "127.0.0.1\u{0}.example.com", "\u{0}127.0.0.1", "::1\u{0}", "::1\u{0}%eth0",
    "", "127.0.0.1 ", "127.1", "0x7f.0.0.1", "01.2.3.4", "::1%lo", "[::1]",
  ])
  func `what is no address alone is none`(text: String) {
    #expect(NetworkAddress(text: text) == nil)
  }

  @Test(arguments: ["127.0.0.1\u{0}", "127.0.0.1\u{0}:443", "http://127.0.0.1\u{0}:80"])
  func `an entry with a NUL is refused`(entry: String) {
    #expect(throws: UpstreamEntryProblem.self) { try UpstreamPolicy(entries: [entry]) }
  }
}
