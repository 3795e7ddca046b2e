import Checkout
import CheckoutProtocol
import JSON
import JSONRPC
import Testing
import ValueTree

@testable import CheckoutServer

/// Nothing goes out that is longer or deeper than announced, whatever there is to tell.
@Suite struct LineLimitTests {
  private static func limits(nesting: Int = 64) -> Limits {
    var limits = Limits()
    // The least that an option takes.
    limits.lineOut = 131_072
    limits.nesting = nesting
    limits.connectionRate = 100_000
    limits.connectionsPerUser = 1000
    return limits
  }

  /// Lines as they came; each is looked at.
  private static func lines(of client: TestClient, nesting: Int = 64) -> [Value] {
    let reader = JSONReader(maximumByteCount: 131_071, maximumDepth: nesting)
    return client.readTexts().compactMap { text in
      do throws(JSONError) {
        return try reader.value(of: text)
      } catch {
        let start = String(decoding: text.prefix(80), as: UTF8.self)
        Issue.record("\(error): \(text.count) bytes, \(start)")
        return nil
      }
    }
  }

  /// Makes a call and reads until it is answered.
  private static func call(
    _ bench: ServerBench, _ client: TestClient, _ method: String, _ params: String = "{}",
    nesting: Int = 64
  ) throws -> Value {
    client.send(#"{"jsonrpc":"2.0","id":"x","method":"\#(method)","params":\#(params)}"# + "\n")
    // A line beyond a limit is answered as nobody's; whoever waits is answered in the end.
    for turn in 0..<8 {
      bench.pass(milliseconds: turn < 6 ? 0 : 300_001)
      let found = lines(of: client, nesting: nesting).first { $0["id"] == "x" || $0["id"] == .null }
      if let found { return found }
    }
    throw JSONError.notJSON
  }

  /// What was taken in when lines could be longer, or is at the bound for what is taken in.
  private static func answer(_ request: Operation.Request, deep: Int) -> Result<
    Answer, OperationFailure
  > {
    let long = String(repeating: "\u{1}", count: 1000)
    switch request {
    case .fetchConfiguration, .performActions:
      var configuration = SampleUpstream.configuration
      configuration.clientSession.lineItems = (0..<40).map {
        LineItem(id: "\($0)", description: long, amount: 1, quantity: 1)
      }
      configuration.paymentMethods += (0..<40).map { PaymentMethod(type: "T\($0)", name: long) }
      return .success(.configuration(configuration))
    case .fetchBanks:
      return .success(
        .banks(
          [IssuingBank(id: "0", name: "B")] + (1..<80).map { IssuingBank(id: "\($0)", name: long) })
      )
    case .tokenize:
      var data: Value = .string("x")
      for _ in 0..<deep { data = ["m": data] }
      return .success(.instrument(PaymentInstrument(token: "tok-1", data: ["deep": data])))
    default: return SampleUpstream.answer(request)
    }
  }

  @Test(arguments: [8, 64])
  func `every method, event and error keeps to it`(nesting: Int) throws {
    let bench = try ServerBench(limits: Self.limits(nesting: nesting))
    let owner = try bench.connect()
    let administrator = try bench.connect(as: 0, isAdministrator: true)
    func call(_ method: String, _ params: String = "{}") throws -> Value {
      let reply = try Self.call(bench, owner, method, params, nesting: nesting)
      _ = Self.lines(of: administrator, nesting: nesting)
      return reply
    }
    func answer() {
      bench.upstream.answer { Self.answer($0, deep: 100) }
      bench.turn()
    }
    _ = try Self.call(bench, administrator, "events.subscribe", #"{"all":true}"#)
    _ = try call("events.subscribe")
    owner.send(
      #"{"jsonrpc":"2.0","id":1,"method":"checkout.start","params":{"clientToken":"\#(SampleUpstream.tokens[0])","startKey":"k"}}"#
        + "\n")
    bench.turn()
    answer()
    let live = try #require(bench.registry.checkouts.first)
    let digits = live.idText.dropFirst(3)
    _ = try call(
      "componentWithRedirectManager.provideBanksComponent",
      #"{"checkoutId":"\#(live.idText)","paymentMethodType":"ADYEN_IDEAL"}"#)
    owner.send(
      #"{"jsonrpc":"2.0","id":2,"method":"component.start","params":{"componentId":"cm_\#(digits)_0"}}"#
        + "\n")
    bench.turn()
    answer()
    _ = try call(
      "component.updateCollectedData",
      #"{"componentId":"cm_\#(digits)_0","data":{"bankId":"0"}}"#)
    _ = try call("component.submit", #"{"componentId":"cm_\#(digits)_0"}"#)
    for _ in 0..<4 { answer() }
    #expect(live.checkout.outcome == .success)
    // Whoever reads all that was told comes to the end.
    var after: Int64 = 0
    var missed: Int64 = 0
    while after < live.checkout.seq {
      let page = try call(
        "events.read", #"{"checkoutId":"\#(live.idText)","after":\#(after),"limit":1000}"#)
      let next = try #require(page["result"]?["next"]?.integer, "\(page)")
      try #require(next > after)
      missed = max(missed, page["result"]?["trimmedTo"]?.integer ?? 0)
      after = next
    }
    #expect(missed > 0)
    _ = try call(
      "events.subscribe", #"{"checkoutId":"\#(live.idText)","after":0}"#)
    bench.turn()
    _ = Self.lines(of: owner, nesting: nesting)
    // Each method, with what it takes and at its longest.
    let probes = SchemaProbes(
      samples: [
        "checkoutId": "\"\(live.idText)\"", "componentId": "\"cm_\(digits)_0\"", "waitMs": "0",
        "for": #"["terminal"]"#,
      ], depth: nesting)
    var count = 0
    for row in Methods.all {
      for probe in probes.parameters(of: row) where probe.fits != false {
        guard probe.text.utf8.count < 60_000 else { continue }
        _ = try call(row.name.description, probe.text)
        count += 1
      }
    }
    #expect(count > 100)
  }

  @Test func `a page holds what a line holds, and the next one goes on`() throws {
    let bench = try ServerBench(limits: Self.limits())
    let owner = try bench.connect()
    let administrator = try bench.connect(as: 0, isAdministrator: true)
    try bench.start(400, by: owner)
    #expect(bench.registry.count == 400)
    var clients: [TestClient] = []
    let name = String(repeating: "\u{1}", count: 255)
    let quoted = Value.string(name).jsonText
    for _ in 0..<100 {
      let client = try bench.connect()
      _ = try Self.call(bench, client, "system.hello", #"{"client":\#(quoted)}"#)
      clients.append(client)
    }
    for (method, member, count) in [
      ("checkout.list", "checkouts", 400), ("system.connections", "connections", 102),
    ] {
      var cursor: String?
      var found = 0
      var pages = 0
      repeat {
        let after = cursor.map { #","cursor":"\#($0)""# } ?? ""
        let all = method == "checkout.list" ? #","all":true"# : ""
        let reply = try Self.call(
          bench, administrator, method, #"{"limit":1000\#(all)\#(after)}"#)
        let page = try #require(reply["result"]?[member]?.array, "\(method)")
        found += page.count
        pages += 1
        cursor = reply["result"]?["next"]?.string
      } while cursor != nil && pages < 1000
      #expect(found == count && pages > 1, "\(method)")
    }
    let all = try Self.call(bench, owner, "events.subscribe")
    #expect((all["result"]?["snapshots"]?.array?.count ?? 0) > 50)
    #expect(all["result"]?["more"] == true)
  }
}
