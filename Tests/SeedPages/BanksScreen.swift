import CheckoutClient

/// What an app makes of the page of `provideBanksComponent`: its declarations and calls, where it
/// prints some, and an app's own lines between them.
final class BanksScreen: PrimerHeadlessErrorableDelegate, PrimerHeadlessValidatableDelegate,
  PrimerHeadlessSteppableDelegate
{
  var component: (any PrimerHeadlessMainComponent)?
  var log: [String] = []

  func load(_ paymentMethodType: String = "ADYEN_IDEAL") {
    do {
      let manager = PrimerHeadlessUniversalCheckout.ComponentWithRedirectManager()
      component = try manager.provideBanksComponent(paymentMethodType: paymentMethodType)
    } catch PrimerError.unsupportedPaymentMethod {
      log.append("unsupported payment method")
    } catch PrimerError.genericError {
      log.append("generic error")
    } catch {
      log.append("another error")
    }
    component?.errorDelegate = self
    component?.validationDelegate = self
    component?.stepDelegate = self
    component?.start()
  }

  func didReceiveError(error: PrimerError) {
    log.append("error \(error.errorId)")
  }

  func didUpdate(validationStatus: PrimerValidationStatus, for data: PrimerCollectableData?) {
    guard let data = data as? BanksCollectableData else { return }
    switch validationStatus {
    case .validating:
      log.append("validating")
    case .valid:
      log.append("valid")
      if case .bankId = data { component?.submit() }
    case .invalid(errors: let errors):
      let reasons: [PrimerValidationError] = errors
      log.append("invalid \(reasons.map(\.errorId))")
      choose("9001")
    case .error(error: let error):
      let reason: PrimerError = error
      log.append("unjudged \(reason.errorId)")
    }
  }

  func didReceiveStep(step: PrimerHeadlessStep) {
    guard let step = step as? BanksStep else { return }
    switch step {
    case .loading:
      log.append("loading")
    case .banksRetrieved(banks: let banks):
      for bank in banks {
        let _: String = bank.id
        let _: String = bank.name
        let _: String? = bank.iconUrlStr
        let _: Bool = bank.isDisabled
      }
      let isWhole = banks.count > 1
      log.append(isWhole ? "banks" : "bank \(banks[0].name)")
      if isWhole {
        (component as? any BanksComponent)?.updateCollectedData(
          collectableData: .bankFilterText(text: "ambacht"))
      } else {
        choose("none")
      }
    }
  }

  func choose(_ id: String) {
    let manager = PrimerHeadlessUniversalCheckout.ComponentWithRedirectManager()
    let banks: (any BanksComponent)? = try? manager.provide(paymentMethodType: "ADYEN_IDEAL")
    banks?.updateCollectedData(collectableData: .bankId(bankId: id))
  }
}
