import CheckoutClient

/// What an app makes of the page of `provide`: its examples, and an app's own lines where they leave
/// room.
final class AchScreen: PrimerHeadlessErrorableDelegate, PrimerHeadlessValidatableDelegate,
  PrimerHeadlessStepDelegate
{
  var manager: PrimerHeadlessUniversalCheckout.AchManager
  var stripeAchComponent: (any StripeAchUserDetailsComponent)?
  var log: [String] = []

  init() {
    do {
      manager = PrimerHeadlessUniversalCheckout.AchManager()
      stripeAchComponent = try manager.provide(paymentMethodType: "STRIPE_ACH")
    } catch {
      // Catch errors here
    }
    stripeAchComponent?.errorDelegate = self
    stripeAchComponent?.validationDelegate = self
    stripeAchComponent?.stepDelegate = self
    stripeAchComponent?.start()
  }

  func didReceiveError(error: PrimerError) {
    log.append("error \(error.errorId)")
  }

  func didReceiveStep(step: PrimerHeadlessStep) {
    guard let step = step as? ACHUserDetailsStep else { return }
    switch step {
    case .retrievedUserDetails(let userDetails):
      let details: ACHUserDetails = userDetails
      log.append("\(details.firstName) \(details.lastName) \(details.emailAddress)")
      stripeAchComponent?.updateCollectedData(collectableData: .firstName("Ada"))
      stripeAchComponent?.updateCollectedData(collectableData: .lastName("Byron"))
      stripeAchComponent?.updateCollectedData(collectableData: .emailAddress("ada"))
    case .didCollectUserDetails:
      log.append("collected")
    }
  }

  func didUpdate(validationStatus: PrimerValidationStatus, for data: PrimerCollectableData?) {
    guard let data = data as? ACHUserDetailsCollectableData else { return }
    switch validationStatus {
    case .validating:
      break
    case .valid:
      if data == .emailAddress("ada@example.com") { stripeAchComponent?.submit() }
    case .invalid(errors: let errors):
      let reasons: [PrimerValidationError] = errors
      log.append("invalid \(reasons.map(\.errorId))")
      stripeAchComponent?.updateCollectedData(collectableData: .emailAddress("ada@example.com"))
    case .error(error: let error):
      let reason: PrimerError = error
      log.append("unjudged \(reason.errorId)")
    }
  }
}
