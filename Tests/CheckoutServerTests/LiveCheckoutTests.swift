import Checkout
import CheckoutStore
import Testing

@testable import CheckoutServer

@Suite struct LiveCheckoutTests {
  @Test func `of an archived checkout nothing is kept but its record`() throws {
    let moment = Moment(now: 1_767_259_800_000, entropy: 1, digest: { $0 })
    var checkout = Checkout(
      id: CheckoutID(1), owner: 1000,
      token: ClientToken(encoded: "t", accessToken: "a", expiresAt: moment.now + 3_600_000),
      settings: Settings(), spans: Spans(), moment: moment)
    _ = checkout.begin(at: moment)
    _ = checkout.perform(.cancel(reason: nil), at: moment)
    let record = try #require(checkout.outcomeRecord)

    let users = UserTable(CurrentLimits(Limits()))
    let live = LiveCheckout(
      checkout, of: users.user(1000), ordinal: 1,
      start: StartRecord(
        key: nil, fingerprint: Fingerprint("f"), tokenFingerprint: Fingerprint("t")))
    let store = CheckoutStore()
    weak let log = live.log(in: store)
    try store.remove([(live.id, nil)])
    live.archive(record)
    #expect(log == nil)
    #expect(live.checkout.state == .archived)
    #expect(!live.hasComponent(0))
  }
}
