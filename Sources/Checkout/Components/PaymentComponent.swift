package import ValueTree

/// The managers of the seed pages, which provide components; the raw value is their name on the
/// wire.
package enum Manager: String, Sendable, CaseIterable {
  case componentWithRedirect = "componentWithRedirectManager"
  case ach = "achManager"
}

/// What is the same for every component of one kind.
package struct ComponentKind: Sendable {
  /// Its name on the wire, as in `BanksComponent`.
  package let name: String
  /// The payment method it collects data for, as in `ADYEN_IDEAL`.
  package let paymentMethodType: String
  /// Who provides it.
  package let manager: Manager
  /// Whether its payment sends the shopper to a page; its steps then tell of `webRedirect`.
  package let redirects: Bool
  /// Whether its payment takes the money from a bank account, days after the checkout has ended.
  package let isBankDebit: Bool

  /// Makes a kind.
  package init(
    name: String, paymentMethodType: String, manager: Manager, redirects: Bool,
    isBankDebit: Bool = false
  ) {
    self.name = name
    self.paymentMethodType = paymentMethodType
    self.manager = manager
    self.redirects = redirects
    self.isBankDebit = isBankDebit
  }
}

/// What a component is told about its checkout.
package struct ComponentContext: Sendable {
  /// The configuration as it is now.
  package var configuration: Configuration
  /// What the client chose.
  package var settings: Settings

  /// The configuration id of a payment method.
  package func configurationID(for type: String) -> String? {
    configuration.paymentMethod(ofType: type)?.id
  }
}

/// What a component wants fetched or changed before it can collect data.
package enum StartRequest: Sendable, Equatable {
  /// The list of banks.
  case fetchBanks(configurationID: String)
  /// A change of the client session.
  case actions([ClientSessionAction])
}

/// What a payment waits for when upstream asks for an action.
package enum ActionPlan: Sendable, Equatable {
  /// Show a page, poll for its status, resume the payment.
  case redirect(url: String, statusURL: String)
  /// Collect a bank account, have the mandate accepted, complete the payment.
  case collectBankAccount(clientSecret: String, completeURL: String)
}

/// One payment component: what it collects, and how that becomes a payment.
///
/// A component is one file that conforms to this protocol, and one line in ``ComponentRegistry``. It
/// speaks ``Value`` at its border, changes in place and knows neither clock nor descriptor. Events
/// go into the list it is handed; the checkout numbers them.
package protocol PaymentComponent: Sendable {
  /// What is the same for every component of this kind.
  static var kind: ComponentKind { get }

  /// Makes a new component.
  init()

  /// Checks what the client must have chosen for this kind of component.
  ///
  /// - Throws: `invalid-value` with the path of the setting.
  static func check(_ settings: Settings) throws(CheckoutError)

  /// Whether data can be submitted: the start has finished.
  var isStarted: Bool { get }

  /// Begins the start.
  ///
  /// - Throws: why it cannot start; it may be tried again.
  mutating func start(_ context: ComponentContext, events: inout [Event]) throws(CheckoutError)
    -> StartRequest

  /// Takes the answer to the start's request.
  mutating func finishStart(
    _ answer: Answer, _ context: ComponentContext, moment: inout Moment, events: inout [Event])

  /// The error that tells of a start that failed upstream.
  static func startError(_ failure: OperationFailure) -> ErrorID

  /// Takes one collected field.
  ///
  /// - Parameters:
  ///   - data: An object with exactly one member, as in `{"bankId":"x"}`.
  ///   - moment: When it came in.
  ///   - events: Where what there is to tell is added.
  /// - Returns: `{"status","errors"?,…}`, the reply.
  /// - Throws: `invalid-value` if the data is not one of this component's fields.
  mutating func update(_ data: Value, moment: inout Moment, events: inout [Event])
    throws(CheckoutError) -> Value

  /// What is missing or invalid, field by field; empty if the data may be submitted.
  var missing: [FieldError] { get }

  /// What must change in the client session before the payment; may be nothing.
  func actionsBeforePayment(_ context: ComponentContext) -> [ClientSessionAction]

  /// Takes note of the session as upstream has changed it.
  mutating func sessionDidChange(_ session: ClientSession)

  /// The step that tells of an accepted submission, if it has one of its own.
  var stepAfterSubmission: Value? { get }

  /// Checks that the session can be paid with this component.
  ///
  /// - Throws: `invalid-value` that names what is missing.
  func checkSession(_ context: ComponentContext) throws(CheckoutError)

  /// The `paymentInstrument` to tokenize.
  func instrument(_ context: ComponentContext) -> Value

  /// What to do about a required action.
  ///
  /// - Throws: `unsupported-required-action` or `invalid-client-token`.
  func plan(for token: ClientToken) throws(CheckoutError) -> ActionPlan

  /// Writes what a keystroke can change, for the store: one tree.
  func write(to row: CompactWriter)

  /// What is large and changes with the start alone, for the store; `nil` if there is none.
  var storedPart: Value? { get }

  /// Takes up a component where its last commit left it.
  ///
  /// - Throws: ``StoredStateError`` if the state is not one that this version writes.
  init(stored: Value, part: Value?) throws(StoredStateError)

  /// The members of a snapshot that are this component's own: lists, details, `validation`, `data`.
  var snapshot: [Value.Member] { get }
}

/// The components that this version offers, in the order of their payment methods.
package enum ComponentRegistry {
  /// Every kind of component.
  package static let all: [any PaymentComponent.Type] = [
    BanksComponent.self,
    StripeAchUserDetailsComponent.self,
  ]

  /// The component for a payment method.
  package static func component(for type: String) -> (any PaymentComponent.Type)? {
    all.first { $0.kind.paymentMethodType == type }
  }
}

/// The status of one collected field, as events, replies and snapshots tell it.
package struct FieldStatus: Sendable, Equatable {
  /// What is wrong; empty if the field is valid.
  package var errors: [Value]

  /// `valid` or `invalid`.
  package var status: String { errors.isEmpty ? "valid" : "invalid" }

  /// `status`, and `errors` if there are any.
  package var members: [Value.Member] {
    errors.isEmpty
      ? [.init("status", "valid")] : [.init("status", "invalid"), .init("errors", .array(errors))]
  }

  /// The same as a reply.
  package var value: Value { errors.isEmpty ? Self.valid : .object(members) }

  private static let valid: Value = ["status": "valid"]

  /// The same, and what was judged; put together at once, as every keystroke has it.
  private func members(of data: Value) -> [Value.Member] {
    let data = Value.Member("data", data)
    return errors.isEmpty
      ? [.init("status", "valid"), data]
      : [.init("status", "invalid"), .init("errors", .array(errors)), data]
  }

  /// Takes up a status.
  package init(errors: [Value]) { self.errors = errors }

  /// Judges a field and tells of it: `validating`, then the verdict.
  package init(
    of data: Value, error: FieldError?, moment: inout Moment, events: inout [Event]
  ) {
    errors = error.map { [$0.validationError(diagnosticsID: moment.uuid())] } ?? []
    events.append(
      Event(.didUpdateValidationStatus, [.init("status", "validating"), .init("data", data)]))
    events.append(Event(.didUpdateValidationStatus, members(of: data)))
  }
}
