import Checkout
import Testing
import ValueTree

@testable import CheckoutStore

@Suite struct EventRecordTests {
  /// What stands for each kind in the rows of every release: to be added to, never to be changed.
  static let codes: [(Int64, String)] = [
    (1, "checkout.didLoadAvailablePaymentMethods"), (2, "component.didReceiveStep"),
    (3, "component.didUpdateValidationStatus"), (4, "component.didReceiveError"),
    (5, "checkout.willCreatePayment"), (6, "checkout.didStartTokenization"),
    (7, "checkout.didTokenizePaymentMethod"), (8, "checkout.didReceiveAdditionalInfo"),
    (9, "checkout.didResumeWith"), (10, "checkout.willUpdateClientSession"),
    (11, "checkout.didUpdateClientSession"), (12, "checkout.didCompleteCheckout"),
    (13, "checkout.didFail"),
  ]

  @Test func `every kind has a number here`() {
    #expect(Self.codes.map(\.1) == EventKind.allCases.map(\.rawValue))
  }

  @Test(arguments: codes)
  func `a kind is written as its number, and read again`(code: Int64, name: String) throws {
    let kind = try #require(EventKind(rawValue: name))
    let record = EventRecord(seq: 7, time: 1000, event: Event(kind, [.init("a", 1)]))
    let writer = CompactWriter()
    record.append(to: writer)
    let bytes = writer.bytes
    let value = try unsafe bytes.withUnsafeBytes { try unsafe CompactValue.read($0) }
    #expect(value.array?.first == .integer(code))
    #expect(try EventRecord(value, seq: 7).event == record.event)
  }

  @Test(arguments: [0, -1, 14, .min, .max] as [Int64])
  func `a number that no kind has is damage`(code: Int64) {
    #expect(throws: CompactValue.Malformed.self) {
      _ = try EventRecord([.integer(code), 0, .null, .object([])], seq: 1)
    }
  }
}
