import ValueTree

/// The objects that stand for components, of either kind.
protocol HeadlessComponent: AnyObject, Sendable {
  var core: ComponentCore { get }
}

extension HeadlessComponent {
  /// Its id at the daemon.
  var componentId: String { core.id }

  /// Gets its errors.
  var errorDelegate: (any PrimerHeadlessErrorableDelegate)? {
    get { core.delegate(\.error) as? any PrimerHeadlessErrorableDelegate }
    set { core.setDelegate(\.error, newValue) }
  }

  /// Gets what comes of judging the data.
  var validationDelegate: (any PrimerHeadlessValidatableDelegate)? {
    get { core.delegate(\.validation) as? any PrimerHeadlessValidatableDelegate }
    set { core.setDelegate(\.validation, newValue) }
  }

  /// Gets its steps.
  var stepDelegate: (any PrimerHeadlessSteppableDelegate)? {
    get { core.delegate(\.step) as? any PrimerHeadlessSteppableDelegate }
    set { core.setDelegate(\.step, newValue) }
  }

  func start() { core.start() }

  func submit() { core.submit() }
}

/// iDEAL's component.
final class BanksHeadlessComponent: HeadlessComponent, BanksComponent {
  typealias Data = BanksCollectableData
  typealias Step = BanksStep

  let core: ComponentCore

  init(_ core: ComponentCore) { self.core = core }

  func updateCollectedData(collectableData: BanksCollectableData) {
    core.update(collectableData)
  }

  func reportRedirect(_ outcome: RedirectOutcome) {
    core.answer("component.reportRedirect", [.init("outcome", .string(outcome.rawValue))])
  }
}

/// ACH's component.
final class AchHeadlessComponent: HeadlessComponent, StripeAchUserDetailsComponent,
  ACHMandateDelegate
{
  typealias Data = ACHUserDetailsCollectableData
  typealias Step = ACHUserDetailsStep

  let core: ComponentCore

  init(_ core: ComponentCore) { self.core = core }

  func updateCollectedData(collectableData: ACHUserDetailsCollectableData) {
    core.update(collectableData)
  }

  func reportBankAccount(_ outcome: BankAccountOutcome) {
    core.answer("component.reportBankAccount", outcome.members)
  }

  func acceptMandate() { core.answer("component.acceptMandate") }

  func declineMandate() { core.answer("component.declineMandate") }
}
