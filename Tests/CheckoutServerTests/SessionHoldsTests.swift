import JSONRPC
import Testing
import ValueTree

@testable import CheckoutServer

@Suite struct SessionHoldsTests {
  private let session = Fingerprint("session", "cs-1")

  @Test func `a live checkout holds its session, and one that paid or may have goes on to`() {
    var holds = SessionHolds<Int>()
    #expect(holds.holder(of: session) == nil)
    holds.note(session, 1, isLive: true, holds: true)
    #expect(holds.holder(of: session) == 1)
    #expect(holds.holder(of: session, against: 1) == nil)
    #expect(holds.holder(of: Fingerprint("session", "cs-2")) == nil)
    holds.note(session, 1, isLive: false, holds: true)
    #expect(holds.holder(of: session) == 1)
    holds.note(session, 1, isLive: false, holds: false)
    #expect(holds.holder(of: session) == nil)
  }

  @Test(arguments: [true, false])
  func `what a repetition comes to frees nothing that an earlier checkout holds`(holdsOn: Bool) {
    var holds = SessionHolds<Int>()
    holds.note(session, 1, isLive: false, holds: true)
    holds.note(session, 2, isLive: true, holds: true)
    #expect(holds.holder(of: session) == 2, "the live one is in the way first")
    holds.note(session, 2, isLive: false, holds: holdsOn)
    #expect(holds.holder(of: session) == (holdsOn ? 2 : 1))
    holds.remove(session, 2)
    #expect(holds.holder(of: session) == 1)
    holds.remove(session, 1)
    #expect(holds.holder(of: session) == nil)
  }

  /// What a restart finds, in any order, comes to the same.
  @Test func `what is held follows from the checkouts there are`() {
    let checkouts = [(1, false, true), (2, false, false), (3, true, true), (4, false, true)]
    for order in [checkouts, checkouts.reversed()] {
      var holds = SessionHolds<Int>()
      for (id, isLive, isHeld) in order {
        holds.note(session, id, isLive: isLive, holds: isHeld)
      }
      #expect(holds.holder(of: session) == 3)
    }
  }
}

@Suite struct EarlierFingerprintTests {
  @Test func `a session that a checkout of an earlier version holds is held`() throws {
    let parts = Parts()
    let session = parts.session(of: 1000)
    _ = try parts.start("a", by: session, notedAs: Fingerprint(asEarlierVersionsOf: ["a"]))
    parts.endTurn()
    let refusal = #expect(throws: RPCError.self) { try parts.start("a", by: session) }
    #expect(refusal?.data?["errorId"] == "session-in-use")
    _ = try parts.start("b", by: session)
  }
}

@Suite struct PaymentKeyTests {
  /// As Python's `uuid.uuid5` has them.
  @Test(
    arguments: [
      ("", "253dda80-fe44-5234-afa1-e8c1b4c5ed44"),
      ("cs-1\n1", "0e69804a-8855-5180-951c-d802465225b4"),
      ("cs-1\n2\ntill-1", "c4294d5e-b415-510d-8f69-5f6d04e4735f"),
      ("accés\n16", "d9de99fe-1020-5280-8ad2-8b193e85384a"),
    ])
  func `a name has its UUID for ever`(name: String, digest: String) {
    #expect(NameDigest.paymentKey(of: name) == digest)
  }
}
