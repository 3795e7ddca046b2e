import Testing

@testable import PrimerAPI

@Suite struct EgressPathTests {
  @Test(arguments: [
    ("/run/checkoutd/egress.sock", "socks5h://localhost/run/checkoutd/egress.sock"),
    ("/tmp/a b%20?#@[1]", "socks5h://localhost/tmp/a%20b%2520%3f%23%40%5b1%5d"),
    (
      "/" + String(repeating: "x", count: 106),
      "socks5h://localhost/" + String(repeating: "x", count: 106)
    ),
  ])
  func `a path is part of a SOCKS proxy's URL`(path: String, url: String) {
    #expect(EgressPath(path)?.proxyURL == url)
  }

  @Test(arguments: [
    "", "/", "socket", "./socket", "/run/", "/" + String(repeating: "x", count: 107), "/a\nb",
    "/a\u{7F}",
    "/é",
  ])
  func `what is no path of a socket is refused`(path: String) {
    #expect(EgressPath(path) == nil)
  }
}
