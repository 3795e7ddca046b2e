import Checkout
import Testing
import ValueTree

@testable import CheckoutServer

/// What is told to Prometheus: each line is as its format says, and counts what has happened.
@Suite struct MetricsTests {
  private let bench: ServerBench
  private let client: TestClient
  private let administrator: TestClient

  init() throws {
    bench = try ServerBench()
    client = try bench.connect()
    administrator = try bench.connect(as: 0, isAdministrator: true)
  }

  /// The samples, by name and labels as they are written.
  private func samples() throws -> [String: Double] {
    let result = try #require(try bench.call(administrator, "system.metrics").result)
    #expect(result["contentType"] == "text/plain; version=0.0.4; charset=utf-8")
    let text = try #require(result["text"]?.string)
    #expect(text.hasSuffix("\n"))
    var samples: [String: Double] = [:]
    var named: Set<Substring> = []
    var family: Substring = ""
    for line in text.split(separator: "\n") {
      if line.hasPrefix("# HELP ") || line.hasPrefix("# TYPE ") {
        family = line.split(separator: " ")[2]
        if line.hasPrefix("# HELP ") { #expect(named.insert(family).inserted, "\(family)") }
        continue
      }
      #expect(line.hasPrefix(family), "what is of one metric stands together")
      let end = try #require(line.lastIndex(of: " "))
      let value = try #require(Double(line[line.index(after: end)...]), "\(line)")
      #expect(samples.updateValue(value, forKey: String(line[..<end])) == nil, "\(line)")
    }
    return samples
  }

  @Test func `they are for administrators`() throws {
    #expect(try bench.call(client, "system.metrics").errorID == "permission-denied")
  }

  @Test func `a payment moves what counts payments`() throws {
    _ = try bench.submit(session: 1, by: client)
    bench.clock.pass(milliseconds: 7000)
    var now = try samples()
    #expect(now["checkoutd_oldest_payment_seconds"] == 7)
    #expect(now[#"checkoutd_checkouts{state="submitted"}"#] == 1)
    while bench.answer() {}
    now = try samples()
    #expect(now["checkoutd_oldest_payment_seconds"] == 0)
    #expect(now[#"checkoutd_checkouts{state="completed"}"#] == 1)
    let ended = #"checkoutd_checkouts_ended_total{payment_method="ADYEN_IDEAL",outcome="success"}"#
    #expect(now[ended] == 1)
    for operation in ["configuration", "banks", "tokenize", "create", "poll", "resume"] {
      let labels = #"operation="\#(operation)",result="answered""#
      let name = "checkoutd_upstream_request_duration_seconds"
      #expect(now["\(name)_count{\(labels)}"] == 1, "\(operation)")
      #expect(now[#"\#(name)_bucket{\#(labels),le="+Inf"}"#] == 1)
    }
    let name = "checkoutd_upstream_request_duration_seconds_bucket"
    let tokenize = #"operation="tokenize",result="answered""#
    #expect(now[#"\#(name){\#(tokenize),le="5"}"#] == 0)
    #expect(now[#"\#(name){\#(tokenize),le="10"}"#] == 1)
    #expect(now["checkoutd_commit_duration_seconds_count"] ?? 0 > 5)
  }

  @Test func `what is not committed is not counted`() throws {
    let id = try #require(try bench.start(session: 1, by: client).result?["checkoutId"])
    bench.backend.isFailing = true
    #expect(try bench.call(client, "checkout.cancel", ["checkoutId": id]).result == nil)
    bench.backend.isFailing = false
    bench.pass(milliseconds: 2000)
    let ended = #"checkoutd_checkouts_ended_total{payment_method="none",outcome="cancelled"}"#
    #expect(try samples()[ended] ?? 0 == 0)
    #expect(try bench.call(client, "checkout.cancel", ["checkoutId": id]).result != nil)
    #expect(try samples()[ended] == 1)
  }

  @Test func `a payment method that nobody here knows by name is another`() {
    let counters = Counters()
    counters.countOutcome(.failed, of: "MADE_UP", by: 1)
    counters.countOutcome(.failed, of: "MADE_UP_TOO", by: 1)
    #expect(counters.outcomeCounts.map(\.paymentMethod) == ["other"])
    #expect(counters.outcomeCounts.map(\.count) == [2])
  }

  @Test func `a label is escaped`() {
    var text = MetricsText()
    text.gauge("a", "b", [([("c", "\"\\\n")], 0.5)])
    #expect(text.text == "# HELP a b\n# TYPE a gauge\na{c=\"\\\"\\\\\\n\"} 0.5\n")
  }
}
