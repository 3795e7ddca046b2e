import Checkout
import Testing
import ValueTree

@Suite struct ExpiryTests {
  static let failed = ["didFail failed checkout-expired", "# ended failed"]
  static let unknown = ["didFail unknown checkout-expired pay-1 PENDING", "# ended unknown"]
  static let redirect = ["step webRedirect failure"]

  static let expiring: [(Stop, [String])] = [
    (.starting, ["x configuration"] + failed + ["= snapshot failed"]),
    (.ready, failed),
    (.startingComponent, ["x banks"] + failed + ["! checkout-ended"]),
    (.startingACH, ["x actions"] + failed + ["! checkout-ended"]),
    (.chosen, failed),
    (.patching, ["willUpdateClientSession"]),
    (.deciding, redirect + failed),
    (.collecting, unknown),
    (.mandating, unknown),
  ]

  @Test(arguments: expiring)
  func `a checkout that nobody goes on with expires`(stop: Stop, lines: [String]) {
    var bench = Bench(at: stop)
    #expect(bench.fire(.expiry) == lines)
  }

  @Test(arguments: Stop.allCases.filter { stop in !expiring.contains { $0.0 == stop } })
  func `a checkout that is under way does not expire`(stop: Stop) {
    var bench = Bench(at: stop)
    #expect(bench.timers[.expiry] == nil)
    #expect(bench.handle(.timerFired(.expiry)).isEmpty)
    #expect(bench.checkout.snapshot["expiresAt"] == nil)
  }

  @Test(
    arguments: [
      (Sample.now + Sample.hour, Sample.hour), (Sample.now + 48 * Sample.hour, 24 * Sample.hour),
      (Sample.now - 5, 0),
    ] as [(WallTime, Milliseconds)])
  func `an unsubmitted checkout lives as long as its token, at most a day`(
    expiry: WallTime, span: Milliseconds
  ) {
    var token = Sample.token
    token.expiresAt = expiry
    let bench = Bench(token: token)
    #expect(bench.lines.first == "@ expiry \(span)")
  }

  @Test func `the bank account and the mandate share one expiry, the new token's`() {
    var bench = Bench(at: .collecting)
    #expect(bench.timers[.expiry] == Sample.achToken.expiresAt)
    bench.now += Sample.minute
    bench.call(.reportBankAccount(.succeeded))
    #expect(bench.timers[.expiry] == Sample.achToken.expiresAt)
    #expect(
      bench.checkout.awaiting.first?["deadline"]?.string
        == Timestamp(Sample.achToken.expiresAt).text)
  }
}
