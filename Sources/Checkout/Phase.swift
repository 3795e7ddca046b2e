import ValueTree

/// Where a checkout is.
enum Phase: Sendable {
  /// The configuration is being fetched.
  case starting
  /// Components may be provided, started and filled in.
  case ready
  /// A component has been submitted.
  case paying(Stage)
  /// A terminal event has been published.
  case ended(Ending)
  /// Everything personal and secret has been wiped.
  case archived(OutcomeRecord)
}

/// How a checkout ended.
struct Ending: Sendable {
  var outcome: Outcome
  var error: CheckoutError?
  var at: WallTime
  /// Whether the payment turned out to have failed after the outcome was told as unknown.
  var isPaymentFailed = false
}

/// Where a payment attempt is.
///
/// In each stage exactly one thing is waited for.
enum Stage: Sendable {
  /// The client session is being changed; a failure gives the component back to the shopper.
  case patching
  /// The client decides whether the payment is created.
  case decidingOnCreation(OpenDecision)
  /// The instrument is being tokenized. From here the attempt is final.
  case tokenizing
  /// Manual handling: the client's backend has the token and decides how to go on.
  case decidingAfterTokenization(OpenDecision)
  /// Manual handling: a new token is validated; a bad one leaves the decision before it open.
  case validatingToken(ClientToken, decision: OpenDecision)
  /// The payment is being created.
  case creating
  /// The shopper is at a page, has a code before them, or confirms elsewhere; the status is polled.
  case polling(Shown, statusURL: String, deadline: WallTime)
  /// Manual handling: the client's backend resumes the payment and decides how to go on.
  case decidingAfterResume(OpenDecision)
  /// The payment is being resumed.
  case resuming
  /// The bank account is being collected.
  case collecting(clientSecret: String, completeURL: String)
  /// The mandate is being shown.
  case mandating(completeURL: String)
  /// The payment is being completed.
  case completing
  /// Upstream is asked what became of the payment; the ending holds if that settles nothing.
  case asking(Ending)
  /// The ending is settled; the payment method is being taken back before it is told.
  case unselecting(Ending)

  /// The decision that the client may take now.
  var openDecision: OpenDecision? {
    switch self {
    case .decidingOnCreation(let decision), .decidingAfterTokenization(let decision),
      .decidingAfterResume(let decision):
      decision
    default: nil
    }
  }
}

/// What the shopper has before them while a status is polled.
enum Shown: Sendable, Equatable {
  /// A page.
  case page(url: String)
  /// The token's code.
  case code
  /// Nothing of ours: the shopper confirms in an app of the bank's.
  case confirmation
  /// Nothing at all, for that reason; the poll is the last word.
  case nothing(reason: String)
}

/// A decision that a client was asked for.
struct OpenDecision: Sendable {
  /// `d1`, `d2` and so on, in the order asked.
  var id: String
  /// When it is too late.
  var deadline: WallTime
  /// The event that asked.
  var event: EventKind
  /// That event's own members.
  var members: [Value.Member]
}

/// A payment attempt: what the stages share.
struct Attempt: Sendable {
  /// The component that was submitted.
  let component: Int
  /// That component's step until then, should the attempt be taken back.
  let stepBefore: Value?
  /// When the present stage began.
  var since: WallTime
  /// When the shopper submitted, or the client decided to go on: the attempt's span begins then.
  var startedAt: WallTime
  /// The payment, once there is one.
  var payment: Payment?
  /// Whether the client has asked to cancel, and the answer under way decides.
  var isCancelling = false
  /// The key that the payment is created with, once that is known: its text is kept before the request
  /// goes out, and never derived again for it.
  var key: String?
  /// Whether the client chose the key.
  var isKeyChosen = false
  /// Which of the derived keys it is, from 1.
  var keyNumber = 1
  /// Whether upstream has been asked what became of the payment.
  var hasAsked = false
  /// A payment that came into being when upstream was asked.
  var secondPayment: Payment?
}

/// One component and what the checkout knows about it.
struct ComponentSlot: Sendable {
  /// What kind it is.
  let row: ComponentRow
  /// The payment method that it was provided for.
  let paymentMethodType: String
  var component: any PaymentComponent
  /// The latest step, as its event told it.
  var step: Value?
  /// Whether the start is under way.
  var isStarting = false
  /// How often the component's large part has changed.
  var partVersion = 0
  /// What that was when the part was written last.
  var writtenPartVersion = -1

  var isPartChanged: Bool { partVersion != writtenPartVersion }

  mutating func markPartWritten() { writtenPartVersion = partVersion }

  mutating func markPartChanged() { writtenPartVersion = -1 }

  /// Whether the latest step tells of a page.
  var tellsOfPage: Bool { step?["name"]?.string == "webRedirect" }
}

extension ComponentSlot {
  /// A new component.
  init(_ row: ComponentRow, for paymentMethodType: String) {
    self.row = row
    self.paymentMethodType = paymentMethodType
    component = row.component.init(row, for: paymentMethodType)
  }
}

/// An operation whose answer is awaited.
struct PendingOperation: Sendable {
  /// Why it was asked for, and so what its answer means.
  enum Purpose: Sendable, Equatable {
    case configuration
    case start(component: Int)
    case patch
    case tokenize
    case create
    case poll
    case resume
    case complete
    case validateToken
    case unselect
    /// A creation whose answer is known, sent again: upstream then says what became of its payment.
    case question
    /// It no longer matters, but the next change of the session must come after it.
    case superseded
  }

  let operation: Operation
  var purpose: Purpose
  /// How often it has been sent.
  var sentCount = 0
  /// When it was last sent.
  var sentAt: WallTime
  /// Whether some sending of it may have been carried out though no answer said so.
  var mayHaveBeenDone = false
  /// How often it was repeated after such a sending.
  var uncertainRepeats = 0
  /// Whether it waits for a timer, or for another change of the session, and not for an answer.
  var isWaiting = false
  /// When it is to be sent again, if it waits for a timer.
  var repeatsAt: WallTime?
}
