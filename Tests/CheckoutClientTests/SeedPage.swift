import Testing

/// Programs made of what the pages of `provideBanksComponent` and of `provide` print.
///
/// They are the pages' text but for an empty case, which is not Swift: there stands `break`.
struct SeedPage: CustomTestStringConvertible {
  let testDescription: String
  let program: String

  /// The banks page: its declarations as a program's delegates, and its calls.
  static let banks = SeedPage(
    testDescription: "provideBanksComponent",
    program: """
      import CheckoutClient

      final class BanksScreen: PrimerHeadlessErrorableDelegate, PrimerHeadlessValidatableDelegate,
        PrimerHeadlessSteppableDelegate
      {
        var component: (any PrimerHeadlessMainComponent)?
        var banksComponent: (any BanksComponent)?

        func didReceiveError(error: PrimerError) {
        }

        func didUpdate(validationStatus: PrimerValidationStatus, for data: PrimerCollectableData?) {
          switch validationStatus {
          case .validating:
            break
          case .valid:
            break
          case .invalid(errors: let errors):
            let _: [PrimerValidationError] = errors
          case .error(error: let error):
            let _: PrimerError = error
          }
        }

        func didReceiveStep(step: PrimerHeadlessStep) {
          guard let step = step as? BanksStep else { return }
          switch step {
          case .loading:
            break
          case .banksRetrieved(banks: let banks):
            for bank in banks {
              let _: String = bank.id
              let _: String = bank.name
              let _: String? = bank.iconUrlStr
              let _: Bool = bank.isDisabled
            }
          }
        }

        func load() {
          do {
            let manager = PrimerHeadlessUniversalCheckout.ComponentWithRedirectManager()
            component = try manager.provideBanksComponent(paymentMethodType: "ADYEN_IDEAL")
            banksComponent = try manager.provide(paymentMethodType: "ADYEN_IDEAL")
          } catch PrimerError.unsupportedPaymentMethod {
          } catch PrimerError.genericError {
          } catch {
          }
          component?.errorDelegate = self
          component?.validationDelegate = self
          component?.stepDelegate = self
          component?.start()
          banksComponent?.updateCollectedData(collectableData: .bankFilterText(text: "ing"))
          banksComponent?.updateCollectedData(collectableData: .bankId(bankId: "1"))
          component?.submit()
        }
      }
      """)

  /// The ACH page: its examples, and its calls.
  static let ach = SeedPage(
    testDescription: "provide",
    program: """
      import CheckoutClient

      final class AchScreen: PrimerHeadlessErrorableDelegate, PrimerHeadlessValidatableDelegate,
        PrimerHeadlessStepDelegate
      {
        var manager: PrimerHeadlessUniversalCheckout.AchManager
        var stripeAchComponent: (any StripeAchUserDetailsComponent)?

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
          stripeAchComponent?.updateCollectedData(collectableData: .firstName("Ada"))
          stripeAchComponent?.updateCollectedData(collectableData: .lastName("Byron"))
          stripeAchComponent?.updateCollectedData(collectableData: .emailAddress("ada@example.com"))
          stripeAchComponent?.submit()
        }

        func didReceiveError(error: PrimerError) {
        }

        func didReceiveStep(step: PrimerHeadlessStep) {
            guard let step = step as? ACHUserDetailsStep else { return }
            switch step {
            case .retrievedUserDetails(let userDetails):
                let _: ACHUserDetails = userDetails
                let _: [String] = [userDetails.firstName, userDetails.lastName, userDetails.emailAddress]
            case .didCollectUserDetails:
                break
            }
        }

        func didUpdate(validationStatus: PrimerValidationStatus, for data: PrimerCollectableData?) {
            guard let data = data as? ACHUserDetailsCollectableData else { return }
            switch data {
            case .firstName(let value), .lastName(let value), .emailAddress(let value):
                let _: String = value
            }
            switch validationStatus {
            case .validating:
                break
            case .valid:
                break
            case .invalid(errors: let errors):
                let _: [PrimerValidationError] = errors
            case .error(error: let error):
                let _: PrimerError = error
            }
        }
      }
      """)

  /// The delegates that the pages mention, as Primer's guide for headless checkouts has them.
  static let checkout = SeedPage(
    testDescription: "the delegates",
    program: """
      import CheckoutClient

      final class Shop: PrimerHeadlessUniversalCheckoutDelegate {
        let manager = AchManager()
        let redirects = ComponentWithRedirectManager()

        func start() {
          let settings = PrimerSettings(
            paymentMethodOptions: PrimerPaymentMethodOptions(
              urlScheme: "kiosk://checkout",
              stripeOptions: PrimerStripeOptions(
                publishableKey: "pk", mandateData: .fullMandate(text: "I agree"))))
          PrimerHeadlessUniversalCheckout.current.start(
            withClientToken: "token", settings: settings, delegate: self
          ) { paymentMethods, err in
            if err == nil { self.show(paymentMethods?.map { $0.paymentMethodType } ?? []) }
          }
        }

        func show(_ types: [String]) {}

        func primerHeadlessUniversalCheckoutDidLoadAvailablePaymentMethods(
          _ paymentMethods: [PrimerHeadlessUniversalCheckout.PaymentMethod]) {}

        func primerHeadlessUniversalCheckoutDidCompleteCheckoutWithData(_ data: PrimerCheckoutData) {
          print(data.payment?.id ?? "")
        }

        func primerHeadlessUniversalCheckoutDidFail(
          withError err: Error, checkoutData: PrimerCheckoutData?) {}

        func primerHeadlessUniversalCheckoutWillCreatePaymentWithData(
          _ data: PrimerCheckoutPaymentMethodData,
          decisionHandler: @escaping (PrimerPaymentCreationDecision) -> Void
        ) {
          decisionHandler(.continuePaymentCreation())
        }

        func primerHeadlessUniversalCheckoutDidReceiveAdditionalInfo(
          _ additionalInfo: PrimerCheckoutAdditionalInfo?
        ) {
          switch additionalInfo {
          case is ACHMandateAdditionalInfo: manager.mandateDelegate?.acceptMandate()
          case let info as ACHBankAccountCollectorAdditionalInfo: print(info.fullName)
          default: break
          }
        }
      }
      """)

  /// A screen of Swift 6, which is the main actor's.
  static let mainActor = SeedPage(
    testDescription: "the main actor",
    program: """
      import CheckoutClient

      @MainActor final class Screen: @MainActor PrimerHeadlessSteppableDelegate {
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
      """)
}
