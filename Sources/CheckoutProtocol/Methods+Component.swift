package import Checkout
package import JSONRPC
import ValueTree

extension Methods {
  private static let provided = ResultRow(
    "provided",
    Schemas.open([
      .init("componentId", Schemas.componentID), .init("component", .string),
      .init("state", Schemas.component),
    ]))

  private static let provideErrors =
    ErrorRow.rows(
      .unknownCheckout, .unsupportedPaymentMethodType, .unsupportedPaymentMethodForManager,
      .genericError, .checkoutEnded, .invalidValue) + commandErrors

  private static let paymentMethodType = Parameter<String>(
    "paymentMethodType", .text(1...64), "As in ADYEN_IDEAL.")

  /// The managers, which provide components.
  static let managers: [any AnyMethodKey] = [
    provideBanks, provideWithRedirect, provideNativeUI, provideRawData, provideACH,
  ]

  package static let provideBanks = MethodKey<ProvideComponent>(
    "componentWithRedirectManager.provideBanksComponent",
    "Provides the component that collects the shopper's bank.",
    checkoutID, paymentMethodType, result: provided, errors: provideErrors,
    examples: Examples.provideBanks, make: ProvideComponent.init)

  package static let provideWithRedirect = MethodKey<ProvideComponent>(
    "componentWithRedirectManager.provide",
    "Provides a component whose payment redirects the shopper.",
    checkoutID, paymentMethodType, result: provided, errors: provideErrors,
    examples: Examples.provideBanks, make: ProvideComponent.init)

  package static let provideNativeUI = MethodKey<ProvideComponent>(
    "nativeUIManager.provide",
    "Provides a component that collects nothing: the shopper is shown a page, a code or a voucher.",
    checkoutID, paymentMethodType, result: provided, errors: provideErrors,
    examples: Examples.provideNativeUI, make: ProvideComponent.init)

  package static let provideRawData = MethodKey<ProvideComponent>(
    "rawDataManager.provide", "Provides a component that collects one field.",
    checkoutID, paymentMethodType, result: provided, errors: provideErrors,
    examples: Examples.provideRawData, make: ProvideComponent.init)

  package static let provideACH = MethodKey<ProvideComponent>(
    "achManager.provide", "Provides the component that collects what ACH needs.",
    checkoutID, paymentMethodType, result: provided, errors: provideErrors,
    examples: Examples.provideACH, make: ProvideComponent.init)

  /// Every field of every component, and the filters of lists.
  private static let collected: [Schema.Member] = ComponentRow.all.flatMap { row in
    row.fields.map { Schema.Member($0.staticName, .string(0...$0.maximumByteCount)) }
      + (row.filterName.map { [Schema.Member($0, .string(0...1024))] } ?? [])
  }

  private static let stateErrors =
    ErrorRow.rows(.unknownComponent, .checkoutEnded) + commandErrors

  /// The methods of components, `component.*`.
  static let component: [any AnyMethodKey] = [
    startComponent, updateCollectedData, submit, getComponent, reportRedirect, reportBankAccount,
    acceptMandate, declineMandate,
  ]

  package static let startComponent = MethodKey<ComponentID?>(
    "component.start",
    "Starts a component; answers with its first data step. Once, or again after a failure.",
    componentID,
    result: ResultRow("started", Schemas.open([.init("step", Schemas.step)])),
    errors: stateErrors
      + ErrorRow.rows(
        .alreadyStarted, .banksFetchFailed, .failedToCreateSession, .invalidValue)
      + [.quotaExceeded, .shuttingDown],
    examples: Examples.startComponent, make: { $0 })

  package static let updateCollectedData = MethodKey<UpdateCollectedData>(
    "component.updateCollectedData", "Collects one field, and judges it.",
    componentID,
    Parameter<Value>(
      "data", .value(.choice(collected)), "Exactly one field of the component's."),
    result: ResultRow(
      "validation",
      Schemas.open([
        .init("status", .enumeration(["valid", "invalid", "error"])),
        .optional("errors", .array(Schemas.validationError)),
        .optional("data", Schemas.open([]), "What was read, where a component tells it."),
        .optional("banks", .array(Schemas.bank), "The banks that a filter left."),
      ])),
    errors: stateErrors + ErrorRow.rows(.alreadySubmitted, .invalidValue),
    examples: Examples.updateCollectedData, make: UpdateCollectedData.init)

  package static let submit = MethodKey<ComponentID?>(
    "component.submit", "Submits the data; from here the daemon goes on by itself.",
    componentID, result: nothing,
    errors: stateErrors
      + ErrorRow.rows(.notStarted, .alreadySubmitted, .invalidCollectedData),
    examples: Examples.submit, make: { $0 })

  package static let getComponent = MethodKey<ComponentID?>(
    "component.get", "Tells everything about a component.", componentID,
    result: ResultRow("component", Schemas.component),
    errors: ErrorRow.rows(.unknownComponent),
    examples: Examples.getComponent, make: { $0 })

  package static let reportRedirect = MethodKey<ReportRedirect>(
    "component.reportRedirect",
    "Tells what became of the page; for information, the status poll decides.",
    componentID,
    Parameter<ReportRedirect.Outcome>("outcome", .word, "Shown, or shown no more."),
    result: nothing, errors: stateErrors + ErrorRow.rows(.notAwaited),
    examples: Examples.reportRedirect, make: ReportRedirect.init)

  package static let reportBankAccount = MethodKey<ReportBankAccount>(
    "component.reportBankAccount", "Tells what came of the bank-account collector.",
    componentID,
    Parameter<ReportBankAccount.Outcome>("outcome", .word, "What the collector came to."),
    Parameter<String?>.optional("paymentId", .text(1...255), "With succeeded: the collector's id."),
    Parameter<ReportBankAccount.Failure?>.optional(
      "error",
      Shape<ReportBankAccount.Failure>(
        object: Parameter<String>("errorId", .text(1...255)),
        Parameter<String?>.optional("description", .text(0...1024)),
        make: ReportBankAccount.Failure.init), "With failed: the collector's own error."),
    result: nothing, errors: stateErrors + ErrorRow.rows(.notAwaited),
    examples: Examples.reportBankAccount, make: ReportBankAccount.init)

  package static let acceptMandate = MethodKey<ComponentID?>(
    "component.acceptMandate", "Tells that the shopper accepted the mandate.",
    componentID, result: nothing,
    errors: stateErrors + ErrorRow.rows(.notAwaited),
    examples: Examples.acceptMandate, make: { $0 })

  package static let declineMandate = MethodKey<ComponentID?>(
    "component.declineMandate", "Tells that the shopper declined the mandate.",
    componentID, result: nothing,
    errors: stateErrors + ErrorRow.rows(.notAwaited),
    examples: Examples.declineMandate, make: { $0 })
}
