import Testing
import ValueTree

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

  /// As Python's `uuid.uuid5` has it, of the text and 0xFF.
  @Test func `a text has its digest for ever`() {
    let digest: Value = [.integer(4787362100591219952), .integer(-9187223119997713212)]
    #expect(Fingerprint("cs-1").stored == digest)
    #expect(Fingerprint(digest) == Fingerprint("cs-1"))
  }

  @Test func `what an earlier version has stored names the same`() {
    let names = Fingerprints(session: "cs-1")
    #expect(names.contains(Fingerprint("session", "cs-1")))
    let stored: Value = [.integer(-2682318486290788555), .integer(-6728393227688788195)]
    #expect(names.contains(Fingerprint(stored)))
    #expect(!Fingerprints(session: "cs-2").contains(Fingerprint(stored)))
    #expect(!names.contains(nil))
  }
}
