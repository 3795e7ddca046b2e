import Checkout
import Testing
import ValueTree

/// The ways through a checkout that end in a payment.
enum Flow: String, CaseIterable {
  case ideal, idealSurcharged, idealDeciding, idealManual, ach, achDeciding, achManual

  var type: String { rawValue.hasPrefix("ideal") ? "ADYEN_IDEAL" : "STRIPE_ACH" }

  var settings: Settings {
    switch self {
    case .ideal, .idealSurcharged, .ach: Sample.settings
    case .idealDeciding, .achDeciding: Sample.decidingSettings
    case .idealManual, .achManual: Sample.manualSettings
    }
  }
}

/// A shopper, a client and an upstream that see one checkout through, one input at a time.
///
/// The client knows nothing but the snapshot; upstream remembers what it has done.
struct Drive {
  let flow: Flow
  var bench: Bench
  /// The keys that a payment was asked for with.
  private(set) var keys: Set<String> = []
  private var paymentStatus: String?
  private var pollCount = 0
  private var isResumed = false
  private var isCompleted = false

  init(_ flow: Flow) {
    self.flow = flow
    bench = Bench(flow.settings)
  }

  /// Gives the next input: an answer, what the client does, or the first timer.
  mutating func step() {
    if let request = bench.inFlight.first?.request {
      switch carryOut(request) {
      case .success(let answer): bench.answer(request.name, answer)
      case .failure(let failure): bench.fail(request.name, failure)
      }
    } else if !act(), let timer = bench.timers.min(by: { $0.value < $1.value })?.key {
      bench.fire(timer)
    }
  }

  /// Goes on until the checkout has ended, or nothing more happens.
  mutating func finish() {
    for _ in 0..<200 where !bench.checkout.isEnded { step() }
  }

  /// Carries out what is under way, and loses the answers.
  mutating func loseAnswers() {
    for operation in bench.inFlight { _ = carryOut(operation.request) }
  }

  // MARK: Upstream

  private mutating func carryOut(
    _ request: Operation.Request
  ) -> Result<Answer, OperationFailure> {
    switch request {
    case .fetchConfiguration, .performActions:
      return .success(
        .configuration(flow == .idealSurcharged ? Sample.surcharged : Sample.configuration))
    case .fetchBanks: return .success(.banks(Sample.banks))
    case .tokenize: return .success(.instrument(Sample.instrument))
    case .createPayment(_, let key):
      guard keys.isEmpty else {
        keys.insert(key)
        return .failure(Sample.keyUsed(paymentStatus))
      }
      keys.insert(key)
      paymentStatus = "PENDING"
      return .success(Sample.payment(.pending, action: replacementToken))
    case .poll:
      pollCount += 1
      return .success(
        .redirectStatus(pollCount == 1 ? .pending : .complete(resumeToken: "res-1")))
    case .resume:
      guard !isResumed else { return .failure(Sample.refusal()) }
      isResumed = true
      paymentStatus = "SUCCESS"
      return .success(Sample.payment(.success))
    case .complete:
      guard !isCompleted else { return .failure(Sample.refusal()) }
      isCompleted = true
      return .success(.acknowledged)
    case .validateClientToken: return .success(.acknowledged)
    }
  }

  private var replacementToken: ClientToken {
    flow.type == "ADYEN_IDEAL" ? Sample.redirectToken : Sample.achToken
  }

  // MARK: The client

  /// Does what the snapshot asks for.
  ///
  /// - Returns: Whether there was anything to do.
  private mutating func act() -> Bool {
    let snapshot = bench.checkout.snapshot
    if let awaited = snapshot["awaiting"]?.array?.first { return act(on: awaited) }
    guard snapshot["state"] == "ready" else { return false }
    guard let component = snapshot["components"]?.array?.first else {
      if flow.type == "ADYEN_IDEAL" { bench.provideBanks() } else { bench.provideACH() }
      return true
    }
    if component["step"]?["name"] == "notInitialized" {
      bench.call(.start)
    } else if component["submittable"] == true {
      bench.call(.submit)
    } else {
      bench.choose("0")
    }
    return true
  }

  private mutating func act(on awaited: Value) -> Bool {
    switch awaited["kind"]?.string {
    case "bankAccount": bench.call(.reportBankAccount(.succeeded))
    case "mandate": bench.call(.decideMandate(isAccepted: true))
    case "decision":
      let decision: Decision =
        switch awaited["event"]?.string {
        case "checkout.willCreatePayment": .continue(idempotencyKey: nil)
        case "checkout.didResumeWith": .complete(Payment(id: "own-1", status: "SETTLED"))
        default: .continueWithNewClientToken(replacementToken)
        }
      bench.call(.decide(id: awaited["decisionId"]?.string ?? "", decision))
    default: return false
    }
    return true
  }
}
