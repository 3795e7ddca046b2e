import ValueTree
import Checkout
import JSON
import JSONRPC
import Testing

@testable import CheckoutProtocol

@Suite struct ReadingTests {
  // MARK: References

  @Test(
    arguments: [
      (#""co_0123456789abcdef""#, .id(CheckoutID(0x0123_4567_89ab_cdef))),
      (#""co_0123456789ABCDEF""#, .id(nil)), (#""co_0123456789abcde""#, .id(nil)),
      (#""co_0123456789abcdef0""#, .id(nil)), (#""cm_0123456789abcdef_0""#, .id(nil)),
      (#"{"startKey":"till-1"}"#, .startKey("till-1")),
      (#"{"startKey":"co_0123456789abcdef"}"#, .startKey("co_0123456789abcdef")),
    ] as [(String, CheckoutReference)])
  func `a checkout is named by its id or its key`(text: String, expected: CheckoutReference) throws
  {
    #expect(try Shapes.checkout.read(text) == expected)
  }

  // MARK: Settings

  private static let token = #""clientToken":"a.b.c""#

  private static func settings(_ members: String) throws -> Settings {
    try Methods.start.read("{\(token)\(members)}").settings
  }

  @Test func `without settings everything is as documented`() throws {
    for members in ["", #","settings":{}"#, #","settings":{"stripe":{}}"#, #","decisions":[]"#] {
      #expect(try Self.settings(members) == Settings(), "\(members)")
    }
    #expect(Settings().paymentHandling == .auto)
  }

  @Test func `all settings are read`() throws {
    let read = try Self.settings(
      #","settings":{"paymentHandling":"manual","locale":"nl-NL","urlScheme":"kiosk://checkout","#
        + #""stripe":{"publishableKey":"pk_test_example","merchantName":"Example Shop"}},"#
        + #""decisions":["willCreatePayment"],"decisionTimeoutMs":1000"#)
    #expect(
      read
        == Settings(
          paymentHandling: .manual, locale: "nl-NL", urlScheme: "kiosk://checkout",
          stripePublishableKey: "pk_test_example", merchantName: "Example Shop",
          decidesOnPaymentCreation: true, decisionTimeout: 1000))
  }

  @Test func `a mandate is a text or a name, not both`() throws {
    #expect(
      try Self.settings(#","settings":{"stripe":{"mandateText":"Agreed"}}"#)
        == Settings(mandateText: "Agreed"))
    let error = #expect(throws: RPCError.self) {
      try Self.settings(#","settings":{"stripe":{"mandateText":"Agreed","merchantName":"Shop"}}"#)
    }
    #expect(error?.errorId == "invalid-value")
    #expect(error?.data?["path"] == "/params/settings/stripe")
  }

  // MARK: Shares

  private static func shares(_ text: String) throws -> [Share] {
    try Methods.start.read("{\(token),\"share\":\(text)}").shares
  }

  @Test(
    arguments: [
      (#"[]"#, []), (#"[{"uid":0,"role":"drive"}]"#, [Share(subject: .user(0), role: .drive)]),
      (
        #"[{"gid":4294967294,"role":"observe"},{"uid":7,"role":"drive"}]"#,
        [
          Share(subject: .group(4_294_967_294), role: .observe),
          Share(subject: .user(7), role: .drive),
        ]
      ),
    ] as [(String, [Share])])
  func `shares are read`(text: String, expected: [Share]) throws {
    #expect(try Self.shares(text) == expected)
  }

  @Test(arguments: [#"[{"role":"drive"}]"#, #"[{"uid":1,"gid":1,"role":"drive"}]"#])
  func `a share is for a user or a group`(text: String) {
    let error = #expect(throws: RPCError.self) { try Self.shares(text) }
    #expect(error?.code == .invalidParams)
    #expect(error?.data?["path"] == "/params/share/0")
  }

  // MARK: Reports

  private static func report(_ members: String) throws -> BankAccountReport {
    try Methods.reportBankAccount.read(#"{"componentId":"cm_0123456789abcdef_0",\#(members)}"#)
      .report
  }

  @Test func `reports are read`() throws {
    #expect(try Self.report(#""outcome":"succeeded","paymentId":"pi_1""#) == .succeeded)
    #expect(try Self.report(#""outcome":"succeeded""#) == .succeeded)
    #expect(try Self.report(#""outcome":"pendingVerification""#) == .pendingVerification)
    #expect(
      try Self.report(#""outcome":"failed","error":{"errorId":"e"}"#)
        == .failed(errorID: "e", description: nil))
    #expect(try Self.report(#""outcome":"cancelled""#) == .cancelled)
  }

  @Test func `a failure without its error is refused`() {
    let error = #expect(throws: RPCError.self) { try Self.report(#""outcome":"failed""#) }
    #expect(error?.code == .invalidParams)
    #expect(error?.data?["path"] == "/params/error")
  }
}

@Suite struct EventFilterTests {
  private static func kinds(_ text: String) throws -> [EventKind] {
    let filter = try Shapes.eventTypes.read(text)
    return EventKind.allCases.filter { filter.contains($0) }
  }

  @Test func `without types every event is wanted`() throws {
    #expect(try Methods.readEvents.read(#"["co_0123456789abcdef"]"#).filter == .all)
    #expect(EventKind.allCases.allSatisfy { EventFilter.all.contains($0) })
  }

  @Test func `an empty list wants none`() throws {
    #expect(try Self.kinds("[]").isEmpty)
  }

  @Test(arguments: EventKind.allCases)
  func `a name wants that event alone`(kind: EventKind) throws {
    #expect(try Self.kinds("[\"\(kind.rawValue)\"]") == [kind])
  }

  @Test func `a prefix wants all that begin with it`() throws {
    let component = EventKind.allCases.filter { $0.rawValue.hasPrefix("component.") }
    #expect(try Self.kinds(#"["component."]"#) == component)
    #expect(
      Set(try Self.kinds(#"["component.","checkout.didFail"]"#)) == Set(component + [.didFail]))
    #expect(try Self.kinds(#"["checkout.","component."]"#) == EventKind.allCases)
  }

  @Test(arguments: [
    "component", "checkout.did", ".", "x.", "", "checkout.didNothing", "CHECKOUT.", "events.lost",
    "checkout.didFail.",
  ])
  func `what no event has is refused`(word: String) {
    #expect(throws: SchemaViolation.self) {
      try Self.kinds("[\"checkout.didFail\",\"\(word)\"]")
    }
  }

  @Test func `every kind has a bit of its own, by its place`() {
    #expect(EventKind.allCases.map(\.bit) == EventKind.allCases.indices.map { 1 << $0 })
  }

  @Test func `the scope of a kind is the first word of its name`() {
    for kind in EventKind.allCases {
      #expect(kind.rawValue.hasPrefix(kind.isOfCheckout ? "checkout." : "component."))
    }
  }
}
