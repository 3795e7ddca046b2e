/// Gets the errors of a component.
public protocol PrimerHeadlessErrorableDelegate: AnyObject {
  /// Something went wrong that the shopper or the program can mend.
  ///
  /// - Parameter error: What went wrong.
  func didReceiveError(error: PrimerError)
}

/// Gets what comes of judging the collected data.
public protocol PrimerHeadlessValidatableDelegate: AnyObject {
  /// Collected data is being judged, or has been.
  ///
  /// - Parameters:
  ///   - validationStatus: What has come of it.
  ///   - data: The data.
  func didUpdate(
    validationStatus: PrimerValidationStatus, for data: (any PrimerCollectableData)?)
}

/// Gets the steps of a component.
public protocol PrimerHeadlessSteppableDelegate: AnyObject {
  /// The component has come to a step.
  ///
  /// - Parameter step: A ``BanksStep``, a ``WebRedirectStep`` or an ``ACHUserDetailsStep``.
  func didReceiveStep(step: any PrimerHeadlessStep)
}

/// The name that the page of `AchManager` gives the step delegate.
public typealias PrimerHeadlessStepDelegate = PrimerHeadlessSteppableDelegate

/// Something that is started.
public protocol PrimerHeadlessStartable: AnyObject {
  /// Starts; to be called once, or again after an error.
  func start()
}

/// Something that is submitted.
public protocol PrimerHeadlessSubmitable: AnyObject {
  /// Submits what was collected; from here the daemon goes on by itself.
  func submit()
}

/// A component: it collects what a payment method needs, and pays.
///
/// The calls return at once. What comes of them is told to the delegates, on the main queue and in
/// the order it happened. Letting go of a component ends its delegates' calls, not its checkout.
public protocol PrimerHeadlessCollectDataComponent<Data, Step>: PrimerHeadlessStartable,
  PrimerHeadlessSubmitable, Sendable
{
  /// What it collects.
  associatedtype Data: PrimerCollectableData

  /// What it comes to.
  associatedtype Step: PrimerHeadlessStep

  /// Its id at the daemon, to take it up elsewhere.
  var componentId: String { get }

  /// Gets its errors; not kept alive.
  var errorDelegate: (any PrimerHeadlessErrorableDelegate)? { get set }

  /// Gets what comes of judging the data; not kept alive.
  var validationDelegate: (any PrimerHeadlessValidatableDelegate)? { get set }

  /// Gets its steps; not kept alive.
  var stepDelegate: (any PrimerHeadlessSteppableDelegate)? { get set }

  /// Hands over what the shopper chose or typed.
  ///
  /// - Parameter collectableData: One field.
  func updateCollectedData(collectableData: Data)
}

/// A component whose payment redirects the shopper.
public protocol PrimerHeadlessMainComponent: PrimerHeadlessCollectDataComponent {}

/// A component of ``AchManager``.
public protocol PrimerHeadlessAchComponent: PrimerHeadlessCollectDataComponent {}

/// iDEAL: the shopper chooses a bank from a list, then approves at the bank's page.
///
/// The page is the program's to show, when the step ``WebRedirectStep/loaded(url:)`` comes.
public protocol BanksComponent: PrimerHeadlessMainComponent
where Data == BanksCollectableData, Step == BanksStep {
  /// Tells what became of the bank's page; the outcome does not depend on it.
  ///
  /// - Parameter outcome: What became of it.
  func reportRedirect(_ outcome: RedirectOutcome)
}

/// ACH: the shopper's name and e-mail address, then a bank account and a mandate.
public protocol StripeAchUserDetailsComponent: PrimerHeadlessAchComponent
where Data == ACHUserDetailsCollectableData, Step == ACHUserDetailsStep {
  /// Tells what came of Stripe's collector, which
  /// ``ACHBankAccountCollectorAdditionalInfo`` has asked for.
  ///
  /// - Parameter outcome: What came of it.
  func reportBankAccount(_ outcome: BankAccountOutcome)
}

/// Takes the shopper's answer to the mandate.
public protocol ACHMandateDelegate: AnyObject {
  /// The shopper has accepted.
  func acceptMandate()

  /// The shopper has declined.
  func declineMandate()
}
