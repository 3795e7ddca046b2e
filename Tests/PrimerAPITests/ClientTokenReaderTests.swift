import Checkout
import Testing
import Upstream
import ValueTree

@testable import PrimerAPI

@Suite struct ClientTokenReaderTests {
  private static let now: WallTime = 1_700_000_000_000
  private static let payload =
    #"{"accessToken":"at-1","exp":2000000000,"intent":"CHECKOUT","pciUrl":"https://pci.primer.io"}"#

  private func read(_ encoded: String) throws -> Result<ClientToken, ClientTokenProblem> {
    let reader = ClientTokenReader(policy: try UpstreamPolicy(entries: ["127.0.0.1:8080"]))
    do throws(ClientTokenProblem) {
      return .success(try reader.read(encoded, now: Self.now))
    } catch { return .failure(error) }
  }

  private func problem(_ payload: String) throws -> ClientTokenProblem? {
    switch try read(token(payload)) {
    case .success: nil
    case .failure(let problem): problem
    }
  }

  @Test func `every field is read`() throws {
    let encoded = token(
      #"""
      {"accessToken":"at","expiration":2000000000,"exp":5,"intent":"ADYEN_IDEAL_REDIRECTION",
      "configurationUrl":"https://api.primer.io/c","coreUrl":"https://core.primer.io",
      "pciUrl":"https://pci.primer.io","redirectUrl":"https://bank.example/pay",
      "statusUrl":"https://api.primer.io/s","stripeClientSecret":"sec",
      "sdkCompleteUrl":"https://api.primer.io/done","analyticsUrl":"http://elsewhere.example"}
      """#)
    let expected = ClientToken(
      encoded: encoded, accessToken: "at", expiresAt: 2_000_000_000_000,
      intent: "ADYEN_IDEAL_REDIRECTION", configurationURL: "https://api.primer.io/c",
      coreURL: "https://core.primer.io", pciURL: "https://pci.primer.io",
      redirectURL: "https://bank.example/pay", statusURL: "https://api.primer.io/s",
      stripeClientSecret: "sec", sdkCompleteURL: "https://api.primer.io/done")
    #expect(try read(encoded) == .success(expected))
  }

  /// The first bytes of a PNG file.
  private static let image = "iVBORw0KGgo="

  private func code(_ members: String) throws -> ClientToken.Code? {
    try read(token(#"{"accessToken":"at","exp":2000000000,\#(members)}"#)).get().code
  }

  @Test func `a code is an image, or where one is`() throws {
    #expect(try code(#""qrCode":"\#(Self.image)""#) == .image(Self.image))
    #expect(try code(#""qrCode":"iVBORw0KGgo""#) == .image(Self.image))
    let url = "https://codes.example.com/1.png"
    #expect(try code(#""qrCodeUrl":"\#(url)""#) == .imageURL(url))
    #expect(try code(#""qrCode":"\#(url)","qrCodeUrl":"x""#) == .imageURL(url))
    #expect(try code(#""qrCode":null,"qrCodeUrl":7"#) == nil)
  }

  @Test(arguments: [
    "", "PHN2Zz4=", "%%%", "https://user@codes.example.com/", "http://codes.example.com/",
  ])
  func `a code that no client can show takes nothing else with it`(text: String) throws {
    #expect(try code(#""qrCode":"\#(text)""#) == .unusable)
  }

  @Test func `an image is as large as announced`() throws {
    let limit = ClientTokenReader.maximumImageByteCount
    for (count, isTaken) in [(limit, true), (limit + 1, false)] {
      let bytes =
        [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + [UInt8](repeating: 0, count: count - 8)
      let image = ImageFile(base64: base64(bytes), maximumByteCount: limit)
      #expect((image != nil) == isTaken)
    }
  }

  @Test func `a voucher is read where the intent is one, its expiry as it was written`() throws {
    let members = #""reference":"501 123","entity":"11249","expiresAt":"2050-01-01T01:01:01""#
    func voucher(_ intent: String) throws -> ClientToken.Voucher? {
      try read(token(#"{"accessToken":"at","exp":2000000000,"intent":"\#(intent)",\#(members)}"#))
        .get().voucher
    }
    #expect(
      try voucher("PAYMENT_METHOD_VOUCHER")
        == .init(reference: "501 123", entity: "11249", expiresAt: "2050-01-01T01:01:01"))
    #expect(try voucher("CHECKOUT") == nil)
  }

  @Test func `both alphabets are read, padded or not, signed or not`() throws {
    // Holds the characters in which the alphabets differ, and needs padding.
    let payload = #"{"accessToken":"a?>~","exp":2000000000,"n":"ÿþ~~??>>"}"#
    let standard = base64(payload)
    let urlSafe = String(
      standard.filter { $0 != "=" }.map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 })
    #expect(standard != urlSafe && standard.hasSuffix("="))
    for encoded in [
      "h.\(urlSafe).s", "h.\(standard).s", "h.\(urlSafe)", "h.\(urlSafe).", "h.\(urlSafe).s.x",
    ] {
      guard case .success(let token) = try read(encoded) else {
        Issue.record("refused: \(encoded)")
        continue
      }
      #expect(token.accessToken == "a?>~")
    }
  }

  @Test(arguments: [
    "", "h", ".", "h.", "h..s", "..\(base64(payload))", ".\(base64(payload)).s",
    "h.\(base64(payload)) .s", "h. \(base64(payload)).s", "h.A.s", "h.%%%%.s", "h.AAAA=.s",
    "h.====.s", "h.\(base64(payload))====.s", "h.\(base64("[1]")).s", "h.\(base64("null")).s",
    "h.\(base64(#"{"accessToken":"a","exp":2000000000"#)).s",
    "h.\(base64("{\"accessToken\":\"\(String(repeating: "a", count: 50_000))\"}")).s",
  ])
  func `what is no token is undecodable`(encoded: String) throws {
    #expect(try read(encoded) == .failure(.undecodable))
  }

  @Test(arguments: [
    (#"{"exp":2000000000}"#, ClientTokenProblem.missing(field: "accessToken")),
    (#"{"accessToken":null,"exp":2000000000}"#, .missing(field: "accessToken")),
    (#"{"accessToken":"","exp":2000000000}"#, .missing(field: "accessToken")),
    (#"{"accessToken":1,"exp":2000000000}"#, .missing(field: "accessToken")),
    (#"{"accessToken":"a\r\nX-Evil: 1","exp":2000000000}"#, .undecodable),
    (#"{"accessToken":"a b","exp":2000000000}"#, .undecodable),
    (#"{"accessToken":"é","exp":2000000000}"#, .undecodable),
  ])
  func `the access token must be there, and fit into a header`(
    payload: String, expected: ClientTokenProblem
  ) throws {
    #expect(try problem(payload) == expected)
  }

  @Test(arguments: [
    (#""exp":2000000000"#, ClientTokenProblem?.none), (#""exp":2000000000.0"#, nil),
    (#""exp":2e9"#, nil), (#""expiration":2000000000,"exp":1"#, nil),
    (#""expiration":null,"exp":2000000000"#, nil), (#""exp":1700000001"#, nil),
    (#""expiration":1,"exp":2000000000"#, .expired(at: 1000, now: now)),
    (#""exp":1700000000"#, .expired(at: 1_700_000_000_000, now: now)),
    (#""exp":-1"#, .expired(at: -1000, now: now)), (#""exp":null"#, .withoutExpiry),
    (#""other":1"#, .withoutExpiry), (#""exp":2000000000.5"#, .withoutExpiry),
    (#""exp":"2000000000""#, .withoutExpiry), (#""exp":9223372036854775807"#, .undecodable),
    (#""exp":1e300"#, .withoutExpiry),
    (#""expiration":"2000000000","exp":2000000000"#, nil),
  ])
  func `a token is used until its expiry alone`(
    member: String, expected: ClientTokenProblem?
  ) throws {
    #expect(try problem(#"{"accessToken":"a",\#(member)}"#) == expected)
  }

  @Test(arguments: [
    ("configurationUrl", "https://evil.com/", "evil.com", "evil.com is not on the allow list"),
    (
      "coreUrl", "http://core.primer.io", "core.primer.io",
      "that port of core.primer.io is not on the allow list"
    ),
    ("pciUrl", "https://pci.primer.io@evil.com", "evil.com", "it names a user"),
    (
      "statusUrl", "https://127.0.0.1/", "127.0.0.1",
      "that port of 127.0.0.1 is not on the allow list"
    ),
    ("sdkCompleteUrl", "nonsense", nil, "it is no URL"),
    (
      "redirectUrl", "http://bank.example/", "bank.example",
      "bank.example is not on the allow list"
    ),
    ("redirectUrl", "javascript:alert(1)", nil, "it is no URL"),
    ("redirectUrl", "https://b\u{e9}nk.example/", nil, "its host is not on the allow list"),
  ])
  func `one URL off the list makes the token unusable`(
    field: String, url: String, host: String?, why: String
  ) throws {
    let payload = #"{"accessToken":"a","exp":2000000000,"\#(field)":"\#(url)"}"#
    #expect(try problem(payload) == .notAllowed(field: field, host: host, why: why))
  }

  @Test func `a URL with a space or with letters beyond ASCII is encoded`() throws {
    let payload = #"""
      {"accessToken":"a","exp":2000000000,"redirectUrl":"https://bank.example/a b?n=é&o=\u202e#x y",
      "statusUrl":"https://api.primer.io/s t?é"}
      """#
    let token = try read(token(payload)).get()
    #expect(token.redirectURL == "https://bank.example/a%20b?n=%c3%a9&o=%e2%80%ae#x%20y")
    #expect(token.statusURL == "https://api.primer.io/s%20t?%c3%a9")
  }

  @Test(arguments: [
    #""redirectUrl":"https://bank.example/pay?x=1#f""#,
    #""redirectUrl":"http://127.0.0.1:8080/page""#, #""pciUrl":"""#, #""pciUrl":null"#,
    #""statusUrl":"http://127.0.0.1:8080/status""#, #""pciUrl":7"#, #""intent":[]"#,
    #""statusUrl":{}"#, #""zz":18446744073709551616"#, #""zz":"\ud800""#,
    #""zz":{"a":1,"a":2}"#,
  ])
  func `a listed URL, or none, does not, nor does what nobody needs`(member: String) throws {
    #expect(try problem(#"{"accessToken":"a","exp":2000000000,\#(member)}"#) == nil)
  }
}
