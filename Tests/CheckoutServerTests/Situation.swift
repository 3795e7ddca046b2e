import Testing
import ValueTree

@testable import Checkout

/// Where calls may find a checkout: one case for each phase and for each stage of a payment.
enum Situation: String, CaseIterable, CustomTestStringConvertible {
  case starting, ready, ended, archived
  case patching, decidingOnCreation, tokenizing, decidingAfterTokenization, validatingToken
  case creating, polling, decidingAfterResume, resuming
  case collecting, mandating, completing, asking, unselecting

  var testDescription: String { rawValue }

  /// The situation of a phase: a phase or stage that is new needs one of its own before this compiles.
  init(_ phase: Phase) {
    switch phase {
    case .starting: self = .starting
    case .ready: self = .ready
    case .ended: self = .ended
    case .archived: self = .archived
    case .paying(let stage): self.init(stage)
    }
  }

  private init(_ stage: Stage) {
    switch stage {
    case .patching: self = .patching
    case .decidingOnCreation: self = .decidingOnCreation
    case .tokenizing: self = .tokenizing
    case .decidingAfterTokenization: self = .decidingAfterTokenization
    case .validatingToken: self = .validatingToken
    case .creating: self = .creating
    case .polling: self = .polling
    case .decidingAfterResume: self = .decidingAfterResume
    case .resuming: self = .resuming
    case .collecting: self = .collecting
    case .mandating: self = .mandating
    case .completing: self = .completing
    case .asking: self = .asking
    case .unselecting: self = .unselecting
    }
  }

  /// What leads there from nothing.
  var way: [SituationBench.Step] {
    switch self {
    case .starting: [.start()]
    case .ready: Self.chosen()
    case .ended: Self.chosen() + [.checkout("checkout.cancel")]
    case .archived: Self.ended.way + [.pass(milliseconds: 601_000)]
    case .patching: Self.surcharged + [.submit]
    case .decidingOnCreation: Self.chosen([.init("decisions", ["willCreatePayment"])]) + [.submit]
    case .tokenizing: Self.chosen() + [.submit]
    case .decidingAfterTokenization: Self.chosen(Self.manual) + [.submit, .answer]
    case .validatingToken: Self.decidingAfterTokenization.way + [.goOn]
    case .creating: Self.tokenizing.way + [.answer]
    case .polling: Self.creating.way + [.answer]
    case .decidingAfterResume: Self.validatingToken.way + [.answer, .answer]
    case .resuming: Self.polling.way + [.answer]
    case .collecting: Self.bankDebit + [.submit, .answer, .answer]
    case .mandating:
      Self.collecting.way + [
        .component(
          "component.reportBankAccount",
          [.init("outcome", "succeeded"), .init("paymentId", "pi_1")])
      ]
    case .completing: Self.mandating.way + [.component("component.acceptMandate")]
    case .asking: Self.resuming.way + [.refuse]
    case .unselecting: Self.patching.way + [.answer, .refuse]
    }
  }

  private static let manual: [Value.Member] = [.init("settings", ["paymentHandling": "manual"])]

  /// A bank that is chosen.
  private static func chosen(_ members: [Value.Member] = []) -> [SituationBench.Step] {
    [
      .start(members), .answer,
      .provide("componentWithRedirectManager.provideBanksComponent", "ADYEN_IDEAL"),
      .component("component.start"), .answer,
      .component("component.updateCollectedData", [.init("data", ["bankId": "0"])]),
    ]
  }

  private static let surcharged = [.surcharge] + chosen()

  /// All that a bank debit needs.
  private static let bankDebit: [SituationBench.Step] = [
    .start([
      .init(
        "settings",
        [
          "urlScheme": "kiosk://checkout",
          "stripe": ["publishableKey": "key-1", "merchantName": "Example Shop"],
        ])
    ]), .answer, .provide("achManager.provide", "STRIPE_ACH"), .component("component.start"),
    .answer,
  ]
}
