package import Checkout
import JSONRPC
package import ValueTree

/// A checkout as a client names it.
package enum CheckoutReference: Sendable, Equatable {
  /// By its id; `nil` if the text is no id.
  case id(CheckoutID?)
  /// By the key it was started with.
  case startKey(String)
}

/// Where a list goes on, and how far.
package struct PageRequest: Sendable {
  /// The last element of the page before; zero for the first page.
  package let cursor: UInt64
  /// How many elements there may be.
  package let limit: Int
}

/// What was read, and the JSON text that it was sent as.
struct Sent<T> {
  let value: T
  let text: String

  init(_ value: T, _ text: String) {
    self.value = value
    self.text = text
  }
}

/// What `checkout.start` is given.
package struct StartCheckout: Sendable {
  /// The client token, encoded.
  package let clientToken: String
  /// How the payment is to go.
  package let settings: Settings
  /// Who else may use the checkout.
  package let shares: [Share]
  /// What makes the start repeatable.
  package let key: String?
  /// Whether it may begin although a payment of its session was made, or may have been.
  package let allowsRepeat: Bool
  /// The texts of what there is beside token and key, by which a repetition is recognised.
  package let texts: [String?]

  /// What a client wants to decide itself.
  enum Asked: String, CaseIterable { case willCreatePayment }

  init(
    clientToken: String, settings: Sent<Settings>?, decisions: Sent<[Asked]>?,
    decisionTimeout: Int64?, key: String?, shares: Sent<[Share]>?, allowsRepeat: Bool
  ) throws(RPCError) {
    self.clientToken = clientToken
    self.shares = shares?.value ?? []
    self.key = key
    self.allowsRepeat = allowsRepeat
    texts = [settings?.text, decisions?.text, decisionTimeout.map { String($0) }, shares?.text]
    var read = settings?.value ?? Settings()
    guard read.mandateText == nil || read.merchantName == nil else {
      throw RPCError(
        CheckoutError(
          .invalidValue, detail: "The mandate is either mandateText or merchantName, not both",
          path: "/settings/stripe"))
    }
    read.decidesOnPaymentCreation = decisions.map { !$0.value.isEmpty } ?? false
    read.decisionTimeout = decisionTimeout
    self.settings = read
  }
}

/// What `checkout.wait` is given.
package struct WaitForCheckout: Sendable {
  /// What is waited for.
  package struct Condition: Sendable {
    /// Whether the end is.
    package let isTerminal: Bool
    /// Whether anything that the client must do is.
    package let isAwaiting: Bool
    /// The names of events.
    package let names: [String]

    init?(words: [String]) {
      isTerminal = words.contains("terminal")
      isAwaiting = words.contains("awaiting")
      names = words.filter { $0 != "terminal" && $0 != "awaiting" }
      guard !words.isEmpty, names.allSatisfy({ EventKind(rawValue: $0) != nil }) else {
        return nil
      }
    }
  }

  /// The checkout.
  package let checkout: CheckoutReference
  /// What is waited for.
  package let condition: Condition
  /// For how long at most.
  package let span: Int64
}

/// What `checkout.list` is given.
package struct ListCheckouts: Sendable {
  /// Only checkouts in one of these states.
  package let states: [CheckoutState]?
  /// Also those that are shared with the caller.
  package let isShared: Bool
  /// Everyone's.
  package let isAll: Bool
  /// Which of them.
  package let page: PageRequest

  init(states: [CheckoutState]?, isShared: Bool, isAll: Bool, cursor: UInt64, limit: Int) {
    self.states = states
    self.isShared = isShared
    self.isAll = isAll
    page = PageRequest(cursor: cursor, limit: limit)
  }
}

/// What `checkout.cancel` is given.
package struct CancelCheckout: Sendable {
  /// The checkout.
  package let checkout: CheckoutReference
  /// Why, for the journal.
  package let reason: String?
}

/// What `checkout.decide` is given.
package struct DecideCheckout: Sendable {
  /// A decision, with what belongs to it.
  package enum Answer: Sendable {
    /// Go on and create the payment.
    case goOn(idempotencyKey: String?)
    /// Stop here.
    case abort(message: String?, payment: Payment?)
    /// Go on with a token, encoded.
    case continueWithNewClientToken(String)
    /// The client's backend has done the rest.
    case complete(Payment?)
  }

  /// The decisions by their words.
  enum Word: String, CaseIterable {
    case `continue`, abort, continueWithNewClientToken, complete
  }

  /// The checkout.
  package let checkout: CheckoutReference
  /// What is decided.
  package let decisionID: String
  /// How.
  package let answer: Answer

  init(
    checkout: CheckoutReference, decisionID: String, word: Word, key: String?, message: String?,
    clientToken: String?, payment: Payment?
  ) throws(RPCError) {
    self.checkout = checkout
    self.decisionID = decisionID
    switch word {
    case .continue: answer = .goOn(idempotencyKey: key)
    case .abort: answer = .abort(message: message, payment: payment)
    case .complete: answer = .complete(payment)
    case .continueWithNewClientToken:
      guard let clientToken else {
        throw RPCError(
          CheckoutError(
            .invalidValue, detail: "continueWithNewClientToken needs a clientToken",
            path: "/clientToken"))
      }
      answer = .continueWithNewClientToken(clientToken)
    }
  }
}

