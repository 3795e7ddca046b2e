import Testing
import ValueTree

@testable import CheckoutServer

/// What is stored of a start reads back.
@Suite struct StartRecordTests {
  static let records = [
    StartRecord(key: nil, fingerprint: Fingerprint("a"), tokenFingerprint: Fingerprint("t")),
    StartRecord(
      key: "order-4711", fingerprint: Fingerprint("a"), tokenFingerprint: Fingerprint("t"),
      sessionFingerprint: Fingerprint("session", "s"), allowsRepeat: true),
    StartRecord(
      key: "order-4711", fingerprint: Fingerprint("a"), tokenFingerprint: Fingerprint("t"),
      allowsRepeat: true, repeats: ["outcome": "unknown", "payment": ["id": "pay-1"]]),
  ]

  @Test(arguments: records)
  func `a record reads back`(record: StartRecord) throws {
    let again = try #require(StartRecord(record.stored))
    #expect(again.stored == record.stored)
    #expect(again.repeats == record.repeats)
  }

  @Test func `what is no record is refused`() {
    let parts = Self.records[1].stored.array ?? []
    #expect(StartRecord(.array(Array(parts.dropLast()))) == nil)
    #expect(StartRecord(.array(parts + ["x", "y"])) == nil)
    #expect(StartRecord("x") == nil)
  }
}
