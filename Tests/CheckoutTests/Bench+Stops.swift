import Checkout
import Testing
import ValueTree

/// Places on the way of a checkout, to begin a test at.
enum Stop: String, CaseIterable, CustomTestStringConvertible {
  // Before the submission.
  case starting, ready, startingComponent, startingACH, chosen
  // iDEAL, automatic handling.
  case patching, deciding, tokenizing, creating, creatingUnsent, creatingUncertain, polling
  case betweenPolls, resuming, resumingAgain, unselecting
  // iDEAL, manual handling.
  case decidingAfterTokenization, validating, decidingAfterResume, validatingAfterResume
  // ACH.
  case collecting, mandating, completing
  // The end.
  case ended

  var testDescription: String { rawValue }
}

extension Bench {
  /// A checkout that has come to that place.
  init(at stop: Stop) {
    switch stop {
    case .starting: self.init()
    case .ready:
      self.init()
      start()
    case .startingComponent:
      self.init(at: .ready)
      provideBanks()
      call(.start)
    case .startingACH:
      self.init(at: .ready)
      provideACH()
      call(.start)
    case .chosen:
      self.init(at: .startingComponent)
      answer("banks", .banks(Sample.banks))
      choose("0")
    case .patching:
      self.init(.submittable, Sample.surcharged)
      call(.submit)
    case .deciding:
      self.init(.submittable, settings: Sample.decidingSettings)
      call(.submit)
    case .tokenizing:
      self.init(at: .chosen)
      call(.submit)
    case .creating:
      self.init(at: .tokenizing)
      answer("tokenize", .instrument(Sample.instrument))
    case .creatingUnsent:
      self.init(at: .creating)
      fail("create", Sample.failure(.notSent))
    case .creatingUncertain:
      self.init(at: .creating)
      fail("create", Sample.failure(.interrupted))
    case .polling:
      self.init(at: .creating)
      answer("create", Sample.payment(.pending, action: Sample.redirectToken))
    case .betweenPolls:
      self.init(at: .polling)
      answer("poll", .redirectStatus(.pending))
    case .resuming:
      self.init(at: .polling)
      answer("poll", .redirectStatus(.complete(resumeToken: "res-1")))
    case .resumingAgain:
      self.init(at: .resuming)
      fail("resume", Sample.failure(.timedOut))
    case .unselecting:
      self.init(at: .patching)
      answer("actions", .configuration(Sample.surcharged))
      fail("tokenize", Sample.refusal())
    case .decidingAfterTokenization:
      self.init(.submittable, settings: Sample.manualSettings)
      call(.submit)
      answer("tokenize", .instrument(Sample.instrument))
    case .validating:
      self.init(at: .decidingAfterTokenization)
      call(.decide(id: "d1", .continueWithNewClientToken(Sample.redirectToken)))
    case .decidingAfterResume:
      self.init(at: .validating)
      answer("validate", .acknowledged)
      answer("poll", .redirectStatus(.complete(resumeToken: "res-1")))
    case .validatingAfterResume:
      self.init(at: .decidingAfterResume)
      call(.decide(id: "d2", .continueWithNewClientToken(Sample.redirectToken)))
    case .collecting:
      self.init()
      start()
      startACH()
      call(.submit)
      answer("tokenize", .instrument(Sample.instrument))
      answer("create", Sample.payment(.pending, action: Sample.achToken))
    case .mandating:
      self.init(at: .collecting)
      call(.reportBankAccount(.succeeded))
    case .completing:
      self.init(at: .mandating)
      call(.decideMandate(isAccepted: true))
    case .ended:
      self.init(at: .creating)
      answer("create", Sample.payment(.success))
    }
  }

  /// Where ``init(_:_:settings:)`` stops.
  enum Submittable { case submittable }

  /// A bank is chosen in a checkout with such settings and configuration.
  init(
    _: Submittable, _ configuration: Configuration = Sample.configuration,
    settings: Settings = Sample.settings
  ) {
    self.init(settings)
    start(configuration)
    provideBanks()
    call(.start)
    answer("banks", .banks(Sample.banks))
    choose("0")
  }

  /// Answers the configuration fetch.
  @discardableResult
  mutating func start(_ configuration: Configuration = Sample.configuration) -> [String] {
    answer("configuration", .configuration(configuration))
  }

  @discardableResult
  mutating func provideBanks() -> [String] {
    call(.provide(manager: .componentWithRedirect, paymentMethodType: "ADYEN_IDEAL"))
  }

  @discardableResult
  mutating func provideACH() -> [String] {
    call(.provide(manager: .ach, paymentMethodType: "STRIPE_ACH"))
  }

  /// Provides and starts the ACH component.
  @discardableResult
  mutating func startACH(
    _ configuration: Configuration = Sample.configuration, component: Int = 0
  ) -> [String] {
    provideACH()
    call(.start, of: component)
    return answer("actions", .configuration(configuration))
  }

  @discardableResult
  mutating func choose(_ bank: String, component: Int = 0) -> [String] {
    update("bankId", bank, component: component)
  }

  @discardableResult
  mutating func update(_ field: String, _ text: String, component: Int = 0) -> [String] {
    call(.update(.object([.init(field, .string(text))])), of: component)
  }
}
