import Testing

@testable import CheckoutServer

@Suite struct OutboundTests {
  @Test func `ranges that touch are counted once, and all are counted`() {
    let outbound = Outbound()
    var list = Outbound.List()
    #expect(list.isEmpty && list.byteCount == 0)
    list = outbound.adding(0..<10, to: list)
    list = outbound.adding(10..<15, to: list)
    list = outbound.adding(100..<107, to: list)
    #expect(!list.isEmpty)
    #expect(list.byteCount == 22)
  }

  @Test func `lists of several connections do not mix`() {
    let outbound = Outbound()
    var first = Outbound.List()
    var second = Outbound.List()
    for place in 0..<10 {
      first = outbound.adding(place * 20..<place * 20 + 10, to: first)
      second = outbound.adding(place * 20..<place * 20 + 20, to: second)
    }
    #expect(first.byteCount == 100 && second.byteCount == 200)
  }

  @Test func `a backlog counts what waits`() {
    let backlog = Backlog()
    #expect(backlog.count == 0)
    let bytes: [UInt8] = Array(repeating: 1, count: 100)
    unsafe bytes.withUnsafeBytes { unsafe backlog.append($0) }
    unsafe bytes.withUnsafeBytes { unsafe backlog.append($0) }
    #expect(backlog.count == 200)
  }
}

@Suite struct FingerprintTests {
  @Test func `parts cannot run together`() {
    let prints = [
      Fingerprint("ab", "c"), Fingerprint("a", "bc"), Fingerprint("abc"), Fingerprint("abc", nil),
      Fingerprint("abc", ""), Fingerprint(nil, "abc"), Fingerprint("", "abc"), Fingerprint(),
    ]
    #expect(Set(prints).count == prints.count)
    #expect(Fingerprint("a", nil) == Fingerprint("a", nil))
  }
}