/// What `checkout.share` is given.
package struct ShareCheckout: Sendable {
  /// The checkout.
  package let checkout: CheckoutReference
  /// Who may use it, and how.
  package let share: Share

  init(checkout: CheckoutReference, role: Share.Role, uid: UInt32?, gid: UInt32?) throws(RPCError) {
    self.checkout = checkout
    share = Share(subject: try Share.Subject(uid, orGroup: gid), role: role)
  }
}

/// What `checkout.unshare` is given.
package struct UnshareCheckout: Sendable {
  /// The checkout.
  package let checkout: CheckoutReference
  /// Who may use it no more.
  package let subject: Share.Subject

  init(checkout: CheckoutReference, uid: UInt32?, gid: UInt32?) throws(RPCError) {
    self.checkout = checkout
    subject = try Share.Subject(uid, orGroup: gid)
  }
}

extension Share.Subject {
  /// What is wrong where none is named, or two are.
  static let problem = "needs either a uid or a gid"

  /// Makes one of what was given; nil unless that is one of them.
  init?(uid: UInt32?, gid: UInt32?) {
    switch (uid, gid) {
    case (let uid?, nil): self = .user(uid)
    case (nil, let gid?): self = .group(gid)
    default: return nil
    }
  }

  fileprivate init(_ uid: UInt32?, orGroup gid: UInt32?) throws(RPCError) {
    guard let subject = Share.Subject(uid: uid, gid: gid) else {
      throw .invalidParams(path: "/params/uid", description: Self.problem)
    }
    self = subject
  }
}

/// What the `provide` methods are given.
package struct ProvideComponent: Sendable {
  /// The checkout.
  package let checkout: CheckoutReference
  /// The payment method that the component is for.
  package let paymentMethodType: String
}

/// What `component.updateCollectedData` is given.
package struct UpdateCollectedData: Sendable {
  /// The component; nil if the text is no id.
  package let component: ComponentID?
  /// One field.
  package let data: Value
}

/// What `component.reportRedirect` is given.
package struct ReportRedirect: Sendable {
  /// What became of the page.
  package enum Outcome: String, CaseIterable, Sendable { case presented, dismissed }

  /// The component; nil if the text is no id.
  package let component: ComponentID?
  /// What became of the page.
  package let outcome: Outcome
}

/// What `component.reportBankAccount` is given.
package struct ReportBankAccount: Sendable {
  /// What the collector came to.
  enum Outcome: String, CaseIterable { case succeeded, pendingVerification, failed, cancelled }

  /// The collector's own error.
  struct Failure {
    let errorID: String
    let description: String?
  }

  /// The component; nil if the text is no id.
  package let component: ComponentID?
  /// What came of the collector.
  package let report: BankAccountReport

  init(
    component: ComponentID?, outcome: Outcome, paymentID: String?, failure: Failure?
  ) throws(RPCError) {
    self.component = component
    switch outcome {
    // The collector's id of the payment is compared with nothing.
    case .succeeded: report = .succeeded
    case .pendingVerification: report = .pendingVerification
    case .failed:
      guard let failure else {
        throw .invalidParams(path: "/params/error", description: "is required")
      }
      report = .failed(errorID: failure.errorID, description: failure.description)
    case .cancelled: report = .cancelled
    }
  }
}

/// What `events.subscribe` is given.
package struct SubscribeToEvents: Sendable {
  /// Whose events.
  package enum Scope: Sendable {
    /// Those of one checkout, if there is a number with those that happened after it first.
    case checkout(CheckoutReference, after: Int64?)
    /// Those of all of the caller's checkouts, or of others' too.
    case wide(isShared: Bool, isAll: Bool)
  }

  /// Whose events.
  package let scope: Scope
  /// Which of them.
  package let filter: EventFilter

  init(
    checkout: CheckoutReference?, isShared: Bool, isAll: Bool, filter: EventFilter, after: Int64?
  ) throws(RPCError) {
    self.filter = filter
    if let checkout {
      scope = .checkout(checkout, after: after)
      return
    }
    guard after == nil else {
      throw .invalidParams(path: "/params/after", description: "needs a checkoutId")
    }
    scope = .wide(isShared: isShared, isAll: isAll)
  }
}

/// What `events.read` is given.
package struct ReadEvents: Sendable {
  /// The checkout.
  package let checkout: CheckoutReference
  /// The event to begin after.
  package let after: Int64
  /// Which events.
  package let filter: EventFilter
  /// How many of them at most.
  package let limit: Int
  /// How long to wait if there is none.
  package let span: Int64
}
