import Checkout
import JSON
import Testing
import ValueTree

@testable import CheckoutServer

/// What survives a power failure though not every commit has to: the contract lists it.
@Suite struct LastingCommitTests {
  /// Something that happens to a checkout, and whether its commit must last.
  private struct Case: CustomTestStringConvertible {
    let situation: Situation
    /// What a client calls; an answer from upstream if there is none.
    var method: String?
    var params: [Value.Member] = []
    var mustLast = true

    var testDescription: String { "\(situation), \(method ?? "an answer")" }
  }

  private static func decision(_ word: Value, _ more: [Value.Member] = []) -> [Value.Member] {
    [.init("decisionId", "d1"), .init("decision", word)] + more
  }

  private static let cases: [Case] =
    [
      Case(
        situation: .decidingOnCreation, method: "checkout.decide", params: decision("continue")),
      Case(situation: .decidingOnCreation, method: "checkout.decide", params: decision("abort")),
      Case(
        situation: .decidingAfterTokenization, method: "checkout.decide",
        params: decision("complete")),
      // The token is accepted only when it has been checked.
      Case(
        situation: .decidingAfterTokenization, method: "checkout.decide",
        params: decision(
          "continueWithNewClientToken",
          [.init("clientToken", .string(SampleUpstream.encodedRedirectToken))])),
      Case(situation: .validatingToken),
      Case(
        situation: .collecting, method: "component.reportBankAccount",
        params: [.init("outcome", "succeeded"), .init("paymentId", "p")]),
      Case(situation: .mandating, method: "component.acceptMandate"),
      Case(situation: .mandating, method: "component.declineMandate"),
      Case(situation: .tokenizing), Case(situation: .creating), Case(situation: .resuming),
      Case(situation: .completing), Case(situation: .asking),
      Case(
        situation: .ready, method: "component.updateCollectedData",
        params: [.init("data", ["bankId": "0"])], mustLast: false),
      Case(situation: .starting, mustLast: false),
    ]
    + [
      .ready, .patching, .decidingOnCreation, .tokenizing, .decidingAfterTokenization, .creating,
      .polling, .decidingAfterResume, .resuming, .collecting, .mandating, .completing,
    ].map { Case(situation: $0, method: "checkout.cancel") }

  @Test(arguments: cases)
  private func `what the contract lists is flushed, and what it does not is not`(
    of example: Case
  ) throws {
    let situation = try SituationBench(example.situation)
    let bench = situation.bench
    let before = bench.backend.commits.count
    if let method = example.method {
      let isOfComponent = method.hasPrefix("component.")
      let named = Value.Member(
        isOfComponent ? "componentId" : "checkoutId",
        .string(isOfComponent ? "cm_\(situation.digits)_0" : situation.live.idText))
      let outcome = try bench.call(situation.owner, method, .object([named] + example.params))
      #expect(outcome.code == nil, "\(outcome.reply?.jsonText ?? "no reply")")
    } else {
      bench.answer()
    }
    let commits = bench.backend.commits[before...]
    #expect(!commits.isEmpty && commits.contains(true) == example.mustLast)
  }
}
