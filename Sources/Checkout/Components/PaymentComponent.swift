package import ValueTree

/// What a component is told about its checkout.
package struct ComponentContext: Sendable {
  /// The configuration as it is now.
  package var configuration: Configuration
  /// What the client chose.
  package var settings: Settings
  /// The payment method that the component was provided for.
  package var paymentMethodType: String

  /// That method's configuration id.
  var configurationID: String? { configuration.paymentMethod(ofType: paymentMethodType)?.id }
}

/// What a component wants fetched or changed before it can collect data.
package enum StartRequest: Sendable, Equatable {
  /// Nothing: it has started.
  case nothing
  /// The list of banks.
  case fetchBanks(configurationID: String)
  /// A change of the client session.
  case actions([ClientSessionAction])
}

/// One payment component: what it collects, and how that becomes a payment.
///
/// A component is a ``ComponentRow`` and what conforms to this protocol. It speaks ``Value`` at its
/// border, changes in place and knows neither clock nor descriptor. Events go into the list it is
/// handed; the checkout numbers them.
package protocol PaymentComponent: Sendable {
  /// Makes a new component of that row, for that type of payment method.
  init(_ row: ComponentRow, for paymentMethodType: String)

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

  /// Takes the answer to the start's request; `nil` if there was none to make.
  mutating func finishStart(
    _ answer: Answer?, _ context: ComponentContext, moment: inout Moment, events: inout [Event])

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

  /// Forgets what is secret: it has been used, or is not needed any more.
  mutating func forgetSecrets()

  /// What upstream said, without what is secret: it may say again what it was sent.
  func withoutSecrets(_ said: Value) -> Value

  /// The step that tells of an accepted submission, if it has one of its own.
  var stepAfterSubmission: Value? { get }

  /// Checks that the session can be paid with this component.
  ///
  /// - Throws: `invalid-value` that names what is missing.
  func checkSession(_ context: ComponentContext) throws(CheckoutError)

  /// The `paymentInstrument` to tokenize.
  func instrument(_ context: ComponentContext) -> Value

  /// Writes what a keystroke can change, for the store: one tree.
  func write(to row: CompactWriter)

  /// What is large and changes with the start alone, for the store; `nil` if there is none.
  var storedPart: Value? { get }

  /// Takes up a component where its last commit left it.
  ///
  /// - Throws: ``StoredStateError`` if the state is not one that this version writes.
  init(
    _ row: ComponentRow, for paymentMethodType: String, stored: Value, part: Value?
  ) throws(StoredStateError)

  /// The members of a snapshot that are this component's own: lists, details, `validation`, `data`.
  var snapshot: [Value.Member] { get }
}

/// What most components do.
extension PaymentComponent {
  /// It needs no settings.
  package static func check(_ settings: Settings) {}

  /// Every failure to change the session is `failed-to-create-session`.
  package static func startError(_ failure: OperationFailure) -> ErrorID { .failedToCreateSession }

  /// Selects the method upstream when some method costs extra, so that the sum is right before the
  /// payment; the reference does so for some methods only, and the surcharge of others is lost.
  package func actionsBeforePayment(_ context: ComponentContext) -> [ClientSessionAction] {
    context.configuration.clientSession.surcharges.isEmpty
      ? [] : [.selectPaymentMethod(type: context.paymentMethodType)]
  }

  /// The session holds nothing that it depends on.
  package mutating func sessionDidChange(_ session: ClientSession) {}

  /// It has none.
  package mutating func forgetSecrets() {}

  /// There are none.
  package func withoutSecrets(_ said: Value) -> Value { said }

  /// The step that follows is the payment's own.
  package var stepAfterSubmission: Value? { nil }

  /// Any session can be paid with it.
  package func checkSession(_ context: ComponentContext) {}

  /// It holds nothing large.
  package var storedPart: Value? { nil }
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
