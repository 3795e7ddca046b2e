import Checkout
import Testing

@testable import PrimerAPI

@Suite struct TransferOutcomeTests {
  private func failure(_ outcome: TransferOutcome) -> OperationFailure? {
    guard case .failure(let failure) = outcome.response else { return nil }
    return failure
  }

  @Test(arguments: TransferOutcome.Ending.allCases)
  func `before the request was begun nothing was sent`(ending: TransferOutcome.Ending) {
    let kind: OperationFailure.Kind = ending == .untrusted ? .untrusted : .notSent
    #expect(failure(TransferOutcome(ending: ending, elapsed: nil)) == OperationFailure(kind))
    let refused = TransferOutcome(ending: ending, elapsed: nil, isAddressRefused: true)
    #expect(failure(refused) == OperationFailure(.notAllowed))
  }

  @Test(arguments: [
    (TransferOutcome.Ending.timedOut, OperationFailure.Kind.timedOut), (.broken, .interrupted),
    (.notHTTP, .interrupted),
  ])
  func `after it was begun nothing is certain`(
    ending: TransferOutcome.Ending, kind: OperationFailure.Kind
  ) {
    // A status line may have come before the end.
    let outcome = TransferOutcome(ending: ending, status: 400, elapsed: 1)
    #expect(failure(outcome) == OperationFailure(kind))
  }

  @Test func `a body that is too long leaves the status`() {
    var outcome = TransferOutcome(ending: .tooLong, status: 200, elapsed: 1)
    #expect(failure(outcome) == OperationFailure(.undecodable, httpStatus: 200))
    outcome.status = 503
    outcome.retryAfterSeconds = 2
    #expect(failure(outcome) == OperationFailure(.status, httpStatus: 503, retryAfter: 2000))
  }

  @Test(
    arguments: [
      (0, nil), (-5, nil), (1, 1000), (3600, 3_600_000), (3601, 3_600_000), (.max, 3_600_000),
    ] as [(Int64, Milliseconds?)])
  func `a wait is at most an hour`(seconds: Int64, expected: Milliseconds?) throws {
    let outcome = TransferOutcome(
      ending: .complete, status: 429, retryAfterSeconds: seconds, elapsed: 1)
    #expect(try outcome.response.get().retryAfter == expected)
  }
}
