import Checkout
import Testing

@Suite struct IdentifierTests {
  @Test(
    arguments: [
      (0, "co_0000000000000000"), (1, "co_0000000000000001"), (.max, "co_ffffffffffffffff"),
      (0x0123_4567_89AB_CDEF, "co_0123456789abcdef"),
    ] as [(UInt64, String)])
  func `a checkout's id reads as it was written`(number: UInt64, text: String) {
    #expect(CheckoutID(number).text == text)
    #expect(CheckoutID(text: text) == CheckoutID(number))
  }

  @Test(
    arguments: [
      "", "co_", "co_012345678", "co_0123456789ABCDEF", "co_0123456789abcdeg",
      "co_0123456789abcdef0", "cm_0123456789abcdef", "CO_0123456789abcdef", "0123456789abcdef",
      " co_0123456789abcdef", "co_0123456789abcdef ", "co_+123456789abcdef",
      "co_\u{661}123456789abcde",
    ])
  func `anything else is no checkout's id`(text: String) {
    #expect(CheckoutID(text: text) == nil)
  }

  @Test(arguments: [(0, "_0"), (1, "_1"), (10, "_10"), (99, "_99")])
  func `a component's id reads as it was written`(index: Int, suffix: String) {
    let id = ComponentID(checkout: CheckoutID(0xC0FFEE), index: index)
    #expect(id.text == "cm_0000000000c0ffee" + suffix)
    #expect(ComponentID(text: id.text) == id)
  }

  @Test(
    arguments: [
      "", "cm_0000000000c0ffee", "cm_0000000000c0ffee_", "cm_0000000000c0ffee_00",
      "cm_0000000000c0ffee_01", "cm_0000000000c0ffee_-1", "cm_0000000000c0ffee_+1",
      "cm_0000000000c0ffee_100", "cm_0000000000c0ffee_x", "cm_0000000000c0ffee-0",
      "cm_0000000000C0FFEE_0", "co_0000000000c0ffee_0", "cm_0000000000c0ffee_0 ",
      "cm_0000000000c0ffee_\u{661}",
    ])
  func `anything else is no component's id`(text: String) {
    #expect(ComponentID(text: text) == nil)
  }

  @Test func `ids are ordered by their numbers`() {
    #expect(CheckoutID(1) < CheckoutID(2))
    #expect(!(CheckoutID(2) < CheckoutID(2)))
  }

  @Test func `a moment draws random UUIDs, the same for the same entropy`() {
    var one = Moment(now: 0, entropy: 42)
    var other = Moment(now: 9, entropy: 42)
    var seen: Set<String> = []
    for _ in 0..<1000 {
      let uuid = one.uuid()
      #expect(uuid == other.uuid())
      let places = Array(uuid)
      #expect(places.count == 36)
      #expect([8, 13, 18, 23].allSatisfy { places[$0] == "-" })
      #expect(places[14] == "4")
      #expect("89ab".contains(places[19]))
      seen.insert(uuid)
    }
    #expect(seen.count == 1000)
  }
}
