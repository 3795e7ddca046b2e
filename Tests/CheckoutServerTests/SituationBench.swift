import JSON
import Testing
import ValueTree

@testable import Checkout
@testable import CheckoutServer

/// A server with a checkout in one situation, and whoever may call about it.
final class SituationBench {
  /// What leads to a situation.
  enum Step {
    case start([Value.Member] = [])
    case provide(String, String)
    case component(String, [Value.Member] = [])
    case checkout(String)
    /// A token for what was decided outside.
    case goOn
    /// Upstream answers the oldest request as when all is well.
    case answer
    /// Upstream refuses the oldest request.
    case refuse
    /// Upstream asks for more where the bank of this checkout is chosen.
    case surcharge
    case pass(milliseconds: UInt64)

    static var submit: Step { .component("component.submit") }
  }

  let bench: ServerBench
  /// The checkout itself.
  let live: LiveCheckout
  private(set) var owner: TestClient
  private(set) var observer: TestClient
  private(set) var stranger: TestClient
  private(set) var administrator: TestClient

  /// The digits of its id, which are its components' too.
  var digits: String { String(live.idText.dropFirst(3)) }
  /// Where it is.
  var situation: Situation { Situation(live.checkout.phase) }

  static let ownerID: UInt32 = 1000
  static let observerID: UInt32 = 1001
  static let strangerID: UInt32 = 1002

  init(_ situation: Situation) throws {
    let bench = try ServerBench()
    self.bench = bench
    let owner = try bench.connect(as: Self.ownerID)
    self.owner = owner
    observer = try bench.connect(as: Self.observerID)
    stranger = try bench.connect(as: Self.strangerID)
    administrator = try bench.connect(as: 0, isAdministrator: true)
    var isSurcharged = false
    var found: LiveCheckout?
    var lines: [Value] = []
    func call(_ method: String, _ params: [Value.Member]) throws {
      owner.send(bench.line(method, .object(params)).text)
      bench.turn()
      lines += try owner.readLines()
      found = found ?? bench.registry.checkouts.first
    }
    func named(_ members: [Value.Member]) -> [Value.Member] {
      [.init("checkoutId", .string(found?.idText ?? ""))] + members
    }
    for step in situation.way {
      switch step {
      case .start(let members):
        let share: Value = [["uid": .integer(Int64(Self.observerID)), "role": "observe"]]
        try call(
          "checkout.start",
          [
            .init("clientToken", .string(SampleUpstream.tokens[0])), .init("share", share),
            .init("startKey", "key"),
          ] + members)
      case .provide(let method, let type):
        try call(method, named([.init("paymentMethodType", .string(type))]))
      case .component(let method, let members):
        let id = (found?.idText.dropFirst(3)).map { "cm_\($0)_0" } ?? ""
        try call(method, [.init("componentId", .string(id))] + members)
      case .checkout(let method): try call(method, named([]))
      case .goOn:
        try call(
          "checkout.decide",
          named([
            .init("decisionId", "d1"), .init("decision", "continueWithNewClientToken"),
            .init("clientToken", .string(SampleUpstream.encodedRedirectToken)),
          ]))
      case .answer:
        bench.upstream.answer { SampleUpstream.answer($0, isSurcharged: isSurcharged) }
        bench.turn()
      case .refuse:
        bench.upstream.answer { _ in .failure(SampleUpstream.refusal) }
        bench.turn()
      case .surcharge: isSurcharged = true
      case .pass(let span): bench.pass(milliseconds: span)
      }
    }
    live = try #require(found)
    lines += try owner.readLines()
    let refusals = lines.compactMap { $0["error"]?.jsonText }
    try #require(self.situation == situation, "\(situation): \(self.situation), \(refusals)")
  }

  /// Connects someone anew, and leaves the old connection as it is.
  ///
  /// - Returns: The old one.
  func replace(_ caller: KeyPath<SituationBench, TestClient>) throws -> TestClient {
    let old = self[keyPath: caller]
    switch caller {
    case \.owner: owner = try bench.connect(as: Self.ownerID)
    case \.observer: observer = try bench.connect(as: Self.observerID)
    case \.administrator: administrator = try bench.connect(as: 0, isAdministrator: true)
    default: stranger = try bench.connect(as: Self.strangerID)
    }
    return old
  }
}

extension ServerBench {
  /// The checkouts of the server, which are its own affair.
  var registry: CheckoutRegistry {
    let parts = Mirror(reflecting: server)
    guard let found = parts.descendant("checkouts", "registry") as? CheckoutRegistry else {
      preconditionFailure("the server keeps its checkouts elsewhere")
    }
    return found
  }
}
