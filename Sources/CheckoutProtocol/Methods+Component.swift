import Checkout
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
      .unknownCheckout, .unsupportedPaymentMethodType, .genericError, .checkoutEnded,
      .invalidValue) + commandErrors

  private static let provideParameters: [ParameterRow] = [
    checkoutID, .init("paymentMethodType", .string(1...64), "As in ADYEN_IDEAL."),
  ]

  /// The managers of the seed pages.
  package static let managers: [MethodRow] = [
    MethodRow(
      "componentWithRedirectManager.provideBanksComponent",
      "Provides the component that collects the shopper's bank.",
      parameters: provideParameters, result: provided, errors: provideErrors,
      examples: Examples.provideBanks),
    MethodRow(
      "componentWithRedirectManager.provide",
      "Provides a component whose payment redirects the shopper.",
      parameters: provideParameters, result: provided, errors: provideErrors,
      examples: Examples.provideBanks),
    MethodRow(
      "achManager.provide", "Provides the component that collects what ACH needs.",
      parameters: provideParameters, result: provided, errors: provideErrors,
      examples: Examples.provideACH),
  ]

  private static let stateErrors =
    ErrorRow.rows(.unknownComponent, .checkoutEnded) + commandErrors

  /// The methods of components, `component.*`.
  package static let component: [MethodRow] = [
    MethodRow(
      "component.start",
      "Starts a component; answers with its first data step. Once, or again after a failure.",
      parameters: [componentID],
      result: ResultRow("started", Schemas.open([.init("step", Schemas.step)])),
      errors: stateErrors
        + ErrorRow.rows(
          .alreadyStarted, .banksFetchFailed, .failedToCreateSession, .invalidValue)
        + [.quotaExceeded, .shuttingDown],
      examples: Examples.startComponent),
    MethodRow(
      "component.updateCollectedData", "Collects one field, and judges it.",
      parameters: [
        componentID,
        .init(
          "data",
          .choice([
            .init("bankId", .string(0...1024)), .init("bankFilterText", .string(0...1024)),
            .init("firstName", .string(0...4096)), .init("lastName", .string(0...4096)),
            .init("emailAddress", .string(0...4096)),
          ]), "Exactly one field."),
      ],
      result: ResultRow(
        "validation",
        Schemas.open([
          .init("status", .enumeration(["valid", "invalid", "error"])),
          .optional("errors", .array(Schemas.validationError)),
          .optional("banks", .array(Schemas.bank), "The banks that a filter left."),
        ])),
      errors: stateErrors + ErrorRow.rows(.alreadySubmitted, .invalidValue),
      examples: Examples.updateCollectedData),
    MethodRow(
      "component.submit", "Submits the data; from here the daemon goes on by itself.",
      parameters: [componentID], result: nothing,
      errors: stateErrors
        + ErrorRow.rows(.notStarted, .alreadySubmitted, .invalidCollectedData),
      examples: Examples.submit),
    MethodRow(
      "component.get", "Tells everything about a component.", parameters: [componentID],
      result: ResultRow("component", Schemas.component),
      errors: ErrorRow.rows(.unknownComponent),
      examples: Examples.getComponent),
    MethodRow(
      "component.reportRedirect",
      "Tells what became of the page; for information, the status poll decides.",
      parameters: [
        componentID,
        .init("outcome", .enumeration(["presented", "dismissed"]), "Shown, or shown no more."),
      ],
      result: nothing, errors: stateErrors + ErrorRow.rows(.notAwaited),
      examples: Examples.reportRedirect),
    MethodRow(
      "component.reportBankAccount", "Tells what came of the bank-account collector.",
      parameters: [
        componentID,
        .init(
          "outcome", .enumeration(["succeeded", "failed", "cancelled"]),
          "What the collector came to."),
        .optional("paymentId", .string(1...255), "With succeeded: the collector's id."),
        .optional(
          "error",
          .object([
            .init("errorId", .string(1...255)), .optional("description", .string(0...1024)),
          ]), "With failed: the collector's own error."),
      ],
      result: nothing, errors: stateErrors + ErrorRow.rows(.notAwaited),
      examples: Examples.reportBankAccount),
    MethodRow(
      "component.acceptMandate", "Tells that the shopper accepted the mandate.",
      parameters: [componentID], result: nothing,
      errors: stateErrors + ErrorRow.rows(.notAwaited),
      examples: Examples.acceptMandate),
    MethodRow(
      "component.declineMandate", "Tells that the shopper declined the mandate.",
      parameters: [componentID], result: nothing,
      errors: stateErrors + ErrorRow.rows(.notAwaited),
      examples: Examples.declineMandate),
  ]
}
