import CheckoutClient

/// A screen as an app of Swift 6 has it, which is the main actor's.
@MainActor final class MainActorScreen: @MainActor PrimerHeadlessSteppableDelegate {
  var banks: [IssuingBank] = []
  var component: (any BanksComponent)?

  func load() throws {
    component = try ComponentWithRedirectManager().provide(paymentMethodType: "ADYEN_IDEAL")
    component?.stepDelegate = self
    component?.start()
  }

  func didReceiveStep(step: any PrimerHeadlessStep) {
    if case BanksStep.banksRetrieved(let banks) = step { self.banks = banks }
  }
}
