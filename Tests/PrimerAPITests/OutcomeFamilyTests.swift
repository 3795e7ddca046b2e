import Checkout
import JSON
import Testing
import ValueTree

@testable import PrimerAPI

/// Whole checkouts in which one answer, whichever, is not as it should be.
///
/// Each member of it is `null`, left out, of another type or a word that nobody knows, and it has every
/// oddity of a text. Judged is what the checkout comes to.
@Suite struct OutcomeFamilyTests {
  /// What every checkout keeps to, whatever upstream says.
  private func judge(_ checkout: WholeCheckout, _ place: String, _ isTouchingID: Bool) {
    let payments = checkout.upstream.payments
    #expect(checkout.isOver, "\(place): it does not end")
    #expect(payments.count <= 1, "\(place): paid twice")
    if checkout.isRemoved {
      #expect(payments.isEmpty, "\(place)")
      return
    }
    #expect(checkout.events.count(where: \.isTerminal) == 1, "\(place)")
    switch checkout.ending {
    case .failed, .cancelled:
      #expect(payments.values.allSatisfy { $0 == "FAILED" }, "\(place): money may move")
    case .success: #expect(payments.values.contains("SUCCESS"), "\(place): nobody has paid")
    case .pending:
      #expect(!payments.isEmpty && !payments.values.contains("FAILED"), "\(place)")
    case .unknown: break
    case .handledByClient, nil: Issue.record("\(place)")
    }
    guard !payments.isEmpty, !isTouchingID else { return }
    let named = Value.object(checkout.end?.members ?? [])["payment"]?["id"]?.string
    #expect(named == TrueUpstream.paymentID, "\(place): it names \(named ?? "no payment")")
  }

  /// The answers that are changed: where ways differ only after the creation, the others are changed in
  /// one of them.
  private static func changed(_ good: WholeCheckout) -> [(number: Int, answer: WireAnswer)] {
    let isWhole = [.ideal, .ach].contains(good.upstream.way)
    return good.answers.enumerated().filter { isWhole || $0.element.isAboutPayment }
      .map { ($0.offset, $0.element) }
  }

  @Test(arguments: Way.allCases)
  func `a member that is missing, wrong or unknown`(way: Way) throws {
    let good = try WholeCheckout(way)
    judge(good, "as it should be", false)
    var count = 0
    for (number, answer) in Self.changed(good) {
      let shape = Shape(of: try JSONReader().value(of: answer.body))
      for variant in shape.variants() + shape.unknownWords() {
        for isForGood in [false, true] {
          let change = WholeCheckout.Change(
            place: number, isForGood: isForGood, body: variant.body.jsonBytes)
          let checkout = try WholeCheckout(way, change)
          let place = "\(way), \(answer.call) \(number), \(variant.path) \(variant.change)"
          let hidesID = ["/id", "/error", "/error/paymentId"].contains(variant.path)
          judge(
            checkout, "\(place)\(isForGood ? ", for good" : ""): \(checkout.summary)", hidesID)
          count += 1
        }
      }
    }
    #expect(count > 50)
  }

  @Test(arguments: Way.allCases)
  func `an oddity of the text changes nothing`(way: Way) throws {
    let good = try WholeCheckout(way)
    for (number, answer) in Self.changed(good) {
      let value = try JSONReader().value(of: answer.body)
      var bodies = TextOddity.around(answer.body)
      // In a refusal an error is what it is about.
      if answer.status == 200 { bodies += TextOddity.withError(answer.body) }
      for body in Shape(of: value).withOddMember(.init("zz", .string(TextOddity.mark))) {
        bodies += TextOddity.inside(body.jsonBytes)
      }
      for (name, body) in bodies {
        let change = WholeCheckout.Change(place: number, isForGood: true, body: body)
        let checkout = try WholeCheckout(way, change)
        let place = "\(way), \(answer.call) \(number), \(name)"
        judge(checkout, place, false)
        #expect(
          checkout.summary == good.summary, "\(place): \(String(decoding: body, as: UTF8.self))")
      }
    }
  }

  @Test(arguments: Way.allCases)
  func `a text that is cut, or none at all`(way: Way) throws {
    let good = try WholeCheckout(way)
    for (number, answer) in Self.changed(good) {
      // Where it is cut matters where it is about a payment.
      for count in stride(from: 0, to: answer.body.count, by: answer.isAboutPayment ? 1 : 31) {
        let body = Array(answer.body.prefix(count))
        let change = WholeCheckout.Change(place: number, isForGood: false, body: body)
        let checkout = try WholeCheckout(way, change)
        let place = "\(way), \(answer.call) \(number), cut after \(count): \(checkout.summary)"
        judge(checkout, place, false)
      }
    }
  }
}

extension Shape {
  /// What a value is made of; what it is for is not known.
  fileprivate init(of value: Value) {
    switch value {
    case .object(let members):
      self = .object(members.map { ($0.name, Shape(of: $0.value)) }, .unused)
    case .array(let elements): self = .list(elements.map { Shape(of: $0) }, .unused)
    default: self = .leaf(value, .unused)
    }
  }

  /// Every way to put another word for one, at every depth.
  fileprivate func unknownWords(_ path: String = "") -> [Variant] {
    func change(_ body: Value) -> Variant {
      Variant(path: path, need: need, change: .unknown, body: body)
    }
    switch self {
    case .leaf(.string, _): return [change("SOMETHING_NEW"), change("")]
    default: return variantsOfParts(path) { $0.unknownWords($1) }
    }
  }
}
